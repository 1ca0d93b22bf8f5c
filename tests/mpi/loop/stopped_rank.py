# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stopped_rank.py RANKS COMMAND...: stop the last rank inside of its chunk, see the others finish, let it go on."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ITERATIONS = 300
LIMIT_S = 240


def wait_for(what, process):
    """Until what() is true. Raises RuntimeError when that takes too long or the program has ended."""
    deadline = time.monotonic() + LIMIT_S
    while not what():
        if process.poll() is not None:
            raise RuntimeError(f"the program ended with {process.returncode}")
        if time.monotonic() > deadline:
            raise RuntimeError("nothing more happens")
        time.sleep(0.005)


def state_of(pid):
    """The state letter of a process: T is stopped."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]


def drive(ranks, folder, process):
    pid_file = folder / "pid"
    wait_for(pid_file.exists, process)
    pid = int(pid_file.read_text(encoding="ascii"))
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_for(lambda: state_of(pid) == "T", process)
        (folder / "stopped").touch()
        counted = [folder / f"counted.{rank}" for rank in range(ranks - 1)]
        wait_for(lambda: all(file.exists() for file in counted), process)
        assert state_of(pid) == "T"
        done = sum(int(file.read_text(encoding="ascii")) for file in counted)
        assert done == ITERATIONS, f"without the stopped rank {done} of {ITERATIONS} iterations are done"
        (folder / "continued").touch()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert process.wait(LIMIT_S) == 0


def main():
    ranks, command = int(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as name, subprocess.Popen([*command, name]) as process:
        try:
            drive(ranks, pathlib.Path(name), process)
        finally:
            if process.poll() is None:
                process.terminate()  # mpiexec ends its ranks


if __name__ == "__main__":
    main()
