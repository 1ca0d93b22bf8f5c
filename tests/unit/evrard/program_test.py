#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built evrard program and checks what a user sees: checksums, files, messages, exit codes.

usage: program_test.py EVRARD MPIEXEC CASE
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

EVRARD, MPIEXEC, CASE = sys.argv[1:4]
SMALL = ["--particles", "400", "--steps", "4"]


def run(arguments, ranks=1, limit_bytes=None, **environment):
    """Run evrard; return the finished process. A rank that hangs is an error after a minute."""

    def limit():
        if limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    command = [EVRARD, *arguments] if ranks == 0 else [MPIEXEC, "-n", str(ranks), EVRARD, *arguments]
    env = {**os.environ, "OMP_NUM_THREADS": "2", **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, preexec_fn=limit, check=False)


def expect(good, message, result=None):
    if not good:
        detail = f"\nexit {result.returncode}\n{result.stdout}\n{result.stderr}" if result else ""
        sys.exit(f"program_test {CASE}: {message}{detail}")


def checksum(result):
    found = re.search(r"^checksum ([0-9a-f]{16})$", result.stdout, re.MULTILINE)
    expect(result.returncode == 0 and found, "no checksum", result)
    return found.group(1)


def error_lines(result):
    return [line for line in result.stderr.splitlines() if line.startswith("evrard: error:")]


def expect_refusal(result, word):
    expect(result.returncode == 2, "exit code is not 2", result)
    lines = error_lines(result)
    expect(len(lines) == 1 and word in lines[0], f"not exactly one error line with '{word}'", result)


def case_checksum():
    expected = checksum(run(SMALL, 0, OMP_SCHEDULE="static", OMP_NUM_THREADS="1"))
    for ranks in (1, 2, 3):
        for schedule in ("static", "dynamic,1", "guided"):
            for threads in ("1", "3"):
                found = checksum(run(SMALL, ranks, OMP_SCHEDULE=schedule, OMP_NUM_THREADS=threads))
                expect(found == expected, f"{ranks} ranks, {threads} threads, {schedule}: {found} is not {expected}")
    for order in ("morton", "initial"):
        found = checksum(run([*SMALL, "--order", order], 2, OMP_SCHEDULE="guided"))
        expect(found == expected, f"order {order}: {found} is not {expected}")
    other = checksum(run([*SMALL, "--seed", "2"], 1))
    expect(other != expected, "the checksum does not see the particles")


def case_rank_schedules():
    expected = checksum(run(SMALL, 1))
    for ranks in (2, 3):
        for schedule in ("static", "loop", "ss,7", "fac2"):
            found = checksum(run([*SMALL, "--rank-schedule", schedule], ranks))
            expect(found == expected, f"{ranks} ranks, {schedule}: {found} is not {expected}")
    for schedule in ("guided", "ss"):
        found = checksum(run(SMALL, 3, GIMBAL_MPI_SCHEDULE=schedule))
        expect(found == expected, f"GIMBAL_MPI_SCHEDULE={schedule}: {found} is not {expected}")
    for order in ("morton", "initial"):
        found = checksum(run([*SMALL, "--order", order], 2))
        expect(found == expected, f"order {order}: {found} is not {expected}")
    expect_refusal(run([*SMALL, "--rank-schedule", "fac22"], 2), "fac22")


def case_json():
    result = run([*SMALL, "--json"], 2)
    expect(result.returncode == 0, "failed", result)
    found = json.loads(result.stdout.splitlines()[-1])
    expect(found["program"] == "evrard" and found["ranks"] == 2 and found["steps"] == 4, f"wrong: {found}")
    expect(found["checksum"] == checksum(result), f"table and JSON differ: {found}")
    expect(0 <= found["evrard_gravity_imbalance"] <= found["evrard_gravity_imbalance_by_step"] + 1e-6 <= 1.000001,
           f"wrong imbalance: {found}")
    expect([loop["name"] for loop in found["loops"]] == ["gravity_max", "gravity_mean"], f"wrong loops: {found}")
    expect(all(len(loop["times_s"]) == 5 for loop in found["loops"]), f"not the initial forces and 4 steps: {found}")
    quiet = run([*SMALL, "--json", "--quiet"], 2).stdout.splitlines()
    expect(len(quiet) == 1 and quiet[0].startswith("{"), f"--quiet --json says more than JSON: {quiet}")


def case_more_ranks_than_usual():
    expect(checksum(run(SMALL, 5, OMP_NUM_THREADS="1")) == checksum(run(SMALL, 1)), "5 ranks differ from 1")


