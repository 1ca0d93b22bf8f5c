# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From answers of the programs to figures. Pure functions; a round is {variant name: answer}."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness import gate as gates
from harness import stats
from harness.runner import Session

import plan

Round = Mapping[str, Mapping[str, Any]]


def rounds_of(session: Session, names: Sequence[str], wanted: int = 3) -> list[Round]:
    """The rounds in which all of `names` found free cores; if those are too few, the `wanted` quietest ones."""
    scored = [(max(session.gate.score(one[name]) for name in names), {name: one[name].value for name in names})
              for one in session.rounds]
    tolerance, _ = gates.choose_tolerance([score for score, _ in scored], session.gate.strict, wanted)
    return [values for score, values in scored if score <= tolerance]


def median_of(rounds: Sequence[Round], figure: Callable[[Round], float | None]) -> float | None:
    """Median over rounds of a figure made within each; None if no round gives one."""
    values = [value for value in map(figure, rounds) if value is not None]
    return stats.median(values) if values else None


def mean_step(answer: Mapping[str, Any], key: str) -> float:
    return float(answer[key]) / float(answer["steps"])


def gain_share(static: Mapping[str, Any], loop: Mapping[str, Any], key: str) -> float | None:
    """Achieved gain over the gain of perfect balance: (static - loop) / (static - ideal), all within one round.

    key: "loop_s", wall time of the slowest rank, where ranks have cores of their own; "busy_max_s", processor time of
    the busiest rank, where they share cores. Ideal: the mean of the ranks' times under static in the same measure.
    None where there is less than 1 % to gain.
    """
    before, after = mean_step(static, key), mean_step(loop, key)
    ideal = mean_step(static, "busy_mean_s")
    return (before - after) / (before - ideal) if before > 1.01 * ideal else None


def pisolver(session: Session, cores: int) -> dict[str, Any]:
    """Shares, ratios at 0 %, and a row of the table for every case."""
    shares: dict[str, float | None] = {}
    uniform: dict[str, float | None] = {}
    rows = []
    for ranks in plan.RANKS:
        key = "loop_s" if ranks <= cores else "busy_max_s"
        for data in plan.DATA:
            case = f"{data}_{ranks}"
            for imbalance in plan.IMBALANCES:
                static, loop = (plan.pisolver_name(ranks, data, imbalance, s) for s in ("static", "loop"))
                if any(name not in session.rounds[0] for name in (static, loop)):
                    continue
                rounds = rounds_of(session, (static, loop))
                ratio = median_of(rounds, lambda r: mean_step(r[loop], key) / mean_step(r[static], key))
                share = median_of(rounds, lambda r: gain_share(r[static], r[loop], key)) if imbalance else None
                if imbalance:
                    shares[case] = share
                else:
                    uniform[case] = ratio
                busy = median_of(rounds, lambda r: gain_share(r[static], r[loop], "busy_max_s")) if imbalance else None
                rows.append([ranks, data, f"{imbalance} %", key, ratio, share, busy,
                             median_of(rounds, lambda r: r[loop]["imbalance"]), len(rounds)])
    return {"share": shares, "uniform": uniform, "rows": rows}


def latency_rows(session: Session) -> list[list[Any]]:
    rows = []
    for variant in session.variants:
        rounds = rounds_of(session, (variant.name,))

        def at(key: str, scale: float = 1.0) -> float | None:
            return median_of(rounds, lambda r: r[variant.name][key] / scale)

        waits = rounds[0][variant.name]["waits"] > 0
        rows.append([variant.name, at("ns"), at("atomic_ns"), at("vs_atomic"),
                     *(at(f"wait_{key}_ns", 1e3) if waits else None for key in ("median", "p90", "p99", "max"))])
    return rows
