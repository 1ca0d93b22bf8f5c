# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What somebody without prior knowledge gains (seed 000, table 5.5).

The baseline is a technique fixed at random: the mean of those that the Oracle chooses from. Against it: an RL
configuration taken at random (the mean of all), the same for agents that choose chunks, every selector by name, and the
control arms.
"""
from __future__ import annotations

import statistics
from typing import Any

from .measured import AppData, Series
from .oracle import oracle, portfolio

HEADERS = ("application", "against", "configurations", "mean s", "gain %", "gain on the best fixed %", "over oracle %")


def mean_s(series: list[Series]) -> float:
    return statistics.fmean(one.total_s() for one in series)


def gain(app: AppData) -> list[tuple[Any, ...]]:
    """Rows in the order of HEADERS: first the baseline, gain 0. Empty without fixed techniques."""
    fixed = portfolio(app)
    found = oracle(app)
    if not fixed or found is None:
        return []
    baseline_s, best_s = mean_s(fixed), min(one.total_s() for one in fixed)
    arms = [("random one of the Oracle's", fixed)]
    arms += [("random RL configuration", app.group("rl")), ("random RL chunk configuration", app.group("rl-chunk"))]
    arms += [(one.name, [one]) for one in app.group("control", "selector")]
    rows = []
    for name, series in arms:
        if series:
            total_s = mean_s(series)
            rows.append((app.name, name, len(series), total_s, 100 * (baseline_s - total_s) / baseline_s,
                         100 * (best_s - total_s) / best_s, 100 * (total_s / found.total_s - 1)))
    return rows
