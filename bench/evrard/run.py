#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/evrard: is the physics of the collapse right at full size, to t = 3? See README.md."""
from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "apps" / "evrard" / "data" / "energies_1d_1600.csv"
TABLE_TIMES = (0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.05, 1.1, 1.2, 1.4, 1.5)

# Key of the RESULT line -> (lowest, highest) value that passes, for 1e4 particles to t = 3.
LIMITS = {
    "energy_drift": (0.0, 0.01),
    "ekin_peak_t": (0.85, 0.88),
    "eint_peak_t": (1.05, 1.11),
    "eint_peak": (1.2, 1.8),
    "momentum": (0.0, 1e-3),
    "gravity_cov": (0.1, 2.0),
}

Row = dict[str, float]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Full physics check of the Evrard collapse.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--particles", type=int, default=10000, help="default 10000; the limits are made for that")
    parser.add_argument("--end-time", type=float, default=3.0, help="default 3; the peaks need at least 1.2")
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--seed", type=int, default=1, help="of the initial positions; default 1")
    parser.add_argument("--energies", type=Path, metavar="FILE", help="judge this energies.csv instead of running")
    return parser.parse_args()


def fail(message: str) -> None:
    print(f"bench: error: {message}", file=sys.stderr)
    sys.exit(2)


def read_rows(path: Path) -> list[Row]:
    """Rows of a CSV file with a header line; lines that begin with # are comments."""
    with path.open(encoding="ascii") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)]


def run(args: argparse.Namespace) -> list[Row]:
    program = args.build / "apps" / "evrard" / "evrard"
    if not program.exists():
        fail(f"{program} is missing: was the build configured with MPI and HDF5?")
    environment = {**os.environ, "OMP_NUM_THREADS": str(args.threads)}
    environment.setdefault("OMP_SCHEDULE", "guided")  # no effect on the result; some runtimes default to dynamic,1
    with tempfile.TemporaryDirectory() as folder:
        command = [str(program), "--particles", str(args.particles), "--end-time", str(args.end_time),
                   "--seed", str(args.seed), "--output", folder]
        done = subprocess.run(command, env=environment, check=False)
        if done.returncode != 0:
            fail(f"evrard ended with exit code {done.returncode}")
        return read_rows(Path(folder) / "energies.csv")


def at_time(rows: list[Row], time: float, column: str) -> float:
    """Value at a time between the rows, by linear interpolation."""
    for before, after in zip(rows, rows[1:]):
        if before["t"] <= time <= after["t"]:
            share = (time - before["t"]) / (after["t"] - before["t"])
            return before[column] + share * (after[column] - before[column])
    raise ValueError(f"no row at t = {time}")


def print_comparison(rows: list[Row], reference: list[Row]) -> None:
    pairs = (("kinetic", "e_kin"), ("internal", "e_int"), ("gravitational", "e_grav"))
    print(f"\n{'t':>5}" + "".join(f"  {name:>13} {'1-D':>8}" for name, _ in pairs) + f"  {'cost cov':>8}")
    for time in TABLE_TIMES:
        if time > min(rows[-1]["t"], reference[-1]["t"]):
            break
        cells = "".join(f"  {at_time(rows, time, ours):13.4f} {at_time(reference, time, theirs):8.4f}"
                        for ours, theirs in pairs)
        print(f"{time:5.2f}{cells}  {at_time(rows, time, 'gravity_cov'):8.3f}")


def measure(rows: list[Row]) -> Row:
    first = rows[0]["total"]
    kinetic = max(rows, key=lambda row: row["kinetic"])
    internal = max(rows, key=lambda row: row["internal"])
    return {
        "energy_drift": max(abs(row["total"] / first - 1.0) for row in rows),
        "ekin_peak_t": kinetic["t"],
        "eint_peak_t": internal["t"],
        "eint_peak": internal["internal"],
        "momentum": max(max(row["momentum"], row["angular_momentum"]) for row in rows),
        "gravity_cov": max(row["gravity_cov"] for row in rows),
    }


def print_verdict(result: Row) -> bool:
    good = True
    print(f"\n{'quantity':<14} {'value':>12} {'limits':>20}")
    for key, (low, high) in LIMITS.items():
        inside = low <= result[key] <= high
        good = good and inside
        print(f"{key:<14} {result[key]:12.5g} {f'{low:g} .. {high:g}':>20}  {'ok' if inside else 'BROKEN'}")
    print()
    return good


def main() -> int:
    args = arguments()
    rows = read_rows(args.energies) if args.energies else run(args)
    print_comparison(rows, read_rows(REFERENCE))
    result = measure(rows)
    good = print_verdict(result)
    print("RESULT " + json.dumps({key: float(f"{value:.6g}") for key, value in result.items()}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
