#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/gravity: the gravity loop of the Evrard collapse, a profile that drifts in a real program. See README.md."""
from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import runner, table  # noqa: E402
from harness.gate import open_gate, usable_cores  # noqa: E402

TECHNIQUES = ("static", "ss", "guided", "fac2", "mfsc", "tss", "af", "static-steal", "lws", "usched", "feedback")
# Runs the program and prints the figures of its gravity loop: what a Variant has to print.
READ_RECORD = """
import json, os, subprocess, sys
done = subprocess.run(sys.argv[2:], capture_output=True, text=True)
if done.returncode: sys.exit(done.stderr[-300:])
loops = [l for l in json.load(open(sys.argv[1]))["loops"] if "gravity" in l["name"]]
if not loops: sys.exit("no loop named gravity in the record")
loop = max(loops, key=lambda l: l["time_s"])
print(json.dumps({"ns": 1e9 * loop["time_s"], "balance": loop["busy_mean_s"] / loop["busy_max_s"],
                  "calls": loop["calls"]}))
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Loop time of gravity in the Evrard collapse under several schedules.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--budget", type=float, default=180, metavar="SECONDS", help="default 180")
    parser.add_argument("--particles", type=int, default=3000, help="default 3000")
    parser.add_argument("--steps", type=int, default=60, help="default 60")
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--techniques", default=",".join(TECHNIQUES), help="separated by commas")
    return parser.parse_args()


def variant(options: argparse.Namespace, technique: str, folder: Path) -> runner.Variant:
    """The program under one technique; its record tells the time of the gravity loop."""
    build = options.build.resolve()
    record = folder / f"{technique}.json"
    command = [sys.executable, "-c", READ_RECORD, str(record), str(build / "apps" / "evrard" / "evrard"), "--quiet",
               "--particles", str(options.particles), "--steps", str(options.steps)]
    environment = {"OMP_NUM_THREADS": str(options.threads), "LD_PRELOAD": str(build / "lib" / "libomp.so"),
                   "OMP_SCHEDULE": "runtime", "GIMBAL_SCHEDULE": technique, "GIMBAL_REPORT": "off",
                   "GIMBAL_OUTPUT": str(record), "OMP_PROC_BIND": "false"}
    return runner.Variant(technique, command, environment, timeout_s=120)


def median_of(session: runner.Session, name: str, key: str) -> float:
    return session.summary(name, key).median


def measure(options: argparse.Namespace) -> dict[str, Any]:
    build = options.build.resolve()
    names = options.techniques.split(",")
    gate = open_gate(build / "bench" / "harness" / "control", usable_cores(options.threads))
    with tempfile.TemporaryDirectory() as folder:
        session = runner.Session([variant(options, name, Path(folder)) for name in names], gate)
        session.run(options.budget)
    best = min((name for name in names if name != "feedback"), key=lambda name: median_of(session, name, "ns"))
    rows = []
    for name in sorted(names, key=lambda name: median_of(session, name, "ns")):
        ratio = session.compare(name, best)
        star = "" if ratio.gated else "*"
        rows.append([name, median_of(session, name, "ns") / 1e6, median_of(session, name, "balance"), ratio.ratio,
                     f"{ratio.low:.3f}..{ratio.high:.3f}", f"{ratio.pairs}{star}"])
    print(table.render(f"gravity, {options.particles} particles, {options.steps} steps, {options.threads} threads; "
                       f"ratio to {best}", ["technique", "time ms", "balance", "ratio", "95 %", "pairs"], rows))
    result: dict[str, Any] = {"bench": "gravity", "best_fixed": best,
                              "best_fixed_efficiency": median_of(session, best, "balance"),
                              "acceptance": session.acceptance()}
    if "feedback" in names:
        ratio = session.compare("feedback", best)
        result |= {"feedback_vs_best_fixed": ratio.ratio, "low": ratio.low, "high": ratio.high, "pairs": ratio.pairs,
                   "gated": ratio.gated, "feedback_efficiency": median_of(session, "feedback", "balance")}
    return result


def main() -> int:
    options = arguments()
    runner.clean_environment()
    if not (options.build / "apps" / "evrard" / "evrard").is_file():
        print("bench: error: evrard is missing: was the build configured with MPI and HDF5?", file=sys.stderr)
        return 2
    try:
        print(table.result_line(measure(options)))
    except (runner.SampleError, json.JSONDecodeError) as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
