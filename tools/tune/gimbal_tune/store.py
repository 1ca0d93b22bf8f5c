# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one file of a search: an SQLite database with what was asked for, the machine, and all runs in their order."""
from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gimbal_campaign.errors import CampaignError
from gimbal_campaign.records import as_utf8
from gimbal_campaign.store import PATIENCE_S, differences

from .process import Outcome
from .space import Configuration
from .values import spelled
from .wanted import Wanted

AFRESH = "--new starts afresh and keeps the old file as FILE.old; --output takes another"
# Conditions, as conditions.py names them, that must not change from run to run.
KEPT = {"program": "the program's file", "build": "Gimbal's build", "processor": "the processor", "cores": "the cores"}
SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE tune (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tune_runs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,             -- short, search or compare
    configuration TEXT NOT NULL,    -- JSON, all parameters
    reason TEXT NOT NULL,           -- today, start, model, random; of compare: best or today
    predicted REAL,                 -- what the model expected, in its own scale
    status TEXT NOT NULL,           -- ok, slow, failed or no metric
    value REAL,                     -- wall time [s], or the number that the program printed
    wall_s REAL NOT NULL, exit_status INTEGER, started TEXT NOT NULL, command TEXT NOT NULL, output TEXT NOT NULL
);
"""


@dataclass(frozen=True)
class Run:
    """One row."""

    kind: str
    configuration: Configuration
    reason: str
    predicted: float | None
    status: str
    value: float | None
    wall_s: float
    output: str


def run_of(row: tuple[Any, ...]) -> Run:
    """A row whose columns are in the order of Run's fields. Raises ValueError if it is none that a search has written."""
    run = Run(*row)
    configuration = json.loads(run.configuration)
    if not isinstance(configuration, dict) or any(type(one) not in (int, float, str) for one in configuration.values()):
        raise ValueError(f"{run.configuration} is no configuration")
    for number in (run.predicted, run.value, run.wall_s):
        if not isinstance(number, (int, float, type(None))):
            raise ValueError(f"{number!r} is no number")
    return replace(run, configuration={key: spelled(value) if isinstance(value, str) else value
                                       for key, value in configuration.items()})


class Store:
    """An open file. One process writes; readers may open it at any time."""

    def __init__(self, path: Path, must_exist: bool = False) -> None:
        if must_exist and not path.is_file():
            raise CampaignError(f"{path}: there is no such file", "gimbal tune -- PROGRAM writes one")
        self.path = path
        try:
            self.connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
            tables = {row[0] for row in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables and not must_exist:
                self.connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
            elif "tune_runs" not in tables:
                raise CampaignError(f"{path}: not a file of gimbal tune")
        except sqlite3.Error as error:
            raise CampaignError(f"{path}: {error}") from None
        except UnicodeDecodeError:
            raise CampaignError(f"{path}: the file is damaged: a name in it is no text") from None

    def close(self) -> None:
        self.connection.close()

    def facts(self) -> dict[str, str]:
        """What was asked for (`wanted`), and the conditions."""
        return dict(self.connection.execute("SELECT key, value FROM tune"))

    def objective(self) -> tuple[str, bool]:
        """(regular expression of the number, whether it is made large) that was asked for. Raises CampaignError."""
        try:
            found = json.loads(self.facts()["wanted"])
            return str(found["metric"]), bool(found["maximize"])
        except (KeyError, TypeError, ValueError) as error:
            raise self.damaged(error) from None

    def begin(self, wanted: Wanted, conditions: Mapping[str, str]) -> None:
        """Note what is asked for, or see that it is what the file was begun with, and that program, Gimbal and machine
        are what its runs measured. A larger budget is fine.

        Raises CampaignError with what differs.
        """
        facts, text = self.facts(), wanted.text()
        if facts.get("wanted", text) != text:
            try:
                lines = differences(json.loads(facts["wanted"]), json.loads(text))
            except ValueError as error:
                raise self.damaged(error) from None
            raise CampaignError(f"{self.path}: it was begun with something else:\n        "
                                + "\n        ".join(lines[:8]), AFRESH)
        if self.connection.execute("SELECT count(*) FROM tune_runs").fetchone() == (0,):
            facts = {**facts, **conditions}
        changed = [name for key, name in KEPT.items() if facts.get(key) and conditions[key] not in ("", facts[key])]
        if changed:
            raise CampaignError(f"{self.path}: {' and '.join(changed)} changed since the runs in it", AFRESH)
        with self.connection:
            self.connection.execute("BEGIN")
            self.connection.executemany("INSERT OR REPLACE INTO tune VALUES (?, ?)",
                                        {**conditions, **facts, "wanted": text}.items())

    def add(self, kind: str, configuration: Configuration, reason: str, predicted: float | None,
            outcome: Outcome) -> None:
        with self.connection:
            self.connection.execute(
                "INSERT INTO tune_runs (kind, configuration, reason, predicted, status, value, wall_s, exit_status, started, "
                "command, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (kind, json.dumps(configuration), reason, predicted, outcome.status, outcome.value, outcome.wall_s,
                 outcome.exit_status, outcome.started, as_utf8(outcome.command), as_utf8(outcome.output)))

    def runs(self) -> list[Run]:
        """All runs, as they were made."""
        with closing(self.connection.execute("SELECT kind, configuration, reason, predicted, status, value, wall_s, "
                                             "output FROM tune_runs ORDER BY id")) as rows:
            try:
                return [run_of(row) for row in rows]
            except (TypeError, ValueError) as error:
                raise self.damaged(error) from None

    def damaged(self, why: object) -> CampaignError:
        return CampaignError(f"{self.path}: the file is damaged: {why}", AFRESH)