def case_options():
    wrong = {
        "--particles": ["0", "-5", "1e99", "many", "", "10", "99999999999999999999"],
        "--steps": ["0", "-1", "x"],
        "--end-time": ["0", "-1", "nan", "inf", "soon"],
        "--theta": ["0", "-1", "nan", "7"],
        "--neighbours": ["0", "nan", "1e9"],
        "--order": ["spiral", ""],
        "--seed": ["-1", "x"],
        "--snapshot-every": ["-1", "nan", "1"],
        "--output": [""],
        "--rank-schedule": [""],
    }
    for option, values in wrong.items():
        for value in values:
            expect_refusal(run([f"{option}={value}"], 0), option)
    expect_refusal(run(["--steps", "3", "--end-time", "1"], 0), "--steps")
    with tempfile.TemporaryDirectory() as folder:
        for value in ("1e-20", "9e-10", "inf", "nan", "-1"):
            result = run([*SMALL, "--output", folder, "--snapshot-every", value], 0)
            expect_refusal(result, "--snapshot-every must be 0, or a time from 1e-9 on")
    expect_refusal(run(["--colour"], 0), "--colour")
    expect_refusal(run(["--order", "x" * 10000], 0), "--order")
    expect_refusal(run(["--particles", "few"], 3), "--particles")
    for option, word in (("--help", "--particles"), ("--version", "Gimbal")):
        result = run([option], 2)
        expect(result.returncode == 0 and result.stdout.count(word) == 1, f"{option} is not printed once", result)


def case_output():
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "made", "here")
        result = run([*SMALL, "--output", str(target), "--ascii-energies", "--quiet"], 2)
        expect(result.returncode == 0, "failed", result)
        expect(sorted(p.name for p in target.iterdir()) == ["energies.csv", "snapshot_000004.h5"], "wrong files",
               result)
        rows = target.joinpath("energies.csv").read_text().splitlines()
        names = "t,kinetic,internal,gravitational,total,momentum,angular_momentum,dt,gravity_cov"
        expect(rows[0] == names and len(rows) == 6, f"energies.csv is wrong: {rows}")
        row = [float(x) for x in rows[-1].split(",")]
        expect(abs(row[1] + row[2] + row[3] - row[4]) < 1e-8, "the total is not the sum")
        ascii_rows = [line.split() for line in result.stdout.splitlines()]
        expect(len(ascii_rows) == 5 and all(len(r) == 9 for r in ascii_rows), "--ascii-energies is wrong", result)
        expect(float(ascii_rows[-1][3]) == row[4], "the two outputs differ", result)
        expect(target.joinpath("snapshot_000004.h5").read_bytes()[:4] == b"\x89HDF", "not an HDF5 file")
        between = (float(ascii_rows[2][1]) + float(ascii_rows[3][1])) / 2  # two steps and three
        for every, steps in (("1e-9", (1, 2, 3, 4)), (str(between), (3, 4))):
            result = run([*SMALL, "--output", str(target / every), "--snapshot-every", every, "--quiet"], 1)
            found = sorted(path.name for path in target.joinpath(every).glob("*.h5"))
            expect(found == [f"snapshot_{step:06d}.h5" for step in steps], f"every {every}: {found}", result)


def case_unwritable():
    with tempfile.TemporaryDirectory() as folder:
        occupied = pathlib.Path(folder, "file")
        occupied.write_text("mine")
        for path in (occupied, occupied / "below", "/proc/evrard"):
            expect_refusal(run([*SMALL, "--output", str(path)], 2), str(path))
        expect(occupied.read_text() == "mine", "a stranger's file was changed")
        blocked = pathlib.Path(folder, "blocked")
        blocked.joinpath("energies.csv").mkdir(parents=True)
        expect_refusal(run([*SMALL, "--output", str(blocked)], 2), "energies.csv")
        expect([p.name for p in blocked.iterdir()] == ["energies.csv"], "something was left behind")


def case_full_disk():
    """A limit on file sizes stands for a full file system: writes fail in the middle of a file in the same way."""
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "out")
        # UCX, below MPICH, keeps shared memory in files that the limit would meet first; one rank can do without.
        result = run([*SMALL, "--output", str(target)], 0, limit_bytes=50, UCX_TLS="self,tcp")
        expect_refusal(result, "energies.csv")
        expect(list(target.iterdir()) == [], f"left behind: {list(target.iterdir())}")
        # Now the energies fit and the snapshot does not: the energies stay, whole, and nothing else.
        result = run([*SMALL, "--output", str(target)], 0, limit_bytes=5000, UCX_TLS="self,tcp")
        expect_refusal(result, "snapshot_000004.h5")
        expect([p.name for p in target.iterdir()] == ["energies.csv"], f"left behind: {list(target.iterdir())}")
        expect(target.joinpath("energies.csv").read_text().endswith("\n"), "energies.csv is cut")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run([EVRARD, *SMALL, "--ascii-energies"], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=600, check=False)
        expect(result.returncode == 2 and "standard output" in result.stderr, f"full stdout: {result.stderr}")


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
CASES[CASE]()
