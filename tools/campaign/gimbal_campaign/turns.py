# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All configurations of a repetition side by side, in turns of a few time steps.

Whole runs one after the other meet a machine that is now faster, now slower: on two shared cores their totals vary by
1.5 % while techniques differ by 0.2 %. So every configuration's process is started, the program stops itself after each
CAMPAIGN_TURN_STEPS time steps, and the campaign continues one after the other, in another order each round. At any time
one process is at work and all others are stopped; the same steps of all configurations run within seconds.
"""
from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType

from .design import Cell
from .interrupts import interrupts_wait
from .process import Prepared, Tool, prepare, stop
from .records import Outcome

VARIABLE = "CAMPAIGN_TURN_STEPS"


class TookTooLong(Exception):
    """A turn went on for longer than its process may take."""


def took_too_long(number: int, frame: FrameType | None) -> None:
    raise TookTooLong


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """TookTooLong in whatever waits for longer than that. Main thread only."""
    before = signal.signal(signal.SIGALRM, took_too_long)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Player:
    """One configuration's process, which is stopped but for its turns."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.process: subprocess.Popen[bytes] | None = None
        self.turns = 0

    def turn(self) -> bool:
        """Start or continue it, until it stops itself. Returns whether it is still there."""
        outcome = self.prepared.outcome
        begin = time.perf_counter()
        try:
            with deadline(self.prepared.cell.application.timeout_s - outcome.wall_s):
                return self.until_it_stops()
        except TookTooLong:
            self.end()
            return False
        except OSError as error:
            self.prepared.refused(error)
            return False
        finally:
            outcome.wall_s += time.perf_counter() - begin
            self.turns += 1

    def until_it_stops(self) -> bool:
        if self.process is None:
            with interrupts_wait():
                self.process = self.prepared.open()
        else:
            os.killpg(self.process.pid, signal.SIGCONT)
        _, status, usage = os.wait4(self.process.pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            return True
        self.process.returncode = self.prepared.outcome.exit_status = os.waitstatus_to_exitcode(status)
        self.prepared.outcome.preemptions = usage.ru_nivcsw
        return False

    def end(self) -> None:
        """If it has not ended."""
        if self.process is not None and self.process.returncode is None:
            stop(self.process)

    def collect(self) -> Outcome:
        """How it went, once it has ended."""
        self.prepared.collect()
        outcome = self.prepared.outcome
        outcome.figures.pop("record_wall_s", None)  # the library's clock ran on while it was stopped
        if outcome.status == "ok" and self.turns == 1:
            outcome.status = "failed"
            outcome.output += f"\nit never stopped itself, as turn_steps asks a program to do by {VARIABLE}"
        return outcome


def run_in_turns(cells: Sequence[Cell], tool: Tool, seed: int) -> list[Outcome]:
    """Run cells of one application and repetition side by side; the outcome of each, in their order.

    Never raises for what the programs do; a KeyboardInterrupt ends them all and passes through.
    """
    order = random.Random(seed)
    with ExitStack() as stack:
        players = []
        for cell in cells:
            more = {VARIABLE: str(cell.application.turn_steps)}
            player = Player(stack.enter_context(prepare(cell, tool, seed, more)))
            stack.callback(player.end)
            players.append(player)
        going = list(players)
        while going:
            order.shuffle(going)
            going = [player for player in going if player.turn()]
        return [player.collect() for player in players]
