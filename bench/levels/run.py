#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/levels: what looking at a call of MPI costs. See README.md."""
from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

WAYS = ("without", "with")  # the library


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What the library that wraps MPI costs a call.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--rounds", type=int, default=9, help="processes of each kind, in turns (default 9)")
    parser.add_argument("--quick", action="store_true", help="three rounds")
    return parser.parse_args()


def costs_of(build: Path, way: str) -> dict[str, int]:
    """One job of two ranks. [ns] by call"""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIMBAL_", "LD_"))}
    libraries = [build / "lib" / "libgimbal.so", build / "lib" / "libgimbal_waiting_mpich.so"]
    preload = f"LD_PRELOAD={':'.join(map(str, libraries if way == 'with' else libraries[:1]))}"
    done = subprocess.run(["mpiexec.mpich", "-n", "2", "env", preload, "GIMBAL_REPORT=off",
                           build / "bench" / "levels" / "pmpi_cost"],
                          env=kept, check=True, capture_output=True, text=True, timeout=600)
    return json.loads(done.stdout)


def main() -> int:
    given = arguments()
    rounds: dict[str, list[dict[str, int]]] = {way: [] for way in WAYS}
    for _ in range(3 if given.quick else given.rounds):
        for way in WAYS:
            rounds[way].append(costs_of(given.build, way))
    result = {}
    print(f"{'call':16}  without ns  with ns  added ns  (medians of {len(rounds['with'])} processes, CPU time)")
    for call in rounds["with"][0]:
        without, with_it = (statistics.median(one[call] for one in rounds[way]) for way in WAYS)
        added = statistics.median(b[call] - a[call] for a, b in zip(rounds["without"], rounds["with"]))
        result[call] = added
        print(f"{call:16}  {without:10.0f}  {with_it:7.0f}  {added:8.0f}")
    # Over all ranks a call takes what the other one takes, too: that figure is for looking at.
    result["pmpi_ns"] = max(result[call] for call in ("barrier_self", "allreduce_self", "wait"))
    print("RESULT " + json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
