# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A neighbour that never sleeps: a child process that spins on one core, with ordinary priority."""
from __future__ import annotations

import os
import subprocess
import sys
from types import TracebackType

# Looks now and then whether its parent still lives, so that a killed bench leaves no hog behind.
_SPIN = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1000000):
        pass
"""


class Hog:
    """Spins from __enter__ to __exit__. Raises OSError when the core is not among those this process may use."""

    def __init__(self, core: int) -> None:
        self._core = core
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Hog:
        self._child = subprocess.Popen([sys.executable, "-c", _SPIN, str(os.getpid())])
        try:
            os.sched_setaffinity(self._child.pid, {self._core})
        except OSError:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._end()

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    def spins(self) -> bool:
        """Whether it is still there: a hog that died would make the figures those of a quiet machine."""
        return self._child is not None and self._child.poll() is None

    def _end(self) -> None:
        assert self._child is not None
        self._child.kill()
        self._child.wait()
