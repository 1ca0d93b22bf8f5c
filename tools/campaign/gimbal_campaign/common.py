# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps that all runs of an application have: only these are the same work, and can be compared.

A program that iterates to convergence takes more steps in one run than in another, and a loop that a team of another
size runs counts its steps for itself.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .measured import AppData, Key, Run
from .tables import counted


def with_steps(run: Run, keys: set[Key]) -> Run:
    return dataclasses.replace(run, steps={key: step for key, step in run.steps.items() if key in keys})


def comparable(apps: Sequence[AppData]) -> tuple[list[AppData], list[str]]:
    """The applications over the steps that all of their runs have, and what there is to say of those that differ.

    Those without such a step are left out.
    """
    found, notes = [], []
    for app in apps:
        runs = [run for one in app.series for run in one.runs]
        keys = set(runs[0].steps).intersection(*(run.steps for run in runs[1:]))
        if all(len(run.steps) == len(keys) for run in runs):
            found.append(app)
            continue
        series = [dataclasses.replace(one, runs=[with_steps(run, keys) for run in one.runs]) for one in app.series]
        if not all(run.total_s > 0 for one in series for run in one.runs):
            notes.append(f"{app.name}: its runs have no step of a loop in common that takes time, so they cannot be "
                         "compared")
            continue
        found.append(dataclasses.replace(app, series=series))
        share = sum(run.total_s for one in series for run in one.runs) / sum(run.total_s for run in runs)
        notes.append(f"{app.name}: its runs differ in their steps; what is compared is the "
                     f"{counted(len(keys), 'step')} of loops that all of them have, {100 * share:.0f} % of the loop "
                     "time")
    return found, notes
