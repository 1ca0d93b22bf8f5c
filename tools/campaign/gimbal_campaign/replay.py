# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much a run varies when its selection is replayed (seed 000, table 5.3): what no selection can take away."""
from __future__ import annotations

import csv
import dataclasses
import statistics
import tempfile
from pathlib import Path
from typing import Any

from . import design
from .design import Cell
from .errors import CampaignError
from .process import Tool, run_cell
from .spec import Spec
from .store import STEP_COLUMNS, Store

HEADERS = ("application", "configuration", "recorded s", "mean s", "sd s", "variation %", "max - min s", "same %")


def recorded(store: Store, application: str, configuration: str) -> tuple[int, int, float] | None:
    """(run, repetition, total) of the median run; None if there is none."""
    wanted = ("ok", application, configuration)
    rows = sorted((row["loops_s"], row["id"], row["repetition"]) for row in store.runs()
                  if (row["status"], row["application"], row["configuration"]) == wanted)
    if not rows:
        return None
    total_s, run, repetition = rows[(len(rows) - 1) // 2]
    return run, repetition, total_s


def write_record(store: Store, run: int, path: Path) -> dict[tuple[str, int], str]:
    """The recorded choices of a run as a file for GIMBAL_REPLAY; returns them by loop and step."""
    rows = list(store.connection.execute(
        f"SELECT {', '.join(STEP_COLUMNS)} FROM steps WHERE run = ? ORDER BY loop, step", (run,)))
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(STEP_COLUMNS)
        writer.writerows(["" if value is None else value for value in row] for row in rows)
    return {(row[0], row[1]): row[4] for row in rows}


def replay(spec: Spec, store: Store, tool: Tool, name: str, times: int) -> list[tuple[Any, ...]]:
    """Replay the median run of a configuration in every application. One row of HEADERS each; nothing is stored.

    Raises CampaignError if the configuration does not exist or a replay fails.
    """
    found = {one.name: one for one in design.configurations(spec)}
    if name not in found:
        raise CampaignError(f'there is no configuration "{name}"', f"there are: {' '.join(found)}")
    if times < 2:
        raise CampaignError("--times must be at least 2")
    rows = []
    for app in spec.applications:
        chosen = recorded(store, app.name, name)
        if chosen is None:
            continue
        run, repetition, recorded_s = chosen
        with tempfile.TemporaryDirectory(prefix="campaign-replay-") as folder:
            path = Path(folder) / "choices.csv"
            choices = write_record(store, run, path)
            one = dataclasses.replace(found[name], env={**found[name].env, "GIMBAL_REPLAY": str(path)})
            totals, same = [], []
            for _ in range(times):
                outcome = run_cell(Cell(app, one, repetition), tool, spec.seed + repetition)
                if outcome.status != "ok":
                    raise CampaignError(f"{app.name}: the replay has no result ({outcome.status})",
                                        outcome.output.strip()[-300:])
                totals.append(sum(step[7] for step in outcome.steps))
                same += [choices.get((step[0], step[1])) == step[4] for step in outcome.steps]
        mean_s, deviation_s = statistics.fmean(totals), statistics.stdev(totals)
        rows.append((app.name, name, recorded_s, mean_s, deviation_s, 100 * deviation_s / mean_s,
                     max(totals) - min(totals), 100 * statistics.fmean(same)))
    return rows
