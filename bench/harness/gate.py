# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gate: a sample counts only if the control jobs right before and right after it found free cores.

The control job (control.c) is fixed arithmetic on every core that the samples use. A sample's score is the wall time of
the slower of its two control runs over the best CPU time of all control runs: 1.0 is a quiet machine, 2.0 a core shared
with another program.
"""
from __future__ import annotations

import collections
import math
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STRICT_TOLERANCE = 1.10  # quiet machines scatter by about 5 % in the control job
CONTROL_SECONDS = 0.009  # wanted length of one control run
STALE_SECONDS = 0.02  # an "after" older than this cannot serve as the next sample's "before"
QUIET_WAITS = 3  # how often to look again for free cores before measuring anyway
RECENT = 20  # readings that tell whether the machine is ever quiet
HOPELESS = 0.2  # share of accepted ones among them below which waiting and retrying stop


def usable_cores(limit: int) -> list[int]:
    """The first cores that this process may use, at most `limit` of them; never widens the inherited mask."""
    return sorted(os.sched_getaffinity(0))[:limit]


def score(before_ns: float, after_ns: float, best_ns: float) -> float:
    """How busy the cores were around one sample: the slower control run over the best one [ratio, >= 1]."""
    return max(before_ns, after_ns) / best_ns


def choose_tolerance(scores: Sequence[float], strict: float, wanted: int) -> tuple[float, bool]:
    """Which scores to accept, and whether that is still the strict gate.

    Strict while it leaves `wanted` samples, or all if there are fewer. On a machine that is never quiet: the score of
    the `wanted`-th quietest sample, and False, so that the result can say that it was not gated.
    """
    if sum(s <= strict for s in scores) >= min(wanted, max(len(scores), 1)):
        return strict, True
    ordered = sorted(scores)
    return (ordered[min(wanted, len(ordered)) - 1], False) if ordered else (math.inf, False)


@dataclass(frozen=True)
class ControlTimes:
    """One control run: wall time of the slowest core, and the CPU time that it would take on free cores [ns]."""

    wall_ns: float
    cpu_ns: float


@dataclass
class Control:
    """Runs the control job. Raises OSError or CalledProcessError when it cannot run on the named cores."""

    program: Path
    cores: Sequence[int]
    steps: int = 1_000_000

    def run(self) -> ControlTimes:
        command = [str(self.program), str(self.steps), *map(str, self.cores)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        wall_ns, cpu_ns = map(float, output.split())
        return ControlTimes(wall_ns, cpu_ns)

    def calibrate(self, runs: int = RECENT) -> list[ControlTimes]:
        """Sets the steps for a run of CONTROL_SECONDS; returns the times of several such runs."""
        probe_ns = min(self.run().cpu_ns for _ in range(5))
        self.steps = max(1, int(self.steps * CONTROL_SECONDS * 1e9 / probe_ns))
        return [self.run() for _ in range(runs)]


@dataclass(frozen=True)
class Reading:
    """One measured value with its two control times [ns]."""

    value: Any
    before_ns: float
    after_ns: float


@dataclass
class Gate:
    """Takes readings between control runs; one control run is the "after" of one and the "before" of the next.

    control: runs the control job; clock: seconds that never go back (a test can put fakes here). Not for use from
    several threads.
    """

    control: Callable[[], ControlTimes]
    best_ns: float
    strict: float = STRICT_TOLERANCE
    readings: int = 0
    clock: Callable[[], float] = time.monotonic
    _last_ns: float = field(default=math.inf, repr=False)
    _last_time: float = field(default=-math.inf, repr=False)
    _recent: collections.deque[bool] = field(default_factory=lambda: collections.deque(maxlen=RECENT), repr=False)

    def _look(self) -> float:
        times = self.control()
        self._last_ns = times.wall_ns
        self._last_time = self.clock()
        # A faster run than any before means that the calibration itself was disturbed.
        self.best_ns = min(self.best_ns, times.cpu_ns)
        return self._last_ns

    def remember(self, walls_ns: Iterable[float]) -> None:
        """Counts earlier control runs [ns] among the recent readings, so that a busy machine is known at the start."""
        self._recent.extend(wall_ns <= self.strict * self.best_ns for wall_ns in walls_ns)

    def patient(self) -> bool:
        """Whether waiting and trying again pays: not on a machine that was hardly ever quiet of late."""
        return len(self._recent) < RECENT or sum(self._recent) >= HOPELESS * RECENT

    def _before(self) -> float:
        fresh = self.clock() - self._last_time < STALE_SECONDS
        before_ns = self._last_ns if fresh else self._look()
        for _ in range(QUIET_WAITS if self.patient() else 0):
            if before_ns <= self.strict * self.best_ns:
                break
            time.sleep(0.01)
            before_ns = self._look()
        return before_ns

    def read(self, measure: Callable[[], Any]) -> Reading:
        """Runs measure() between two control runs. Exceptions of measure() pass through."""
        before_ns = self._before()
        value = measure()
        reading = Reading(value, before_ns, self._look())
        self.readings += 1
        self._recent.append(self.score(reading) <= self.strict)
        return reading

    def score(self, reading: Reading) -> float:
        """The reading's score against the best control run so far; final only when the session is over."""
        return score(reading.before_ns, reading.after_ns, self.best_ns)


def open_gate(program: Path, cores: Sequence[int]) -> Gate:
    """A calibrated gate over the given cores. Raises OSError when the control program is missing."""
    control = Control(program, cores)
    times = control.calibrate()
    opened = Gate(control.run, min(one.cpu_ns for one in times))
    opened.remember(one.wall_ns for one in times)
    return opened
