# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison at the end of a search: today's configuration and the best one, run side by side."""
from __future__ import annotations

from collections.abc import Sequence

from .space import Configuration
from .store import Run
from .wanted import Wanted

Pair = tuple[Run, Run]  # today's configuration, the best


def pairs_of(runs: Sequence[Run], best: Configuration) -> tuple[list[Pair], Run | None]:
    """The pairs that were made with this configuration, and the last run of all if it waits for its other half.

    The runs of a pair stand side by side. After a search that went on, an earlier best has its pairs, too, and perhaps
    a run that the time was too short to pair: none of these say anything about this one.
    """
    found: list[Pair] = []
    half: Run | None = None
    for run in runs:
        if run.kind != "compare" or (run.reason == "best" and run.configuration != best):
            half = None
        elif half is None or half.reason == run.reason:
            half = run
        else:
            found.append((half, run) if half.reason == "today" else (run, half))
            half = None
    return found, half


def without_result(runs: Sequence[Run], configuration: Configuration) -> list[Run]:
    """The runs of the comparison in which a configuration that was the best of the search gave no result."""
    return [run for run in runs if run.kind == "compare" and run.reason == "best" and run.value is None
            and run.configuration == configuration]


def better(wanted: Wanted, runs: Sequence[Run], today: Configuration) -> list[Configuration]:
    """The configurations that were better than today's in the search, the best first."""
    known = [(wanted.sign() * run.value, run.configuration) for run in runs
             if run.kind == "search" and run.value is not None]
    found: list[Configuration] = []
    for _, configuration in sorted(known, key=lambda one: one[0]):
        if configuration == today:
            break
        if configuration not in found:
            found.append(configuration)
    return found


def best_to_run(wanted: Wanted, runs: Sequence[Run], today: Configuration) -> Configuration:
    """The best of the search that gave a result each time that it was compared; today's if there is none."""
    return next((one for one in better(wanted, runs, today) if not without_result(runs, one)), today)
