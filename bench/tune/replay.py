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


def by_optuna(pool: Sequence[Configuration], times: Any, seed: int, runs: int) -> list[int]:
    """What Optuna's TPE tries, in order. Combinations that do not exist, and those that it has seen, cost it no run.

    It is told their value (the worst of all for those that do not exist), so that it does not name them for ever.
    """
    import optuna  # noqa: PLC0415  only here

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    parameters = parameters_of(pool)
    place = {tuple(row.values()): index for index, row in enumerate(pool)}
    tried: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=5))
        for _ in range(100 * runs):
            if len(tried) >= min(runs, len(pool)):
                break
            trial = study.ask()
            values = tuple(trial.suggest_categorical(one.name, one.values) for one in parameters)
            index = place.get(values)
            if index is None:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
                continue
            study.tell(trial, float(np.log(times[index])))
            if index not in tried:
                tried.append(index)
    rest = np.random.default_rng(seed).permutation(len(pool))  # if it names the same ones again and again
    return tried + [index for index in rest.tolist() if index not in tried][:runs - len(tried)]


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


def by(method: str, pool: Sequence[Configuration], times: Any, seed: int, runs: int) -> Any:
    """[runs] per cent over the best, of one method with one seed."""
    others = {"optuna": by_optuna, TOLD: by_told}
    chosen = others[method](pool, times, seed, runs) if method in others else by_search(method, pool, times, seed, runs)
    return deviations(times, chosen)
