# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A declared model of the sea-ice component of seed 003: its six parameters and its feasibility rules, with a cost
that is computed and not measured.

Ice lies where latitude and season put it, land is three boxes. A step's time is that of the slowest task: cells with
ice, cells of open water, an overhead for each block, shared among 4 threads block by block; then the halo, by cell
and by neighbour. The constants have the size that elastic-viscous-plastic dynamics of 120 substeps has on a BG/P; no
claim is made about the real code. What the seed leaves open (how blkrobin and blkcart deal out blocks, which of the
feasible configurations its experts kept) is decided here as the comments say.
"""
from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

TASKS = (80, 128, 160, 256, 320, 376, 512, 640, 800, 1024)
WIDTH, HEIGHT = 320, 384  # cells in longitude and latitude
MAX_BLOCKS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 20, 24, 26, 30, 32, 40, 48, 64)
PARAMETERS = ("max_block", "block_x", "block_y", "decomp_typ", "decomp_set", "mask_h")
KEPT = 60  # configurations of each task count: the seed's experts kept 50 to 60
THREADS = 4
EXPERTS_BLOCKS = 2 * THREADS  # kept are those with about so many blocks a task: two for each thread
STEPS = 120
MONTHS = 6  # every other one
NOISE = 0.004  # standard deviation of a run's time; the least of two counts, as in the seed
# Seconds a step: a cell with ice, one of open water, a block, a cell of the halo between tasks and within one, a
# neighbour to exchange with, and for masked halos to find out where there is ice, for each block.
ICE_S, WATER_S, BLOCK_S, HALO_S, COPY_S, NEIGHBOUR_S, MASK_S = 150e-6, 3e-6, 100e-6, 4e-6, 1e-6, 250e-6, 30e-6

Configuration = dict[str, Any]


@dataclass(frozen=True)
class Space:
    """One task count: its configurations, and the run time of each [s], which stands for having run it."""

    tasks: int
    pool: list[Configuration]
    times: Any  # [n]


def feasible(tasks: int) -> Iterator[Configuration]:
    """The seed's rules (its table 1 and the text below it), both values of mask.h."""
    for typ in ("blkrobin", "blkcart", "roundrobin", "spacecurve"):
        for block_x in (1, 2, 4, 8):
            for block_y in (24, 48, 96, 192, 384):
                count = blocks_per_task(tasks, block_x, block_y)
                if typ == "blkcart" and count % 4 or typ == "spacecurve" and not smooth(count):
                    continue
                yield from masked(count, block_x, block_y, typ, "null")
    for name, rows in (("slenderX1", 1), ("slenderX2", 2)):
        for block_x in (4, 5, 8, 10):
            for block_y in (4, 6, 8, 12):
                if (block_x * tasks) % (rows * WIDTH) == 0 and HEIGHT % (rows * block_y) == 0:
                    yield from masked(blocks_per_task(tasks, block_x, block_y), block_x, block_y, "cartesian", name)


def blocks_per_task(tasks: int, block_x: int, block_y: int) -> int:
    return math.ceil(WIDTH * HEIGHT / (block_x * block_y * tasks))


def smooth(count: int) -> bool:
    """No prime factor but 2, 3 and 5."""
    for prime in (2, 3, 5):
        while count % prime == 0:
            count //= prime
    return count == 1


def masked(count: int, block_x: int, block_y: int, typ: str, name: str) -> Iterator[Configuration]:
    if count in MAX_BLOCKS:
        for mask in (0, 1):
            yield dict(zip(PARAMETERS, (count, block_x, block_y, typ, name, mask)))


@functools.lru_cache(maxsize=1)
def ocean() -> Any:
    """[HEIGHT, WIDTH] true where there is water: all but Antarctica and three continents."""
    latitude = np.linspace(-79, 89, HEIGHT)[:, None]
    longitude = np.linspace(0, 360, WIDTH, endpoint=False)[None, :]
    found = np.ones((HEIGHT, WIDTH), dtype=bool)
    found &= ~((latitude < -70) & ((longitude < 160) | (longitude > 300)))
    for west, east, south, north in ((0, 50, -35, 35), (5, 140, 25, 72), (235, 300, 15, 70), (280, 325, -55, 12)):
        found &= ~((longitude >= west) & (longitude < east) & (latitude >= south) & (latitude < north))
    return found


@functools.lru_cache(maxsize=1)
def ice() -> Any:
    """[MONTHS, HEIGHT, WIDTH] true where a cell of water has ice in a month; its edge follows season and longitude."""
    latitude = np.linspace(-79, 89, HEIGHT)[:, None]
    longitude = np.radians(np.linspace(0, 360, WIDTH, endpoint=False))[None, :]
    months = []
    for month in range(MONTHS):
        season = math.cos(2 * math.pi * (2 * month - 2) / 12)  # 1 in March, when the north has most
        north = 70 - 9 * season + 6 * np.cos(longitude - 0.6)
        south = -64 - 5 * season + 3 * np.cos(2 * longitude)
        months.append(ocean() & ((latitude > north) | (latitude < south)))
    return np.array(months)


@functools.lru_cache(maxsize=None)
def block_sums(block_x: int, block_y: int) -> tuple[Any, Any]:
    """[MONTHS, blocks in y, blocks in x] cells with ice, [blocks in y, blocks in x] cells of water."""
    def sums(cells: Any) -> Any:
        columns = np.add.reduceat(cells.astype(np.int32), range(0, WIDTH, block_x), axis=-1)
        return np.add.reduceat(columns, range(0, HEIGHT, block_y), axis=-2)
    return sums(ice()), sums(ocean())


