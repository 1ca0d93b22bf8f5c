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


def rounds_of(session: Session, names: Sequence[str], wanted: int = 3) -> tuple[list[Round], bool]:
    """Rounds in which all of `names` found free cores, and True; the `wanted` quietest ones if those are too few."""
    scored = [(max(session.gate.score(one[name]) for name in names), {name: one[name].value for name in names})
              for one in session.rounds]
    tolerance, gated = gates.choose_tolerance([score for score, _ in scored], session.gate.strict, wanted)
    return [values for score, values in scored if score <= tolerance], gated


def count_of(rounds: Sequence[Round], gated: bool) -> int | str:
    """A cell of a table: a star says that others used the cores meanwhile."""
    return len(rounds) if gated else f"{len(rounds)}*"


def all_passed(parts: Sequence[bool]) -> bool:
    """Whether there are figures, and all of them passed the gate."""
    return bool(parts) and all(parts)


def median_of(rounds: Sequence[Round], figure: Callable[[Round], float | None]) -> float | None:
    """Median over rounds of a figure made within each; None if no round gives one."""
    values = [value for value in map(figure, rounds) if value is not None]
    return stats.median(values) if values else None


def gain_share(static: Mapping[str, Any], loop: Mapping[str, Any], balanced: Mapping[str, Any], key: str) -> float:
    """Achieved gain over the gain of perfect balance: (static - loop) / (static - ideal), all within one round.

    key: "loop_s", time of the slowest rank from step to step, or "busy_max_s", of the busiest one in iterations.
    Ideal: what the same work took in equal blocks, which 0 % of imbalance is. It is measured and not computed: cores
    that share execution units are slower when both work to the end, so half of a sum is no time that anything could
    take.
    """
    before = float(static["loop_s"])
    ideal = float(balanced["loop_s"]) * float(static["total_work"]) / float(balanced["total_work"])
    return (before - float(loop[key])) / (before - ideal)


def pisolver(session: Session, cores: int) -> dict[str, Any]:
    """Shares, ratios at 0 %, a row of the table for every case, and whether all of them passed the gate."""
    shares: dict[str, float | None] = {}
    uniform: dict[str, float | None] = {}
    rows = []
    all_gated = True
    for ranks in plan.RANKS:
        for data in plan.DATA:
            case = f"{data}_{ranks}"
            for imbalance in plan.IMBALANCES:
                static, loop = (plan.pisolver_name(ranks, data, imbalance, s) for s in ("static", "loop"))
                balanced = plan.pisolver_name(ranks, data, 0, "static")
                if any(name not in session.rounds[0] for name in (static, loop, balanced)):
                    continue
                rounds, gated = rounds_of(session, (static, loop, balanced))
                all_gated &= gated

                def share_of(key: str) -> float | None:
                    return median_of(rounds, lambda r: gain_share(r[static], r[loop], r[balanced], key))

                ratio = median_of(rounds, lambda r: float(r[loop]["loop_s"]) / float(r[static]["loop_s"]))
                share = share_of("loop_s") if imbalance else None
                if imbalance:
                    shares[case] = share
                else:
                    uniform[case] = ratio
                busy = share_of("busy_max_s") if imbalance else None
                rows.append([ranks, data, f"{imbalance} %", "sleep" if ranks > cores else "compute", ratio, share, busy,
                             median_of(rounds, lambda r: r[loop]["imbalance"]), count_of(rounds, gated)])
    return {"share": shares, "uniform": uniform, "rows": rows, "gated": all_gated}


def latency(session: Session) -> tuple[list[list[Any]], bool]:
    """A row of the table for every variant, and whether all of them passed the gate."""
    rows = []
    all_gated = True
    for variant in session.variants:
        rounds, gated = rounds_of(session, (variant.name,))
        all_gated &= gated

        def at(key: str, scale: float = 1.0) -> float | None:
            return median_of(rounds, lambda r: r[variant.name][key] / scale)

        waits = rounds[0][variant.name]["waits"] > 0
        rows.append([variant.name, at("ns"), at("atomic_ns"), at("vs_atomic"),
                     *(at(f"wait_{key}_ns", 1e3) if waits else None for key in ("median", "p90", "p99", "max")),
                     count_of(rounds, gated)])
    return rows, all_gated
