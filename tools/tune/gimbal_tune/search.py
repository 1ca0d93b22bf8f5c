# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which configuration to run next. A pure function of seed, pool and what was measured: an interrupted search goes on
as if nothing had happened."""
from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import models
from .belief import Belief
from .encoding import Encoded
from .modules import numpy

SEED_START = 5  # n_s of seed 003
START = 3  # of ours: those that tell most about the others
LOOKED_AT = 256  # configurations of a large pool that are compared for that
AVOIDED = 0.7  # at least so much worse; a factor of two
METHODS = ("gimbal", *models.MODELS, "random")


@dataclass(frozen=True)
class Seen:
    """What one run showed: `value` is the objective as it is minimised, None if the run gave none."""

    index: int  # in the pool
    value: float | None
    failed: bool = False  # crashed, or printed no number; else without a value it took too long


@dataclass(frozen=True)
class Proposal:
    index: int
    reason: str  # today, start, model or random
    predicted: float | None = None


def log_of_large(objective: float) -> float:
    """Of a number that is made large, which the objective is the negative of."""
    return -math.log(-objective)


def scale_of(values: Sequence[float]) -> Callable[[float], float]:
    """How models see an objective, that is minimised, if these are its values: by factors, unless signs differ.

    A positive number that is made large is a negative objective, and counts as much as one that is made small.
    """
    if values and min(values) > 0:
        return math.log
    if values and max(values) < 0:
        return log_of_large
    return float


def levels(seen: Sequence[Seen], logarithmic: bool) -> list[float]:
    """The objective as models see it, by scale_of() or as it is. Runs without a value count as worse than all.

    One that took too long is known to be bad, and one that failed is to be avoided with its neighbours.
    """
    known = [one.value for one in seen if one.value is not None]
    scale = scale_of(known) if logarithmic else float
    best, worst = (choose(map(scale, known), default=0.0) for choose in (min, max))
    worst += max(worst - best, AVOIDED)
    return [worst if one.value is None else scale(one.value) for one in seen]


class Search:
    """One method on one pool."""

    def __init__(self, method: str, encoded: Encoded, seed: int, start: int | None = None, prior: Any = None,
                 earlier: Sequence[float] = ()) -> None:
        """start: how many configurations before the model; prior: [n] a guess of the objective in scale_of(); earlier: what
        the last rows measured, which are of earlier searches, as levels() has it."""
        self.method, self.encoded, self.seed = method, encoded, seed
        self.earlier = list(earlier)
        self.size = len(encoded.x) - len(self.earlier)
        self.noise: float | None = None  # variance of the objective in scale_of(), where repeats show it
        self.start = start if start is not None else START if method == "gimbal" else SEED_START
        self.belief = Belief(encoded, seed, prior) if method == "gimbal" else None
        self.order = random.Random(f"{seed}/order").sample(range(self.size), self.size)

    def next(self, seen: Sequence[Seen]) -> Proposal | None:
        """The next configuration that has not run; None if all have."""
        done = {one.index for one in seen}
        left = [index for index in range(self.size) if index not in done]
        if not left:
            return None
        if self.method == "random":
            return Proposal(next(index for index in self.order if index not in done), "random")
        if (len(seen) < self.start or all(one.value is None for one in seen)) and not self.earlier:
            if self.belief is None:
                return Proposal(next(index for index in self.order if index not in done), "start")
            some = [index for index in self.order[:LOOKED_AT + len(done)] if index not in done]
            return Proposal(self.belief.most_telling(sorted(done), some), "start")
        if self.belief is not None:
            return Proposal(*self.belief.best(seen, levels(seen, True), left, self.noise, self.earlier))
        return self.seeds_choice(seen, left)

    def seeds_choice(self, seen: Sequence[Seen], left: list[int]) -> Proposal:
        """The least prediction of the model, refitted (seed 003, algorithm 1, lines 6 and 7)."""
        x = self.encoded.x
        y = numpy().array(levels(seen, False))
        guess = models.predict(self.method, x[[one.index for one in seen]], y, x[left], self.seed)
        best = int(guess.argmin())
        return Proposal(left[best], "model", float(guess[best]))
