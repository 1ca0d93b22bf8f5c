# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who won: the best and worst rows of a measured loop and the ratios of the RESULT line. Pure functions."""
from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from harness.runner import Comparison

from roster import FEEDBACK, TRAPS, Entrant
from setting import Case

Compare = Callable[[Case, Case], Comparison]


@dataclass(frozen=True)
class Row:
    """One measured row. ns: loop time [ns]; efficiency: serial time / threads / loop time; chunks: of one loop."""

    entrant: Entrant
    ns: float
    efficiency: float
    chunks: float | None = None

    @property
    def case(self) -> Case:
        return self.entrant.case

    @property
    def is_ours(self) -> bool:
        return self.case.runtime == "gimbal"

    @property
    def name(self) -> str:
        """The schedule, with its runtime in front where it is not Gimbal's."""
        return self.case.schedule if self.is_ours else f"{self.entrant.family} {self.case.schedule}"


def of(rows: Sequence[Row], ours: bool) -> list[Row]:
    """Gimbal's rows, or the stock ones."""
    return [row for row in rows if row.is_ours == ours]


def fastest(rows: Sequence[Row]) -> Row | None:
    """The row with the least loop time; the first of equal ones, None of no rows."""
    return min(rows, key=lambda row: row.ns, default=None)


def ratio(compare: Compare, row: Row | None, baseline: Row | None) -> float | None:
    """Time of one row over another's; None when one of them is missing."""
    return compare(row.case, baseline.case).ratio if row is not None and baseline is not None else None


def worst(rows: Sequence[Row], baseline: Row | None, compare: Compare,
          names: Collection[str] | None = None) -> dict[str, Any] | None:
    """{name, ratio} of Gimbal's row (of those named) that loses most against the baseline; None if there is none."""
    candidates = [row for row in of(rows, True) if names is None or row.case.schedule in names]
    if baseline is None or not candidates:
        return None
    ratios = {row.name: compare(row.case, baseline.case).ratio for row in candidates}
    name = max(ratios, key=lambda key: ratios[key])
    return {"name": name, "ratio": ratios[name]}


def feedback_and_fixed(rows: Sequence[Row]) -> tuple[Row | None, Row | None]:
    """Gimbal's feedback, and the fastest of all the others, stock ones included."""
    feedback = next((row for row in of(rows, True) if row.case.schedule == FEEDBACK), None)
    return feedback, fastest([row for row in rows if row is not feedback])


def loop_keys(rows: Sequence[Row], compare: Compare) -> dict[str, Any]:
    """The RESULT entry of one loop (clang program). "Best" in worst and worst_trap: the fastest row of all."""
    best, best_stock = fastest(of(rows, True)), fastest(of(rows, False))
    feedback, fixed = feedback_and_fixed(rows)
    return {"best": best.name if best else None, "best_stock": best_stock.name if best_stock else None,
            "best_vs_stock": ratio(compare, best, best_stock),
            "best_efficiency": best.efficiency if best else None,
            "feedback_vs_best": ratio(compare, feedback, fixed),
            "worst": worst(rows, fastest(rows), compare),
            "worst_trap": worst(rows, fastest(rows), compare, TRAPS)}


def gcc_keys(rows: Sequence[Row], compare: Compare) -> dict[str, Any]:
    """What the gcc program adds to the entry of a loop."""
    best, best_stock = fastest(of(rows, True)), fastest(of(rows, False))
    return {"gcc_best": best.name if best else None, "best_libgomp": best_stock.name if best_stock else None,
            "best_vs_libgomp": ratio(compare, best, best_stock)}


def drift_keys(rows: Sequence[Row], compare: Compare) -> dict[str, Any]:
    """The RESULT entry of the drifting loop."""
    feedback, fixed = feedback_and_fixed(rows)
    return {"feedback_efficiency": feedback.efficiency if feedback else None,
            "best_fixed": fixed.name if fixed else None,
            "best_fixed_efficiency": fixed.efficiency if fixed else None,
            "feedback_vs_best_fixed": ratio(compare, feedback, fixed)}


def noise_keys(lengths: Sequence[tuple[int, Sequence[Row], Compare]]) -> dict[str, Any]:
    """The RESULT entry of one loop with a hog beside thread 1: usched and vsched over upstream's static and guided, as
    the geometric mean over the loop's lengths (iterations, rows, compare), and by length."""
    def find(rows: Sequence[Row], schedule: str, ours: bool) -> Row | None:
        return next((row for row in of(rows, ours) if row.case.schedule == schedule), None)

    by_length = {n: {f"{name}_vs_{other}": ratio(compare, find(rows, name, True), find(rows, other, False))
                     for name in ("usched", "vsched") for other in ("static", "guided")}
                 for n, rows, compare in lengths}
    keys: dict[str, Any] = {}
    for key in next(iter(by_length.values()), {}):
        known = [found for one in by_length.values() if (found := one[key]) is not None]
        keys[key] = statistics.geometric_mean(known) if known else None
    return keys | {"by_length": by_length}
