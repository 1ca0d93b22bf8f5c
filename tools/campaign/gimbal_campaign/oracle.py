# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Oracle (seed 000, section 5.2): the sum over steps of the fastest fixed technique's median loop time.

The least of several noisy medians is biased low: with many techniques of equal speed, the Oracle takes in each step the
one that was luckiest. The estimate beside it takes the technique that was best in the *other* repetitions and its time
in the one left out; it is biased high, by noise in the choice. What a perfect selection would reach lies between.
"""
from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from .measured import PORTFOLIO, AppData, Key, Series, Step


@dataclass
class Oracle:
    """The choice of each step, and what its runs would take."""

    steps: dict[Key, Step]
    total_s: float
    left_out_s: float | None  # None: a single repetition
    medians: dict[str, dict[Key, float]]  # technique -> median loop time per step
    loops: dict[str, float]  # total per loop [s]

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


def left_out(series: Sequence[Series]) -> float | None:
    """Mean over the repetitions: techniques chosen on all others, times of this one. None without two repetitions."""
    repetitions = sorted({run.repetition for one in series for run in one.runs})
    totals = []
    for repetition in repetitions:
        own = {one.name: run.steps for one in series for run in one.runs if run.repetition == repetition}
        rest = {}
        for one in series:
            others = Series(one.name, one.group, runs=[run for run in one.runs if run.repetition != repetition])
            if one.name in own and others.runs:
                rest[one.name] = others.step_medians()
        if not rest:
            continue
        total_s = 0.0
        for key in {key for times in rest.values() for key in times}:
            choice = fastest(rest, key)
            if choice and key in own[choice[0]]:
                total_s += own[choice[0]][key].time_s
        totals.append(total_s)
    return statistics.fmean(totals) if totals else None


def oracle(app: AppData) -> Oracle | None:
    """The Oracle of an application; None if no fixed technique of the portfolio has a run."""
    series = portfolio(app)
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
    return Oracle(steps, sum(step.time_s for step in steps.values()), left_out(series), medians, loops)


def shares(steps: dict[Key, Step]) -> dict[str, float]:
    """Technique -> its share of the loop time."""
    times: dict[str, float] = {}
    for step in steps.values():
        times[step.technique] = times.get(step.technique, 0.0) + step.time_s
    total_s = sum(times.values()) or 1.0
    return {name: value / total_s for name, value in sorted(times.items(), key=lambda pair: -pair[1])}
