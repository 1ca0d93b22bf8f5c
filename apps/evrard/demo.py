# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Evrard collapse on 2 ranks x 2 threads, first with static, then with fac2: times, report, energies."""
import argparse
import csv
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

RANKS, THREADS, PARTICLES, END_TIME = 2, 2, 6000, 0.3
COLUMNS = {"kinetic": "e_kin", "internal": "e_int", "gravitational": "e_grav", "total": "e_tot"}  # ours: reference's


def mpiexec(build):
    """The launcher of the MPI that evrard was built with; the one called "mpiexec" may be another MPI's."""
    return re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def run(build, schedule, output):
    """One run under `gimbal run`. Returns wall seconds, what the program printed and what Gimbal reported."""
    command = [build / "bin/gimbal", "run", "--mpiexec", mpiexec(build), "-n", str(RANKS), "-t", str(THREADS),
               "--schedule", schedule, "--", build / "apps/evrard/evrard", "--particles", str(PARTICLES),
               "--rank-schedule", "static", "--end-time", str(END_TIME), "--output", output]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
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
        cells = (f"{at(simulated, t, ours):>13.4f}{at(reference, t, its):>11.4f}" for ours, its in COLUMNS.items())
        print(f"{t:>5.1f}  " + "  ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="CMake build tree")
    build = parser.parse_args().build.resolve()
    print(f"Evrard collapse, {PARTICLES} particles to t = {END_TIME}, {RANKS} ranks x {THREADS} threads\n")
    runs, checksums = {"static": [], "fac2": []}, set()
    with tempfile.TemporaryDirectory() as scratch:
        # Other programs may be about: three pairs in turn, and the median of each.
        for _ in range(3):
            for schedule, seconds in runs.items():
                folder = pathlib.Path(scratch) / schedule
                wall, said, report = run(build, schedule, folder)
                seconds.append(wall)
                checksums.add(re.search(r"checksum\s+(\w+)", said).group(1))
                gravity = re.search(r"gravity\s+([\d.]+)", said).group(1)
                print(f"{schedule:<7} {wall:6.2f} s   gravity, slowest rank {gravity} s", flush=True)
        simulated = curve(folder / "energies.csv")
    static, fac2 = (statistics.median(seconds) for seconds in runs.values())
    reference = curve(pathlib.Path(__file__).parent / "data/energies_1d_1600.csv")
    print(f"median: static {static:.2f} s, fac2 {fac2:.2f} s, fac2 / static {fac2 / static:.3f}; results "
          f"{'identical, checksum ' + checksums.copy().pop() if len(checksums) == 1 else 'DIFFERENT'}\n")
    print(report, end="")
    print_energies(simulated, reference)
    print("(the reference is the limit of many particles; few particles smear the centre, so gravity is weaker)")
    if len(checksums) != 1:
        sys.exit("demo: error: the results depend on the schedule")


if __name__ == "__main__":
    main()
