# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What selecting costs (seed 000, table 5.4), from the library's records and from outside.

selection: choosing, planning and learning between executions, as the library measured it (opening_s + closing_s).
outside loops: wall time of the process minus its loop times; against the same figure of the fixed techniques it holds
everything that selecting adds between loops, and the noise of everything else, too. exploring: loop time that trying
other techniques cost, as the library reckons. handing out: what a thread spent on it in the mean, as estimated.

Virtual time passes in loops and in the selector only, which takes there what it takes on a real core: selection % is of
the sum of the two.
"""
from __future__ import annotations

import statistics
from typing import Any

from .measured import AppData, Run

HEADERS = ("group", "runs", "wall s", "loops s", "outside loops s", "outside, over fixed s", "handing out s",
           "exploring s", "selection s", "selection %", "us per step")
GROUPS = ("fixed", "control", "selector", "rl", "rl-chunk")


def mean(values: list[float]) -> float | None:
    return statistics.fmean(values) if values else None


def median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None


def outside_s(run: Run) -> float:
    return run.wall_s - run.total_s


def overhead(app: AppData) -> list[tuple[Any, ...]]:
    """One row per group, in the order of HEADERS. None for virtual runs of before these costs were kept."""
    real = app.kind == "real"
    fixed = median([outside_s(run) for one in app.group("fixed") for run in one.runs])
    rows = []
    for group in GROUPS:
        runs = [run for one in app.group(group) for run in one.runs]
        measured = [(run.selection_s, run.wall_s if real else run.total_s + run.selection_s, len(run.steps))
                    for run in runs if run.selection_s is not None]
        if not runs or not (real or measured):
            continue
        outside = statistics.median([outside_s(run) for run in runs])
        rows.append((group, len(runs), statistics.fmean(run.wall_s for run in runs) if real else None,
                     statistics.fmean(run.total_s for run in runs), outside if real else None,
                     outside - fixed if real and fixed is not None else None,
                     mean([run.scheduling_s for run in runs if run.scheduling_s is not None]),
                     mean([run.exploring_s for run in runs if run.exploring_s is not None]),
                     mean([one[0] for one in measured]),
                     mean([100 * selection_s / whole_s for selection_s, whole_s, _ in measured]),
                     mean([1e6 * selection_s / steps for selection_s, _, steps in measured])))
    return rows
