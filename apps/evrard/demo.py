# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Evrard collapse, a rank on each core: as it is usually run, and under Gimbal. Times, report, energies."""
import argparse
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

THREADS, PARTICLES, END_TIME = 1, 6000, 0.3
MOST_RANKS = 8
WAYS = ("usual", "gimbal")
COLUMNS = {"kinetic": "e_kin", "internal": "e_int", "gravitational": "e_grav", "total": "e_tot"}  # ours: reference's


def mpiexec(build):
    """The launcher of the MPI that evrard was built with; the one called "mpiexec" may be another MPI's."""
    return re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def ranks():
    """One for each core that this process may use, at least two."""
    return min(max(len(os.sched_getaffinity(0)), 2), MOST_RANKS)


def command_for(build, way, output):
    """usual: equal blocks for ranks and threads, without Gimbal. gimbal: its defaults for ranks, threads and cores."""
    start = [mpiexec(build), "-n", str(ranks()), "env", f"OMP_NUM_THREADS={THREADS}", "OMP_SCHEDULE=static"]
    blocks = ["--rank-schedule", "static"]
    if way == "gimbal":
        start = [build / "bin/gimbal", "run", "--mpiexec", mpiexec(build), "-n", str(ranks()), "-t", str(THREADS),
                 "--elastic", "--"]
        blocks = []
    return [*start, build / "apps/evrard/evrard", "--particles", str(PARTICLES), "--end-time", str(END_TIME), *blocks,
            "--output", output]


def run(build, way, output):
    """Returns wall seconds, what the program printed and what Gimbal reported."""
    begin = time.monotonic()
    done = subprocess.run(command_for(build, way, output), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"demo: error: {way}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return time.monotonic() - begin, done.stdout, done.stderr


def without_losses(report, wall):
    """What the run would have taken if no core had waited, by Gimbal's own account; None if it has none."""
    window = re.search(r"between MPI_Init and MPI_Finalize: .* x ([\d.]+) s =", report)
    efficiency = re.search(r"^parallel efficiency\s+([\d.]+)", report, re.MULTILINE)
    return wall - float(window[1]) * (1 - float(efficiency[1])) if window and efficiency else None


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
    print(f"Evrard collapse, {PARTICLES} particles to t = {END_TIME}, {ranks()} ranks x {THREADS} thread\n")
    runs, checksums, bounds = {way: [] for way in WAYS}, set(), []
    with tempfile.TemporaryDirectory() as scratch:
        # Other programs may be about: three pairs in turn, and the median of each.
        for _ in range(3):
            for way, seconds in runs.items():
                folder = pathlib.Path(scratch) / way
                wall, said, report = run(build, way, folder)
                seconds.append(wall)
                checksums.add(re.search(r"checksum\s+(\w+)", said).group(1))
                gravity = re.search(r"gravity\s+([\d.]+)", said).group(1)
                if (bound := without_losses(report, wall)) is not None:
                    bounds.append(bound)
                print(f"{way:<7} {wall:6.2f} s   gravity, slowest rank {gravity} s", flush=True)
        simulated = curve(folder / "energies.csv")
    usual, gimbal = (statistics.median(seconds) for seconds in runs.values())
    reference = curve(pathlib.Path(__file__).parent / "data/energies_1d_1600.csv")
    print(f"median: usual {usual:.2f} s, under Gimbal {gimbal:.2f} s, ratio {gimbal / usual:.3f}; results "
          f"{'identical, checksum ' + checksums.copy().pop() if len(checksums) == 1 else 'DIFFERENT'}\n")
    if bounds:
        print(f"bound: {statistics.median(bounds) / usual:.3f} if no core had waited at all, by the report of the same "
              "runs; the rest is what two busy cores take from each other\n")
    print(report, end="")
    print_energies(simulated, reference)
    print("(the reference is the limit of many particles; few particles smear the centre, so gravity is weaker)")
    if len(checksums) != 1:
        sys.exit("demo: error: the results depend on the schedule")


if __name__ == "__main__":
    main()
