# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is run: one program under different hands, amid the same neighbours."""
from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.runner import SampleError, Variant

import sets

SYSTEM = "operating system"
BEST = "best static"
LEARN = "learn"

# The dynamics of the seed by its letter: no guard, nobody tells anybody anything, nobody does anything for others.
LETTER = "TEAM=0;ROTATE=0;SHARE=0;AL_DIRECTED=0;AL_SEEK=0;CROWD=0;RESHUFFLE=1;GUARD=0"


def methods(estimator: str, node: str) -> str:
    """Settings: aspiration learning or the automaton over the nodes, the automaton over the cores of each."""
    return (f"RESOURCES={{NUMA_BANDWIDTH}};RESOURCES_EST_METHODS={{{estimator}}};RESOURCES_OPT_METHODS={{{node}}};"
            f"CHILD_RESOURCES={{CPU_BANDWIDTH}};CHILD_RESOURCES_EST_METHODS={{{estimator}}};{LETTER}")


@dataclass(frozen=True)
class Hand:
    """Who places the threads: nothing of Gimbal is loaded unless there is a mode."""

    name: str
    mode: str = ""
    settings: str = ""
    metric: str = ""
    group: int = 1
    nodes: bool = False  # each node of the set is a node; else the machine's own


HANDS = (
    Hand(SYSTEM),
    Hand("static", "static"),
    Hand(BEST),
    Hand("RL", "learn", methods("RL", "RL"), nodes=True),
    Hand("RL+AL", "learn", methods("RL", "AL"), nodes=True),
    Hand("APLA+AL", "learn", methods("APLA", "AL"), nodes=True),
    Hand("groups of 2", "learn", group=2),
    Hand(LEARN, "learn", metric="cpu"),
    Hand("learn, progress", "learn", metric="progress"),
)
MAIN = (SYSTEM, BEST, "RL+AL", LEARN)  # in sets that only show how the others go on


def main_hands() -> list[Hand]:
    return [hand for hand in HANDS if hand.name in MAIN]


def wanted_hands(text: str) -> list[Hand]:
    """The hands that a user names. Raises ValueError with what is allowed."""
    by_name = {hand.name: hand for hand in HANDS}
    # A name may hold a comma, so names are separated by semicolons.
    words = [word.strip() for word in text.split(";") if word.strip()]
    for word in words:
        if word not in by_name:
            raise ValueError(f"no variant {word!r}; there are: {'; '.join(by_name)}")
    return [by_name[word] for word in words]


@dataclass(frozen=True)
class Setting:
    """The build tree, where records may be written, and the processors that are used."""

    build: Path
    scratch: Path
    all_cpus: Sequence[int]

    @property
    def library(self) -> Path:
        return self.build / "lib" / "libgimbal_pin.so"

    @property
    def program(self) -> Path:
        return self.build / "apps" / "aco" / "aco"


def find_setting(build: Path, scratch: Path) -> Setting:
    """Raises SampleError when something is not built."""
    setting = Setting(build, scratch, sorted(os.sched_getaffinity(0)))
    for path in (setting.library, setting.program):
        if not path.exists():
            raise SampleError(f"{path} is not there: it needs hwloc, and GIMBAL_BUILD_APPS")
    return setting


def _numbers(values: Sequence[int]) -> str:
    return ",".join(map(str, values))


def _environment(hand: Hand, where: sets.Scene, setting: Setting, record: Path) -> list[str]:
    if not hand.mode:
        return []
    words = [f"LD_PRELOAD={setting.library}", f"GIMBAL_PIN={hand.mode}", "GIMBAL_REPORT=off",
             f"GIMBAL_OUTPUT={record}"]
    if hand.settings:
        words.append(f"GIMBAL_PIN_SETTINGS={hand.settings}")
    if hand.metric:
        words.append(f"GIMBAL_PIN_METRIC={hand.metric}")
    if hand.group > 1:
        words.append(f"GIMBAL_PIN_GROUP={hand.group}")
    if hand.nodes:
        words.append("GIMBAL_PIN_NODES=" + ";".join(map(_numbers, where.nodes)))
    if len(where.cpus) < len(setting.all_cpus):
        words.append("GIMBAL_PIN_FORCE=on")  # the mask that this bench gives is no user's wish
    return words


def variant(hand: Hand, where: sets.Scene, setting: Setting, places: Sequence[int] = (), share: float = 1.0,
            threads: int = 0) -> Variant:
    """One run. places: of the threads, for good; share: of the work; threads: others than the set's."""
    record = setting.scratch / "record.json"
    command: list[object] = [sys.executable, Path(__file__).with_name("scene.py"), "--cpus", _numbers(where.cpus)]
    if where.hogs:
        command += ["--hogs", _numbers(where.hogs), "--after", where.after_s, "--swap", where.swap_s,
                    "--other", _numbers(where.other)]
    if places:
        command += ["--places", _numbers(places)]
    if hand.mode:
        command += ["--record", record]
    count = threads or where.threads
    ants = where.ants(share) // (sets.COLONY * count) * sets.COLONY * count
    command += ["--", "env", *_environment(hand, where, setting, record), setting.program, "--instance", "wt100:1",
                "--variant", "farm", "--barrier", "none", "--threads", count, "--ants", max(ants, sets.COLONY * count),
                "--iterations", sets.ITERATIONS, "--colony", sets.COLONY, "--json"]
    return Variant(hand.name, list(map(str, command)), {}, expect_placement if hand.mode else None, 600.0)


def expect_placement(hand: Variant, answer: dict[str, Any]) -> None:
    """A run that was only looked at, or measured otherwise than was asked for, is no answer."""
    placement = answer["placement"]
    wanted = dict(word.split("=", 1) for word in hand.command if word.startswith("GIMBAL_PIN"))
    if placement["mode"] != wanted["GIMBAL_PIN"]:
        raise SampleError(f"{hand.name}: it runs as {placement['mode']}: {placement['warnings']}")
    if placement["metric"] != wanted.get("GIMBAL_PIN_METRIC", placement["metric"]):
        raise SampleError(f"{hand.name}: speed is measured by {placement['metric']}")
