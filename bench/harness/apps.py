# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Apps of this tree as variants: the same program under schedules of the upstream runtime and of Gimbal."""
from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import stats
from .hog import Hog
from .runner import SampleError, Variant

# Between runs: under a real-time priority (chrt) Linux takes 50 ms of each second away from who never pauses.
PAUSE_S = 0.1
STOCK = ("static", "guided", "dynamic")
AUTO = "auto"


@dataclass(frozen=True)
class AppVariant(Variant):
    """An app with --json. "ns" is the time of its loops, or of those that are named, from step `after` on."""

    loops: Sequence[str] = ()
    after: int = 0

    def run(self, padding: int = 0) -> dict[str, Any]:
        return self.with_ns(super().run(padding))

    def with_ns(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer, with "ns" in it."""
        times = [loop["times_s"][self.after:] for loop in answer["loops"]
                 if not self.loops or loop["name"] in self.loops]
        answer["ns"] = 1e9 * sum(map(sum, times))
        return answer


def environment(build: Path, schedule: str, threads: int, places: Sequence[int] = ()) -> dict[str, str]:
    """Variables for one schedule: `auto`, a technique of Gimbal's as `gimbal:fac2`, or one of the upstream runtime."""
    ours = schedule == AUTO or schedule.startswith("gimbal:")
    library = build / ("lib" if ours else "upstream") / "libomp.so"
    if not library.is_file():
        raise SampleError(f"{library} is missing: build everything")
    variables = {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": str(threads), "GIMBAL_REPORT": "off",
                 "OMP_SCHEDULE": "runtime" if ours else {"dynamic": "dynamic,1"}.get(schedule, schedule)}
    if schedule.startswith("gimbal:"):
        variables["GIMBAL_SCHEDULE"] = schedule.removeprefix("gimbal:")
    if places:
        # Not OMP_PROC_BIND: libgomp, which the program was linked with, would read it, too, and bind the main thread,
        # which upstream's libomp takes for all the cores there are.
        variables["KMP_AFFINITY"] = f"granularity=fine,proclist=[{','.join(map(str, places))}],explicit"
    return variables


@dataclass
class Race:
    """Loop times of several schedules in interleaved rounds [ns], by schedule, and what the last runs answered; beside
    them what whole runs answered as total_s [ns]."""

    times: dict[str, list[float]]
    answers: dict[str, dict[str, Any]]
    wholes: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, answer: dict[str, Any]) -> None:
        """One run. Raises SampleError if its result is another one than that of all runs before it."""
        self.times[name].append(answer["ns"])
        for before in self.answers.values():
            if before["checksum"] != answer["checksum"]:
                raise SampleError(f"results differ: {name} in round {len(self.times[name])} has checksum "
                                  f"{answer['checksum']}, all runs before it {before['checksum']}")
        self.answers[name] = answer

    def whole(self) -> Race:
        """The same race by total_s, where that is the time of the whole program."""
        return Race(self.wholes, self.answers)

    def median(self, name: str) -> float:
        return stats.median(self.times[name])

    def ratio(self, name: str, baseline: str) -> float:
        """Median of the ratios within rounds."""
        return stats.median([ours / theirs for ours, theirs in zip(self.times[name], self.times[baseline])])

    def best(self, names: Sequence[str]) -> str:
        return min(names, key=self.median)

    def against_best(self, name: str, names: Sequence[str]) -> tuple[float, float, float]:
        """Median ratio to the best of `names`, and its 95 % interval. The best of several is also the luckiest: so it is
        chosen by every second round and compared in the others, and the other way round. One round: as ratio()."""
        rounds = len(self.times[name])
        ratios = []
        for half in (0, 1):
            choosing = range(half, rounds, 2) if rounds > 1 else range(1)
            best = min(names, key=lambda other: stats.median([self.times[other][turn] for turn in choosing]))
            ratios += [self.times[name][turn] / self.times[best][turn] for turn in range(1 - half, rounds, 2)]
        return stats.median(ratios), *stats.bootstrap_interval(ratios)


def race(variants: Sequence[Variant], rounds: int, hog_core: int | None = None) -> Race:
    """Every variant once per round, in a new order each time. Raises SampleError, also if results differ."""
    found = Race({one.name: [] for one in variants}, {})
    order = random.Random(1)
    with Hog(hog_core) if hog_core is not None else contextlib.nullcontext() as hog:
        for _ in range(rounds):
            for one in order.sample(list(variants), len(variants)):
                answer = one.run(order.randrange(512))
                time.sleep(PAUSE_S)
                found.add(one.name, answer)
                found.wholes.setdefault(one.name, []).append(1e9 * answer.get("total_s", 0))
        if hog is not None and not hog.spins():
            raise SampleError("the hog has died: the figures are those of a quiet machine")
    return found


class Player:
    """A program that stops itself after every `steps` time steps (apps/common/turns.h), and runs when it is its turn."""

    def __init__(self, variant: AppVariant, steps: int, padding: int) -> None:
        self.variant = variant
        self.turns = 0
        self._output = tempfile.TemporaryFile()
        self._environment = {**os.environ, **variant.environment, "BENCH_PADDING": "x" * padding,
                             "CAMPAIGN_TURN_STEPS": str(steps)}
        self._process: subprocess.Popen[bytes] | None = None

    def turn(self) -> bool:
        """Until it stops itself or ends. Returns whether it is still there."""
        if self._process is None:
            self._process = subprocess.Popen(list(self.variant.command), env=self._environment, start_new_session=True,
                                             stdout=self._output, stderr=subprocess.STDOUT)
        else:
            os.killpg(self._process.pid, signal.SIGCONT)
        self.turns += 1
        until = time.monotonic() + self.variant.timeout_s
        # Each look takes time from the program: they are 20 ms apart.
        while time.monotonic() < until:
            changed, status = os.waitpid(self._process.pid, os.WUNTRACED | os.WNOHANG)
            if changed and os.WIFSTOPPED(status):
                return True
            if changed:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                return False
            time.sleep(0.02)
        raise SampleError(f"{self.variant.name}: a turn took longer than {self.variant.timeout_s:.0f} s")

    def answer(self) -> dict[str, Any]:
        """What it printed. Raises SampleError if it failed or never stopped itself; call it when it has ended."""
        self._output.seek(0)
        said = self._output.read().decode(errors="replace").strip()
        status = self._process.returncode if self._process is not None else None
        if status != 0 or self.turns < 2:
            raise SampleError(f"{self.variant.name}: exit status {status}, {self.turns} turns: {said[-400:]}")
        return self.variant.with_ns(json.loads(said.splitlines()[-1]))

    def end(self) -> None:
        if self._process is not None and self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._output.close()


def race_in_turns(variants: Sequence[AppVariant], rounds: int, steps: int) -> Race:
    """As race(), for programs that stop themselves between time steps: in a round all of them are there, and one after
    the other does `steps` steps, in a new order each time. What the machine does for seconds meets them all alike."""
    found = Race({one.name: [] for one in variants}, {})
    order = random.Random(1)
    for _ in range(rounds):
        with contextlib.ExitStack() as stack:
            players = [Player(one, steps, order.randrange(512)) for one in variants]
            for player in players:
                stack.callback(player.end)
            going = list(players)
            while going:
                order.shuffle(going)
                going = [player for player in going if player.turn()]
            for player in players:
                found.add(player.variant.name, player.answer())
    return found
