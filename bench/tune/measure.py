#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures every configuration of a real space, for searches to be replayed over: apps/evrard with ranks x threads x
technique x chunk on two cores. A configuration's time is the least of several runs, which are made round by round in
another order each, so that all meet the same machine. Writes data/evrard.csv, with the conditions on top."""
from __future__ import annotations

import argparse
import csv
import io
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "campaign"))

from gimbal_campaign import conditions  # noqa: E402
from gimbal_campaign.files import write_text  # noqa: E402

TECHNIQUES = ("static", "ss", "gss", "tss", "fac2", "mfsc", "awf-b", "awf-c")
CHUNKS = (1, 8, 64, 256)
SHAPES = ((1, 2), (2, 1))
DATA = Path(__file__).resolve().parent / "data" / "evrard.csv"
Configuration = tuple[int, int, str, int]


def configurations() -> list[Configuration]:
    """One rank on one thread has nothing to share out: it is one configuration."""
    return [(1, 1, "static", 1), *((ranks, threads, technique, chunk) for ranks, threads in SHAPES
                                   for technique in TECHNIQUES for chunk in CHUNKS)]


def run_s(build: Path, one: Configuration, words: list[str]) -> float:
    """Wall time of a run [s]. The technique is that of the level that has more than one worker."""
    ranks, threads, technique, chunk = one
    name = "GIMBAL_MPI_SCHEDULE" if ranks > 1 else "GIMBAL_SCHEDULE"
    environment = {**os.environ, name: f"{technique},{chunk}", "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off"}
    begin = time.perf_counter()
    subprocess.run([build / "bin" / "gimbal", "run", "-n", str(ranks), "-t", str(threads), "--",
                    build / "apps" / "evrard" / "evrard", *words], env=environment, check=True,
                   stdout=subprocess.DEVNULL, timeout=120)
    return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--particles", type=int, default=3000)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    words = ["--particles", str(args.particles), "--steps", str(args.steps)]
    times: dict[Configuration, list[float]] = {one: [] for one in configurations()}
    for number in range(args.rounds):
        for one in random.Random(number).sample(list(times), len(times)):
            times[one].append(run_s(args.build, one, words))
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr, flush=True)
    facts = conditions.gathered(args.build / "bin" / "gimbal")
    out = io.StringIO()
    out.write(f"# evrard {' '.join(words)}: wall time of a run, the least and the median of {args.rounds} interleaved "
              "runs; shared machine, other load\n")
    for key in ("begun", "gimbal", "processor", "cores", "load at the start"):
        out.write(f"# {key}: {facts[key]}\n")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("ranks", "threads", "technique", "chunk", "least_s", "median_s"))
    for one, found in times.items():
        table.writerow((*one, f"{min(found):.4f}", f"{statistics.median(found):.4f}"))
    write_text(DATA, out.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
