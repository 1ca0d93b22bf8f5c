# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the turns of the schedules to ratios of whole times. Pure functions.

A *run* is what wild.c prints of one process: per schedule the time of every turn and how late threads of the team were.
"""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import stats
from kinds import AUTO, FIXED, STOCK, Kind

Run = Mapping[str, Any]

LATE_SHARE = 0.03  # of a turn that a thread may have waited for its core
LATE_NS = 10_000.0  # or this much: what reading the clocks scatters by
GATED_SHARE = 0.3  # with fewer undisturbed turns than this, the quieter half counts


def undisturbed(turns: Mapping[str, Sequence[float]], count: int) -> list[bool]:
    """Which of the first `count` turns of one schedule no other program disturbed."""
    return [late <= max(LATE_NS, LATE_SHARE * ns)
            for ns, late in zip(turns["ns"][:count], turns["late"][:count])]


def late_shares(turns: Mapping[str, Sequence[float]], count: int) -> list[float]:
    """How much of each turn a thread did not run."""
    return [late / ns for ns, late in zip(turns["ns"][:count], turns["late"][:count])]


def quieter_half(shares: Sequence[float]) -> list[bool]:
    """Which turns belong to the half that was disturbed least; ties belong to it."""
    limit = sorted(shares)[(len(shares) - 1) // 2]
    return [share <= limit for share in shares]


@dataclass(frozen=True)
class Ratio:
    """Whole time of one schedule over another's, from the turns in which both were undisturbed."""

    value: float
    gated: bool


def whole_time_ratio(run: Run, name: str, other: str, count: int) -> Ratio | None:
    """Ratio over the first `count` turns; None if one of the two did not take part in them all.

    Nothing is dropped but disturbed turns, and those for both. Where hardly any turn is undisturbed, the half of them
    counts that was disturbed least, and `gated` is false.
    """
    ours, theirs = run["schedules"].get(name), run["schedules"].get(other)
    if not ours or not theirs or min(len(ours["ns"]), len(theirs["ns"])) < count or count < 1:
        return None
    good = [a and b for a, b in zip(undisturbed(ours, count), undisturbed(theirs, count))]
    gated = sum(good) >= GATED_SHARE * count
    if not gated:
        good = quieter_half([max(a, b) for a, b in zip(late_shares(ours, count), late_shares(theirs, count))])
    return Ratio(sum(ns for ns, keep in zip(ours["ns"], good) if keep) /
                 sum(ns for ns, keep in zip(theirs["ns"], good) if keep), gated)


def middle_ratio(runs: Sequence[Run], name: str, other: str, count: int) -> Ratio | None:
    """Median over runs; None if no run has both."""
    found = [ratio for run in runs if (ratio := whole_time_ratio(run, name, other, count))]
    if not found:
        return None
    return Ratio(stats.median([one.value for one in found]), all(one.gated for one in found))


@dataclass(frozen=True)
class Worst:
    """The schedule that a name compares worst with: the best of its field. ratio: name's whole time over its."""

    other: str
    ratio: float
    gated: bool


def against_best(runs: Sequence[Run], name: str, field: Sequence[str], count: int) -> Worst | None:
    """auto (`name`) over the best of a field by whole time over the same turns. Schedules that were pruned before are
    not the best."""
    best: Worst | None = None
    for other in field:
        ratio = middle_ratio(runs, name, other, count) if other != name else None
        if ratio and (best is None or ratio.value > best.ratio):
            best = Worst(other, ratio.value, ratio.gated)
    return best


TOLD = 0.05  # a choice that is slower by more than this can be told apart by a model, without a trial
FEWEST_TURNS = 8


def every_second(run: Run, first: int) -> Run:
    """The turns first, first + 2, ... of a run."""
    return {**run, "schedules": {name: {"ns": turns["ns"][first::2], "late": turns["late"][first::2]}
                                 for name, turns in run["schedules"].items()}}


