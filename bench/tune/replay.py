# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches over a table: every configuration was measured or computed once, and a run is a look into the table."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

for folder in ("campaign", "tune"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / folder))

from gimbal_tune.encoding import encode  # noqa: E402
from gimbal_tune.search import START, Search, Seen  # noqa: E402
from gimbal_tune.space import Configuration, Parameter  # noqa: E402

TOLD = "settings told"
ASKED = 20  # times the runs, that Optuna is asked for combinations


def parameters_of(pool: Sequence[Configuration]) -> list[Parameter]:
    """Names and values as they occur; numbers in order."""
    found = []
    for name in pool[0]:
        values = list(dict.fromkeys(row[name] for row in pool))
        if all(isinstance(value, (int, float)) for value in values):
            values.sort()
        found.append(Parameter(name, tuple(values)))
    return found


def deviations(times: Any, chosen: Sequence[int]) -> Any:
    """[runs] per cent by which the best so far is over the best of all."""
    return (np.minimum.accumulate(np.asarray(times)[list(chosen)]) / np.min(times) - 1) * 100


def by_search(method: str, pool: Sequence[Configuration], times: Any, seed: int, runs: int) -> list[int]:
    """What one of our methods tries, in order."""
    search = Search(method, encode(parameters_of(pool), pool), seed)
    seen: list[Seen] = []
    while len(seen) < min(runs, len(pool)):
        proposal = search.next(seen)
        assert proposal is not None
        seen.append(Seen(proposal.index, float(times[proposal.index])))
    return [one.index for one in seen]


def by_optuna(pool: Sequence[Configuration], times: Any, seed: int, runs: int) -> tuple[list[int], int]:
    """What Optuna's TPE tries, in order; and how many of the last it did not name, but were drawn.

    It knows the order of numbers. Combinations that do not exist, and those that it has seen, cost it no run; it is told
    their value (the worst of all for those that do not exist), so that it does not name them for ever.
    """
    import optuna  # noqa: PLC0415  only here

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    parameters = parameters_of(pool)
    place = {tuple(row.values()): index for index, row in enumerate(pool)}
    worst = float(np.max(times))
    tried: list[int] = []

    def named(trial: optuna.Trial, one: Parameter) -> Any:
        if not one.numbers:
            return trial.suggest_categorical(one.name, one.values)
        return one.values[trial.suggest_int(one.name, 0, len(one.values) - 1)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=5))
        for _ in range(ASKED * runs):
            if len(tried) >= min(runs, len(pool)):
                break
            trial = study.ask()
            index = place.get(tuple(named(trial, one) for one in parameters))
            study.tell(trial, float(np.log(worst if index is None else times[index])))
            if index is not None and index not in tried:
                tried.append(index)
    rest = np.random.default_rng(seed).permutation(len(pool))  # if it names the same ones again and again
    drawn = [index for index in rest.tolist() if index not in tried][:runs - len(tried)]
    return tried + drawn, len(drawn)


def by_told(pool: Sequence[Configuration], times: Any, seed: int, runs: int) -> list[int]:
    """A bound of ours: its process and its start, with settings that were fitted to the times of the whole pool."""
    from gimbal_tune.belief import Belief, expected_improvement  # noqa: PLC0415
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels  # noqa: PLC0415

    encoded, y = encode(parameters_of(pool), pool), np.log(times)
    x, y = encoded.x - encoded.x.mean(axis=0), (y - y.mean()) / y.std()
    kernel = kernels.ConstantKernel(1.0) * kernels.Matern(np.ones(x.shape[1]), (0.05, 30), nu=2.5) \
        + kernels.ConstantKernel(1.0) * kernels.DotProduct(0.0, "fixed") + kernels.WhiteKernel(1e-3, (1e-5, 1e-1))
    belief, tried = Belief(encoded, seed), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = GaussianProcessRegressor(kernel, random_state=seed, n_restarts_optimizer=1).fit(x, y).kernel_
        while len(tried) < min(runs, len(pool)):
            left = [index for index in range(len(pool)) if index not in tried]
            if len(tried) < START:
                tried.append(belief.most_telling(tried, left))
                continue
            shift = y[tried].mean()
            model = GaussianProcessRegressor(settings, optimizer=None).fit(x[tried], y[tried] - shift)
            mean, deviation = model.predict(x[left], return_std=True)
            tried.append(left[int(expected_improvement(y[tried].min(), mean + shift, deviation).argmax())])
    return tried


def by(method: str, pool: Sequence[Configuration], times: Any, seed: int, runs: int) -> tuple[Any, int]:
    """[runs] per cent over the best, of one method with one seed; and how many of the runs it did not name."""
    drawn = 0
    if method == "optuna":
        chosen, drawn = by_optuna(pool, times, seed, runs)
    elif method == TOLD:
        chosen = by_told(pool, times, seed, runs)
    else:
        chosen = by_search(method, pool, times, seed, runs)
    return deviations(times, chosen), drawn
