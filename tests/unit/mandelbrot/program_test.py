#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built mandelbrot program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py MANDELBROT CASE
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import expect, expect_refusal, report, run, run_case, same_under_every_schedule  # noqa: E402

SMALL = ["--size", "64", "--max-iterations", "200", "--steps", "3"]


def case_checksum():
    expected = same_under_every_schedule(SMALL)
    expect(report([*SMALL[:-1], "4"])["checksum"] != expected, "the checksum does not see the steps")
    expect(report([*SMALL, "--loops", "1"])["checksum"] != expected, "the checksum does not see the loops")


def case_json():
    found = report([*SMALL, "--serial-check", "--loops", "2,1"], OMP_NUM_THREADS="2")
    expect(found["program"] == "mandelbrot" and found["steps"] == 3 and found["threads"] == 2, f"wrong: {found}")
    expect([loop["name"] for loop in found["loops"]] == ["L2", "L1"], f"wrong loops: {found}")
    for loop in found["loops"]:
        for key in ("times_s", "serial_s"):
            expect(len(loop[key]) == 3 and all(0 < t < 60 for t in loop[key]), f"wrong {key}: {loop}")
    expect("serial_s" not in report(SMALL)["loops"][0], "serial times that nobody asked for")
    expect("{" not in run(SMALL).stdout, "JSON that nobody asked for")


def case_options():
    wrong = {
        "--size": ["0", "-5", "1e99", "many", "", "65537", "99999999999999999999"],
        "--width": ["0"],
        "--height": ["x\ny"],
        "--max-iterations": ["0", "-1", "nan", "3000000000"],
        "--steps": ["0", "-1", "x", "x" * 10000],
        "--loops": ["0", "4", "1,1", "1,x"],
    }
    for option, values in wrong.items():
        for value in values:
            expect_refusal(run([f"{option}={value}"]), option)
    expect_refusal(run(["--size", "10", "--width", "10"]), "--size")
    expect_refusal(run(["--colour"]), "--colour")
    result = run(["--help"])
    expect(result.returncode == 0 and "--max-iterations" in result.stdout, "--help says nothing", result)


run_case(globals())
