# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a campaign is: the TOML file, checked. A mistake is one message that names the place and the nearest word."""
from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import CampaignError, did_you_mean
from .spec_checks import arguments, check_keys, environment, number, passable, placeholders, words, wrong

CAMPAIGN_KEYS = {"name": str, "repetitions": int, "seed": int, "timeout_s": float, "description": str,
                 "retries": int, "preemptions_per_s": float, "slower": float}
REAL_KEYS = {"name": str, "kind": str, "command": list, "threads": int, "steps": int, "env": dict, "timeout_s": float,
             "pace_steps": int, "turn_steps": int}
VIRTUAL_KEYS = {"name": str, "kind": str, "app": str, "workers": int, "steps": int, "iterations": int,
                "options": list, "env": dict, "timeout_s": float}
FACTOR_KEYS = {"techniques": list, "selectors": list, "agents": list, "policies": list, "rewards": list,
               "golden": list, "controls": list, "rl": list}
RL_KEYS = {"agents": list, "policies": list, "rewards": list, "env": dict}
MOST_SEED = 2**53  # of GIMBAL_SEED
MOST_TIMEOUT_S = 2_000_000  # 23 days: what poll() can wait for
MOST_REPETITIONS = 100_000
CONTROLS = ("none", "fixed")  # selects at random and learns nothing; does not select


@dataclass(frozen=True)
class Application:
    """One program, or one virtual application for `gimbal simulate`."""

    name: str
    kind: str  # "real" or "virtual"
    command: tuple[str, ...] = ()  # real: program and arguments, with placeholders
    app: str = ""  # virtual: name and parameters as `gimbal simulate --app` takes them
    threads: int = 2  # real: threads; virtual: workers, 0: the application's own number
    steps: int = 0  # 0: the application's own number
    iterations: int = 0  # virtual: iterations of a loop; 0: the application's own number
    options: tuple[str, ...] = ()  # virtual: further words for `gimbal simulate`
    env: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 600.0
    pace_steps: int = 0  # real: steps of the short runs beside every cell; 0: none
    turn_steps: int = 0  # real: configurations run side by side, so many steps at a time; 0: one after the other


@dataclass(frozen=True)
class Learners:
    """Agents x policies x rewards."""

    agents: tuple[str, ...]
    policies: tuple[str, ...]
    rewards: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spec:
    """A checked campaign; `text` is its canonical form, the same for two files that differ in comments only."""

    name: str
    repetitions: int
    seed: int
    applications: tuple[Application, ...]
    techniques: tuple[str, ...]
    selectors: tuple[str, ...]
    learners: tuple[Learners, ...]
    golden: tuple[bool, ...]
    controls: tuple[str, ...]
    retries: int  # further tries of a measured cell that others disturbed
    preemptions_per_s: float  # from which on it counts as disturbed
    slower: float  # likewise: how much slower than usual the short runs beside it are
    text: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def takes_steps(place: str, command: Sequence[str]) -> bool:
    """Whether {steps} stands in a command. Raises CampaignError for a placeholder that does not exist."""
    return "steps" in set().union(*(placeholders(place, "command", word) for word in command))


def application(table: Mapping[str, Any], index: int, timeout_s: float) -> Application:
    """One [[application]]."""
    if not isinstance(table, dict):
        raise wrong("the specification", "application must be tables, written [[application]]")
    place = f"[[application]] {table.get('name', index + 1)}"
    kind = table.get("kind", "real")
    if kind not in ("real", "virtual"):
        raise wrong(place, f'kind = "{kind}" must be real or virtual')
    check_keys(place, table, REAL_KEYS if kind == "real" else VIRTUAL_KEYS)
    if not table.get("name"):
        raise wrong(place, "name is missing")
    if kind == "real" and not table.get("command"):
        raise wrong(place, "command is missing",
                    'example: command = ["{build}/apps/nbody/nbody", "--steps", "{steps}"]')
    if kind == "virtual" and not table.get("app"):
        raise wrong(place, "app is missing", 'example: app = "pisolver:imbalance=20"')
    command = arguments(place, table, "command")
    threads = (number(place, table, "threads", 2, 1) if kind == "real" else
               number(place, table, "workers", 0, 1 if "workers" in table else 0))
    has_steps = takes_steps(place, command)
    if table.get("pace_steps") and not has_steps:
        raise wrong(place, "pace_steps needs {steps} in the command")
    if table.get("pace_steps") and table.get("turn_steps"):
        raise wrong(place, "pace_steps and turn_steps exclude each other",
                    "programs that run in turns meet the same machine in any case")
    return Application(table["name"], kind, command, passable(place, "app", table.get("app", "")),
                       threads, number(place, table, "steps", 0, 0),
                       number(place, table, "iterations", 0, 0),
                       arguments(place, table, "options"), environment(place, table),
                       float(number(place, table, "timeout_s", timeout_s, 0.1, MOST_TIMEOUT_S)),
                       number(place, table, "pace_steps", 0, 0), number(place, table, "turn_steps", 0, 0))


def learners(place: str, table: Mapping[str, Any]) -> Learners | None:
    """Agents x policies x rewards; None if there are none. One without the others is a mistake."""
    lists = [words(place, table, key) for key in ("agents", "policies", "rewards")]
    if not any(lists):
        return None
    if not all(lists):
        raise wrong(place, "agents, policies and rewards go together; one of them is missing")
    return Learners(*lists, environment(place, table))


