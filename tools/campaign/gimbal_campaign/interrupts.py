# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals that ask the tool to end. The programs that it runs have sessions of their own: it must end them itself."""
from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Interrupted(KeyboardInterrupt):
    """A KeyboardInterrupt that knows its signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def status_of(interruption: KeyboardInterrupt) -> int:
    """The exit status after an interruption, as a shell has it: 128 and the signal's number; 130 after Ctrl-C."""
    return 128 + getattr(interruption, "number", signal.SIGINT)


waiting: list[int] | None = None  # signals that came within interrupts_wait(); None outside


def interrupt(number: int, frame: FrameType | None) -> None:
    """Once: a second one, as a terminal that closes sends it, must not break off the end of the program in progress."""
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)
    if waiting is None:
        raise Interrupted(number)
    waiting.append(number)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """What comes meanwhile is raised at the end: a process that is being started must be known to be ended. Also in
    place of an error, since no other signal is heard any more."""
    global waiting
    waiting = came = []
    try:
        yield
    finally:
        waiting = None
        if came:
            raise Interrupted(came[0])


@contextmanager
def interrupts_raise() -> Iterator[None]:
    """Each of these signals becomes an Interrupted. One that was ignored before (nohup) stays ignored.

    Main thread only. Within another one it does nothing.
    """
    previous = {one: handler for one in ENDING if (handler := signal.getsignal(one)) not in (signal.SIG_IGN, interrupt)}
    for one in previous:
        signal.signal(one, interrupt)
    try:
        yield
    finally:
        for one, handler in previous.items():
            signal.signal(one, handler)
