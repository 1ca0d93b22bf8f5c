# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that lend cores, in programs that know nothing of it: whole runs, in turns."""
from __future__ import annotations

import dataclasses
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness import stats

IMBALANCE = 0.3
RANKS = 2
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # in containers everybody is
KINDS = ("one", "several", "barrier", "exchange")


class ProgramFailed(RuntimeError):
    """A run that printed no time."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One program and MPI: what its runs take, as ratios within a round, their medians."""

    mpi: str
    kind: str
    usual_s: float
    elastic: float  # over the usual run
    ideal: float  # the balanced program, run as usual, over the usual run
    balanced: float  # balanced and elastic, over balanced and usual

    @property
    def gain_share(self) -> float:
        """Of what perfect balance would save, the part that lending saves."""
        return (1 - self.elastic) / (1 - self.ideal)


def favoured(command: Sequence[str]) -> list[str]:
    """The command in a session of its own, which other sessions' load disturbs little."""
    return ["setsid", "-w", "sh", "-c", 'echo -20 > /proc/self/autogroup 2>/dev/null; exec "$@"', "sh", *command]


class Runs:
    """Runs of one program under one MPI, and the checksums that they printed."""

    def __init__(self, gimbal: Path, program: Path, mpi: str, steps: int, ms: float) -> None:
        self.start = [str(gimbal), "run", "-n", str(RANKS), "-t", "1"]
        self.program = str(program)
        self.mpi, self.steps, self.ms = mpi, steps, ms
        self.rounds = self.find([], ["one", "1", "1", "0", "0"], r"rounds (\S+)")[1]
        self.checksums: dict[tuple[str, float], set[str]] = {}

    def find(self, options: Sequence[str], words: Sequence[str], pattern: str) -> re.Match[str]:
        command = [*self.start, *options, "--", self.program, *words]
        as_root = AS_ROOT if os.getuid() == 0 else {}
        environment = {**os.environ, "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off", **as_root}
        done = subprocess.run(favoured(command), env=environment, capture_output=True, text=True, timeout=600)
        found = re.search(pattern, done.stdout)
        if done.returncode != 0 or not found:
            said = done.stdout[-300:] + done.stderr[-300:]
            raise ProgramFailed(f"{' '.join(command)}: exit {done.returncode}: {said}")
        return found

    def seconds(self, kind: str, imbalance: float, elastic: bool) -> float:
        """One run [s]."""
        found = self.find(["--elastic"] if elastic else [],
                          [kind, str(self.steps), str(self.ms), str(imbalance), self.rounds],
                          r"seconds (\S+) checksum (\S+)")
        self.checksums.setdefault((kind, imbalance), set()).add(found[2])
        return float(found[1])


def measure(runs: Runs, kind: str, rounds: int) -> Case:
    """The four runs in turn, `rounds` times; medians. Raises ProgramFailed if lending changed a result."""
    order = [(IMBALANCE, False), (IMBALANCE, True), (0.0, False), (0.0, True)]
    times: dict[tuple[float, bool], list[float]] = {key: [] for key in order}
    for turn in range(rounds):
        for imbalance, elastic in order if turn % 2 == 0 else reversed(order):
            times[imbalance, elastic].append(runs.seconds(kind, imbalance, elastic))
    for (_, imbalance), sums in runs.checksums.items():
        if len(sums) > 1:
            raise ProgramFailed(f"{kind}, imbalance {imbalance}: results differ: {sorted(sums)}")

    def ratio(key: tuple[float, bool], baseline: tuple[float, bool]) -> float:
        return stats.median([time / other for time, other in zip(times[key], times[baseline])])

    usual, balanced = (IMBALANCE, False), (0.0, False)
    return Case(runs.mpi, kind, stats.median(times[usual]), ratio((IMBALANCE, True), usual), ratio(balanced, usual),
                ratio((0.0, True), balanced))


def row(case: Case) -> list[Any]:
    share = None if case.kind == "static" else case.gain_share
    return [f"{case.mpi} {case.kind}", case.usual_s, case.elastic, case.ideal, share, case.balanced]


HEADERS = ("program", "usual s", "elastic", "balanced work", "gain share", "elastic if balanced")
