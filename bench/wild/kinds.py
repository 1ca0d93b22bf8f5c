# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of loops of bench/wild and the schedules that race on them, as data."""
from __future__ import annotations

from dataclasses import dataclass

CHUNKS = (1, 16, 64, 256)
# What a program without Gimbal has: one of these is what auto is measured by.
STOCK = ("static", *(f"static,{c}" for c in CHUNKS), "dynamic", *(f"dynamic,{c}" for c in CHUNKS[1:]), "guided",
         *(f"guided,{c}" for c in CHUNKS[1:]))
AUTO = "gimbal:runtime"
FIXED = ("gimbal:static", "gimbal:feedback", "gimbal:static-steal", "gimbal:guided", "gimbal:gss", "gimbal:fac2",
         "gimbal:mfsc", "gimbal:awf-c", "gimbal:lws-staggered")
# They race to the end, whatever they take; auto is measured by the first one, and the others learn.
KEPT = ("static", AUTO, "gimbal:static", "gimbal:feedback", "gimbal:static-steal")
MARKS = (10, 50, 200, 1000)  # steps after which the whole time so far is compared
SHORT_US = 20.0  # loops below this have keys of their own


@dataclass(frozen=True)
class Kind:
    """One program. loop_us: length of a loop's execution on two quiet cores [us]; steps: executions of it (chains: of
    the whole chain); burst: steps in a turn; prune: steps after which hopeless schedules leave, 0: never; library:
    name of the shared library without the compiler."""

    name: str
    what: str
    loop_us: float
    steps: int = 1000
    burst: int = 1
    prune: int = 50
    compiler: str = "clang"
    chain: bool = False
    library: str = ""

    @property
    def file(self) -> str:
        return f"{self.library or self.name}_{self.compiler}.so"

    @property
    def short(self) -> bool:
        return self.loop_us < SHORT_US and not self.chain


KINDS = (
    Kind("tiny_2us", "even, N = 64, in one region", 2, 10000, burst=10, prune=1000),
    Kind("triangular", "costs rise, N = 2000", 500),
    Kind("in_turn", "N = 500 and 5000 in turn, costs rise", 250, burst=2),
)
