# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program under smpirun, and reads the line of JSON that it ends with."""
from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fabric

# Small messages are buffered: by default each is a rendezvous, for which the sender waits. Looks at messages take
# virtual time: with the default of 0.1 ms each, and more for each look in vain, polling would decide the result. The
# factors that SimGrid fits to a cluster with Ethernet do not apply; sending or receiving a message takes 0.25 us of the
# processor.
SETTINGS = (
    "smpi/async-small-thresh:65536",
    "smpi/privatization:no",
    "smpi/simulate-computation:no",
    "smpi/host-speed:1Gf",
    "smpi/iprobe:0",
    "smpi/test:1e-6",
    "smpi/grow-injected-times:no",
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "smpi/os:0:2.5e-7:0",
    "smpi/ois:0:2.5e-7:0",
    "smpi/or:0:1.25e-6:0",
    "smpi/finalization-barrier:no",
    "network/TCP-gamma:1e9",
    # Trees; by default duplicating a communicator takes P messages of every rank.
    "smpi/bcast:binomial_tree",
    "smpi/barrier:ompi_bruck",
    "smpi/allgather:bruck",
    "smpi/reduce:binomial",
    "smpi/allreduce:rdb",
    "smpi/gather:ompi_binomial",
    "smpi/scatter:ompi_binomial",
    "contexts/stack-size:1024",
)


class ProgramFailed(RuntimeError):
    """A run that ended wrongly, too late, or without its line."""


class TooSlow(ProgramFailed):
    """A run that was ended since it took too long."""


def run_for(command: list[Any], processor_s: float, timeout_s: float) -> subprocess.CompletedProcess[str]:
    """As subprocess.run(), but what the command has started ends with it: smpirun is a script, and the simulation its
    child. @raises subprocess.TimeoutExpired after timeout_s, or when a process has taken processor_s"""
    limit = math.ceil(processor_s)
    limited = ["prlimit", f"--cpu={limit}:{limit}", *command]
    with subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        if process.returncode in (128 + signal.SIGKILL, 128 + signal.SIGXCPU, -signal.SIGKILL, -signal.SIGXCPU):
            raise subprocess.TimeoutExpired(command, processor_s)
        return subprocess.CompletedProcess(command, process.returncode, output, errors)


@dataclass(frozen=True)
class Case:
    """One run of a program."""
    fabric: str
    ranks: int
    ranks_per_node: int
    program: str  # scale_loop or scale_peer
    arguments: tuple[str, ...]  # name=value
    environment: tuple[tuple[str, str], ...] = ()


class Simulation:
    """Where programs and files are. @raises ProgramFailed without smpirun"""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        smpirun = shutil.which("smpirun")
        if not smpirun:
            raise ProgramFailed("smpirun is not installed (Debian: libsimgrid-dev)")
        self.smpirun = smpirun

    def run(self, case: Case, processor_s: float, timeout_s: float) -> dict[str, Any]:
        """What it printed, and `wall_s`. @raises ProgramFailed, TooSlow"""
        xml, hosts = fabric.write(self.folder, case.fabric, case.ranks, case.ranks_per_node)
        given = dict(case.environment)
        preload = self.programs / "libscale_count.so"
        if preload.exists():
            given["LD_PRELOAD"] = str(preload)
        wrapper = " ".join(["env", *(f"{name}={value}" for name, value in given.items())])
        command = [self.smpirun, "-np", str(case.ranks), "-platform", xml, "-hostfile", hosts, "-wrapper", wrapper,
                   *(f"--cfg={setting}" for setting in SETTINGS), "--log=root.thresh:error",
                   self.programs / case.program, f"node_ranks={case.ranks_per_node}", *case.arguments]
        begin = time.monotonic()
        try:
            done = run_for(command, processor_s, timeout_s)
        except subprocess.TimeoutExpired as error:
            raise TooSlow(f"{case}: not done after {error.timeout:.0f} s") from error
        lines = [line for line in done.stdout.splitlines() if line.startswith('{"ranks"')]
        if done.returncode or len(lines) != 1:
            raise ProgramFailed(f"{case}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        result: dict[str, Any] = json.loads(lines[0])
        if not result["once"]:
            raise ProgramFailed(f"{case}: not every iteration ran exactly once")
        result["wall_s"] = time.monotonic() - begin
        return result
