#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built nbody program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py NBODY CASE
"""

import json
import os
import subprocess
import sys

PROGRAM, CASE = sys.argv[1:3]
SMALL = ["--bodies", "500", "--steps", "3"]


def run(arguments, **environment):
    env = {**os.environ, **environment}
    return subprocess.run([PROGRAM, *arguments], env=env, capture_output=True, text=True, timeout=60, check=False)


def expect(good, message, result=None):
    if not good:
        detail = f"\nexit {result.returncode}\n{result.stdout}\n{result.stderr}" if result else ""
        sys.exit(f"program_test {CASE}: {message}{detail}")


def report(arguments, **environment):
    """The last line of --json, which the table and its checksum precede."""
    result = run([*arguments, "--json"], **environment)
    expect(result.returncode == 0 and result.stderr == "", "failed", result)
    lines = result.stdout.splitlines()
    found = json.loads(lines[-1])
    expect(f"checksum {found['checksum']}" == lines[-2], "table and JSON differ", result)
    return found


def case_checksum():
    expected = report(SMALL, OMP_SCHEDULE="static", OMP_NUM_THREADS="1")["checksum"]
    for schedule in ("static", "dynamic,1", "guided"):
        for threads in ("1", "2", "5"):
            found = report(SMALL, OMP_SCHEDULE=schedule, OMP_NUM_THREADS=threads)["checksum"]
            expect(found == expected, f"{threads} threads, {schedule}: {found} is not {expected}")
    expect(report([*SMALL[:-1], "4"])["checksum"] != expected, "the checksum does not see the steps")
    expect(report([*SMALL, "--seed", "2"])["checksum"] != expected, "the checksum does not see the bodies")


def case_json():
    found = report([*SMALL, "--serial-check"], OMP_NUM_THREADS="2")
    expect(found["program"] == "nbody" and found["steps"] == 3 and found["threads"] == 2, f"wrong: {found}")
    expect([loop["name"] for loop in found["loops"]] == ["drift", "force"], f"wrong loops: {found}")
    for loop in found["loops"]:
        for key in ("times_s", "serial_s"):
            expect(len(loop[key]) == 3 and all(0 < t < 60 for t in loop[key]), f"wrong {key}: {loop}")
    expect("serial_s" not in report(SMALL)["loops"][0], "serial times that nobody asked for")
    expect("{" not in run(SMALL).stdout, "JSON that nobody asked for")
    lines = [line for line in run([*SMALL, "--describe"]).stdout.splitlines() if line.startswith("work ")]
    expect(len(lines) == 2 and all("cov 0." in line for line in lines), f"--describe says nothing: {lines}")


def case_options():
    wrong = {
        "--bodies": ["0", "1", "-5", "1e99", "many", "", "99999999999999999999"],
        "--clusters": ["0", "-1", "1001", "x"],
        "--cutoff": ["0", "-1", "nan", "inf", "3", "x"],
        "--dt": ["0", "-1", "nan", "inf", "x"],
        "--steps": ["0", "-1", "x\ny", "x" * 10000],
        "--seed": ["-1", "x"],
    }
    for option, values in wrong.items():
        for value in values:
            expect_refusal(run([f"{option}={value}"]), option)
    expect_refusal(run(["--colour"]), "--colour")
    result = run(["--help"])
    expect(result.returncode == 0 and "--cutoff" in result.stdout, "--help says nothing", result)


def expect_refusal(result, word):
    expect(result.returncode == 2 and result.stdout == "", "exit code is not 2, or output", result)
    lines = result.stderr.splitlines()
    expect(len(lines) == 1 and lines[0].startswith("nbody: error:") and word in lines[0],
           f"not exactly one error line with '{word}'", result)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
CASES[CASE]()
