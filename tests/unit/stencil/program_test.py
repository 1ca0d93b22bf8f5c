#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built stencil program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py STENCIL CASE
"""

import json
import os
import subprocess
import sys

PROGRAM, CASE = sys.argv[1:3]
SMALL = ["--size", "24", "--steps", "3"]


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
    for mode in ("iteration", "thread"):
        found = report([*SMALL, "--noise", mode, "--noise-us", "20", "--noise-every", "50"], OMP_SCHEDULE="guided")
        expect(found["checksum"] == expected, f"noise by {mode} changes the result")
    expect(report([*SMALL[:-1], "4"])["checksum"] != expected, "the checksum does not see the steps")


def case_json():
    found = report([*SMALL, "--serial-check"], OMP_NUM_THREADS="2")
    expect(found["program"] == "stencil" and found["steps"] == 3 and found["threads"] == 2, f"wrong: {found}")
    expect(0 < found["error"] < 1e-12, f"wrong error: {found}")
    expect([loop["name"] for loop in found["loops"]] == ["update"], f"wrong loops: {found}")
    for key in ("times_s", "serial_s"):
        expect(len(found["loops"][0][key]) == 3 and all(0 < t < 60 for t in found["loops"][0][key]), f"wrong: {found}")
    expect("serial_s" not in report(SMALL)["loops"][0], "serial times that nobody asked for")
    expect("{" not in run(SMALL).stdout, "JSON that nobody asked for")


def case_noise():
    """A loop cannot take less time than one delay of its only iterations; which thread is delayed is chosen."""
    slow = ["--size", "2", "--steps", "2", "--noise-us", "3000", "--noise-every", "1"]
    for threads in ("1", "2"):
        found = report([*slow, "--noise", "iteration", "--serial-check"], OMP_SCHEDULE="static",
                       OMP_NUM_THREADS=threads)
        for loop_s, serial_s in zip(found["loops"][0]["times_s"], found["loops"][0]["serial_s"]):
            expect(loop_s >= 4 / int(threads) * 3e-3 and serial_s >= 4 * 3e-3, f"delays are missing: {found}")
    found = report([*slow, "--noise", "thread", "--noise-thread", "1"], OMP_SCHEDULE="static", OMP_NUM_THREADS="2")
    expect(min(found["loops"][0]["times_s"]) >= 2 * 3e-3, f"thread 1 is not delayed: {found}")


def case_options():
    wrong = {
        "--size": ["0", "1", "-5", "1e99", "many", "", "2001", "99999999999999999999"],
        "--steps": ["0", "-1", "x\ny", "x" * 10000],
        "--noise": ["", "loud"],
        "--noise=iteration --noise-us": ["-1", "nan", "inf", "x"],
        "--noise=iteration --noise-every": ["0", "-1", "nan"],
        "--noise=thread --noise-thread": ["-1", "1000000"],
        "--noise=iteration --noise-thread": ["0"],
        "--noise=iteration --seed": ["-1", "x"],
        "--noise-us": ["5"],
        "--noise-every": ["5"],
        "--noise-thread": ["0"],
        "--seed": ["5"],
    }
    for options, values in wrong.items():
        *before, option = options.split()
        for value in values:
            expect_refusal(run([*before, f"{option}={value}"]), option)
    expect_refusal(run(["--colour"]), "--colour")
    result = run(["--help"])
    expect(result.returncode == 0 and "--noise-us" in result.stdout, "--help says nothing", result)


def expect_refusal(result, word):
    expect(result.returncode == 2 and result.stdout == "", "exit code is not 2, or output", result)
    lines = result.stderr.splitlines()
    expect(len(lines) == 1 and lines[0].startswith("stencil: error:") and word in lines[0],
           f"not exactly one error line with '{word}'", result)


CASES = {name[5:]: function for name, function in list(globals().items()) if name.startswith("case_")}
CASES[CASE]()
