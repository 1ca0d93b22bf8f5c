# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seed 003's comparison on the model of CICE: ten task counts, all methods, several seeds; its figures 1 and 2."""
from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cice
import numpy as np
import replay
from gimbal_tune.encoding import encode_with
from gimbal_tune.importance import importance
from gimbal_tune.search import Search, Seen

METHODS = ("gimbal", "gimbal, earlier", replay.TOLD, "forest", "svm", "gp", "nn", "random", "optuna")
EARLIER = "gimbal, earlier"
GOOD = 1.0  # per cent over the optimum
AFTER = 10  # runs


@dataclass(frozen=True)
class Curve:
    """Per cent over the optimum, [seeds, runs]."""

    method: str
    tasks: int
    deviations: Any
    drawn: int = 0  # runs that the method did not name

    def mean(self) -> Any:
        return self.deviations.mean(axis=0)

    def needed(self) -> int | None:
        """Runs until the mean is within GOOD."""
        good = np.flatnonzero(self.mean() <= GOOD)
        return int(good[0]) + 1 if len(good) else None


def one_curve(job: tuple[str, int, int, int]) -> Curve:
    method, tasks, seeds, runs = job
    space = cice.space(tasks)
    most = len(space.pool) if method == "random" else runs
    found = [replay.by(method, space.pool, space.times, seed, most) for seed in range(seeds)]
    return Curve(method, tasks, np.array([one for one, _ in found]), sum(drawn for _, drawn in found))


def one_after_the_other(job: tuple[int, int]) -> list[Any]:
    """One seed of our search that knows its first AFTER runs at the task counts before."""
    seed, runs = job
    earlier: list[tuple[list[cice.Configuration], list[float]]] = []
    found = []
    for tasks in cice.TASKS:
        space = cice.space(tasks)
        parameters = replay.parameters_of(space.pool)
        encoded = encode_with(parameters, space.pool, [rows for rows, _ in earlier])
        search = Search("gimbal", encoded, seed, earlier=[level for _, levels in earlier for level in levels])
        seen: list[Seen] = []
        while len(seen) < min(runs, len(space.pool)):
            proposal = search.next(seen)
            assert proposal is not None
            seen.append(Seen(proposal.index, float(space.times[proposal.index])))
        chosen = [one.index for one in seen]
        found.append(replay.deviations(space.times, chosen))
        earlier.append(([space.pool[index] for index in chosen[:AFTER]],
                        [float(np.log(space.times[index])) for index in chosen[:AFTER]]))
    return found


def curves(methods: Sequence[str], seeds: int, runs: int, processes: int) -> list[Curve]:
    jobs = [(method, tasks, seeds, runs) for method in methods if method != EARLIER for tasks in cice.TASKS]
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(one_curve, jobs))
        if EARLIER in methods:
            by_seed = list(pool.map(one_after_the_other, [(seed, runs) for seed in range(seeds)]))
            found += [Curve(EARLIER, tasks, np.array([one[place] for one in by_seed]))
                      for place, tasks in enumerate(cice.TASKS)]
    return found


def within(found: Sequence[Curve], method: str, after: int = AFTER) -> int:
    """Task counts at which the mean over the seeds is within GOOD of the optimum after so many runs."""
    return sum(bool(one.mean()[after - 1] <= GOOD) for one in found if one.method == method)


def t_tests(found: Sequence[Curve], after: int = AFTER) -> list[tuple[str, float, float]]:
    """Ours against each other method, paired by task count and seed: (method, mean difference in points, p)."""
    from scipy.stats import ttest_rel  # noqa: PLC0415  takes a second

    def all_of(method: str) -> Any:
        return np.concatenate([one.deviations[:, after - 1] for one in found if one.method == method])

    rows = []
    for method in dict.fromkeys(one.method for one in found):
        if method != "gimbal":
            ours, theirs = all_of("gimbal"), all_of(method)
            p = float(ttest_rel(ours, theirs).pvalue) if (ours != theirs).any() else 1.0
            rows.append((method, float((ours - theirs).mean()), p))
    return rows


def sensitivity() -> list[tuple[int, dict[str, float]]]:
    """%IncMSE of the six parameters by task count (figure 1)."""
    found = []
    for tasks in cice.TASKS:
        space = cice.space(tasks)
        found.append((tasks, dict(importance(replay.parameters_of(space.pool), space.pool, space.times.tolist(), 1))))
    return found


def plot_curves(found: Sequence[Curve], path: Path) -> None:
    """Figure 2: mean per cent over the optimum by runs, one panel per task count."""
    from gimbal_campaign.figures import plotting  # noqa: PLC0415

    pyplot = plotting()
    figure, grid = pyplot.subplots(2, 5, figsize=(14, 5.4), sharex=True)
    for axes, tasks in zip(grid.flat, cice.TASKS):
        for number, one in enumerate(one for one in found if one.tasks == tasks):
            mean = one.mean()
            axes.plot(range(1, len(mean) + 1), mean, label=one.method, color=f"C{number}",
                      linewidth=2 if one.method.startswith("gimbal") else 1)
        axes.axhline(GOOD, color="grey", linewidth=0.6, linestyle=":")
        axes.set_title(f"{tasks} tasks")
        axes.set_ylim(0, 60)
    grid[0][0].set_ylabel("over the optimum [%]")
    grid[1][2].set_xlabel("configurations that ran")
    grid[0][-1].legend(frameon=False, fontsize=7)
    figure.savefig(path, dpi=110, bbox_inches="tight")


def plot_sensitivity(rows: Sequence[tuple[int, dict[str, float]]], path: Path) -> None:
    """Figure 1: %IncMSE, one panel per task count."""
    from gimbal_campaign.figures import plotting  # noqa: PLC0415

    pyplot = plotting()
    figure, grid = pyplot.subplots(2, 5, figsize=(14, 5), sharey=True)
    for axes, (tasks, one) in zip(grid.flat, rows):
        axes.barh(cice.PARAMETERS, [one.get(name, 0.0) for name in cice.PARAMETERS], color="C0")
        axes.set_title(f"{tasks} tasks")
    grid[1][2].set_xlabel("%IncMSE")
    figure.savefig(path, dpi=110, bbox_inches="tight")