def factors(table: Mapping[str, Any]) -> dict[str, Any]:
    """[factors]: what is compared."""
    place = "[factors]"
    check_keys(place, table, FACTOR_KEYS)
    blocks = [learners(place, {key: table[key] for key in ("agents", "policies", "rewards") if key in table})]
    for block in table.get("rl", []):
        if not isinstance(block, dict):
            raise wrong(place, "rl must be tables, written [[factors.rl]]")
        check_keys("[[factors.rl]]", block, RL_KEYS)
        blocks.append(learners("[[factors.rl]]", block))
    controls = words(place, table, "controls")
    for control in controls:
        if control not in CONTROLS:
            raise wrong(place, f'controls: there is no "{control}".{did_you_mean(control, CONTROLS)}',
                        f"there are: {' '.join(CONTROLS)}")
    golden = table.get("golden", [False])
    if not golden or any(not isinstance(value, bool) for value in golden) or len(set(golden)) != len(golden):
        raise wrong(place, f"golden = {golden} must be [false], [true] or [false, true]")
    found = {"techniques": words(place, table, "techniques"), "selectors": words(place, table, "selectors"),
             "learners": tuple(block for block in blocks if block), "golden": tuple(golden), "controls": controls}
    if not (found["techniques"] or found["selectors"] or found["learners"] or controls):
        raise wrong(place, "nothing to compare", 'example: techniques = ["static", "fac2"] and selectors = ["auto"]')
    return found


def refuse_idle(campaign: Mapping[str, Any], applications: Sequence[Application]) -> None:
    """Raises CampaignError for a key of [campaign] that has no effect. Files of runs may hold one, from before."""
    for key in ("retries", "preemptions_per_s", "slower"):
        if not campaign.get(key):
            continue
        if all(one.kind == "virtual" or one.turn_steps for one in applications):
            raise wrong("[campaign]", f"{key} has no effect: no [[application]] has cells that run again",
                        "cells in virtual time do not, nor those that run in turns (turn_steps)")
        if not campaign.get("retries"):
            raise wrong("[campaign]", f"{key} has no effect without retries")
        if key == "slower" and not any(one.pace_steps for one in applications):
            raise wrong("[campaign]", "slower has no effect: no [[application]] has pace_steps")


def refuse_missing_steps(applications: Sequence[Application]) -> None:
    """Raises CampaignError for a command with {steps} of no number. Files of runs may hold one, from before."""
    for one in applications:
        place = f"[[application]] {one.name}"
        if takes_steps(place, one.command) and not one.steps:
            raise wrong(place, "the command has {steps}, and steps is missing", "example: steps = 300")


def parse(text: str) -> Spec:
    """A checked campaign from the text of a TOML file. Raises CampaignError."""
    try:
        table = tomllib.loads(text)
        found = check(table)
        refuse_idle(table["campaign"], found.applications)
        refuse_missing_steps(found.applications)
        return found
    except ValueError as error:  # of tomllib, also for a number of thousands of digits
        raise CampaignError(f"the specification is not TOML: {error}") from None
    except RecursionError:
        raise CampaignError("the specification is nested too deeply") from None


def check(table: Mapping[str, Any]) -> Spec:
    """A checked campaign from a parsed file, or from json.loads(Spec.text). Raises CampaignError."""
    check_keys("the specification", table, {"campaign": dict, "application": list, "factors": dict})
    campaign = table.get("campaign", {})
    check_keys("[campaign]", campaign, CAMPAIGN_KEYS)
    if not campaign.get("name"):
        raise wrong("[campaign]", "name is missing")
    timeout_s = number("[campaign]", campaign, "timeout_s", 600.0, 0.1, MOST_TIMEOUT_S)
    applications = tuple(application(one, index, timeout_s) for index, one in enumerate(table.get("application", [])))
    if not applications:
        raise CampaignError("there is no [[application]]")
    names = [one.name for one in applications]
    for name in names:
        if names.count(name) > 1:
            raise CampaignError(f'two [[application]] are named "{name}"')
    repetitions = number("[campaign]", campaign, "repetitions", 3, 1, MOST_REPETITIONS)
    seed = number("[campaign]", campaign, "seed", 42, 0, MOST_SEED - repetitions + 1)  # each repetition takes the next
    return Spec(campaign["name"], repetitions, seed, applications,
                retries=number("[campaign]", campaign, "retries", 0, 0),
                preemptions_per_s=float(number("[campaign]", campaign, "preemptions_per_s", 100.0, 0)),
                slower=float(number("[campaign]", campaign, "slower", 0.03, 0)),
                text=json.dumps(table, sort_keys=True), **factors(table.get("factors", {})))


def load(path: Path) -> Spec:
    """The checked campaign of a file. Raises CampaignError."""
    try:
        text = path.read_text()
    except OSError as error:
        raise CampaignError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CampaignError(f"{path}: this is no text, so no specification") from None
    try:
        return parse(text)
    except CampaignError as error:
        raise CampaignError(f"{path}: {error.what}", error.hint) from None
