# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A campaign's measurements in memory: per application and configuration the runs, each a table of steps."""
from __future__ import annotations

import functools
import math
import statistics
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .records import split_team
from .store import Store
from .tables import counted

Key = tuple[str, int]  # loop, step


class Step(NamedTuple):
    """One execution of a loop."""

    technique: str
    time_s: float


@dataclass
class Run:
    """One process that ended well."""

    repetition: int
    steps: dict[Key, Step]
    wall_s: float = 0.0
    scheduling_s: float | None = None
    selection_s: float | None = None
    exploring_s: float | None = None

    @functools.cached_property
    def total_s(self) -> float:
        """Sum of the loop times: the T of all ratios."""
        return sum(step.time_s for step in self.steps.values())


@dataclass
class Series:
    """All runs of one application under one configuration."""

    name: str
    group: str  # fixed, selector, rl, rl-chunk or control
    technique: str = ""
    agent: str = ""
    policy: str = ""
    reward: str = ""
    runs: list[Run] = field(default_factory=list)

    def median_run(self) -> Run:
        """The run with the median total (the faster one of the middle two): its steps represent the configuration."""
        ordered = sorted(self.runs, key=lambda run: run.total_s)
        return ordered[(len(ordered) - 1) // 2]

    def total_s(self) -> float:
        """Median total; of an even number of runs the mean of the middle two, as in step_medians(), so that of two
        runs no fixed technique is less than the Oracle."""
        return statistics.median(run.total_s for run in self.runs)

    def step_medians(self) -> dict[Key, float]:
        """Median loop time over the runs, for every step that a run has."""
        times: dict[Key, list[float]] = {}
        for run in self.runs:
            for key, step in run.steps.items():
                times.setdefault(key, []).append(step.time_s)
        return {key: statistics.median(values) for key, values in times.items()}


@dataclass
class AppData:
    """All configurations of one application, in the order of the design."""

    name: str
    kind: str
    workers: int
    series: list[Series] = field(default_factory=list)

    def group(self, *names: str) -> list[Series]:
        return [one for one in self.series if one.group in names]

    def find(self, name: str) -> Series | None:
        return next((one for one in self.series if one.name == name), None)


ORDER = ("fixed", "control", "selector", "rl", "rl-chunk")


def steps_of(store: Store, run: Mapping[str, Any], names: Mapping[tuple[str, str], str],
             keys: dict[Key, Key]) -> dict[Key, Step]:
    """The steps of a run, loops under the names that people read. keys: every key seen so far, to itself.

    Raises CampaignError if a time is no number, or if two loops have one name: one of them would be lost.
    """
    found: dict[Key, Step] = {}
    rows = store.steps(run["id"])
    for loop, step, technique, time_s in rows:
        if not isinstance(time_s, (int, float)):
            raise store.damaged(run, f"the time of step {step} of {loop} is {time_s!r}")
        plain, team = split_team(loop)
        key = (names.get((run["application"], plain), plain) + team, step)
        found[keys.setdefault(key, key)] = Step(sys.intern(technique), time_s)
    if len(found) != len(rows):
        raise store.damaged(run, f"loop and number of {counted(len(rows) - len(found), 'step')} stand there twice")
    return found


def names_to_read(store: Store, runs: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """(application, loop as recorded) -> its name for people. Loops of one run never share a name: a function in a
    header that several files include is one name for several loops, and these keep what the record calls them.
    """
    names = store.loop_names()
    meanings: dict[tuple[str, str], int] = {}  # (application, name) -> loops of that name, as recorded
    for (app, _), name in names.items():
        meanings[app, name] = meanings.get((app, name), 0) + 1
    unclear = {app for (app, _), count in meanings.items() if count > 1}
    shared: set[tuple[str, str]] = set()
    for run in runs:
        if (app := run["application"]) in unclear:
            found: dict[str, str] = {}  # name -> the loop that has it
            for loop in {split_team(loop)[0] for loop in store.loops_of(run["id"])}:
                if found.setdefault(names.get((app, loop), loop), loop) != loop:
                    shared.add((app, names.get((app, loop), loop)))
    return {(app, loop): told_apart(name, loop) if (app, name) in shared else name
            for (app, loop), name in names.items()}


def told_apart(name: str, loop: str) -> str:
    """A name with what the record calls the loop, which often begins with the name."""
    return loop if loop.startswith(name) else f"{name} ({loop})"


def load(store: Store, readable: bool = True) -> list[AppData]:
    """Everything that ended well, sorted by name. readable: loops by the names that people read, else as recorded.

    Raises CampaignError if a run has no time that others could be compared with.
    """
    apps: dict[str, AppData] = {}
    series: dict[tuple[str, str], Series] = {}
    rows = [row for row in store.runs() if row["status"] == "ok"]
    names = names_to_read(store, rows) if readable else {}
    keys: dict[Key, Key] = {}  # one object per step, not one per step and run: campaigns have millions of steps
    for row in rows:
        app = apps.setdefault(row["application"], AppData(row["application"], row["kind"], row["workers"]))
        key = (row["application"], row["configuration"])
        if key not in series:
            series[key] = Series(row["configuration"], row["grp"], row["technique"] or "", row["agent"] or "",
                                 row["policy"] or "", row["reward"] or "")
            app.series.append(series[key])
        run = Run(row["repetition"], steps_of(store, row, names, keys), row["wall_s"], row["scheduling_s"],
                  row["selection_s"], row["exploring_s"])
        if not 0 < run.total_s < math.inf:
            raise store.damaged(row, "the loop times add up to " + (f"{run.total_s} s" if run.steps else "nothing"))
        series[key].runs.append(run)
    for app in apps.values():
        app.series.sort(key=lambda one: (ORDER.index(one.group), portfolio_place(one.name), one.name))
    return [apps[name] for name in sorted(apps)]


PORTFOLIO = ("static", "ss", "mfsc", "gss", "tss", "fac2", "awf", "awf-b", "awf-c", "awf-d", "awf-e", "af")


def portfolio_place(name: str) -> int:
    """Position in the seed's portfolio (section 5.2); behind it for what is not in it."""
    return PORTFOLIO.index(name) if name in PORTFOLIO else len(PORTFOLIO)


def loops_of(keys: Iterable[Key]) -> list[str]:
    """The loops of these steps, sorted by name."""
    return sorted({loop for loop, _ in keys})
