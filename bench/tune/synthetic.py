# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spaces of other kinds than the model of CICE, so that the default search is not fitted to that one. Each is a formula
with constants drawn by a seed; pools have 60 configurations, as there."""
from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Configuration = dict[str, Any]
KEPT = 60


def product(**values: Sequence[Any]) -> list[Configuration]:
    return [dict(zip(values, one)) for one in itertools.product(*values.values())]


def hybrid(rng: random.Random) -> tuple[list[Configuration], Callable[[Configuration], float]]:
    """Ranks x threads x technique x chunk on 64 cores: imbalance, dispatch, messages, memory of a rank."""
    pool = [one for one in product(ranks=(1, 2, 4, 8, 16, 32, 64), threads=(1, 2, 4, 8, 16, 32, 64),
                                   technique=("static", "ss", "gss", "fac2", "tss"), chunk=(1, 4, 16, 64))
            if 16 <= one["ranks"] * one["threads"] <= 64]
    imbalance, dispatch, message, serial = rng.uniform(.1, .8), rng.uniform(.002, .05), rng.uniform(.002, .03), \
        rng.uniform(.002, .02)
    rest = {"static": 1.0, "ss": 0.02, "gss": rng.uniform(.1, .4), "fac2": rng.uniform(.05, .2),
            "tss": rng.uniform(.1, .5)}
    draws = {"static": 0.0, "ss": 1.0, "gss": .1, "fac2": .12, "tss": .1}

    def time(one: Configuration) -> float:
        p = one["ranks"] * one["threads"]
        left = imbalance * (rest[one["technique"]] + 0.002 * one["chunk"] * math.log2(one["threads"] + 1))
        return 64 / p * (1 + left) + dispatch * draws[one["technique"]] * one["threads"] / one["chunk"] * 8 \
            + message * one["ranks"] * math.log2(one["ranks"] + 1) / 4 + serial * one["threads"]
    return pool, time


def tiles(rng: random.Random) -> tuple[list[Configuration], Callable[[Configuration], float]]:
    """Three tile sizes and an unrolling with two caches: cliffs where a tile no longer fits."""
    pool = product(ti=(8, 16, 32, 64, 128), tj=(8, 16, 32, 64, 128), tk=(8, 16, 32, 64, 128), unroll=(1, 2, 4, 8))
    first, second, best = rng.choice((2048, 4096, 8192)), rng.choice((16384, 32768)), rng.choice((2, 4))
    loop, miss = rng.uniform(2, 20), rng.uniform(.5, 3)

    def time(one: Configuration) -> float:
        size = one["ti"] * one["tk"] + one["tk"] * one["tj"] + one["ti"] * one["tj"]
        return 1 + loop / one["tk"] + loop / one["tj"] / 2 + (0.3 if size > first else 0) \
            + (miss if size > second else 0) + 0.15 * abs(math.log2(one["unroll"] / best)) + 3 / one["ti"]
    return pool, time


def switches(rng: random.Random) -> tuple[list[Configuration], Callable[[Configuration], float]]:
    """Seven yes-or-no choices, each a factor, and three pairs that depend on each other."""
    names = [f"s{k}" for k in range(7)]
    pool = product(**{name: ("off", "on") for name in names})
    factors = {name: rng.gauss(0, .25) for name in names}
    pairs = {tuple(rng.sample(names, 2)): rng.gauss(0, .25) for _ in range(3)}

    def time(one: Configuration) -> float:
        return math.exp(sum(value for name, value in factors.items() if one[name] == "on")
                        + sum(value for pair, value in pairs.items() if all(one[name] == "on" for name in pair)))
    return pool, time


def bowl(rng: random.Random) -> tuple[list[Configuration], Callable[[Configuration], float]]:
    """A smooth bowl over four numbers with an oblique axis, and a word that shifts it."""
    pool = product(a=(1, 2, 4, 8, 16), b=(1, 2, 3, 4, 5, 6), c=(10, 20, 40, 80), d=(0, 1, 2), kind=("x", "y", "z"))
    a, b, c, slant = rng.uniform(0, 4), rng.uniform(1, 6), rng.uniform(0, 3), rng.uniform(-.5, .5)
    kinds = {kind: rng.uniform(0, .5) for kind in "xyz"}

    def time(one: Configuration) -> float:
        u, v, w = math.log2(one["a"]) - a, one["b"] - b, math.log2(one["c"] / 10) - c
        return 1 + .15 * (u + slant * v) ** 2 + .08 * v * v + .1 * w * w + .1 * one["d"] * kinds[one["kind"]] \
            + kinds[one["kind"]]
    return pool, time


def rugged(rng: random.Random) -> tuple[list[Configuration], Callable[[Configuration], float]]:
    """The bowl with 10 per cent that belongs to no parameter: what no model can foresee."""
    pool, smooth = bowl(rng)
    own = {tuple(one.values()): rng.gauss(0, .1) for one in pool}
    return pool, lambda one: smooth(one) * math.exp(own[tuple(one.values())])


FAMILIES = {"hybrid": hybrid, "tiles": tiles, "switches": switches, "bowl": bowl, "rugged": rugged}


def space(family: str, number: int) -> tuple[list[Configuration], Any]:
    """The pool and the times of one instance: 60 configurations drawn once, noise of 0.4 %."""
    rng = random.Random(f"{family}/{number}")
    pool, time = FAMILIES[family](rng)
    pool = [pool[index] for index in sorted(rng.sample(range(len(pool)), KEPT))]
    return pool, np.array([time(one) * math.exp(0.004 * rng.gauss(0, 1)) for one in pool])
