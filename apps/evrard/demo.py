# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Evrard collapse on 2 ranks x 2 threads, first with static, then with fac2: times, report, energies."""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

RANKS, THREADS, PARTICLES, END_TIME = 2, 2, 6000, 0.3
COLUMNS = ("kinetic", "internal", "gravitational", "total")


def run(build, schedule, output):
    """One run under `gimbal run`. Returns wall seconds, what the program printed and what Gimbal reported."""
    # More threads than cores: whoever waits must not keep a core from whoever works.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    command = [build / "bin/gimbal", "run", "-n", str(RANKS), "-t", str(THREADS), "--schedule", schedule, "--",
               build / "apps/evrard/evrard", "--particles", str(PARTICLES), "--end-time", str(END_TIME),
               "--output", output]
    begin = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"demo: error: {schedule}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return time.monotonic() - begin, done.stdout, done.stderr


def curve(path):
    """Rows of an energy file as dictionaries of numbers; comment lines are skipped."""
    with open(path, encoding="ascii") as file:
        lines = (line for line in file if not line.startswith("#"))
        return [{key.strip(): float(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def at(rows, t, column):
    """Linear interpolation in time."""
    for before, after in zip(rows, rows[1:]):
        if before["t"] <= t <= after["t"]:
            share = (t - before["t"]) / (after["t"] - before["t"])
            return before[column] + share * (after[column] - before[column])
    return rows[-1][column]


def print_energies(simulated, reference):
    """Ours beside the one-dimensional reference solution."""
    print(f"\n{'t':>5}  " + "  ".join(f"{name:>13}{'reference':>11}" for name in COLUMNS))
    for t in (0.1, 0.2, 0.3):
        cells = (f"{at(simulated, t, name):>13.4f}{at(reference, t, name):>11.4f}" for name in COLUMNS)
        print(f"{t:>5.1f}  " + "  ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="CMake build tree")
    build = parser.parse_args().build.resolve()
    print(f"Evrard collapse, {PARTICLES} particles to t = {END_TIME}, {RANKS} ranks x {THREADS} threads\n")
    seconds, checksums = {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        for schedule in ("static", "fac2"):
            folder = pathlib.Path(scratch) / schedule
            seconds[schedule], said, report = run(build, schedule, folder)
            checksums[schedule] = re.search(r"checksum\s+(\w+)", said).group(1)
            gravity = re.search(r"gravity\s+([\d.]+)", said).group(1)
            print(f"{schedule:<7} {seconds[schedule]:6.2f} s   gravity, slowest rank {gravity} s   "
                  f"checksum {checksums[schedule]}")
        simulated = curve(folder / "energies.csv")
    reference = curve(pathlib.Path(__file__).parent / "data/energies_1d_1600.csv")
    print(f"fac2 / static: {seconds['fac2'] / seconds['static']:.3f} of the time, results "
          f"{'identical' if len(set(checksums.values())) == 1 else 'DIFFERENT'}\n")
    print(report, end="")
    print_energies(simulated, reference)
    print("(the reference is the limit of many particles; few particles smear the centre, so gravity is weaker)")
    if len(set(checksums.values())) != 1:
        sys.exit("demo: error: the results depend on the schedule")


if __name__ == "__main__":
    main()
