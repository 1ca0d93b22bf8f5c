#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one program amid neighbours: hogs that spin on named processors, and, if asked to, threads pinned by hand.

    scene.py [--hogs 0,0,0] [--after S] [--swap S --other 1,1,1] [--places 0,0,1,1] [--cpus 0,1] [--record FILE]
             -- PROGRAM [ARGUMENTS]

Prints the program's output, whose last line must be JSON, and adds to that "scene_s", its wall time, "others", the
processors that everybody else used meanwhile, and "placement" from the record that Gimbal wrote to FILE. The hogs are
children of this process, and are ended by their own numbers whatever happens; if this process is killed, they end by
themselves.
"""
from __future__ import annotations

import argparse
import contextlib
import ctypes
import functools
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.hog import Hog  # noqa: E402

PIN_WAIT_S = 5.0  # for the threads of the program to have their names
TICK = os.sysconf("SC_CLK_TCK")


class Hogs(contextlib.ExitStack):
    """Neighbours that come, and perhaps move, while the program runs; all end with the block."""

    def __init__(self) -> None:
        super().__init__()
        self._hogs: list[Hog] = []
        self.problem: OSError | None = None

    def start(self, cpus: Sequence[int]) -> None:
        """Raises OSError where a processor may not be used."""
        for cpu in cpus:
            self._hogs.append(self.enter_context(Hog(cpu)))

    def move(self, cpus: Sequence[int]) -> None:
        for hog, cpu in zip(self._hogs, cpus):
            os.sched_setaffinity(hog.pid, {cpu})

    def spin(self) -> bool:
        return all(hog.spins() for hog in self._hogs)


def play(hogs: Hogs, wanted: argparse.Namespace, ended: threading.Event) -> None:
    """Starts late hogs and moves those that alternate, until the program has ended."""
    try:
        if wanted.after > 0:
            if ended.wait(wanted.after):
                return
            hogs.start(wanted.hogs)
        turn = 0
        while wanted.swap > 0 and not ended.wait(wanted.swap):
            turn += 1
            hogs.move(wanted.other if turn % 2 else wanted.hogs)
    except OSError as error:
        hogs.problem = error


def workers_of(pid: int) -> list[int]:
    """Numbers of the threads that have a number in their name, NAME-0, NAME-1, ..., in that order."""
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as file:
            _, dash, number = file.read().strip().rpartition("-")
        if dash and number.isdigit():
            found.append((int(number), int(tid)))
    return [tid for _, tid in sorted(found)]


def pin(pid: int, places: Sequence[int]) -> None:
    """The program's i-th thread to the i-th place, for good. Raises TimeoutError if there are never as many."""
    begin = time.monotonic()
    while time.monotonic() - begin < PIN_WAIT_S:
        try:
            tids = workers_of(pid)
            if len(tids) == len(places):
                for tid, cpu in zip(tids, places):
                    os.sched_setaffinity(tid, {cpu})
                return
        except OSError:
            pass  # a thread that has just ended
        time.sleep(0.001)
    raise TimeoutError(f"the program has never had {len(places)} threads with numbers in their names")


def busy_s() -> float:
    """Processor time of everybody so far, what the hypervisor took included [s]."""
    with open("/proc/stat", encoding="utf-8") as file:
        fields = [int(value) for value in file.readline().split()[1:]]
    user, nice, system, _, _, irq, softirq, steal = fields[:8]
    return (user + nice + system + irq + softirq + steal) / TICK


def own_s() -> float:
    """Processor time of this process and of its children that have ended [s]."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF,
                                                                               resource.RUSAGE_CHILDREN)))


def die_with(parent: int) -> None:
    """For a child before it becomes a program: it ends when its parent does, however that is."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


def watch(hogs: Hogs, wanted: argparse.Namespace) -> str:
    """Runs the program amid its hogs; returns its output. Raises RuntimeError when it, or a hog, fails."""
    ended = threading.Event()
    director = threading.Thread(target=play, args=(hogs, wanted, ended))
    if wanted.after <= 0:
        hogs.start(wanted.hogs)
    tied = functools.partial(die_with, os.getpid())
    with subprocess.Popen(wanted.command, stdout=subprocess.PIPE, text=True, preexec_fn=tied) as program:
        director.start()
        try:
            if wanted.places:
                pin(program.pid, wanted.places)
            output, _ = program.communicate()
        except BaseException:
            program.kill()
            raise
        finally:
            ended.set()
            director.join()
    if program.returncode != 0:
        raise RuntimeError(f"exit status {program.returncode}")
    if hogs.problem is not None:
        raise hogs.problem
    if not hogs.spin():
        raise RuntimeError("a hog has ended before the program")
    return output.strip()


def run(wanted: argparse.Namespace) -> str:
    """The program's output; its last line of JSON also tells of the scene. No child is left behind."""
    if wanted.cpus:
        os.sched_setaffinity(0, wanted.cpus)
    begin, busy = time.monotonic(), busy_s()
    with Hogs() as hogs:
        *lines, last = watch(hogs, wanted).splitlines()
    wall = time.monotonic() - begin
    others = max(0.0, busy_s() - busy - own_s()) / wall
    answer = {**json.loads(last), "scene_s": wall, "others": others}
    if wanted.record:
        answer["placement"] = json.loads(wanted.record.read_text(encoding="utf-8"))["placement"]
    return "\n".join([*lines, json.dumps(answer)])


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def interrupted(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs a program amid neighbours.")
    parser.add_argument("--hogs", type=numbers, default=[], metavar="CPUS", help="one hog on each of these")
    parser.add_argument("--after", type=float, default=0.0, metavar="S", help="start them this late")
    parser.add_argument("--swap", type=float, default=0.0, metavar="S", help="move them to --other and back")
    parser.add_argument("--other", type=numbers, default=[], metavar="CPUS")
    parser.add_argument("--places", type=numbers, default=[], metavar="CPUS", help="one for each thread")
    parser.add_argument("--cpus", type=numbers, default=[], metavar="CPUS", help="nothing runs on others than these")
    parser.add_argument("--record", type=Path, metavar="FILE", help="what Gimbal writes at the program's end")
    parser.add_argument("command", nargs="+")
    wanted = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupted)
    try:
        print(run(wanted))
    except KeyboardInterrupt:
        return 130
    except (OSError, RuntimeError, ValueError) as error:
        print(f"scene: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
