# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experiment sets A to D of the thread pinner, for 16 cores and for 2. Plain data and pure functions.

Set A: the program may use more of one node than of the other; B: as much of both; C: all; D: the hogs change sides.
A.1 has no hogs, A.2 has them from the start, A.3 after a part of the run. On 2 cores every node is one core, and there
is no set A.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LATE = 0.15  # of the run without hogs, when those of .3 begin
SECONDS = 8.0  # that a run should take on free cores of the machine on which ANT_S was measured
ANT_S = 9.2e-6  # processor time of an ant on wt100, there [s]
COLONY = 10
ITERATIONS = 300
WIDE = 16
NARROW = 2


@dataclass(frozen=True)
class Set:
    """What is the same in .1, .2 and .3. Cores are indices into those that are used, nodes lists of them."""

    threads: int
    nodes: Sequence[Sequence[int]]
    hogs: Sequence[int]
    swap_s: float = 0.0
    other: Sequence[int] = field(default=())
    stretch: float = 1.0  # longer than other sets by this


def _range(first: int, last: int) -> list[int]:
    return list(range(first, last + 1))


_HALVES = (_range(0, 3), _range(8, 11))

SETS: dict[int, dict[str, Set]] = {
    WIDE: {
        "A": Set(32, (_range(0, 5), _range(8, 9)), [*_HALVES[0], *_range(8, 9)]),
        "B": Set(32, (_range(0, 5), _range(8, 13)), [*_HALVES[0], *_HALVES[1]]),
        "C": Set(32, (_range(0, 7), _range(8, 15)), [*_HALVES[0], *_HALVES[1]]),
        "D": Set(32, (_range(0, 5), _range(8, 13)), _HALVES[0], 25.0, _HALVES[1], 7.0),
    },
    NARROW: {
        "B": Set(6, ([0], [1]), [0, 0, 0]),
        "C": Set(6, ([0], [1]), [0]),
        "D": Set(6, ([0], [1]), [0], 10.0, [1], 2.5),
    },
}


@dataclass(frozen=True)
class Scene:
    """One experiment with processors by the operating system's numbers."""

    name: str
    threads: int
    nodes: Sequence[Sequence[int]]
    hogs: Sequence[int] = ()
    after_s: float = 0.0
    swap_s: float = 0.0
    other: Sequence[int] = ()
    work_s: float = SECONDS  # run on free cores [s]

    @property
    def cpus(self) -> list[int]:
        return [cpu for node in self.nodes for cpu in node]

    def ants(self, share: float = 1.0) -> int:
        """Ants of a run, so many that all threads have equal parts. share: of the whole work."""
        part = share * self.work_s * len(self.cpus) / (ANT_S * ITERATIONS * COLONY * self.threads)
        return max(1, round(part)) * COLONY * self.threads


def column(cores: int) -> int:
    """Which table fits: that of 16 cores where there are as many, else that of 2. Raises ValueError below 2."""
    if cores < NARROW:
        raise ValueError("placement needs 2 processors")
    return WIDE if cores >= WIDE else NARROW


def known_sets(cores: int) -> list[str]:
    """All names, as in B.2. Without hogs D is B."""
    return [f"{name}.{part}" for name in SETS[column(cores)] for part in "123" if (name, part) != ("D", "1")]


def wanted_sets(text: str, cores: int) -> list[str]:
    """The sets that a user names: B is all of B. Raises ValueError with what is allowed."""
    known = known_sets(cores)
    wanted = []
    for word in filter(None, text.upper().replace(" ", "").split(",")):
        found = [name for name in known if word in (name, name.split(".")[0])]
        if not found:
            raise ValueError(f"no set {word} on {cores} processors; there are: {' '.join(known)}")
        wanted += [name for name in found if name not in wanted]
    return wanted


def scene(name: str, cpus: Sequence[int], scale: float = 1.0) -> Scene:
    """A set on these processors. scale: of all times, work and delays alike, for quick looks."""
    letter, part = name.split(".")
    of = SETS[column(len(cpus))][letter]

    def real(cores: Sequence[int]) -> list[int]:
        return [cpus[core] for core in cores]

    work_s = SECONDS * of.stretch * scale
    common = Scene(name, of.threads, [real(node) for node in of.nodes], work_s=work_s)
    if part == "1":
        return common
    after_s = LATE * work_s if part == "3" else 0.0
    return Scene(name, of.threads, common.nodes, real(of.hogs), after_s, of.swap_s * scale, real(of.other), work_s)


def static_candidates(where: Scene) -> dict[str, list[int]]:
    """Placements for good that make sense, by name: a processor for each thread.

    Two processors: k threads on the first, all k. More: even, even but on cores without hogs only, and with half of a
    free core's threads on every other.
    """
    if len(where.cpus) == NARROW:
        first, second = where.cpus
        return {f"{k} on cpu{first}, {where.threads - k} on cpu{second}":
                [first] * k + [second] * (where.threads - k) for k in range(where.threads + 1)}
    hogged = {*where.hogs, *where.other}
    candidates = {"even": {cpu: 1.0 for cpu in where.cpus}}
    if hogged:
        candidates["half on hogged cores"] = {cpu: 0.5 if cpu in hogged else 1.0 for cpu in where.cpus}
        candidates["none on hogged cores"] = {cpu: 0.0 if cpu in hogged else 1.0 for cpu in where.cpus}
    return {name: spread(where.threads, weights) for name, weights in candidates.items()}


def spread(threads: int, weights: dict[int, float]) -> list[int]:
    """A processor for each thread, in proportion to the weights: one after the other to where it is least crowded."""
    count = dict.fromkeys((cpu for cpu, weight in weights.items() if weight > 0), 0)
    for _ in range(threads):
        count[min(count, key=lambda cpu: (count[cpu] + 1) / weights[cpu])] += 1
    return [cpu for cpu, threads_there in count.items() for _ in range(threads_there)]
