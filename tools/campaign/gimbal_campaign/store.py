# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one file of a campaign: an SQLite database with the specification, the machine, the runs and their steps."""
from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from .design import Cell
from .errors import CampaignError
from .records import Outcome
from .spec import Spec

SCHEMA_VERSION = 1
PATIENCE_S = 60.0  # with who reads: what took hours is not given up because somebody looks at it
SQLITE_MARK = b"SQLite format 3\0"

SCHEMA = """
CREATE TABLE campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    application TEXT NOT NULL,
    kind TEXT NOT NULL,             -- real or virtual
    configuration TEXT NOT NULL,
    grp TEXT NOT NULL,              -- fixed, selector, rl, rl-chunk or control
    technique TEXT, selector TEXT, agent TEXT, policy TEXT, reward TEXT,
    golden INTEGER NOT NULL,
    repetition INTEGER NOT NULL,    -- from 0
    seed INTEGER NOT NULL,          -- GIMBAL_SEED of the process
    workers INTEGER NOT NULL,
    status TEXT NOT NULL,           -- ok, failed, timeout or no record
    exit_status INTEGER,
    wall_s REAL NOT NULL,           -- of the process, as seen from outside
    loops_s REAL,                   -- sum of the loop times, as the steps have them
    record_wall_s REAL,             -- of the process, as the library saw it
    scheduling_s REAL,              -- estimated time in handing out chunks, a thread's mean, sum over loops
    selection_s REAL,               -- time in the selector, if the record has it; of virtual runs virtual time
    exploring_s REAL,               -- what exploring cost in loop time, as the library reckons it
    preemptions INTEGER NOT NULL,   -- involuntary context switches of all its threads
    slower REAL,                    -- how much slower than usual short runs beside it were
    started TEXT NOT NULL,          -- UTC
    command TEXT NOT NULL, environment TEXT NOT NULL, output TEXT NOT NULL,
    UNIQUE (application, configuration, repetition)
);
CREATE TABLE loops (                -- what a person can read for a loop
    application TEXT NOT NULL, loop TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (application, loop)
);
CREATE TABLE steps (
    run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    loop TEXT NOT NULL, step INTEGER NOT NULL, workers INTEGER, iterations INTEGER,
    technique TEXT NOT NULL, reason TEXT, exploring INTEGER,
    loop_time_s REAL NOT NULL, busy_max_s REAL, busy_mean_s REAL, chunks INTEGER,
    state TEXT, action TEXT, signal REAL, reward REAL, epsilon REAL, alpha REAL,
    PRIMARY KEY (run, loop, step)
) WITHOUT ROWID;
"""

FIGURES = ("wall_s", "loops_s", "record_wall_s", "scheduling_s", "selection_s", "exploring_s", "preemptions", "slower")
STEP_COLUMNS = ("loop", "step", "workers", "iterations", "technique", "reason", "exploring", "loop_time_s",
                "busy_max_s", "busy_mean_s", "chunks", "state", "action", "signal", "reward", "epsilon", "alpha")


BUILDS, MACHINE = ("build", "program"), ("processor", "cores")  # conditions under which results are not to be mixed


def values(facts: Mapping[str, str], condition: str) -> list[str]:
    """What a condition has been while results came into a file: one text; of several builds the texts with blanks
    between, of several machines a JSON list."""
    text = facts.get(condition, "")
    if condition in BUILDS:
        return text.split()
    if text.startswith("["):
        with suppress(ValueError):
            return list(map(str, json.loads(text)))
    return [text] if text else []


def differences(old: Any, new: Any, place: str = "") -> list[str]:
    """What changed between two specifications, one line each."""
    if isinstance(old, dict) and isinstance(new, dict):
        lines = []
        for key in sorted(old.keys() | new.keys()):
            lines += differences(old.get(key), new.get(key), f"{place}.{key}" if place else key)
        return lines
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and old and isinstance(old[0], dict):
        return [line for index, pair in enumerate(zip(old, new)) for line in differences(*pair, f"{place}[{index}]")]
    return [] if old == new else [f"{place}: {json.dumps(old)} before, {json.dumps(new)} now"]


