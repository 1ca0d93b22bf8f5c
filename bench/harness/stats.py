# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics of repeated measurements: medians, quartiles, bootstrap intervals. Pure functions."""
from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass


def quantile(values: Sequence[float], share: float) -> float:
    """Quantile by linear interpolation between order statistics.

    values: [n >= 1], any order; share: in [0, 1]; returns a value in [min, max]. Raises ValueError on no values.
    """
    if not values:
        raise ValueError("quantile of no values")
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def median(values: Sequence[float]) -> float:
    """The middle value; raises ValueError on no values."""
    return quantile(values, 0.5)


@dataclass(frozen=True)
class Summary:
    """Median and quartiles of one variant, in the unit of its samples."""

    count: int
    median: float
    low_quartile: float
    high_quartile: float

    @property
    def interquartile_range(self) -> float:
        return self.high_quartile - self.low_quartile


def summarise(values: Sequence[float]) -> Summary:
    """Median and quartiles; raises ValueError on no values."""
    return Summary(len(values), median(values), quantile(values, 0.25), quantile(values, 0.75))


def bootstrap_interval(values: Sequence[float], confidence: float = 0.95, draws: int = 1000,
                       seed: int = 1) -> tuple[float, float]:
    """Percentile bootstrap interval of the median.

    The same seed gives the same interval. One value gives an interval of no width, which says nothing: look at the
    count too. Cost O(draws n log n). Source: Efron 1979.
    """
    source = random.Random(seed)
    medians = [median(source.choices(values, k=len(values))) for _ in range(draws)]
    tail = (1.0 - confidence) / 2.0
    return quantile(medians, tail), quantile(medians, 1.0 - tail)
