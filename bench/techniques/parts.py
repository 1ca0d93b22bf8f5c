# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three parts of bench/techniques: loops of six shapes, a profile that drifts, and noise on one core."""
from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.gate import ControlTimes, Gate
from harness.hog import Hog

import ranking
import roster
from race import Plan, Race, prepare, show
from roster import Entrant
from setting import Setting

LOOPS = ("mandelbrot", "triangular", "decreasing", "uniform", "nbody", "stencil")
# Iterations of loops that take 2 to 11 ms beside the hog. The system shares a core in turns that end at its ticks, and
# loops fall into step with them: one length of a loop tells of itself only.
NOISE_LENGTHS = {"stencil": (2048, 3072, 4096, 6144, 9216), "nbody": (2200, 2600, 3000, 3600, 4300)}
BEST_ON_GCC = 3  # Gimbal's fastest, measured again with the gcc program beside libgomp's schedules
GCC_SHARE = 0.15  # of a loop's time
FINALISTS = 6  # schedules that meet feedback in the second session of the drifting loop
NOISE_STOCK = ("static", "monotonic:dynamic,16", "guided")


@dataclass(frozen=True)
class Field:
    """What all parts need: where things are, the gate, Gimbal's techniques (name -> family)."""

    setting: Setting
    gate: Gate
    families: dict[str, str]
    threads: int
    quick: bool
    hog_thread: int = 1

    def plan(self, kernel: str, executions: int, passes: int, key: str = "ns") -> Plan:
        """quick: a third of the executions, and the chunks of an early execution."""
        return Plan(kernel, executions // 3 if self.quick else executions, passes, key, 2 if self.quick else None)

    def clang(self) -> list[Entrant]:
        return roster.ours(self.families, "clang", self.threads) + roster.stock("clang", self.threads)


@dataclass
class Outcome:
    """Keys for the RESULT line, and the races that they come from."""

    keys: dict[str, Any]
    gated: list[Race]
    others: list[Race] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)

    def failures(self) -> list[str]:
        return [text for one in (*self.gated, *self.others) for text in one.failures]


def start(where: Field, plan: Plan, entrants: Sequence[Entrant], budget_s: float, max_rounds: int = 1000,
          gate: Gate | None = None) -> Race:
    """A race that has been run; the budget covers the trial runs too."""
    begin = time.monotonic()
    race = prepare(where.setting, gate or where.gate, plan, entrants)
    race.run(budget_s - (time.monotonic() - begin), max_rounds)
    return race


def loop(where: Field, kernel: str, budget_s: float) -> Outcome:
    """Every schedule on one loop: the clang program, then Gimbal's best with the gcc program beside libgomp."""
    plan = where.plan(kernel, 12, 2)
    race = start(where, plan, where.clang(), budget_s * (1 - GCC_SHARE))
    print(show(race, f"{kernel}, clang program"), end="\n\n", flush=True)
    best = [row.case.schedule for row in ranking.of(race.rows(), True)][:BEST_ON_GCC]
    again = start(where, plan, roster.ours({name: where.families[name] for name in best}, "gcc", where.threads)
                  + roster.stock("gcc", where.threads), budget_s * GCC_SHARE)
    print(show(again, f"{kernel}, gcc program"), end="\n\n", flush=True)
    keys = ranking.loop_keys(race.rows(), race.compare) | ranking.gcc_keys(again.rows(), again.compare)
    return Outcome(keys, [race, again], detail={kernel: race.detail(), f"{kernel} gcc": again.detail()})


def drift(where: Field, kernel: str, budget_s: float) -> Outcome:
    """One round of everything finds the finalists; a second session compares them with feedback."""
    begin = time.monotonic()
    plan = where.plan(kernel, 24, 1)
    first = start(where, dataclasses.replace(plan, executions=8), where.clang(), 0.0, max_rounds=1)
    finalists = [row.entrant for row in first.rows() if row.case.schedule != roster.FEEDBACK][:FINALISTS]
    finalists += [row.entrant for row in first.rows() if row.case.schedule == roster.FEEDBACK]
    final = start(where, plan, finalists, budget_s - (time.monotonic() - begin))
    print(show(final, f"{kernel} (mandelbrot, window moves), clang program: feedback and the {FINALISTS} fastest of a "
                      f"first round of {len(first.rows())}"), end="\n\n", flush=True)
    return Outcome(ranking.drift_keys(final.rows(), final.compare), [final], [first],
                   {kernel: final.detail(), f"{kernel} first round": first.detail()})


def noise(where: Field, kernel: str, budget_s: float) -> Outcome:
    """A hog takes half of a thread's core. Ungated, because the hog is the load that the gate would see."""
    deadline_s = time.monotonic() + budget_s
    aware = {name: family for name, family in where.families.items() if roster.is_noise_aware(name)}
    entrants = roster.ours(aware, "clang", where.threads)
    entrants += [one for one in roster.stock("clang", where.threads) if one.case.schedule in NOISE_STOCK]
    # How a core is shared changes in the first second of a process: all are measured at the same age.
    warm_ups = max(one.warm_ups for one in entrants)
    no_gate = Gate(lambda: ControlTimes(1.0, 1.0), 1.0)
    lengths = (0,) if where.quick else NOISE_LENGTHS[kernel]
    left = where.threads - 0.5
    title = (f"{kernel} with a hog on the core of thread {where.hog_thread}, clang program, mean loop time, ungated by "
             f"design; efficiency of {left} cores")
    races: list[Race] = []
    for done, n in enumerate(lengths):
        plan = dataclasses.replace(where.plan(kernel, 36, 2, "mean_ns"), warm_ups=warm_ups, n=n)
        with Hog(where.setting.cores[where.hog_thread]) as hog:
            share_s = (deadline_s - time.monotonic()) / (len(lengths) - done)
            race = start(where, plan, entrants, share_s, gate=no_gate)
            if not hog.spins():
                race.failures.append(f"{kernel}: the hog ended before the measurement did")
        races.append(race)
        print(show(race, title, gated=False, cores=left), end="\n\n", flush=True)
    keys = ranking.noise_keys([(race.n, race.rows(), race.compare) for race in races])
    print(f"{kernel} with a hog, mean over N {' '.join(str(race.n) for race in races)}: "
          + ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in keys.items()
                      if isinstance(value, float)), end="\n\n", flush=True)
    return Outcome(keys, [], races, {f"{kernel} noise {race.n}": race.detail() for race in races})
