# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the machine is at the moment: a short run of the application itself before and after every cell.

Neighbours on the same physical cores, clocks and memory make whole runs slower, and leave no trace in the program's own
counts. A short run of the same program under a technique that never changes has the same trouble and no other.
"""
from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable

from .design import Cell, Configuration
from .process import Tool, run_cell
from .records import Outcome
from .spec import Application

TECHNIQUE = Configuration("pace", "fixed", technique="fac2")
FIRST = 5  # short runs before the first cell of an application


class Pace:
    """The short runs of one campaign, application by application."""

    def __init__(self, tool: Tool, seed: int, runner: Callable[[Cell, Tool, int], Outcome] = run_cell) -> None:
        self.tool, self.seed, self.runner = tool, seed, runner
        self.times_s: dict[str, list[float]] = {}

    def short_run_s(self, app: Application) -> float | None:
        """Its sum of loop times, kept; None if it failed."""
        short = dataclasses.replace(app, steps=app.pace_steps)
        outcome = self.runner(Cell(short, TECHNIQUE, 0), self.tool, self.seed)
        loops_s = outcome.columns()["loops_s"]
        if outcome.status != "ok" or not loops_s:
            return None
        self.times_s.setdefault(app.name, []).append(loops_s)
        return float(loops_s)

    def usual_s(self, app: Application) -> float:
        """What a short run takes when nothing disturbs it: the lower quartile of all so far."""
        return statistics.quantiles(self.times_s[app.name], n=4, method="inclusive")[0]

    def beside(self, app: Application, run: Callable[[], Outcome]) -> Outcome:
        """Run something between two short runs and note how much slower the slower of them was than usual."""
        while app.name not in self.times_s or len(self.times_s[app.name]) < FIRST:
            if self.short_run_s(app) is None:
                return run()
        before = self.short_run_s(app)
        outcome = run()
        after = self.short_run_s(app)
        if before is not None and after is not None:
            outcome.slower = max(before, after) / self.usual_s(app) - 1
        return outcome
