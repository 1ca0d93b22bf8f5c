# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A declared model of the sea-ice component of seed 003: its six parameters and its feasibility rules, with a cost
that is computed and not measured. What each part follows:

- Grid, task counts, 4 threads, max.block, the rules of each decomposition: the seed, section 2. Its table 1 is printed
  with the block sizes of its two rows exchanged: as printed it cannot give 7 of the 23 values of max.block that the
  seed lists (6, 11, 12, 13, 15, 26, 30), exchanged it gives all of them, and 36 to 75 configurations a task count; and
  CESM's own script for such studies (cice_perf) tries tall blocks with slenderX1 and slenderX2 alone, square ones with
  the others. Exchanged, slender decompositions end at 320 tasks, but for four at 640; the seed finds that the
  decomposition matters up to 320.
- mask.h: both values would double the 50 to 60 configurations that the seed has. Here all have masked halos, and where
  that makes fewer than 60, some without, drawn once, fill up.
- Who gets which block: as CICE 4 deals them out (ice_distribution). Blocks without water are left out. The threads of
  a task share its blocks, in contiguous pieces.
- Cost: cells with ice, by latitude and season, cells of open water, an overhead for each block; then the halo by cell
  and by neighbour. The slowest task counts. The constants have the size that elastic-viscous-plastic dynamics of 120
  substeps has on a BG/P; no claim is made about the real code. Land is three boxes and Antarctica.
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
LEAST = 60  # configurations of a task count: where masked halos alone make fewer, others fill up
THREADS = 4
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
    """The seed's rules, masked halos."""
    for typ in ("blkrobin", "blkcart", "roundrobin", "spacecurve"):
        for block_x in (4, 5, 8, 10):
            for block_y in (4, 6, 8, 12):
                if typ == "blkcart" and WIDTH * HEIGHT % (4 * block_x * block_y * tasks):
                    continue
                if typ == "spacecurve" and not (smooth(WIDTH // block_x) and smooth(HEIGHT // block_y)):
                    continue
                yield from allowed(tasks, block_x, block_y, typ, "null")
    for name, rows in (("slenderX1", 1), ("slenderX2", 2)):
        for block_x in (1, 2, 4, 8):
            for block_y in (24, 48, 96, 192, 384):
                if (rows * WIDTH) % (block_x * tasks) == 0 and HEIGHT % (rows * block_y) == 0:
                    yield from allowed(tasks, block_x, block_y, "cartesian", name)


def allowed(tasks: int, block_x: int, block_y: int, typ: str, name: str) -> Iterator[Configuration]:
    count = math.ceil(WIDTH * HEIGHT / (block_x * block_y * tasks))
    if count in MAX_BLOCKS:
        yield dict(zip(PARAMETERS, (count, block_x, block_y, typ, name, 1)))


def smooth(count: int) -> bool:
    """No prime factor but 2, 3 and 5."""
    for prime in (2, 3, 5):
        while count % prime == 0:
            count //= prime
    return count == 1


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


def owners(one: Configuration, tasks: int, wet: Any) -> Any:
    """[blocks in y, blocks in x] the task of each block; -1 for land.

    roundrobin: one after the other, row by row. blkcart: a quarter of a task's blocks at a time, the west half from the
    south, then the east half from the north. blkrobin: see there. spacecurve: as many blocks for each along the curve.
    cartesian: a rectangle for each; slenderX1 one row of tasks, slenderX2 two.
    """
    rows, columns = wet.shape
    found = np.full(rows * columns, -1)
    flat = np.flatnonzero(wet.ravel())
    row, column = np.divmod(flat, columns)
    typ = one["decomp_typ"]
    if typ == "roundrobin":
        found[flat] = np.arange(len(flat)) % tasks
    elif typ == "blkrobin":
        found[flat] = blkrobin(row, column, columns, tasks)
    elif typ == "spacecurve":
        order = [index for index in curve(rows, columns) if wet.ravel()[index]]
        found[order] = shares(len(order), tasks)
    elif typ == "blkcart":
        half = columns // 2
        west = column < half
        place = np.where(west, row * half + column, (rows - 1 - row) * half + column - half)  # counts land, too
        found[flat] = place // max(1, round(rows * columns / (4 * tasks))) % tasks
    else:
        down = 1 if one["decomp_set"] == "slenderX1" else 2
        across = tasks // down
        found[flat] = row * down // rows * across + column * across // columns
    return found.reshape(rows, columns)


def shares(count: int, parts: int) -> Any:
    """[count] which of the contiguous parts each belongs to; the first ones have one more where it does not divide."""
    return np.repeat(np.arange(parts), [count // parts + (part < count % parts) for part in range(parts)])


def blkrobin(row: Any, column: Any, columns: int, tasks: int) -> list[int]:
    """[blocks of water, south to north] A sixth of a task's blocks at a time, to and fro along the rows: once to each
    task from the south, once in the opposite order from the north, and what is left from the north in halves."""
    count = len(row)
    found = [-1] * count
    most = math.ceil(count / tasks)
    piece = max(1, round(count / (6 * tasks)))
    order = sorted(range(count), key=lambda k: (row[k], -column[k] if row[k] % 2 else column[k]))
    south, north = order[:piece * tasks], order[::-1][:piece * tasks]
    owned = [0] * tasks
    for sweep, tasks_order in ((south, range(tasks)), (north, range(tasks - 1, -1, -1))):
        for place, block in enumerate(sweep):
            if found[block] < 0:
                found[block] = tasks_order[place // piece]
                owned[found[block]] += 1
    rest = [block for block in order[::-1] if found[block] < 0]
    pieces, task, given, left = 2 * tasks, 0, 0, len(rest)
    piece = max(1, round(left / pieces))
    for block in rest:
        while owned[task] >= most or given >= piece:
            pieces -= 1
            piece = max(1, round(left / pieces)) if pieces > 0 else 1
            given, task = 0, (task + 1) % tasks
        found[block] = task
        owned[task] += 1
        given += 1
        left -= 1
    return found


def run_time(one: Configuration, tasks: int) -> float:
    """Time of STEPS steps [s], mean over the months, without noise."""
    bx, by = one["block_x"], one["block_y"]
    icy, water = block_sums(bx, by)
    owner = owners(one, tasks, water > 0)
    present = owner >= 0
    flat = owner[present]
    blocks = np.bincount(flat, minlength=tasks)
    lane = np.empty(len(flat), dtype=int)
    lane[np.argsort(flat, kind="stable")] = np.concatenate([shares(count, THREADS) for count in blocks])
    slot = flat * THREADS + lane
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
def space(tasks: int) -> Space:
    """The configurations of a task count, with the least of two runs each."""
    rng = random.Random(f"cice/{tasks}")
    pool = list(feasible(tasks))
    more = sorted(rng.sample(range(len(pool)), max(0, min(len(pool), LEAST - len(pool)))))
    pool += [{**pool[index], "mask_h": 0} for index in more]
    times = [min(run_time(one, tasks) * math.exp(NOISE * rng.gauss(0, 1)) for _ in range(2)) for one in pool]
    return Space(tasks, pool, np.array(times))
