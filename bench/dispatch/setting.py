# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which program runs under which OpenMP runtime with which schedule: the variants of bench/dispatch as data."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.runner import SampleError, Variant

# Techniques whose chunks are planned before the loop starts; the numbers are chunks in iterations.
PLANNED = ("static", "static,16", "dynamic,16", "gss", "guided", "fsc", "mfsc", "tss", "tfss", "fac", "fac2", "wf2",
           "tap", "fiss", "viss", "rnd")

# Techniques that size every chunk from measured times, beside the planned one whose chunks are most like theirs.
ADAPTIVE = ("awf-b", "awf-c", "awf-d", "awf-e", "af", "maf", "bold", "aid")
PLANNED_LIKE_ADAPTIVE = "fac2"

# What the upstream runtime runs in Gimbal's place in an A/A run. Any schedule will do for the planned techniques, as it
# is compared with upstream's own of as many chunks: they take turns.
_STAND_INS = {"ss": "monotonic:dynamic,1", "static,1": "static,1"}
_STAND_IN_TURNS = ("guided", "guided,8", "guided,16", "guided,4", "guided,32")


@dataclass(frozen=True)
class Case:
    """One cell of the tables. compiler: gcc or clang; runtime: gimbal, upstream or libgomp."""

    compiler: str
    runtime: str
    schedule: str
    threads: int

    @property
    def name(self) -> str:
        return f"{self.compiler} {self.runtime} {self.schedule} T={self.threads}"


@dataclass(frozen=True)
class Setting:
    """Where the runtimes and programs are, and which cores the threads use."""

    patched: Path
    upstream: Path
    programs: Path
    cores: Sequence[int]
    same_twice: bool = False  # A/A run: upstream stands in for the patched runtime

    def environment(self, case: Case) -> dict[str, str]:
        """The variables that make the case."""
        common = {"OMP_NUM_THREADS": str(case.threads), "BENCH_CPUS": ",".join(map(str, self.cores))}
        if case.runtime == "libgomp":
            return common | {"OMP_SCHEDULE": case.schedule}
        if case.runtime == "upstream":
            return common | {"LD_PRELOAD": str(self.upstream), "OMP_SCHEDULE": case.schedule}
        if self.same_twice:
            return common | {"LD_PRELOAD": str(self.upstream), "OMP_SCHEDULE": stand_in(case.schedule)}
        return common | {"LD_PRELOAD": str(self.patched), "OMP_SCHEDULE": "runtime",
                         "GIMBAL_SCHEDULE": case.schedule, "GIMBAL_REPORT": "off"}

    def variant(self, case: Case, program: str, arguments: Sequence[object]) -> Variant:
        """A variant that runs `program` (loops, count, idle) of the case's compiler and checks who served it."""

        def check(variant: Variant, answer: dict[str, Any]) -> None:
            served = Path(answer["runtime"])
            wanted = {"gimbal": self.upstream if self.same_twice else self.patched, "upstream": self.upstream,
                      "libgomp": served if served.name.startswith("libgomp.so") else Path("libgomp.so")}[case.runtime]
            if served != wanted.resolve():
                raise SampleError(f"{variant.name}: served by {served}, not by {wanted}")
            if answer["gimbal"] != (case.runtime == "gimbal" and not self.same_twice):
                raise SampleError(f"{variant.name}: libgimbal.so is {'' if answer['gimbal'] else 'not '}loaded")
            if answer["threads"] != case.threads:
                raise SampleError(f"{variant.name}: ran with {answer['threads']} threads")

        command = [str(self.programs / f"{program}_{case.compiler}"), *map(str, arguments)]
        return Variant(case.name, command, self.environment(case), check)


def stand_in(technique: str) -> str:
    """The upstream schedule that plays a technique in an A/A run."""
    turn = PLANNED.index(technique) if technique in PLANNED else 0
    return _STAND_INS.get(technique, _STAND_IN_TURNS[turn % len(_STAND_IN_TURNS)])
