#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures every configuration of a real space, for searches to be replayed over: apps/evrard with ranks x threads x
technique x chunk on two cores, or apps/pisolver with up to 8 ranks whose iterations sleep, so that ranks which share
cores balance like ranks that have their own. A configuration's time is the least of several runs, which are made round
by round in another order each, so that all meet the same machine. Writes data/PROGRAM.csv, with the conditions on top."""
from __future__ import annotations

import argparse
import csv
import io
import json
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
SHAPES = {"evrard": ((1, 2), (2, 1)), "pisolver": ((2, 1), (4, 1), (8, 1))}
PI_CHUNKS = (1, 16, 128)
WORDS = {"evrard": "--particles 3000 --steps 4",
         "pisolver": "--iterations 2000 --imbalance 30 --ns-per-step 30 --steps 2 --json"}
DATA = Path(__file__).resolve().parent / "data"
Configuration = tuple[int, int, str, int]


def configurations(program: str) -> list[Configuration]:
    """One rank on one thread has nothing to share out: it is one configuration."""
    alone = [(1, 1, "static", 1)] if program == "evrard" else []
    return [*alone, *((ranks, threads, technique, chunk) for ranks, threads in SHAPES[program]
                      for technique in TECHNIQUES for chunk in (CHUNKS if program == "evrard" else PI_CHUNKS))]


def run_s(build: Path, program: str, one: Configuration) -> float:
    """Wall time of a run of evrard, time in the loop of pisolver [s]. The technique is that of the level that has more
    than one worker. Output is read to its end: a mere wait with a time limit looks every 50 ms only."""
    ranks, threads, technique, chunk = one
    name = "GIMBAL_MPI_SCHEDULE" if ranks > 1 else "GIMBAL_SCHEDULE"
    environment = {**os.environ, name: f"{technique},{chunk}", "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off"}
    begin = time.perf_counter()
    done = subprocess.run([build / "bin" / "gimbal", "run", "-n", str(ranks), "-t", str(threads), "--",
                           build / "apps" / program / program, *WORDS[program].split()], env=environment, check=True,
                          capture_output=True, text=True, timeout=120)
    if program == "pisolver":
        return float(json.loads(done.stdout.splitlines()[-1])["loop_s"])
    return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--program", choices=sorted(WORDS), default="evrard")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no round that would end later")
    args = parser.parse_args()
    times: dict[Configuration, list[float]] = {one: [] for one in configurations(args.program)}
    begin, rounds = time.perf_counter(), 0
    while rounds < args.rounds and (time.perf_counter() - begin) * (rounds + 1) <= args.seconds * max(1, rounds):
        for one in random.Random(rounds).sample(list(times), len(times)):
            times[one].append(run_s(args.build, args.program, one))
        rounds += 1
        print(f"round {rounds} of {args.rounds}", file=sys.stderr, flush=True)
    facts = conditions.gathered(args.build / "bin" / "gimbal")
    out = io.StringIO()
    what = "wall time of a run" if args.program == "evrard" else "time in the loop"
    out.write(f"# {args.program} {WORDS[args.program]}: {what}, the least and the median of {rounds} interleaved runs\n")
    for key in ("begun", "gimbal", "processor", "cores", "load at the start"):
        out.write(f"# {key}: {facts[key]}\n")
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("ranks", "threads", "technique", "chunk", "least_s", "median_s"))
    for one, found in times.items():
        table.writerow((*one, f"{min(found):.6f}", f"{statistics.median(found):.6f}"))
    write_text(DATA / f"{args.program}.csv", out.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
