# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which part of an RL configuration matters: one-way ANOVA and Tukey's HSD (seed 000, section 5.7).

An observation is one configuration's median total, so that repetitions do not pose as independent evidence. Applications
differ in size; over all of them the response is percent over the Oracle, within one it is seconds.
"""
from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any

from .measured import AppData
from .modules import need
from .oracle import oracle

FACTORS = ("agent", "policy", "reward")
ANOVA_HEADERS = ("application", "factor", "levels", "n", "sum of squares", "residual", "F", "p", "eta squared")
TUKEY_HEADERS = ("application", "factor", "one", "other", "difference", "lower", "upper", "p", "differ")
LEVEL = 0.05


@dataclass(frozen=True)
class Observation:
    """One RL configuration of one application."""

    agent: str
    policy: str
    reward: str
    value: float


def observations(app: AppData, percent: bool) -> list[Observation]:
    """All RL configurations, in seconds or in percent over the Oracle."""
    found = oracle(app) if percent else None
    if percent and found is None:
        return []
    return [Observation(one.agent, one.policy, one.reward,
                        100 * (one.total_s() / found.total_s - 1) if found else one.total_s())
            for one in app.group("rl")]


def enough(values: list[Observation], factor: str) -> bool:
    """Whether an ANOVA has something to compare: two levels, and one level with two observations."""
    levels = {getattr(one, factor) for one in values}
    return len(levels) > 1 and len(values) > len(levels)


def constant(values: list[Observation], factor: str) -> bool:
    """Whether all observations of a level are the same, in every level: there is no variance to compare with."""
    groups = by_level(values, factor).values()
    return all(math.isclose(min(group), max(group), rel_tol=1e-12) for group in groups)


def by_level(values: list[Observation], factor: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for one in values:
        found.setdefault(getattr(one, factor), []).append(one.value)
    return found


def one_way(place: str, values: list[Observation], factor: str) -> tuple[Any, ...] | None:
    """A row of ANOVA_HEADERS, without F and p where the levels have no variance; None if there is too little."""
    if not enough(values, factor):
        return None
    if constant(values, factor):
        groups, mean = by_level(values, factor).values(), statistics.fmean(one.value for one in values)
        spread = sum(len(group) * (statistics.fmean(group) - mean) ** 2 for group in groups)
        return (place, factor, len(groups), len(values), spread, 0.0, None, None, None)
    pandas, formula = need("pandas"), need("statsmodels.formula.api")
    frame = pandas.DataFrame([(one.value, getattr(one, factor)) for one in values], columns=["value", "level"])
    table = need("statsmodels.stats.anova").anova_lm(formula.ols("value ~ C(level)", data=frame).fit())
    between, within = float(table["sum_sq"].iloc[0]), float(table["sum_sq"].iloc[1])
    return (place, factor, frame["level"].nunique(), len(values), between, within, float(table["F"].iloc[0]),
            float(table["PR(>F)"].iloc[0]), between / (between + within) if between + within else 0.0)


def tukey(place: str, values: list[Observation], factor: str) -> list[tuple[Any, ...]]:
    """A row of TUKEY_HEADERS per pair of levels; none if there is too little to compare, or no variance."""
    if not enough(values, factor) or constant(values, factor):
        return []
    found = need("statsmodels.stats.multicomp").pairwise_tukeyhsd(
        [one.value for one in values], [getattr(one, factor) for one in values], alpha=LEVEL)
    names = list(found.groupsunique)
    pairs = [(names[i], names[j]) for i in range(len(names)) for j in range(i + 1, len(names))]
    return [(place, factor, *pair, float(found.meandiffs[k]), float(found.confint[k][0]), float(found.confint[k][1]),
             float(found.pvalues[k]), "yes" if found.reject[k] else "no") for k, pair in enumerate(pairs)]


def analyse(apps: list[AppData]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """ANOVA and Tukey rows of every application [s], and of all together [percent over Oracle] if there are several."""
    sets = [(f"{app.name} [s]", observations(app, percent=False)) for app in apps]
    if len(apps) > 1:
        percents = [one for app in apps for one in observations(app, percent=True)]
        sets.append(("all [% over Oracle]", percents))
    tables = [one_way(place, values, factor) for place, values in sets for factor in FACTORS]
    pairs = [row for place, values in sets for factor in FACTORS for row in tukey(place, values, factor)]
    return [row for row in tables if row], pairs
