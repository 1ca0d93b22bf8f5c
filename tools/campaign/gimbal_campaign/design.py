# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The factorial design: configurations, and cells in the order in which they run."""
from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from .errors import CampaignError
from .spec import Application, Spec

# Control arms. none: the machinery of an agent that explores always, so that every choice is equally likely and nothing
# that it learns is ever used. fixed: no selection.
CONTROL_ARMS = {
    "none": {"selector": "rl", "agent": "q", "policy": "epsilon-greedy",
             "env": {"GIMBAL_RL_EPSILON": "1", "GIMBAL_RL_EPS_DECAY": "0", "GIMBAL_RL_EPS_MIN": "1"}},
    "fixed": {"selector": "fixed"},
}


@dataclass(frozen=True)
class Configuration:
    """One way to choose a technique: what the analysis groups by, and the variables that bring it about."""

    name: str
    group: str  # fixed, selector, rl, rl-chunk or control
    technique: str = ""
    selector: str = ""
    agent: str = ""
    policy: str = ""
    reward: str = ""
    golden: bool = False
    env: Mapping[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        """The environment that makes a process run under it."""
        if self.technique:
            return {"GIMBAL_SCHEDULE": self.technique, **self.env}
        found = {"GIMBAL_SELECT": self.selector}
        for name in ("agent", "policy", "reward"):
            if getattr(self, name):
                found[f"GIMBAL_RL_{name.upper()}"] = getattr(self, name)
        if self.golden:
            found["GIMBAL_GOLDEN_CHUNK"] = "on"
        return {**found, **self.env}


@dataclass(frozen=True)
class Cell:
    """One process."""

    application: Application
    configuration: Configuration
    repetition: int


def configurations(spec: Spec) -> list[Configuration]:
    """All configurations of a campaign, each once, fixed techniques first."""
    found = [Configuration(name, "fixed", technique=name) for name in spec.techniques]
    found += [Configuration(name, "control", **CONTROL_ARMS[name]) for name in spec.controls]
    for golden in spec.golden:
        tail = "+golden" if golden else ""
        found += [Configuration(name + tail, "selector", selector=name, golden=golden) for name in spec.selectors]
        for block in spec.learners:
            for agent, policy, reward in itertools.product(block.agents, block.policies, block.rewards):
                group = "rl-chunk" if agent == "chunk" else "rl"
                found.append(Configuration(f"{agent}-{policy}-{reward}{tail}", group, "", "rl", agent, policy, reward,
                                           golden, block.env))
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise CampaignError(f'[factors]: two configurations are named "{name}"', "leave one of them out")
    return found


def cells(spec: Spec) -> list[Cell]:
    """Every application x configuration once per repetition: repetition by repetition, shuffled within each.

    So that all configurations see the same drift of the machine, and an interrupted campaign is complete in what it
    has. The order depends on the seed and the repetition only: more repetitions continue a shorter campaign.
    """
    found: list[Cell] = []
    for repetition in range(spec.repetitions):
        one = [Cell(app, configuration, repetition) for app in spec.applications
               for configuration in configurations(spec)]
        random.Random(f"{spec.seed}/{repetition}").shuffle(one)
        found += one
    return found


def key(cell: Cell) -> tuple[str, str, int]:
    """By which a store knows it."""
    return cell.application.name, cell.configuration.name, cell.repetition


def to_run(cells: Sequence[Cell], done: Set[tuple[str, str, int]]) -> list[Cell]:
    """What is not done yet. Of cells that run in turns a repetition as a whole: only what ran side by side compares."""
    def missing(cell: Cell) -> bool:
        return key(cell) not in done

    again = {(cell.application.name, cell.repetition) for cell in cells
             if cell.application.turn_steps and missing(cell)}
    return [cell for cell in cells if missing(cell) or (cell.application.name, cell.repetition) in again]


def batches(todo: Sequence[Cell]) -> list[list[Cell]]:
    """Cells in the order in which they run: those that run in turns together, where the first of them stands."""
    found: list[list[Cell]] = []
    together: dict[tuple[str, int], list[Cell]] = {}
    for cell in todo:
        key = (cell.application.name, cell.repetition)
        if cell.application.turn_steps and key in together:
            together[key].append(cell)
        else:
            together[key] = [cell]
            found.append(together[key])
    return found
