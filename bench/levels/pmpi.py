# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the library that wraps MPI adds to a call: two ranks that run without and with it, in turns."""
from __future__ import annotations

import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

WAYS = ("without", "with")  # the library


def costs_of(build: Path, way: str) -> dict[str, int]:
    """One job of two ranks. [ns] by call"""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "LD_"))}
    libraries = [build / "lib" / "libgimbal.so", build / "lib" / "libgimbal_waiting_mpich.so"]
    preload = f"LD_PRELOAD={':'.join(map(str, libraries if way == 'with' else libraries[:1]))}"
    done = subprocess.run(["mpiexec.mpich", "-n", "2", "env", preload, "GIMBAL_REPORT=off",
                           build / "bench" / "levels" / "pmpi_cost"],
                          env=kept, check=True, capture_output=True, text=True, timeout=600)
    return json.loads(done.stdout)


def measure(build: Path, rounds: int) -> tuple[list[list[Any]], dict[str, float]]:
    """Rows (call, ns without, ns with, ns added), medians of processes, CPU time; and what is added by call [ns]."""
    runs: dict[str, list[dict[str, int]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            runs[way].append(costs_of(build, way))
    rows, added = [], {}
    for call in runs["with"][0]:
        without, with_it = (statistics.median(one[call] for one in runs[way]) for way in WAYS)
        added[call] = statistics.median(b[call] - a[call] for a, b in zip(runs["without"], runs["with"]))
        rows.append([call, float(without), float(with_it), float(added[call])])
    return rows, added


def most_added(added: dict[str, float]) -> float:
    """[ns] Over all ranks a call takes what the other one takes, too: that figure is for looking at."""
    return max(added[call] for call in ("barrier_self", "allreduce_self", "wait"))
