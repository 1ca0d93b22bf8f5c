# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a search is asked for: program, space, objective, budget. Checked once, and put into the store."""
from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gimbal_campaign.errors import CampaignError, did_you_mean
from gimbal_campaign.process import Tool, refusal

from .space import Parameter, Space, filled, parameter, parse_parameter, places, words_in
from .values import Spelled, value_of

SCHEDULES = ("static", "auto", "fac2", "gss", "mfsc", "awf-b", "feedback", "ss,64")
FILE_KEYS = {"parameters": dict, "constraints": list, "features": list}
MOST_CHECKED = 64  # values of a setting that the tool is asked about
NOT_SEARCHED = ("report", "output", "config", "strict", "seed", "record", "replay", "display", "cache")


@dataclass(frozen=True)
class Wanted:
    """One search; see cli.py for the words."""

    command: tuple[str, ...]
    short: tuple[str, ...]  # program and arguments of the short runs; empty: there are none
    space: Space
    settings: Mapping[str, str]  # parameter -> variable, of those that are settings of Gimbal
    metric: re.Pattern[str] | None
    maximize: bool
    method: str
    seed: int
    timeout_s: float
    abort: float  # times the least wall time so far; 0: never
    repeats: int

    def text(self) -> str:
        """Canonical; what must be the same when a search goes on."""
        return json.dumps({
            "command": self.command, "short": self.short, "metric": self.metric.pattern if self.metric else "",
            "maximize": self.maximize, "method": self.method, "seed": self.seed, "timeout_s": self.timeout_s,
            "abort": self.abort, "repeats": self.repeats, "constraints": [one.text for one in self.space.constraints],
            "parameters": {one.name: one.values for one in self.space.parameters},
            **({"features": [one.text for one in self.space.features]} if self.space.features else {})}, sort_keys=True)

    def programs(self) -> set[str]:
        """What runs; several where the name holds a parameter."""
        name = self.command[0]
        return {filled(name, one) for one in self.space.pool(self.seed)} if places(name) else {name}

    def sign(self) -> int:
        return -1 if self.maximize else 1


def aim(metric: str, maximize: bool) -> str:
    """What a search is for, in words. metric: its regular expression; empty: the wall time."""
    return f"the {'largest' if maximize else 'smallest'} {'number of the program' if metric else 'wall time'}"


def cores() -> int:
    """What the process may use: an allocation is seen as its mask of cores."""
    return len(os.sched_getaffinity(0))


def powers(most: int) -> list[int]:
    """1, 2, 4, ... and the most itself, the most first: it is what is used today."""
    return [most] + [value for value in (1 << k for k in range(20)) if value < most]


def uses_mpi(program: str, search: Sequence[str]) -> bool:
    """Whether a program file names a library of MPI among those that it needs."""
    for folder in [""] if "/" in program else search:
        try:
            return b"libmpi" in (Path(folder) / program).read_bytes()
        except OSError:
            continue
    return False


def usual_space(command: Sequence[str]) -> tuple[list[Parameter], list[str]]:
    """Ranks x threads x schedule, for those who name no parameter."""
    most = cores()
    mpi = uses_mpi(command[0], os.environ.get("PATH", "").split(":"))
    found = [parameter("ranks", powers(most))] if mpi else []
    found += [Parameter("threads", (1, *powers(most)[:1], *powers(most)[2:]) if mpi and most > 1
                        else tuple(powers(most))), parameter("schedule", SCHEDULES)]
    if mpi:
        found.append(parameter("mpi_schedule", ("static", "auto", "fac2", "gss")))
    return found, []


