#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built nbody program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py NBODY CASE
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import expect, expect_refusal, report, run, run_case, same_under_every_schedule  # noqa: E402

SMALL = ["--bodies", "500", "--steps", "3"]


def case_checksum():
    expected = same_under_every_schedule(SMALL)
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


run_case(globals())
