# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gimbal campaign run`: all cells that have not run yet, one after the other, with progress."""
from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from typing import Any

from . import design
from .design import Cell
from .errors import CampaignError
from .interrupts import interrupts_raise, status_of
from .pace import Pace
from .process import Tool, run_cell
from .records import Outcome, last_words
from .spec import Spec
from .store import Store
from .turns import run_in_turns


def duration(seconds: float) -> str:
    """3 s, 4 min, 2.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def say(text: str, end: str = "\n") -> None:
    """On standard error. Where that has gone, as a terminal or a pipe can, the work goes on without a word."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


class Progress:
    """Done, total, time left: one line that is overwritten on a terminal; elsewhere a line now and then."""

    EVERY_S = 15.0

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done, self.before = total, done, done
        self.begin = self.last = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def step(self, what: str) -> None:
        self.done += 1
        now = time.monotonic()
        left_s = (now - self.begin) / (self.done - self.before) * (self.total - self.done)
        text = f"[{self.done}/{self.total}] {duration(left_s)} left  {what}"
        if self.terminal:
            say(f"\r\033[K{text}", end="")
        elif now - self.last > self.EVERY_S or self.done == self.total:
            say(text)
            self.last = now

    def note(self, text: str) -> None:
        say(("\r\033[K" if self.terminal else "") + text)

    def end(self) -> None:
        if self.terminal:
            say("")


def seed_of(spec: Spec, repetition: int) -> int:
    """Every repetition draws other random numbers, the same ones for every configuration."""
    return spec.seed + repetition


def quietest(spec: Spec, cell: Cell, tool: Tool, pace: Pace) -> Outcome:
    """Run a cell; if others disturbed it and the specification has retries, the least disturbed run counts.

    Chosen by preemptions and by the short runs beside it, never by its own time, and for all configurations alike, this
    favours none.
    """
    def once() -> Outcome:
        return run_cell(cell, tool, seed_of(spec, cell.repetition))

    def attempt() -> Outcome:
        return pace.beside(cell.application, once) if cell.application.pace_steps else once()

    def disturbance(outcome: Outcome) -> float:
        rate = outcome.preemptions / max(outcome.wall_s, 1e-9)
        return max(rate / max(spec.preemptions_per_s, 1e-9), (outcome.slower or 0.0) / max(spec.slower, 1e-9))

    best = attempt()
    for _ in range(spec.retries if cell.application.kind == "real" else 0):
        if best.status != "ok" or disturbance(best) <= 1:
            break
        other = attempt()
        if other.status == "ok" and disturbance(other) < disturbance(best):
            best = other
    return best


def outcomes_of(spec: Spec, batch: Sequence[Cell], tool: Tool, pace: Pace) -> list[Outcome]:
    """Run the cells of design.batches(): one alone, or several of one repetition in turns."""
    first = batch[0]
    if first.application.turn_steps:
        return run_in_turns(batch, tool, seed_of(spec, first.repetition))
    return [quietest(spec, cell, tool, pace) for cell in batch]


def run(spec: Spec, store: Store, tool: Tool, retry: bool = False) -> int:
    """Run what has not run yet; with `retry` also what failed.

    Returns 0, 1 if a cell of this campaign has no result, or 128 + signal. An interrupt loses what is in progress only.
    """
    cells = design.cells(spec)
    wanted = set(map(design.key, cells))
    done = wanted & store.done(only_ok=retry)
    todo = design.to_run(cells, done)
    progress = Progress(len(cells), len(cells) - len(todo))
    pace = Pace(tool, spec.seed)
    if done:
        again = sum(design.key(cell) in done for cell in todo)
        beside = f"; {again} of them run again, beside those that are missing in their turns" if again else ""
        progress.note(f"{store.path}: {len(done)} of {len(cells)} cells have run, going on{beside}")
    with interrupts_raise():
        try:
            for batch in design.batches(todo):
                outcomes = outcomes_of(spec, batch, tool, pace)
                store.add(batch, outcomes)
                for cell, outcome in zip(batch, outcomes):
                    what = f"{cell.application.name} {cell.configuration.name} #{cell.repetition + 1}"
                    if outcome.status != "ok":
                        progress.note(f"{outcome.status}: {what}: {last_words(outcome.output)}")
                    progress.step(what)
        except KeyboardInterrupt as interruption:
            progress.end()
            say(f"interrupted; {len(wanted & store.done(only_ok=retry))} of {len(cells)} cells are in {store.path}; "
                "the same command goes on")
            return status_of(interruption)
        except sqlite3.Error as error:
            raise CampaignError(f"{store.path}: {error}") from None
    progress.end()
    return report_failures(store.runs())


def report_failures(runs: Sequence[dict[str, Any]]) -> int:
    """Say which cells have no result. Returns 1 if there are any."""
    failed = [run for run in runs if run["status"] != "ok"]
    if failed:
        say(f"{len(failed)} of {len(runs)} cells have no result (gimbal campaign summary lists them; --retry runs "
            "them again)")
    return 1 if failed else 0
