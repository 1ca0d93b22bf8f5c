#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built stencil program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py STENCIL CASE
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import expect, expect_refusal, report, run, run_case, same_under_every_schedule  # noqa: E402

SMALL = ["--size", "24", "--steps", "3"]


def case_checksum():
    expected = same_under_every_schedule(SMALL)
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


run_case(globals())
