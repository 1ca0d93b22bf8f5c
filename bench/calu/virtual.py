# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same programs on more workers than there are cores: each is recorded once, iteration by iteration, and its loops
run again in virtual time."""
from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness import table
from harness.runner import SampleError

# Larger than what is timed, so that 32 workers have something to share; and how often the recorded steps run.
PROGRAMS = {
    "calu": (["apps/calu/calu", "--size", "4096", "--block", "32", "--repeat", "1"], 10),
    "nbody": (["apps/nbody/nbody", "--bodies", "2000", "--steps", "5"], 20),
    "stencil": (["apps/stencil/stencil", "--size", "192", "--steps", "10"], 40),
}
SCHEDULES = {"static": "static", "guided": "guided", "dynamic": "ss", "gimbal:lws": "lws", "gimbal:usched": "usched",
             "gimbal:vsched": "vsched", "auto": ""}
STOCK = ("static", "guided", "dynamic")
WORKERS = (2, 8, 32)
NOISE = 0.01  # deviation of each worker's speed, anew in each execution
HOG_FACTOR = 2  # the last worker shares its core


def answer(command: Sequence[str], **variables: str) -> str:
    """What a command prints. Raises SampleError."""
    done = subprocess.run(list(command), env={**os.environ, **variables}, capture_output=True, text=True, timeout=300,
                          check=False)
    if done.returncode != 0:
        raise SampleError(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def record(build: Path, name: str, folder: Path) -> tuple[Path, int]:
    """Runs a program once on two threads, unless its trace is in the folder. Returns the trace and how many steps it has."""
    trace = folder / f"{name}.pftrace"
    command = [str(build / PROGRAMS[name][0][0]), *PROGRAMS[name][0][1:]]
    if not trace.is_file():
        answer([str(build / "bin/gimbal"), "run", "-t", "2", "--report", "off", "--trace", str(trace), "--", *command],
               OMP_SCHEDULE="ss")
    loops = simulate(build, trace, 1, "ss")["loops"]
    return trace, max(loop["executions"] for loop in loops)


def simulate(build: Path, trace: Path, workers: int, schedule: str, *options: str) -> dict[str, Any]:
    chosen = ["--schedule", schedule] if schedule else ["--select", "auto"]
    return json.loads(answer([str(build / "bin/gimbal"), "simulate", "--trace", str(trace), "--workers", str(workers),
                              "--json", *chosen, *options]))


def measure(build: Path, name: str, folder: Path, quick: bool, result: dict[str, Any]) -> None:
    """Prints the table of one program; adds auto over the best stock schedule, and over static beside the hog."""
    trace, steps = record(build, name, folder)
    repeated = str(steps * (3 if quick else PROGRAMS[name][1]))
    found: dict[tuple[int, str], dict[str, float]] = {}
    for workers in WORKERS:
        for kind, options in (("quiet", ()), ("hog", ("--slow-worker", str(workers - 1), "--slow-factor",
                                                      str(HOG_FACTOR)))):
            found[workers, kind] = {
                shown: simulate(build, trace, workers, schedule, "--steps", repeated, "--noise", str(NOISE),
                                *options)["total_s"] for shown, schedule in SCHEDULES.items()}
    best = {part: min(STOCK, key=lambda one: times[one]) for part, times in found.items()}
    rows = [[shown, *(figure for part, times in found.items()
                      for figure in (1000 * times[shown], times[shown] / times[best[part]]))] for shown in SCHEDULES]
    print(table.render(f"{name}, recorded, in virtual time: {steps} executions of its longest loop, {repeated} run; "
                       f"workers' speeds deviate by {NOISE:.0%}, beside the hog one has half the speed",
                       ["schedule", *(head for (workers, kind), _ in found.items()
                                      for head in (f"P={workers} {kind} ms", f"/ {best[workers, kind]}"))], rows),
          end="\n\n", flush=True)
    for (workers, kind), times in found.items():
        key = f"{name}_p{workers}_{'' if kind == 'quiet' else 'hog_'}"
        result[f"{key}auto_vs_best_stock"] = times["auto"] / times[best[workers, kind]]
        if kind == "hog":
            result[f"{key}vs_static"] = times["auto"] / times["static"]
