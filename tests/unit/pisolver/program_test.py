#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built pisolver alone, as one rank, and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py PISOLVER CASE
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import expect, expect_refusal, report, run, run_case  # noqa: E402

SMALL = ["--iterations", "100", "--mean", "500", "--imbalance", "30", "--blocks", "3", "--steps", "3"]


def case_checksum():
    expected = report([*SMALL, "--schedule", "static"])["checksum"]
    for way in (["--schedule", "loop"], ["--schedule", "fac2"], ["--schedule", "ss"], ["--distributed"],
                ["--distributed", "--schedule", "static"], ["--ns-per-step", "5"]):
        found = report([*SMALL, *way])["checksum"]
        expect(found == expected, f"{way}: {found} is not {expected}")
    for other in (["--seed", "2"], ["--steps", "4"], ["--dist", "iid"]):
        arguments = [*SMALL[:-2], *other] if other[0] == "--steps" else [*SMALL, *other]
        expect(report(arguments)["checksum"] != expected, f"the checksum does not see {other}")
    expect(report([*SMALL, "--warm-up", "0"])["checksum"] == expected, "steps that are not timed count")


def case_json():
    for way in (["--schedule", "static"], ["--schedule", "gss"]):
        found = report([*SMALL, *way])
        expect(found["program"] == "pisolver" and found["steps"] == 3 and found["ranks"] == 1, f"wrong: {found}")
        expect(found["iterations"] == 100 and found["mean"] == 500 and 3 <= found["chunks"] <= 300, f"wrong: {found}")
        expect(found["data"] == "replicated" and found["schedule"] == way[1], f"wrong: {found}")
        expect(found["imbalance"] == 0 and found["static_imbalance"] == 0, f"one rank is not balanced: {found}")
        expect(35000 <= found["total_work"] <= 65000, f"wrong work: {found}")
        expect(0 < found["busy_max_s"] == found["ideal_s"] <= 1.1 * found["loop_s"] + 0.01, f"wrong times: {found}")
        expect(0 < found["max_error"] < 1 / (12 * 350**2) + 1e-12, f"wrong error: {found}")
        expect([loop["name"] for loop in found["loops"]] == ["pi", "wall_mean", "busy_max", "busy_mean"], f"{found}")
        expect(all(len(loop["times_s"]) == 3 for loop in found["loops"]), f"wrong steps: {found}")
    expect("{" not in run(SMALL).stdout, "JSON that nobody asked for")


def case_options():
    wrong = {
        "--iterations": ["0", "-5", "1e99", "many", "", "99999999999999999999"],
        "--mean": ["0", "199", "nan", "1000001"],
        "--imbalance": ["-1", "31", "nan", "much"],
        "--dist": ["normal", "", "x\ny"],
        "--blocks": ["-1", "x"],
        "--ns-per-step": ["-1", "nan", "1001", "x"],
        "--seed": ["-1", "x"],
        "--steps": ["0", "-1", "x" * 10000],
        "--warm-up": ["-1"],
        "--schedule": [""],
    }
    for option, values in wrong.items():
        for value in values:
            expect_refusal(run([f"{option}={value}"]), option)
    expect_refusal(run(["--distributed", "--schedule", "fac2"]), "--schedule")
    expect_refusal(run(["--colour"]), "--colour")
    for word in ("fac22", "foo", "ss,0", "runtime,"):
        expect_refusal(run([*SMALL, "--schedule", word]), "--schedule")
    result = run(["--help"])
    expect(result.returncode == 0 and "--imbalance" in result.stdout, "--help says nothing", result)


run_case(globals())