def luck(runs: Sequence[Run], name: str, field: Sequence[str], count: int) -> float:
    """What is lost to the best of a field by luck alone: `name` over the best, as it is, over the same with the best
    one chosen by every second turn and compared in the others. At least 1; 1 if there are too few turns."""
    best = against_best(runs, name, field, count)
    if best is None or count < FEWEST_TURNS:
        return 1.0
    halves = [[every_second(run, first) for run in runs] for first in (0, 1)]
    found = []
    for choosing, judging in (halves, halves[::-1]):
        chosen = against_best(choosing, name, field, count // 2)
        ratio = middle_ratio(judging, name, chosen.other, count // 2) if chosen else None
        if ratio is None:
            return 1.0
        found.append(ratio.value)
    return max(best.ratio / (sum(found) / len(found)), 1.0)


def deviation_of_logs(run: Run, name: str, other: str, count: int) -> float:
    """Of the logarithm of a turn's time over the other's in the same round, by the median distance from the median."""
    pairs = zip(run["schedules"][name]["ns"][:count], run["schedules"][other]["ns"][:count])
    logs = [math.log(mine / its) for mine, its in pairs]
    middle = stats.median(logs)
    return 1.4826 * stats.median([abs(value - middle) for value in logs])


def price(runs: Sequence[Run], arms: Sequence[str], count: int) -> float:
    """What a rule must lose that knows nothing of the loop but what a model tells, as a part of the whole time.

    A choice that is slower by d, with turns that scatter by s, is run 2 s^2 ln(n) / d^2 times in n turns by any rule
    that finds the best one on every loop (Lai and Robbins 1985), once at least, and no more than its share if nothing
    is known. Choices slower by more than TOLD are never run.
    """
    values = []
    for run in runs:
        here = [arm for arm in arms if arm in run["schedules"] and len(run["schedules"][arm]["ns"]) >= count]
        if len(here) < 2 or count < FEWEST_TURNS:
            continue
        middle = {arm: stats.median(run["schedules"][arm]["ns"][:count]) for arm in here}
        best = min(middle, key=middle.__getitem__)
        lost = 0.0
        for arm in here:
            slower = middle[arm] / middle[best] - 1
            if arm == best or not 0 < slower < TOLD:
                continue
            scatter = deviation_of_logs(run, arm, best, count)
            lost += slower * min(max(2 * scatter ** 2 * math.log(count) / slower ** 2, 1), count / len(here))
        values.append(lost / count)
    return stats.median(values) if values else 0.0


@dataclass(frozen=True)
class Mark:
    """What counts after so many steps of one kind. luck, price: what no rule can avoid of the ratio to the best of
    stock, as a factor and as a part of the whole time."""

    steps: int
    vs_static: Ratio
    vs_stock: Worst
    vs_fixed: Worst | None
    luck: float = 1.0
    price: float = 0.0

    @property
    def bound(self) -> float:
        """The ratio to the best of stock that a rule would show here which loses no more than it must."""
        return self.luck * (1 + self.price)


def marks_of(kind: Kind, runs: Sequence[Run], marks: Sequence[int]) -> list[Mark]:
    """auto after each number of steps that the runs have, and at the end of the longest; a run counts as far as it
    goes."""
    turns = max(len(run["schedules"][AUTO]["ns"]) for run in runs)
    found = []
    for steps in sorted({*(m for m in marks if m >= kind.burst), turns * kind.burst}):
        count = steps // kind.burst
        static = middle_ratio(runs, AUTO, "static", count) if count <= turns else None
        stock = against_best(runs, AUTO, STOCK, count) if static else None
        if static and stock:
            found.append(Mark(steps, static, stock, against_best(runs, AUTO, FIXED, count),
                              luck(runs, AUTO, STOCK, count), price(runs, ("static", *FIXED), count)))
    return found


def late_turns(run: Run) -> float:
    """Share of all turns that were disturbed."""
    flags = [flag for turns in run["schedules"].values() for flag in undisturbed(turns, len(turns["ns"]))]
    return 1 - sum(flags) / len(flags) if flags else 0.0


def steady_ns(runs: Sequence[Run], name: str, kind: Kind) -> float:
    """Median time of an execution in the second half of the steps, in the longest runs [ns]."""
    values = []
    longest = max(len(run["schedules"][name]["ns"]) for run in runs)
    for run in (one for one in runs if len(one["schedules"][name]["ns"]) == longest):
        turns = run["schedules"][name]
        half = len(turns["ns"]) // 2
        values += [ns / kind.burst for ns in turns["ns"][half:]]
    return stats.median(values)


def keys_of(marks: Mapping[Kind, Sequence[Mark]]) -> dict[str, float]:
    """The RESULT keys that come from the kinds: the largest over them, and the median."""
    result: dict[str, float] = {}
    kinds = {kind: rows for kind, rows in marks.items() if not kind.chain and not kind.probe}
    for steps in (50, 200, 1000):
        values = [row.vs_stock.ratio for rows in kinds.values() for row in rows if row.steps == steps]
        longer = [row.vs_stock.ratio for kind, rows in kinds.items() if not kind.short for row in rows
                  if row.steps == steps]
        if values:
            result[f"wild_vs_best_stock_{steps}"] = max(values)
            result[f"wild_vs_best_stock_{steps}_median"] = stats.median(values)
        if longer:
            result[f"wild_vs_best_stock_{steps}_20us"] = max(longer)
        over = [row.vs_stock.ratio / row.bound for kind, rows in kinds.items() if not kind.short for row in rows
                if row.steps == steps]
        if over:
            result[f"wild_over_bound_{steps}_20us"] = max(over)
        fixed = [row.vs_fixed.ratio for rows in kinds.values() for row in rows if row.steps == steps and row.vs_fixed]
        if fixed:
            result[f"wild_vs_best_fixed_{steps}"] = max(fixed)
    static = [row.vs_static.value for rows in kinds.values() for row in rows]
    if static:
        result["wild_vs_static_worst"] = max(static)
    longer = [row.vs_static.value for kind, rows in kinds.items() if not kind.short for row in rows]
    if longer:
        result["wild_vs_static_worst_20us"] = max(longer)
    chains = [rows[-1].vs_stock.ratio for kind, rows in marks.items() if kind.chain and rows]
    if chains:
        result["chains_vs_best_stock"] = max(chains)
    return result


def short_keys(runs: Mapping[Kind, Sequence[Run]], marks: Mapping[Kind, Sequence[Mark]]) -> dict[str, float]:
    """Whole time of the short loops over static's at the end, and what an execution of an empty one costs more [ns]."""
    result = {}
    for kind, rows in marks.items():
        for key, name in (("short_2us_vs_static", "tiny_2us"), ("short_half_us_vs_static", "tiny_half_us")):
            if kind.name == name and rows:
                result[key] = rows[-1].vs_static.value
        if kind.name == "empty":
            result["entry_exit_ns"] = steady_ns(runs[kind], AUTO, kind) - steady_ns(runs[kind], "static", kind)
    return result
