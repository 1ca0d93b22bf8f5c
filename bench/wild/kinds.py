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
    probe: bool = False  # for a figure of its own only
    library: str = ""

    @property
    def file(self) -> str:
        return f"{self.library or self.name}_{self.compiler}.so"

    @property
    def short(self) -> bool:
        return self.loop_us < SHORT_US and not self.chain


KINDS = (
    Kind("empty", "two iterations of nothing, in one region", 0.3, 20000, burst=10, prune=2000, probe=True),
    Kind("tiny_half_us", "even, N = 32, in one region", 0.5, 20000, burst=10, prune=2000),
    Kind("tiny_1us", "even, N = 64, in one region", 0.9, 20000, burst=10, prune=2000),
    Kind("tiny_2us", "even, N = 64, in one region", 2, 20000, burst=10, prune=1000),
    Kind("tiny_3us", "even, N = 64, a region each", 3.5, 10000, burst=10, prune=1000),
    Kind("tiny_7us", "even, N = 64, a region each", 7, 10000, burst=10, prune=1000, compiler="gcc"),
    Kind("rising_20us", "costs rise a little, N = 500", 20, 4000, burst=10, prune=500),
    Kind("steep_25us", "costs rise threefold, N = 500", 25, 4000, burst=10, prune=500),
    Kind("uneven_40us", "a tenth of the iterations costs 7 times as much, N = 500", 40, 4000, burst=5, prune=500,
         compiler="gcc"),
    Kind("uniform", "even, N = 1000", 400),
    Kind("triangular", "costs rise, N = 2000", 800),
    Kind("drift", "a dear tenth wanders", 1100),
    Kind("bimodal", "a tenth of the iterations costs 7 times as much, N = 500", 430, compiler="gcc"),
    Kind("jump", "the dear third moves every 50 steps", 1300, prune=200),
    Kind("random", "costs drawn anew in every step", 800),
    Kind("five", "five long iterations", 7300, 200, prune=20),
    Kind("in_turn", "N = 500 and 5000 in turn, costs rise", 370, burst=2),
    Kind("frontier", "a traversal's frontiers: N from 1 to thousands", 530, burst=5, compiler="gcc"),
    Kind("sparse", "rows of a sparse matrix, Fortran", 100, burst=2, compiler="gfortran"),
    Kind("stream", "bound by memory, N = 262144, Fortran", 160, burst=2, compiler="gfortran"),
    Kind("fractal", "Mandelbrot rows off the axis, Fortran", 48500, 50, prune=10, compiler="gfortran"),
    Kind("hydro_small", "30 loops of an unstructured hydrodynamics step, 1600 cells", 3, burst=5, chain=True),
    Kind("hydro_large", "the same, 19600 cells", 30, burst=5, chain=True),
    Kind("multigrid", "38 loops of a V-cycle, 127 to 3 rows, Fortran", 4, burst=5, compiler="gfortran", chain=True),
    Kind("traversal", "some 33 loops of a breadth-first traversal", 20, burst=5, compiler="gcc", chain=True),
)
