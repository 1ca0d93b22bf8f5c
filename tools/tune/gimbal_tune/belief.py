# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the default search believes after a handful of runs: a Gaussian process whose settings are not fitted but
averaged over.

With five to ten measurements the likelihood does not tell how far each parameter reaches, and a maximum of it is
mostly chance. So many settings are drawn, and each counts by the likelihood of what was measured (Snoek, Larochelle,
Adams 2012 do the same by slice sampling). The next run is the one with the largest expected improvement.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .encoding import Encoded
from .modules import need, numpy

if TYPE_CHECKING:
    from .search import Seen

DRAWS = 48  # settings of the process
REACH = 0.9  # median of the distance over which a parameter's effect changes; 1 is from its least to its greatest value
REACH_SPREAD = 0.8  # standard deviation of its logarithm
TREND = 3.0  # largest variance of a linear trend from a parameter's least to its greatest value
STRIDE = 4  # of the draws, one in so many says which configuration tells most
NOISES = (1e-4, 1e-2)  # variance of the noise over that of what was measured: from here to there


class Belief:
    """The process over one pool."""

    def __init__(self, encoded: Encoded, seed: int, prior: Any = None) -> None:
        np = numpy()
        self.encoded = Encoded(encoded.x - encoded.x.mean(axis=0), encoded.owner)
        self.prior = prior
        draw = np.random.default_rng([seed, 7])
        owners = np.array(encoded.owner, dtype=int)
        reach = REACH * np.exp(REACH_SPREAD * draw.standard_normal((DRAWS, max(owners, default=0) + 1)))
        self.reach = reach[:, owners]
        low, high = (math.log(one) for one in NOISES)
        self.trend = TREND * draw.random(DRAWS) + 1e-6
        self.noise = np.exp(low + (high - low) * draw.random(DRAWS))

    def process(self, draw: int, noise: float) -> Any:
        kernels = need("sklearn.gaussian_process.kernels")
        # A trend along every parameter, and what departs from it.
        kernel = kernels.Matern(self.reach[draw], nu=2.5) + kernels.ConstantKernel(self.trend[draw], "fixed") \
            * kernels.DotProduct(0.0, "fixed")
        return need("sklearn.gaussian_process").GaussianProcessRegressor(kernel, alpha=noise, optimizer=None,
                                                                         normalize_y=False)

    def mixture(self, ran: Sequence[int], measured: Sequence[float], wanted: Sequence[int],
                noise: float | None) -> tuple[Any, Any, Any]:
        """Weights [draws], means and deviations [draws, wanted], in the unit of `measured`."""
        np = numpy()
        x, y = self.encoded.x, np.array(measured)
        spread = float(y.std()) or 1.0
        likelihoods, means, deviations = [], [], []
        for draw in range(DRAWS):
            # Every other one takes the prior for true but for what the process adds; the likelihood decides.
            guess = self.prior / spread if self.prior is not None and draw % 2 == 0 else np.zeros(len(x))
            target = y / spread - guess[ran]
            shift = target.mean()
            model = self.process(draw, self.noise[draw] if noise is None else max(noise / spread**2, 1e-6))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(x[ran], target - shift)
                mean, deviation = model.predict(x[wanted], return_std=True)
            likelihoods.append(model.log_marginal_likelihood_value_)
            means.append((mean + shift + guess[wanted]) * spread)
            deviations.append(deviation * spread)
        weight = np.exp(np.array(likelihoods) - max(likelihoods))
        return weight / weight.sum(), np.array(means), np.array(deviations)

    def most_telling(self, done: Sequence[int], left: Sequence[int]) -> int:
        """The one of `left` whose measurement would make the rest of them surest (active learning, Cohn 1996)."""
        np = numpy()
        gain = np.zeros(len(left))
        for draw in range(0, DRAWS, STRIDE):
            noise = float(self.noise[draw])
            model = self.process(draw, noise)
            if len(done):
                model.fit(self.encoded.x[done], np.zeros(len(done)))  # what was measured does not change how sure it is
            _, covariance = model.predict(self.encoded.x[left], return_cov=True)
            gain += (covariance**2).sum(axis=0) / (covariance.diagonal() + noise)
        return left[int(gain.argmax())]

    def expected(self, seen: Sequence["Seen"], measured: Sequence[float]) -> Any:
        """[n] what each configuration is expected to measure."""
        weight, means, _ = self.mixture([one.index for one in seen], measured, range(len(self.encoded.x)), None)
        return weight @ means

    def best(self, seen: Sequence["Seen"], measured: Sequence[float], left: Sequence[int],
             noise: float | None = None, earlier: Sequence[float] = ()) -> tuple[int, str, float]:
        """The most promising of `left`, the reason, and what it is expected to measure.

        measured: [runs] the objective, usually its logarithm; noise: its variance where repeats have shown it; earlier:
        the same of the last rows.
        """
        rows = len(self.encoded.x)
        ran = [*(one.index for one in seen), *range(rows - len(earlier), rows)]
        weight, means, deviations = self.mixture(ran, [*measured, *earlier], left, noise)
        if not measured:
            place = int((weight @ means).argmin())
        else:
            place = int((weight @ expected_improvement(min(measured), means, deviations)).argmax())
        return left[place], "model", float((weight @ means)[place])


def expected_improvement(best: float, mean: Any, deviation: Any) -> Any:
    """By how much each is expected to be less than the least so far."""
    norm = need("scipy.stats").norm
    z = (best - mean) / numpy().maximum(deviation, 1e-9)
    return (best - mean) * norm.cdf(z) + deviation * norm.pdf(z)
