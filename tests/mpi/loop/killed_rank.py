# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""killed_rank.py MANUAL VICTIM RANKS PROGRAM LAUNCHER...: kill a rank inside of its chunk, see the others finish.

The program is started as the manual (docs/ranks.md) says: its line is run, with this launcher and program in it."""
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ITERATIONS = 3 * 300
LIMIT_S = 240


def recipe(manual):
    """The manual's command line."""
    lines = [line.strip() for line in pathlib.Path(manual).read_text(encoding="utf-8").splitlines()]
    found = [line for line in lines if line.startswith("mpiexec ") and "survivors.done" in line]
    assert len(found) == 1, f"{manual} has {len(found)} lines that start a program whose ranks may die"
    return found[0]


def command(line, ranks, program, launcher):
    """The same with another launcher, number of ranks and program."""
    words = shlex.split(line)
    assert words[:2] == ["mpiexec", "-n"] and words[3:5] == ["sh", "-c"] and len(words) == 6, line
    script, changed = re.subn(r"\./app\b", " ".join(map(shlex.quote, program)), words[5])
    assert changed == 1, line
    return [*launcher, "-n", str(ranks), "sh", "-c", script]


def wait_for(what, process):
    """Until what() is true. Raises RuntimeError when that takes too long or the program has ended."""
    deadline = time.monotonic() + LIMIT_S
    while not what():
        if process.poll() is not None:
            raise RuntimeError(f"the program ended with {process.returncode}")
        if time.monotonic() > deadline:
            raise RuntimeError("nothing more happens")
        time.sleep(0.005)


def drive(victim, ranks, folder, process):
    pid_file = folder / "pid"
    wait_for(pid_file.exists, process)
    os.kill(int(pid_file.read_text(encoding="ascii")), signal.SIGKILL)
    (folder / "killed").touch()
    counted = [folder / f"counted.{rank}" for rank in range(ranks) if rank != victim]
    wait_for(lambda: all(file.exists() for file in counted), process)
    done = sum(int(file.read_text(encoding="ascii")) for file in counted)
    assert done == ITERATIONS, f"without the killed rank {done} of {ITERATIONS} iterations are done"
    process.wait(LIMIT_S)
    assert (folder / "survivors.done").exists()


def main():
    manual, victim, ranks, program, *launcher = sys.argv[1:]
    victim, ranks = int(victim), int(ranks)
    with tempfile.TemporaryDirectory() as name:
        arguments = command(recipe(manual), ranks, [program, str(victim), name], launcher)
        with subprocess.Popen(arguments, cwd=name) as process:
            try:
                drive(victim, ranks, pathlib.Path(name), process)
            finally:
                if process.poll() is None:
                    process.terminate()  # mpiexec ends its ranks


if __name__ == "__main__":
    main()
