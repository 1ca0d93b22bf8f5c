# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Oracle (seed 000, section 5.2): the sum over steps of the fastest fixed technique's median loop time.

The least of several noisy medians is biased low: with many techniques of equal speed, the Oracle takes in each step the
one that was luckiest, and a technique measured twice would lose against itself. The figure beside it has little luck:
in each repetition it runs what was best in all *other* repetitions, and a configuration is compared with it repetition
by repetition. Chosen step by step, that Oracle errs by noise; so it chooses for several steps in a row, and of several
lengths the one counts with which it is fastest. That length alone is chosen by the repetitions that it is measured in.
"""
from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from .measured import PORTFOLIO, AppData, Key, Series, Step

WINDOWS = (1, 4, 16, 64, 0)  # steps in a row for which left_out chooses; 0: all


@dataclass
class Oracle:
    """The choice of each step, and what its runs would take."""

    steps: dict[Key, Step]
    total_s: float
    left_out: dict[int, float]  # repetition -> total of what was best in the others [s]; empty: a single repetition
    window: int  # for so many steps in a row left_out chooses; 0: for all
    medians: dict[str, dict[Key, float]]  # technique -> median loop time per step
    loops: dict[str, float]  # total per loop [s]

    @property
    def left_out_s(self) -> float | None:
        """Mean over the repetitions; None: a single repetition."""
        return statistics.fmean(self.left_out.values()) if self.left_out else None

    def over_left_out(self, one: Series) -> float | None:
        """Total of a configuration over that of left_out: median over the repetitions that have both."""
        ratios = [run.total_s / self.left_out[run.repetition] for run in one.runs if run.repetition in self.left_out]
        return statistics.median(ratios) if ratios else None

    @property
    def techniques(self) -> list[str]:
        return list(self.medians)


def portfolio(app: AppData) -> list[Series]:
    """The fixed techniques that the Oracle chooses from: those of the seed's twelve that the campaign ran."""
    fixed = {one.technique: one for one in app.group("fixed")}
    return [fixed[name] for name in PORTFOLIO if name in fixed]


def fastest(medians: dict[str, dict[Key, float]], key: Key) -> tuple[str, float] | None:
    """The technique with the smallest time in a step, the earlier one of the portfolio if two are equal."""
    found = [(times[key], place, name) for place, (name, times) in enumerate(medians.items()) if key in times]
    if not found:
        return None
    time_s, _, name = min(found)
    return name, time_s


def left_out(series: Sequence[Series], windows: Sequence[int] = WINDOWS) -> tuple[dict[int, float], int]:
    """Per repetition what was best in all others takes in this one, and the window with which that is least."""
    repetitions = sorted({run.repetition for one in series for run in one.runs})
    totals: dict[int, dict[int, float]] = {window: {} for window in windows}
    for repetition in repetitions:
        own = {one.name: run.steps for one in series for run in one.runs if run.repetition == repetition}
        rest = {}
        for one in series:
            others = Series(one.name, one.group, runs=[run for run in one.runs if run.repetition != repetition])
            if one.name in own and others.runs:
                rest[one.name] = others.step_medians()
        if not rest:
            continue
        for window in windows:
            totals[window][repetition] = chosen_before(rest, own, window)
    window = min(windows, key=lambda window: math.fsum(totals[window].values()))
    return totals[window], window


def chosen_before(rest: dict[str, dict[Key, float]], own: dict[str, dict[Key, Step]], window: int) -> float:
    """Time of the steps `own` under the technique that takes least in `rest`, chosen for `window` steps of a loop."""
    common = set.intersection(*(set(times) for times in rest.values()), *(set(own[name]) for name in rest))
    spans: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(common):
        spans.setdefault((key[0], key[1] // window if window else 0), []).append(key)
    times: list[float] = []
    for keys in spans.values():
        # Of equals the first.
        best = min(rest, key=lambda name: math.fsum(rest[name][key] for key in keys))
        times += [own[best][key].time_s for key in keys]
    return math.fsum(times)


def every_fixed(app: AppData) -> list[Series]:
    """All fixed techniques that ran, also those that the seed did not have and `auto` chooses among."""
    return list({one.technique: one for one in app.group("fixed")}.values())


def oracle(app: AppData, series: list[Series] | None = None) -> Oracle | None:
    """The Oracle of an application over some series, by default the seed's portfolio; None if none has a run."""
    series = portfolio(app) if series is None else series
    if not series:
        return None
    medians = {one.technique: one.step_medians() for one in series}
    steps: dict[Key, Step] = {}
    loops: dict[str, float] = {}
    for key in sorted({key for times in medians.values() for key in times}):
        choice = fastest(medians, key)
        assert choice is not None
        steps[key] = Step(*choice)
        loops[key[0]] = loops.get(key[0], 0.0) + choice[1]
    return Oracle(steps, sum(step.time_s for step in steps.values()), *left_out(series), medians, loops)


def shares(steps: dict[Key, Step]) -> dict[str, float]:
    """Technique -> its share of the loop time."""
    times: dict[str, float] = {}
    for step in steps.values():
        times[step.technique] = times.get(step.technique, 0.0) + step.time_s
    total_s = sum(times.values()) or 1.0
    return {name: value / total_s for name, value in sorted(times.items(), key=lambda pair: -pair[1])}