@functools.lru_cache(maxsize=None)
def curve(rows: int, columns: int) -> Any:
    """[rows * columns] blocks in the order of a space-filling curve: bits of row and column interleaved."""
    def spread(value: int) -> int:
        return sum(((value >> bit) & 1) << (2 * bit) for bit in range(10))
    row_scale, column_scale = 512 / rows, 512 / columns
    keys = [2 * spread(int(row * row_scale)) + spread(int(column * column_scale))
            for row in range(rows) for column in range(columns)]
    return np.argsort(keys, kind="stable")


def owners(one: Configuration, tasks: int, work: Any, wet: Any) -> Any:
    """[blocks in y, blocks in x] the task of each block; -1 for land.

    roundrobin: blocks of water one after the other, row by row. blkrobin: the same, half a task's share at a time.
    blkcart: a quarter of a task's blocks in each quadrant of the grid, mirrored. spacecurve: pieces of equal work along
    the curve. cartesian: rectangles; slenderX1 over the whole height before it cuts it, slenderX2 over half of it.
    """
    rows, columns = wet.shape
    found = np.full(rows * columns, -1)
    flat = np.flatnonzero(wet.ravel())
    typ = one["decomp_typ"]
    if typ == "roundrobin":
        found[flat] = np.arange(len(flat)) % tasks
    elif typ == "blkrobin":
        piece = max(1, math.ceil(len(flat) / tasks / 2))
        found[flat] = np.arange(len(flat)) // piece % tasks
    elif typ == "spacecurve":
        order = [index for index in curve(rows, columns) if wet.ravel()[index]]
        weight = np.cumsum(work.ravel()[order])
        found[order] = np.minimum((weight - 0.5 * work.ravel()[order]) / weight[-1] * tasks, tasks - 1).astype(int)
    elif typ == "blkcart":
        row, column = np.divmod(flat, columns)
        mirrored = np.minimum(row, rows - 1 - row) * columns + np.minimum(column, columns - 1 - column)
        rank = {key: place for place, key in enumerate(sorted(set(mirrored.tolist())))}
        found[flat] = np.array([rank[key] for key in mirrored.tolist()]) * tasks // len(rank)
    else:
        stack = tasks * one["block_x"] // WIDTH  # tasks above each other
        row, column = np.divmod(flat, columns)
        found[flat] = np.minimum(row * stack // rows, stack - 1) + column * stack
    return found.reshape(rows, columns)


def run_time(one: Configuration, tasks: int) -> float:
    """Time of STEPS steps [s], mean over the months, without noise."""
    bx, by = one["block_x"], one["block_y"]
    icy, water = block_sums(bx, by)
    work = ICE_S * icy.mean(axis=0) + WATER_S * water + BLOCK_S
    owner = owners(one, tasks, work, water > 0)
    present = owner >= 0
    flat = owner[present]
    # The blocks of a task go to its threads one after the other.
    order = np.argsort(flat, kind="stable")
    first = np.searchsorted(flat[order], np.arange(tasks))
    lane = np.empty(len(flat), dtype=int)
    lane[order] = (np.arange(len(flat)) - first[flat[order]]) % THREADS
    slot = flat * THREADS + lane
    blocks = np.bincount(flat, minlength=tasks)
    total = 0.0
    mask = bool(one["mask_h"])
    exchange = None if mask else halo(owner, present, present, bx, by, tasks)
    for month in range(MONTHS):
        cost = ICE_S * icy[month] + WATER_S * water + BLOCK_S
        busy = np.bincount(slot, cost[present], minlength=tasks * THREADS).reshape(tasks, THREADS).max(axis=1)
        step = busy + (halo(owner, present, icy[month] > 0, bx, by, tasks) + MASK_S * blocks if mask else exchange)
        total += step.max()
    return STEPS * total / MONTHS


def halo(owner: Any, present: Any, live: Any, block_x: int, block_y: int, tasks: int) -> Any:
    """[tasks] time of the halo exchange: cells at the edges of live blocks, and the number of other tasks."""
    found = np.zeros(tasks)
    for shift, axis, cells in ((1, 1, block_y), (-1, 1, block_y), (1, 0, block_x), (-1, 0, block_x)):
        other = np.roll(owner, shift, axis=axis)
        both = present & (other >= 0)
        if axis == 0:
            both[0 if shift == 1 else -1, :] = False
        both &= live | np.roll(live, shift, axis=axis)
        away = both & (other != owner)
        found += np.bincount(owner[both & ~away], minlength=tasks) * (COPY_S * cells)
        found += np.bincount(owner[away], minlength=tasks) * (HALO_S * cells)
        pairs = np.unique(owner[away].astype(np.int64) * tasks + other[away])
        found += np.bincount(pairs // tasks, minlength=tasks) * NEIGHBOUR_S
    return found


@functools.lru_cache(maxsize=None)
def space(tasks: int, kept: int = KEPT) -> Space:
    """The configurations of a task count, drawn once from the feasible ones, with the least of two runs each."""
    rng = random.Random(f"cice/{tasks}")
    pool = sorted(feasible(tasks), key=lambda one: abs(math.log2(one["max_block"] / EXPERTS_BLOCKS)))[:kept]
    times = [min(run_time(one, tasks) * math.exp(NOISE * rng.gauss(0, 1)) for _ in range(2)) for one in pool]
    return Space(tasks, pool, np.array(times))
