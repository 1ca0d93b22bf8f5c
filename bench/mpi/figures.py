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
    """Shares, ratios at 0 %, and a row of the table for every case."""
    shares: dict[str, float | None] = {}
    uniform: dict[str, float | None] = {}
    rows = []
    for ranks in plan.RANKS:
        for data in plan.DATA:
            case = f"{data}_{ranks}"
            for imbalance in plan.IMBALANCES:
                static, loop = (plan.pisolver_name(ranks, data, imbalance, s) for s in ("static", "loop"))
                balanced = plan.pisolver_name(ranks, data, 0, "static")
                if any(name not in session.rounds[0] for name in (static, loop, balanced)):
                    continue
                rounds = rounds_of(session, (static, loop, balanced))

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
