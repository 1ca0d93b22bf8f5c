# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks of threads whose iterations sleep: `auto` at both levels against a grid of fixed pairs."""
from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness import stats

from elastic import favoured

NAMES = ("static", "ss", "gss", "tss", "fac2", "mfsc")
RANKS = 2
SHAPES = {2: (400, 100.0), 8: (800, 200.0)}  # threads -> iterations, mean time of one [us]
UNTIMED_STEPS = 3
LOOK_STEPS = 12  # of a pair, to see whether it is among the best
FIXED_STEPS = 40
FINALISTS = 4  # pairs that run in all rounds
FEWEST_ROUNDS = 4

Pair = tuple[str, str]  # techniques of ranks and of threads


class ProgramFailed(RuntimeError):
    """A run that printed no time, or another checksum."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One team size: time of a step [s]."""

    threads: int
    auto_s: float
    best_s: float
    best: str
    ratio: float  # of auto to the best pair, median over rounds
    luck: float  # the part of the ratio that choosing the best pair by the same rounds makes
    rounds: int


class Runs:
    """Runs of the program with some number of threads."""

    def __init__(self, gimbal: Path, program: Path, threads: int, auto_steps: int) -> None:
        self.start = [str(gimbal), "run", "-n", str(RANKS), "-t", str(threads), "--", str(program)]
        self.iterations, self.mean_us = SHAPES[threads]
        self.auto_steps = auto_steps

    def step_s(self, ranks: str, threads: str, steps: int = FIXED_STEPS) -> float:
        """Time of a step, mean over a run [s]. `auto` learns in it, a pair that is named does not."""
        steps = self.auto_steps if ranks == "auto" else steps
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "OMP_", "KMP_"))}
        named = {} if ranks == "auto" else {"GIMBAL_MPI_SCHEDULE": ranks, "GIMBAL_SCHEDULE": threads}
        command = [*self.start, str(steps), str(self.iterations), str(self.mean_us)]
        done = subprocess.run(favoured(command), env={**kept, **named, "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off"},
                              capture_output=True, text=True, timeout=300, check=False)
        found = re.search(r"seconds (\S+) checksum (\d+)", done.stdout)
        if done.returncode != 0 or not found:
            said = done.stdout[-300:] + done.stderr[-300:]
            raise ProgramFailed(f"{' '.join(command)}: exit {done.returncode}: {said}")
        right = (steps + UNTIMED_STEPS) * sum(i % 7 for i in range(self.iterations))
        if int(found[2]) != right:
            raise ProgramFailed(f"{ranks}/{threads}: checksum {found[2]} instead of {right}")
        return float(found[1]) / steps


def against_best(auto: Sequence[float], times: Mapping[Pair, Sequence[float]]) -> tuple[Pair, float]:
    """The pair with the smallest median, and `auto` over it: the median of ratios within rounds."""
    best = min(times, key=lambda pair: stats.median(times[pair]))
    return best, stats.median([a / b for a, b in zip(auto, times[best], strict=True)])


def luck(auto: Sequence[float], times: Mapping[Pair, Sequence[float]]) -> float:
    """What is lost to the best of several pairs by luck alone: the ratio to it, over the ratio to a pair that is chosen
    in every second round and compared in the others. At least 1; 1 if there are fewer than four rounds."""
    if len(auto) < FEWEST_ROUNDS:
        return 1.0
    found = []
    for choosing, judging in ((0, 1), (1, 0)):
        chosen, _ = against_best(auto[choosing::2], {pair: rounds[choosing::2] for pair, rounds in times.items()})
        _, ratio = against_best(auto[judging::2], {chosen: times[chosen][judging::2]})
        found.append(ratio)
    return max(against_best(auto, times)[1] / (sum(found) / len(found)), 1.0)


def measure(runs: Runs, threads: int, rounds: int, budget_s: float) -> Case:
    """All pairs once, the best of them in turns with `auto`; the ratio is made within a round."""
    begin = time.monotonic()
    looks = {(r, t): runs.step_s(r, t, LOOK_STEPS) for r in NAMES for t in NAMES}
    finalists = sorted(looks, key=looks.__getitem__)[:FINALISTS]
    times: dict[Pair, list[float]] = {pair: [] for pair in finalists}
    auto: list[float] = []
    for turn in range(rounds):
        if turn >= 3 and time.monotonic() - begin > budget_s:
            break
        order = [("auto", "auto"), *finalists]
        for pair in order if turn % 2 == 0 else reversed(order):
            (auto if pair[0] == "auto" else times[pair]).append(runs.step_s(*pair))
    best, ratio = against_best(auto, times)
    return Case(threads, stats.median(auto), stats.median(times[best]), "/".join(best), ratio, luck(auto, times),
                len(auto))


def row(case: Case) -> list[Any]:
    return [f"{RANKS} x {case.threads}", 1e3 * case.auto_s, case.best, 1e3 * case.best_s, case.ratio, case.luck,
            case.rounds]


HEADERS = ("ranks x threads", "auto ms", "best pair", "its ms", "auto / best", "luck", "rounds")
