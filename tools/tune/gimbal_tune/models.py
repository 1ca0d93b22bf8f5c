# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The four surrogate models of seed 003, with their usual settings: fit on what was measured, predict the rest.

The seed took the defaults of R's randomForest, kernlab (ksvm, gausspr) and nnet; these are scikit-learn's nearest.
"""
from __future__ import annotations

import warnings
from typing import Any

from .modules import need, numpy

MODELS = {"forest": "random forest", "svm": "support vector machine", "gp": "Gaussian process", "nn": "neural network"}
TREES = 100
NEURONS = 10
NN_ROUNDS = 200


def regressor(name: str, columns: int, seed: int) -> Any:
    """A model that has seen nothing. columns: of the encoded configurations."""
    if name == "forest":
        return need("sklearn.ensemble").RandomForestRegressor(TREES, max_features=max(1, columns // 3),
                                                              min_samples_leaf=2, random_state=seed)
    if name == "svm":
        return need("sklearn.svm").SVR(C=1.0, epsilon=0.1, gamma="scale")
    if name == "gp":
        kernels = need("sklearn.gaussian_process.kernels")
        return need("sklearn.gaussian_process").GaussianProcessRegressor(
            kernels.RBF(1.0, (0.1, 10.0)), alpha=1e-3, n_restarts_optimizer=0, random_state=seed)
    return need("sklearn.neural_network").MLPRegressor((NEURONS,), solver="lbfgs", alpha=0.0, max_iter=NN_ROUNDS,
                                                       random_state=seed)


def predict(name: str, x: Any, y: Any, wanted: Any, seed: int) -> Any:
    """Fit on x: [m, columns] and y: [m]; what it expects for wanted: [n, columns]. Columns and y are standardised."""
    np = numpy()
    centre, width = x.mean(axis=0), x.std(axis=0)
    width[width == 0] = 1.0
    low, spread = y.mean(), y.std() or 1.0
    model = regressor(name, x.shape[1], seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a fit that has not converged is what the seed's was, too
        model.fit((x - centre) / width, (y - low) / spread)
        return np.asarray(model.predict((wanted - centre) / width)) * spread + low
