# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How like the Oracle's choices a configuration's are (seed 000, figures 5.8 and 5.13).

The same technique in the same step is similar. Several techniques are often equally fast, so that the share of
equivalent steps is given beside it: those whose technique was measured, when fixed, within 1 % of the Oracle's time in
that step. A choice that was never measured fixed (it is outside the portfolio, or has a chunk) counts by the time that
the run itself showed.
"""
from __future__ import annotations

from .measured import AppData, Key, Step, loops_of
from .oracle import Oracle

WITHIN = 1.01


def equivalent(step: Step, key: Key, oracle: Oracle) -> bool:
    """Whether the choice of a step was as good as the Oracle's."""
    best = oracle.steps[key]
    if step.technique == best.technique:
        return True
    time_s = oracle.medians.get(step.technique, {}).get(key, step.time_s)
    return time_s <= WITHIN * best.time_s


def compare(steps: dict[Key, Step], oracle: Oracle) -> tuple[float, float] | None:
    """(percent the same, percent equivalent) over the steps that both have; None if there are none."""
    both = [key for key in steps if key in oracle.steps]
    if not both:
        return None
    same = sum(steps[key].technique == oracle.steps[key].technique for key in both)
    as_good = sum(equivalent(steps[key], key, oracle) for key in both)
    return 100 * same / len(both), 100 * as_good / len(both)


def similarity(app: AppData, oracle: Oracle) -> list[tuple[str, str, float, float]]:
    """(configuration, loop or "all", percent the same, percent equivalent) of the median runs that select."""
    rows = []
    loops = loops_of(oracle.steps)
    for one in app.group("control", "selector", "rl", "rl-chunk"):
        steps = one.median_run().steps
        for loop in (*loops, "all") if len(loops) > 1 else ("all",):
            part = {key: step for key, step in steps.items() if loop in ("all", key[0])}
            found = compare(part, oracle)
            if found:
                rows.append((one.name, loop, *found))
    return rows
