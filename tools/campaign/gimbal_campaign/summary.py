# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Per application and configuration: median over the runs of the total loop time, and what it is against."""
from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

from .measured import AppData
from .oracle import Oracle, every_fixed, oracle
from .tables import counted

HEADERS = ("configuration", "group", "runs", "total s", "spread %", "over oracle %", "over left-out %",
           "over best fixed %", "over mean fixed %")


@dataclass
class Summary:
    """An application's row of figures per configuration, and the yardsticks."""

    app: AppData
    oracle: Oracle | None
    best_fixed: str | None  # of the Oracle's techniques
    best_fixed_s: float | None
    mean_fixed_s: float | None  # expectation of one of the Oracle's techniques, fixed at random
    rows: list[tuple[Any, ...]]
    own: Oracle | None = None  # over every fixed technique that ran; None: these are the portfolio's


def over(total_s: float | None, yardstick_s: float | None) -> float | None:
    """Percent over a yardstick; None without one."""
    return 100 * (total_s / yardstick_s - 1) if total_s is not None and yardstick_s else None


def summarise(app: AppData) -> Summary:
    """The yardsticks and one row per configuration, in the order of HEADERS."""
    found = oracle(app)
    fixed = [one for one in app.group("fixed") if found and one.technique in found.techniques]
    totals = {one.name: one.total_s() for one in app.series}
    best = min(fixed, key=lambda one: totals[one.name]) if fixed else None
    best_s = totals[best.name] if best else None
    mean_s = statistics.fmean(totals[one.name] for one in fixed) if fixed else None
    rows = []
    for one in app.series:
        runs = [run.total_s for run in one.runs]
        total_s = totals[one.name]
        rows.append((one.name, one.group, len(runs), total_s, 100 * (max(runs) - min(runs)) / total_s,
                     over(total_s, found.total_s if found else None),
                     over(found.over_left_out(one), 1.0) if found else None,
                     over(total_s, best_s), over(total_s, mean_s)))
    every = every_fixed(app)
    own = oracle(app, every) if found and len(every) > len(found.techniques) else None
    return Summary(app, found, best.name if best else None, best_s, mean_s, rows, own)


def yardsticks(summary: Summary) -> list[str]:
    """What the figures are against, in words."""
    found = summary.oracle
    if found is None:
        return ["no Oracle: no fixed technique of its portfolio has run"]
    lines = [f"Oracle over {len(found.techniques)} techniques: {found.total_s:.4f} s (least of medians, biased low)"]
    if found.left_out_s is not None:
        steps = f"for {counted(found.window, 'step')} in a row" if found.window else "for all steps"
        lines.append(f"Oracle chosen on the other repetitions, {steps}: {found.left_out_s:.4f} s "
                     f"({over(found.left_out_s, found.total_s):+.2f} %; little luck in it)")
    if summary.own:
        lines.append(f"Oracle over all {len(summary.own.techniques)} fixed techniques that ran: "
                     f"{summary.own.total_s:.4f} s ({over(summary.own.total_s, found.total_s):+.2f} %)")
    number = len(found.techniques)
    lines.append(f"best fixed of the Oracle's {number}: {summary.best_fixed} {summary.best_fixed_s:.4f} s "
                 f"({over(summary.best_fixed_s or 0.0, found.total_s):+.2f} %); "
                 f"mean of the Oracle's {number}: {summary.mean_fixed_s:.4f} s "
                 f"({over(summary.mean_fixed_s or 0.0, found.total_s):+.2f} %)")
    return lines


def result(summaries: list[Summary], configuration: str = "auto") -> dict[str, dict[str, float]]:
    """The one result that scripts read: total loop time of a configuration over the Oracle's, real and virtual.

    `..._vs_own_oracle` is against the Oracle over every fixed technique that ran, if there are more than the seed's.
    `..._vs_left_out` is against the Oracle chosen on the other repetitions, of real runs: median over the repetitions.
    """
    found: dict[str, dict[str, float]] = {f"{configuration}_vs_oracle": {}, f"{configuration}_vs_oracle_virtual": {},
                                          f"{configuration}_vs_left_out": {}}
    for summary in summaries:
        one = summary.app.find(configuration)
        if one and summary.oracle:
            tail = "_virtual" if summary.app.kind == "virtual" else ""
            ratio = one.total_s() / summary.oracle.total_s
            found[f"{configuration}_vs_oracle{tail}"][summary.app.name] = round(ratio, 4)
            if summary.own:
                name = f"{configuration}_vs_own_oracle{tail}"
                found.setdefault(name, {})[summary.app.name] = round(one.total_s() / summary.own.total_s, 4)
            paired = summary.oracle.over_left_out(one)
            if paired is not None and not tail:
                found[f"{configuration}_vs_left_out"][summary.app.name] = round(paired, 4)
    return found
