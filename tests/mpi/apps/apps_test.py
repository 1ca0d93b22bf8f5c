#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a built app on several ranks and checks that its answer does not depend on who ran what.

usage: apps_test.py CASE PROGRAM RANKS LAUNCHER...     (LAUNCHER: mpiexec and its options, without -n)
"""

import json
import os
import subprocess
import sys
from pathlib import Path

CASE, PROGRAM, RANKS = sys.argv[1:4]
LAUNCHER = sys.argv[4:]
NAME = Path(PROGRAM).name
REFUSED = 2

# What the sum over schedules is to show: planned by one counter, by a table, weighted, adaptive, learnt.
SCHEDULES = ("ss,3", "gss", "fac2", "awf-b", "af", "auto")


def run(arguments, ranks=RANKS, **environment):
    """The finished program; a rank that hangs is an error after five minutes."""
    command = [*LAUNCHER, "-n", str(ranks), PROGRAM, *arguments]
    env = {**os.environ, "GIMBAL_REPORT": "off", "OMP_WAIT_POLICY": "passive", **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)


def expect(good, message, result=None):
    if not good:
        detail = f"\nexit {result.returncode}\n{result.stdout}\n{result.stderr}" if result else ""
        sys.exit(f"apps_test {NAME} {CASE}, {RANKS} ranks: {message}{detail}")


def report(arguments, ranks=RANKS, **environment):
    """The last line of --json, of a run that must have gone well."""
    result = run([*arguments, "--json"], ranks, **environment)
    expect(result.returncode == 0, f"{arguments} {environment} failed", result)
    lines = result.stdout.splitlines()
    found = json.loads(lines[-1])
    expect(f"checksum {found['checksum']}" in lines, "table and JSON differ", result)
    expect(sum(line.startswith("checksum") for line in lines) == 1, "not exactly one rank speaks", result)
    return found


def same(expected, arguments, **environment):
    """Run; the checksum must be the expected one. @return what the program reported"""
    found = report(arguments, **environment)
    expect(found["checksum"] == expected, f"{arguments} {environment}: {found['checksum']} is not {expected}")
    expect(found["ranks"] == int(RANKS), f"wrong number of ranks: {found}")
    return found


def same_under_all_schedules(expected, arguments, option):
    """Every schedule, given by the environment or by the program's option, and by every transport that one node has."""
    same(expected, [*arguments, option, "static"])
    for schedule in SCHEDULES:
        same(expected, arguments, GIMBAL_MPI_SCHEDULE=schedule)
    same(expected, [*arguments, option, "tss"])
    for transport in ("shared", "foreman"):
        same(expected, arguments, GIMBAL_MPI_TRANSPORT=transport, GIMBAL_MPI_SCHEDULE="fac2")


def one_error(result, word, code):
    """Wrong use: the exit code, no output, and one rank says one line that holds the word."""
    lines = [line for line in result.stderr.splitlines() if line.startswith(f"{NAME}: error:")]
    expect(result.returncode == code and result.stdout == "", f"exit code is not {code}, or output", result)
    expect(len(lines) == 1 and word in lines[0], f"not exactly one error line with '{word}'", result)


PI = ["--iterations", "257", "--mean", "400", "--imbalance", "30", "--blocks", "3", "--steps", "4"]


def case_pisolver_replicated():
    expected = report([*PI, "--schedule", "static"], 1)["checksum"]
    same_under_all_schedules(expected, PI, "--schedule")
    found = same(expected, [*PI, "--schedule", "ss,1"])
    expect(found["chunks"] == 4 * 257 or RANKS == "1", f"ss,1 has a chunk for every iteration: {found}")
    for few in sorted({1, int(RANKS) - 1 or 1, int(RANKS), int(RANKS) + 1}):
        arguments = ["--iterations", str(few), "--mean", "300", "--blocks", "2", "--steps", "20"]
        same(report([*arguments, "--schedule", "static"], 1)["checksum"], arguments)
    one_error(run([*PI, "--schedule", "fac22"]), "fac22", REFUSED)
    one_error(run(["--imbalance", "31"]), "--imbalance", REFUSED)


def case_pisolver_distributed():
    expected = report([*PI, "--schedule", "static"], 1)["checksum"]
    arguments = [*PI, "--distributed"]
    same(expected, [*arguments, "--schedule", "static"])
    for rule in ("nearest", "seed"):
        for ratio in ("0.5", "1"):
            found = same(expected, arguments, GIMBAL_MPI_STEAL=rule, GIMBAL_MPI_STEAL_RATIO=ratio)
            expect(found["steals"] <= found["steal_attempts"] and found["stolen"] <= 4 * 257, f"wrong: {found}")
            expect((found["stolen"] > 0) == (found["bytes"] > 0) == (found["steals"] > 0), f"wrong: {found}")
    few = ["--iterations", str(int(RANKS) - 1 or 1), "--mean", "300", "--blocks", "2", "--steps", "20"]
    same(report([*few, "--schedule", "static"], 1)["checksum"], [*few, "--distributed"])


MANDELBROT = ["--size", "40", "--max-iterations", "200", "--steps", "3", "--ranks"]


def case_mandelbrot():
    alone = subprocess.run([PROGRAM, *MANDELBROT[:-1]], capture_output=True, text=True, timeout=300, check=True)
    expected = alone.stdout.splitlines()[-1].split()[1]
    same_under_all_schedules(expected, MANDELBROT, "--rank-schedule")
    for threads in ("1", "3"):
        found = same(expected, MANDELBROT, OMP_SCHEDULE="dynamic,5", OMP_NUM_THREADS=threads)
        expect([loop["name"] for loop in found["loops"]] == ["L1", "L2", "L3", "step"], f"wrong loops: {found}")
    tiny = ["--width", "1", "--height", "2", "--steps", "5", "--loops", "3,1"]
    alone = subprocess.run([PROGRAM, *tiny], capture_output=True, text=True, timeout=300, check=True)
    same(alone.stdout.splitlines()[-1].split()[1], [*tiny, "--ranks"])
    one_error(run([*MANDELBROT, "--rank-schedule", "fac22"]), "fac22", REFUSED)


EVRARD = ["--particles", "300", "--steps", "3"]


def case_evrard():
    expected = report([*EVRARD, "--rank-schedule", "static"], 1)["checksum"]
    same_under_all_schedules(expected, EVRARD, "--rank-schedule")
    same(expected, [*EVRARD, "--order", "morton"], OMP_SCHEDULE="dynamic,1", OMP_NUM_THREADS="3")
    one_error(run([*EVRARD, "--rank-schedule", "fac22"]), "fac22", REFUSED)


globals()[f"case_{CASE}"]()
