# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much a run varies when its selection is replayed (seed 000, table 5.3): what no selection can take away.

The Oracle's choices can be replayed, too. It never ran: its total is a sum of the luckiest medians, and what it takes
when it does run says how much of that is luck. Another configuration may run beside each replay, to be compared with.
"""
from __future__ import annotations

import csv
import dataclasses
import math
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import common, design, measured
from .design import Cell, Configuration
from .errors import CampaignError
from .measured import AppData, Key
from .oracle import oracle
from .process import Tool, run_cell
from .records import Outcome, split_team
from .spec import Spec
from .store import STEP_COLUMNS, Store
from .turns import run_in_turns

HEADERS = ("application", "configuration", "recorded s", "mean s", "sd s", "variation %", "max - min s", "same %")
BESIDE = "over replay %"  # the column that a configuration beside the replays adds
ORACLE = "oracle"
STANDS_FOR_ORACLE = Configuration(ORACLE, "fixed", selector="fixed")


def recorded(store: Store, application: str, configuration: str) -> tuple[int, int, float] | None:
    """(run, repetition, total) of the median run; None if there is none."""
    wanted = ("ok", application, configuration)
    rows = sorted((row["loops_s"], row["id"], row["repetition"]) for row in store.runs()
                  if (row["status"], row["application"], row["configuration"]) == wanted)
    if not rows:
        return None
    total_s, run, repetition = rows[(len(rows) - 1) // 2]
    return run, repetition, total_s


def choices_of_oracle(store: Store, app: AppData | None) -> tuple[dict[tuple[str, int], str], int, float] | None:
    """Technique by loop and step as the Oracle has them, a run of the best fixed one, total [s]; None without one.
    """
    found = oracle(app) if app else None
    if app is None or found is None:
        return None
    best = min((one for one in app.group("fixed") if one.technique in found.techniques), key=lambda one: one.total_s())
    chosen = recorded(store, app.name, best.name)
    assert chosen is not None
    return {key: step.technique for key, step in found.steps.items()}, chosen[0], found.total_s


def write_record(store: Store, run: int, path: Path,
                 instead: Mapping[tuple[str, int], str] | None = None) -> dict[tuple[str, int], str]:
    """The recorded choices of a run as a file for GIMBAL_REPLAY, with other techniques if there are some; returns them.
    """
    rows = list(store.connection.execute(
        f"SELECT {', '.join(STEP_COLUMNS)} FROM steps WHERE run = ? ORDER BY loop, step", (run,)))
    if instead is not None:
        rows = [(*row[:4], instead.get((row[0], row[1]), row[4]), *row[5:]) for row in rows]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(STEP_COLUMNS)
        writer.writerows([split_team(loop)[0], *("" if value is None else value for value in rest)]
                         for loop, *rest in rows)
    return {(row[0], row[1]): row[4] for row in rows}


def run_beside(cells: Sequence[Cell], tool: Tool, seed: int) -> list[Outcome]:
    """In turns if the application does, else one after the other. Raises CampaignError if one fails."""
    outcomes = (run_in_turns(cells, tool, seed) if cells[0].application.turn_steps else
                [run_cell(cell, tool, seed) for cell in cells])
    for cell, outcome in zip(cells, outcomes):
        if outcome.status != "ok":
            raise CampaignError(f"{cell.application.name}: {cell.configuration.name} has no result ({outcome.status})",
                                outcome.output.strip()[-300:])
    return outcomes


def over_replay(app: str, replayed: Mapping[Key, float], other: Mapping[Key, float]) -> float:
    """Percent that a run takes over a replay, in the steps that both have. Raises CampaignError if there are none."""
    both = [key for key in replayed if key in other]
    if not both:
        raise CampaignError(f"{app}: the replay and the run beside it have no step of a loop in common")
    return 100 * (math.fsum(other[key] for key in both) / math.fsum(replayed[key] for key in both) - 1)


def named(spec: Spec, name: str) -> Configuration:
    """A configuration of the design, or what stands for the Oracle. Raises CampaignError."""
    found = {one.name: one for one in design.configurations(spec)} | {ORACLE: STANDS_FOR_ORACLE}
    if name not in found:
        raise CampaignError(f'there is no configuration "{name}"', f"there are: {' '.join(found)}")
    return found[name]


def replay(spec: Spec, store: Store, tool: Tool, name: str, times: int, beside: str = "") -> list[tuple[Any, ...]]:
    """Replay the median run of a configuration, or the Oracle, in every application. One row of HEADERS each, and with
    `beside` one more figure: the total of that configuration, run beside each replay, over the replay's; median.

    Nothing is stored. Raises CampaignError if a configuration does not exist or a run fails.
    """
    configuration = named(spec, name)
    others = [named(spec, beside)] if beside else []
    if beside == ORACLE:
        raise CampaignError(f"--beside {ORACLE}: it is what can be replayed", f"--configuration {ORACLE}")
    if times < 2:
        raise CampaignError("--times must be at least 2")
    alike = common.comparable(measured.load(store, readable=False))[0] if name == ORACLE else []
    loaded = {one.name: one for one in alike}
    rows = []
    for app in spec.applications:
        instead, repetition = None, 0
        if name == ORACLE:
            chosen = choices_of_oracle(store, loaded.get(app.name))
            if chosen is None:
                continue
            instead, run, recorded_s = chosen
        else:
            median = recorded(store, app.name, name)
            if median is None:
                continue
            run, repetition, recorded_s = median
        with tempfile.TemporaryDirectory(prefix="campaign-replay-") as folder:
            path = Path(folder) / "choices.csv"
            choices = write_record(store, run, path, instead)
            one = dataclasses.replace(configuration, env={**configuration.env, "GIMBAL_REPLAY": str(path)})
            totals, same, ratios = [], [], []
            for number in range(times):
                # Of who runs beside it each run has a seed of its own, as in a campaign.
                cells = [Cell(app, one, repetition), *(Cell(app, other, number) for other in others)]
                outcomes = run_beside(cells, tool, spec.seed + (number if others else repetition))
                loop_times = [{(step[0], step[1]): step[7] for step in outcome.steps} for outcome in outcomes]
                # Of the Oracle's the steps that it has; beside another one those that both have.
                totals.append(sum(time_s for key, time_s in loop_times[0].items()
                                  if instead is None or key in instead))
                ratios += [over_replay(app.name, loop_times[0], other) for other in loop_times[1:]]
                same += [choices.get((step[0], step[1])) == step[4] for step in outcomes[0].steps]
        mean_s, deviation_s = statistics.fmean(totals), statistics.stdev(totals)
        rows.append((app.name, name, recorded_s, mean_s, deviation_s, 100 * deviation_s / mean_s,
                     max(totals) - min(totals), 100 * statistics.fmean(same),
                     *([statistics.median(ratios)] if ratios else [])))
    return rows