def read_file(path: Path) -> tuple[list[Parameter], list[str], list[str]]:
    """[parameters], constraints and features of a TOML file. Raises CampaignError."""
    try:
        table = tomllib.loads(path.read_text(), parse_float=value_of)
    except OSError as error:
        raise CampaignError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CampaignError(f"{path}: this is not TOML: {error}") from None
    except RecursionError:
        raise CampaignError(f"{path}: it is nested too deeply") from None
    for key, value in table.items():
        if key not in FILE_KEYS:
            raise CampaignError(f'{path}: there is no key "{key}".{did_you_mean(key, FILE_KEYS)}',
                                f"there are: {' '.join(FILE_KEYS)}")
        if not isinstance(value, FILE_KEYS[key]):
            raise CampaignError(f"{path}: {key} is a {'table' if key == 'parameters' else 'list'}",
                                'example: [parameters] block_x = [1, 2, 4]      constraints = ["block_x < 4"]')
    found = []
    for name, values in table.get("parameters", {}).items():
        if not isinstance(values, list) or any(type(value) not in (int, float, str, Spelled) for value in values):
            raise CampaignError(f"{path}: {name} = {values!r} must be a list of numbers or words")
        found.append(parameter(name, values))
    constraints, features = ([str(one) for one in table.get(key, [])] for key in ("constraints", "features"))
    return found, constraints, features


def option_table(tool: Tool) -> dict[str, str]:
    """Key -> variable of all settings that can be searched. Raises CampaignError."""
    done = subprocess.run([tool.gimbal, "info", "config", "--json"], capture_output=True, text=True, check=False)
    try:
        return {row["key"]: row["name"] for row in json.loads(done.stdout) if row["key"] not in NOT_SEARCHED}
    except (ValueError, KeyError, TypeError):
        raise CampaignError(f"{tool.gimbal} info config: no list of settings", done.stderr.strip()[:200]) from None


def used_always(parameters: Sequence[Parameter], settings: Mapping[str, str]) -> set[str]:
    """Parameters that count without standing in the program's arguments."""
    return {one.name for one in parameters
            if one.name in ("ranks", "threads") or one.name in settings or one.name.isupper()}


def check_settings(tool: Tool, space: Space, settings: Mapping[str, str]) -> None:
    """Ask the tool about each value that stands as it is. Raises CampaignError with what it says."""
    for one in space.parameters:
        for value in one.values[:MOST_CHECKED] if one.name in settings else ():
            if not places(value) and (problem := refusal(tool, {settings[one.name]: str(value)})):
                raise CampaignError(f"parameter {one.name}: {problem}")


def metric_of(text: str) -> re.Pattern[str] | None:
    """A regular expression with one group, the number. Raises CampaignError."""
    try:
        found = re.compile(text, re.MULTILINE) if text else None
    except re.error as error:
        raise CampaignError(f'--metric-regex "{text}": {error}') from None
    if found is not None and found.groups != 1:
        raise CampaignError(f'--metric-regex "{text}": one pair of parentheses must be around the number',
                            "example: --metric-regex 'time per step: ([0-9.e+-]+)'")
    return found


def wanted(options: argparse.Namespace, tool: Tool) -> Wanted:
    """From the command line. Raises CampaignError with the first thing that is wrong."""
    command = tuple(options.program)
    if not command:
        raise CampaignError("tune: no program is given", "example: gimbal tune --runs 12 -- ./app input.txt")
    if options.maximize and not options.metric_regex:
        raise CampaignError("--maximize: the wall time is made as short as it can be", "a number of the program's own "
                            "is named by --metric-regex")
    parameters, constraints, features = read_file(options.space) if options.space else ([], [], [])
    parameters += [parse_parameter(one) for one in options.parameter]
    constraints += options.constraint
    if not parameters:
        parameters, more = usual_space(command)
        constraints += more
    settings = option_table(tool)
    settings = {one.name: settings[one.name] for one in parameters if one.name in settings}
    names = [one.name for one in parameters]
    if "ranks" in names and "threads" in names:
        constraints.append(f"ranks * threads <= {options.cores or cores()}")
    short = (command[0], *words_in(options.short, "--short")) if options.short is not None else ()
    space = Space(parameters, constraints, [*command, *short], used_always(parameters, settings),
                  [*features, *options.feature])
    if not space.places_in(command[0]) and not shutil.which(filled(command[0], {})):
        raise CampaignError(f'"{command[0]}": there is no such program, or it may not be started',
                            "example: gimbal tune --runs 12 -- ./app input.txt")
    check_settings(tool, space, settings)
    return Wanted(command, short, space, settings, metric_of(options.metric_regex), options.maximize, options.method,
                  options.seed, options.timeout, options.abort, options.repeats)
