#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built calu program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py CALU CASE
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import PROGRAM, expect, expect_refusal, report, run, run_case, same_under_every_schedule  # noqa: E402

SMALL = ["--size", "100", "--block", "16", "--repeat", "2"]


def case_checksum():
    expected = same_under_every_schedule(SMALL)
    expect(report([*SMALL, "--seed", "2"])["checksum"] != expected, "the seed does not matter")


def case_json():
    found = report([*SMALL, "--serial-check"], OMP_NUM_THREADS="2")
    expect(found["program"] == "calu" and found["steps"] == 12 and found["threads"] == 2, f"wrong: {found}")
    expect(0 < found["residual"] < 1 and found["total_s"] > 0 and found["gflops"] > 0, f"wrong: {found}")
    expect([loop["name"] for loop in found["loops"]] == ["update"], f"wrong loops: {found}")
    for key in ("times_s", "serial_s"):
        expect(len(found["loops"][0][key]) == 12, f"wrong: {found}")
    expect(report(["--size", "8", "--block", "8"])["loops"][0]["times_s"] == [], "a loop where there is one block")


def case_memory():
    found = subprocess.run([PROGRAM, "--size", "20000"], capture_output=True, text=True, timeout=300, check=False,
                           env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
    expect(found.returncode == 1 and found.stderr == "calu: error: not enough memory for three matrices of 20000 x "
           "20000 (9.6 GB)\n", "not one line", found)


def case_options():
    wrong = {
        "--size": ["0", "1", "-5", "20001", "1e99", "x", ""],
        "--block": ["0", "-1", "x"],
        "--leaves": ["0", "-1", "x"],
        "--repeat": ["0", "-1", "x"],
        "--seed": ["-1", "x"],
    }
    for option, values in wrong.items():
        for value in values:
            expect_refusal(run([f"{option}={value}"]), option)
    result = run(["--help"])
    expect(result.returncode == 0 and "--leaves" in result.stdout, "--help says nothing", result)


run_case(globals())
