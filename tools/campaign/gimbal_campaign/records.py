# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process leaves behind: the recorded choices (CSV) and the library's record (JSON)."""
from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NUMBERS: dict[str, Callable[[str], Any]] = {
    "step": int, "workers": int, "iterations": int, "exploring": int, "chunks": int, "loop_time_s": float,
    "busy_max_s": float, "busy_mean_s": float, "signal": float, "reward": float, "epsilon": float, "alpha": float}
NEEDED = ("loop", "step", "technique", "loop_time_s")
MOST_OUTPUT = 16 << 20  # bytes of a program's output, from its end, that are looked at


@dataclass
class Outcome:
    """How one cell went."""

    status: str
    exit_status: int | None
    wall_s: float
    started: str
    seed: int
    command: str
    environment: str
    output: str = ""  # what the process said on standard error, its end
    steps: list[tuple[Any, ...]] = field(default_factory=list)  # in the order of store.STEP_COLUMNS
    figures: dict[str, float | None] = field(default_factory=dict)  # record_wall_s, scheduling_s, ...
    loops: dict[str, str] = field(default_factory=dict)  # loop as recorded -> file, line and function
    preemptions: int = 0  # involuntary context switches of all its threads: how much others disturbed it
    slower: float | None = None  # how much slower than usual short runs beside it were; None: there were none

    def columns(self) -> dict[str, Any]:
        loops_s = sum(step[7] for step in self.steps) if self.steps else None
        return {"status": self.status, "exit_status": self.exit_status, "wall_s": self.wall_s, "loops_s": loops_s,
                "record_wall_s": self.figures.get("record_wall_s"), "scheduling_s": self.figures.get("scheduling_s"),
                "selection_s": self.figures.get("selection_s"),
                "exploring_s": self.figures.get("exploring_s"), "started": self.started, "seed": self.seed,
                "preemptions": self.preemptions, "slower": self.slower,
                "command": as_utf8(self.command), "environment": as_utf8(self.environment),
                "output": as_utf8(self.output)}


def as_utf8(text: str) -> str:
    """Text with the bytes of paths that are not UTF-8, which SQLite does not take, as \\udcff."""
    return text.encode(errors="backslashreplace").decode()


def last_words(output: str) -> str:
    """The line of standard error that says most: the first that names an error, else the last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "it said nothing")


def with_team(loop: str, workers: int | None, usual: int) -> str:
    """The loop as a campaign names it: teams of another size than usual count their steps for themselves. usual: 0 for
    an application whose teams are all of one size."""
    if workers is None or usual in (0, workers):
        return loop
    return f"{loop} ({workers} worker{'' if workers == 1 else 's'})"


def split_team(loop: str) -> tuple[str, str]:
    """What with_team() was given, and what it added."""
    plain, blank, team = loop.rpartition(" (")
    return (plain, blank + team) if team.endswith((" worker)", " workers)")) else (loop, "")


def read_steps(path: Path, columns: tuple[str, ...], usual_workers: int) -> list[tuple[Any, ...]]:
    """The recorded choices of a run, one tuple per execution of a loop, in the order of `columns`; loops under the
    names of with_team().

    Lines that begin with # are skipped; unknown columns too; empty cells become None. Raises ValueError naming the
    line if the file is not such a record.
    """
    with path.open(newline="", errors="replace") as file:  # as the library's record has names that are not UTF-8
        reader = csv.DictReader(line for line in file if not line.startswith("#"))
        missing = [name for name in NEEDED if name not in (reader.fieldnames or [])]
        if missing:
            raise ValueError(f"{path.name}: no column {' '.join(missing)}")
        found, seen = [], set()
        for number, row in enumerate(reader, 2):
            try:
                row["loop"] = with_team(row["loop"], cell(row, "workers"), usual_workers)
                found.append(tuple(cell(row, name) for name in columns))
            except ValueError as error:
                raise ValueError(f"{path.name}, line {number}: {error}") from None
            if None in (row[name] for name in NEEDED):
                raise ValueError(f"{path.name}, line {number}: too short")
            key = (row["loop"], row["step"])
            if key in seen:
                raise ValueError(f"{path.name}, line {number}: step {key[1]} of {key[0]} stands there twice")
            seen.add(key)
    return found


def end_of(path: Path, most: int = MOST_OUTPUT) -> str:
    """The last bytes of what a program has printed, which may be more than there is memory for."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        return file.read(most).decode(errors="replace")


def cell(row: dict[str, str | None], name: str) -> Any:
    text = row.get(name)
    if text is None or text == "":
        return None
    if name == "exploring":
        return int(text.lower() in ("1", "true", "yes", "explore"))
    return NUMBERS[name](text) if name in NUMBERS else text


def read_names(path: Path) -> dict[str, str]:
    """Loop as the recorded choices name it -> what a person can read; {} if there is no record."""
    try:
        record = json.loads(path.read_text())
        return {loop.get("name_in_steps") or loop["name"]: loop["name"] for loop in record["loops"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def read_figures(path: Path) -> dict[str, float | None]:
    """Wall time, time in handing out chunks, in the selector and lost by exploring, from the library's record.

    {} if there is no record; what it does not have is None.
    """
    try:
        record = json.loads(path.read_text())
        loops = record.get("loops", [])
        selection = [value for loop in loops for key, value in loop.items() if key in SELECTION_KEYS]
        exploring = [loop["exploring_cost_s"] for loop in loops if "exploring_cost_s" in loop]
        return {"record_wall_s": float(record["wall_s"]), "scheduling_s": sum(loop["scheduling_s"] for loop in loops),
                "selection_s": sum(selection) if selection else None,
                "exploring_s": sum(exploring) if exploring else None}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def read_simulated(path: Path) -> dict[str, float | None]:
    """Virtual time in the selector, from what `gimbal simulate --json` prints; {} if it does not say."""
    try:
        return {"selection_s": float(sum(loop["learning_s"] for loop in json.loads(path.read_text())["loops"]))}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


SELECTION_KEYS = ("opening_s", "closing_s")  # choosing and planning; learning and sums