def team_of(outcome: Outcome) -> int:
    """What the steps say of the number of workers; 0 without them."""
    place = STEP_COLUMNS.index("workers")
    return max((step[place] or 0 for step in outcome.steps), default=0)


class Store:
    """An open campaign file. One process writes; readers may open it at any time."""

    def __init__(self, path: Path, must_exist: bool = False) -> None:
        if must_exist and not path.is_file():
            raise CampaignError(f"{path}: there is no such file", "gimbal campaign run SPEC writes it")
        self.path = path
        try:
            self.connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
            self.connection.execute("PRAGMA foreign_keys = ON")
            tables = {row[0] for row in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables and not must_exist:
                self.connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            elif "runs" not in tables:
                raise CampaignError(f"{path}: not a campaign's file")
            version = self.connection.execute("PRAGMA user_version").fetchone()[0]
            if "runs" in tables and not must_exist:
                self.add_later_columns()
        except sqlite3.Error as error:
            raise CampaignError(f"{path}: {error}") from None
        except UnicodeDecodeError:
            raise CampaignError(f"{path}: the file is damaged: a name in it is no text") from None
        if version != SCHEMA_VERSION:
            raise CampaignError(f"{path}: schema {version}, this version reads {SCHEMA_VERSION}", "run with --new")

    def add_later_columns(self) -> None:
        """What files of earlier versions lack and may be empty."""
        columns = {row[1] for row in self.connection.execute("PRAGMA table_info(runs)")}
        if "slower" not in columns:
            self.connection.execute("ALTER TABLE runs ADD COLUMN slower REAL")

    def close(self) -> None:
        self.connection.close()

    def facts(self) -> dict[str, str]:
        """Specification, its hash, and the conditions."""
        return dict(self.connection.execute("SELECT key, value FROM campaign"))

    def begin(self, spec: Spec, conditions: Mapping[str, str], new: Collection[str] = (*BUILDS, *MACHINE)) -> None:
        """Note the specification, or see that it is the one that the file was begun with. More repetitions are fine.
        new: the conditions that matter to what will run; of what they were before they are noted beside that.

        Raises CampaignError with the reason if it is another one.
        """
        facts = self.facts()
        if "hash" in facts and facts["hash"] != spec.hash:
            lines = differences(json.loads(facts["spec"]), json.loads(spec.text))
            repetitions = json.loads(facts["spec"])["campaign"].get("repetitions", 3)
            only_more = [line.split(":")[0] for line in lines] == ["campaign.repetitions"]
            if not (only_more and spec.repetitions > repetitions):
                raise CampaignError(f"{self.path}: the specification has changed since this file was begun:\n        "
                                    + "\n        ".join(lines[:8]),
                                    "--new starts afresh and keeps the old file as FILE.old; --output takes another")
        if not self.done():
            facts |= conditions  # it was begun and has no result of then
        rows = {**conditions, **facts, "spec": spec.text, "hash": spec.hash, "name": spec.name}
        for key in new:
            known = values(facts, key)
            if conditions.get(key, "") not in ["", *known]:
                known.append(conditions[key])  # several mean a mixture
                rows[key] = " ".join(known) if key in BUILDS or len(known) == 1 else json.dumps(known)
        with self.connection:
            self.connection.execute("BEGIN")
            self.connection.executemany("INSERT OR REPLACE INTO campaign VALUES (?, ?)", rows.items())

    def done(self, only_ok: bool = False) -> set[tuple[str, str, int]]:
        """(application, configuration, repetition) of the cells that have run."""
        where = " WHERE status = 'ok'" if only_ok else ""
        return set(self.connection.execute("SELECT application, configuration, repetition FROM runs" + where))

    def add(self, cells: Sequence[Cell], outcomes: Sequence[Outcome]) -> None:
        """Runs and steps of cells, all in one transaction; a run of the same cell is replaced."""
        with self.connection:
            self.connection.execute("BEGIN IMMEDIATE")
            for cell, outcome in zip(cells, outcomes):
                self.replace(cell, outcome)

    def replace(self, cell: Cell, outcome: Outcome) -> None:
        """Within a transaction."""
        config, app = cell.configuration, cell.application
        run = {"application": app.name, "kind": app.kind, "configuration": config.name, "grp": config.group,
               "technique": config.technique, "selector": config.selector, "agent": config.agent,
               "policy": config.policy, "reward": config.reward, "golden": int(config.golden),
               "repetition": cell.repetition, "workers": app.threads or team_of(outcome),
               **outcome.columns()}
        self.connection.execute("DELETE FROM runs WHERE application = ? AND configuration = ? AND repetition = ?",
                                (app.name, config.name, cell.repetition))
        cursor = self.connection.execute(
            f"INSERT INTO runs ({', '.join(run)}) VALUES ({', '.join('?' * len(run))})", tuple(run.values()))
        self.connection.executemany("INSERT OR REPLACE INTO loops VALUES (?, ?, ?)",
                                    ((app.name, loop, name) for loop, name in outcome.loops.items()))
        places = ", ".join("?" * (1 + len(STEP_COLUMNS)))
        self.connection.executemany(f"INSERT INTO steps (run, {', '.join(STEP_COLUMNS)}) VALUES ({places})",
                                    ((cursor.lastrowid, *step) for step in outcome.steps))

    def runs(self) -> list[dict[str, Any]]:
        """All runs, without steps, as they were made. Raises CampaignError if one's figures are no numbers."""
        with closing(self.connection.cursor()) as cursor:
            cursor.row_factory = sqlite3.Row
            found = [dict(row) for row in cursor.execute("SELECT * FROM runs ORDER BY id")]
        for row in found:
            for name in FIGURES:
                if not isinstance(row.get(name), (int, float, type(None))):
                    raise self.damaged(row, f"{name} is {row[name]!r}")
        return found

    def damaged(self, run: Mapping[str, Any], what: str) -> CampaignError:
        return CampaignError(f"{self.path}: the file is damaged: in run {run['repetition'] + 1} of "
                             f"{run['application']} with {run['configuration']} {what}",
                             "gimbal campaign run --new SPEC starts afresh and keeps the old file as FILE.old")

    def loop_names(self) -> dict[tuple[str, str], str]:
        """(application, loop) -> a name to read, where there is one."""
        return {(app, loop): name for app, loop, name in
                self.connection.execute("SELECT application, loop, name FROM loops")}

    def loops_of(self, run: int) -> list[str]:
        """The loops of one run, as recorded."""
        return [row[0] for row in self.connection.execute("SELECT DISTINCT loop FROM steps WHERE run = ?", (run,))]

    def steps(self, run: int) -> list[tuple[str, int, str, float]]:
        """(loop, step, technique, loop time [s]) of one run, in order."""
        return list(self.connection.execute("SELECT loop, step, technique, loop_time_s FROM steps WHERE run = ? "
                                            "ORDER BY loop, step", (run,)))


def is_store(path: Path, table: str) -> bool:
    """Whether a file is empty, an SQLite database with that table, or one that is too damaged to tell.

    What a process that was killed had begun to change is taken back, as by everyone who reads the database.
    """
    with path.open("rb") as file:
        head = file.read(len(SQLITE_MARK))
    if head != SQLITE_MARK:
        return not head
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return not names or table in names
    except sqlite3.Error:
        return True


def set_aside(path: Path, table: str, command: str) -> None:
    """Rename a command's file, if there is one, to FILE.old. Raises CampaignError if it is something else."""
    if path.exists():
        try:
            own = is_store(path, table)
        except OSError as error:
            raise CampaignError(f"--new {path}: {error.strerror}") from None
        if not own:
            raise CampaignError(f"--new {path}: not a file of gimbal {command}, and left as it is",
                                "name another file with --output")
        os.replace(path, path.with_name(path.name + ".old"))
