#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A loop of two threads beside a hog on the core of one: with --pin over without, and what core lending does for it.

    python3 bench/pinning/lending.py --build DIR [--rounds 8] [--steps 400] [--size 160] [--variants=--pin=learn]

Program: apps/stencil under fac2, two processors, a hog on the second from before its start. In every round all variants
run in a new order; the figure of a run is the mean time of a loop without the first tenth. Prints medians over the
rounds of the ratio to the run without --pin, with 95 % intervals, and how often a core was lent.
"""
from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.hog import Hog  # noqa: E402
from harness.stats import bootstrap_interval, median  # noqa: E402

VARIANTS: dict[str, list[str]] = {
    "no --pin": [], "--pin=observe": ["--pin=observe"], "--pin=learn": ["--pin=learn"],
    "--pin=static": ["--pin=static"], "no --pin, no lending": [], "one thread": []}


def run(build: Path, variant: str, words: list[str], cpus: list[int]) -> tuple[float, int]:
    """Returns the mean time of a loop [s], and how often a core was lent."""
    threads = "1" if variant == "one thread" else "2"
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.json")
        values = os.environ | {"GIMBAL_OUTPUT": str(record), "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off",
                               "GIMBAL_LEND": "off" if variant.endswith("no lending") else "on"}
        line = [str(build / "bin/gimbal"), "run", "-t", threads, "--schedule", "fac2", *VARIANTS[variant], "--",
                str(build / "apps/stencil/stencil"), "--json", *words]
        done = subprocess.run(line, env=values, capture_output=True, text=True, check=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        times = json.loads(done.stdout.splitlines()[-1])["loops"][0]["times_s"]
        times = times[len(times) // 10:]
        return sum(times) / len(times), json.loads(record.read_text(encoding="utf-8"))["cores_lent"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--size", type=int, default=160)
    parser.add_argument("--variants", default="; ".join(VARIANTS), help="a part of: " + "; ".join(VARIANTS))
    options = parser.parse_args()
    names = ["no --pin"] + [name.strip() for name in options.variants.split(";") if name.strip() != "no --pin"]
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        print("lending: needs two processors", file=sys.stderr)
        return 2
    words = ["--size", str(options.size), "--steps", str(options.steps)]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    lent = dict.fromkeys(names, 0)
    with Hog(cpus[1]):
        for number in range(options.rounds):
            for name in random.Random(number).sample(names, len(names)):
                time_s, count = run(options.build, name, words, cpus)
                seconds[name].append(time_s)
                lent[name] += count
    base = seconds["no --pin"]
    print(f"no --pin: {1e3 * median(base):.2f} ms a loop, {options.rounds} rounds of {options.steps} loops")
    for name, values in seconds.items():
        ratios = [one / other for one, other in zip(values, base)]
        low, high = bootstrap_interval(ratios)
        print(f"{name:22} {median(ratios):.3f} [{low:.3f}, {high:.3f}]   lent {lent[name]} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
