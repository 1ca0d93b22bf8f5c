# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals that ask the tool to end. The programs that it runs have sessions of their own: it must end them itself."""
from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Once: a second one, as a terminal that closes sends it, must not break off the end of the program in progress."""
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def interrupts_raise() -> Iterator[None]:
    """Each of these signals becomes a KeyboardInterrupt. One that was ignored before (nohup) stays ignored.

    Main thread only.
    """
    previous = {one: handler for one in ENDING if (handler := signal.getsignal(one)) != signal.SIG_IGN}
    for one in previous:
        signal.signal(one, interrupt)
    try:
        yield
    finally:
        for one, handler in previous.items():
            signal.signal(one, handler)
