#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the built aco program and checks what a user sees: checksums, JSON, messages, exit codes.

usage: program_test.py ACO CASE
"""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app_program import expect, expect_refusal, report, run, run_case, same_under_every_schedule  # noqa: E402

SMALL = ["--ants", "20", "--iterations", "5"]
APART = ["--barrier", "none", "--colony", "5"]


def case_checksum():
    for barrier in ([], APART):
        expected = same_under_every_schedule([*SMALL, *barrier, "--variant", "openmp"])
        for threads in ("1", "2", "3", "4", "5"):
            found = report([*SMALL, *barrier, "--threads", threads])["checksum"]
            expect(found == expected, f"a farm of {threads}: {found} is not {expected}")
        for other in (["--seed", "2"], ["--instance", "wt40:2"], ["--instance", "wt50:1"], ["--iterations", "6"]):
            expect(report([*SMALL[: 2 if "--iter" in other[0] else 4], *barrier, *other])["checksum"] != expected,
                   f"the checksum does not see {other}")


def case_json():
    found = report([*SMALL, "--threads", "3", "--repeat", "4", "--instance", "wt40:31"])
    for key, value in {"program": "aco", "steps": 5, "threads": 3, "instance": "wt40:31", "variant": "farm",
                       "barrier": "each", "ants": 20, "instances": 1, "listed": 6575}.items():
        expect(found[key] == value, f"wrong {key}: {found}")
    expect(found["tardiness"] >= 6575 and found["reached"] == int(found["tardiness"] == 6575), f"wrong: {found}")
    gap = 100 * (found["tardiness"] / 6575 - 1)
    expect(abs(found["gap_percent"] - gap) < 1e-6 and found["worst_gap_percent"] == found["gap_percent"], f"{found}")
    [loop] = found["loops"]
    expect(loop["name"] == "search" and len(loop["times_s"]) == 4, f"wrong loop: {loop}")
    expect(abs(sum(loop["times_s"]) - found["completion_s"]) < 1e-6, f"wrong completion: {found}")
    work = found["thread_work"]
    expect(len(work) == 3 and sum(thread["ants"] for thread in work) == 4 * 5 * 20, f"wrong work: {work}")
    expect(all(0 < thread["cpu_s"] < 60 for thread in work), f"wrong processor time: {work}")
    expect("{" not in run(SMALL).stdout, "JSON that nobody asked for")
    found = report([*SMALL, *APART, "--variant", "openmp"], OMP_NUM_THREADS="3")
    expect(found["threads"] == 3 and found["variant"] == "openmp" and found["barrier"] == "none", f"wrong: {found}")
    expect(report([*SMALL, "--instance", "wt40:101"])["listed"] == 0, "the optimum of wt40:101 is 0")


def case_all():
    found = report(["--all", "wt40", "--ants", "5", "--iterations", "2", "--threads", "2"])
    expect(found["instance"] == "wt40:all" and found["instances"] == 125, f"wrong: {found}")
    expect(5 < found["reached"] < 125 and 0 < found["gap_percent"] < found["worst_gap_percent"], f"wrong: {found}")
    expect(len(found["loops"][0]["times_s"]) == 125, f"wrong: {found}")
    again = report(["--all", "wt40", "--ants", "5", "--iterations", "2", "--variant", "openmp"], OMP_NUM_THREADS="3")
    expect(again["checksum"] == found["checksum"], "another checksum by OpenMP")


def case_options():
    wrong = {
        "--instance": ["wt40", "wt40:", "wt40:0", "wt40:126", "wt40:1x", "wt40:-1", "wt41:1", ":1", "", "x" * 10000],
        "--all": ["wt41", "", "wt40:1"],
        "--ants": ["0", "-1", "100001", "x"],
        "--iterations": ["0", "-1", "1e99", "x\ny"],
        "--threads": ["0", "-1", "100000", "x"],
        "--variant": ["tbb", ""],
        "--barrier": ["some", ""],
        "--repeat": ["0", "x"],
        "--seed": ["-1", "x"],
    }
    for option, values in wrong.items():
        for value in values:
            expect_refusal(run([f"{option}={value}"]), option)
    expect_refusal(run(["--all=wt40", "--instance=wt40:1"]), "--all")
    expect_refusal(run(["--colony=10"]), "--colony")
    expect_refusal(run(["--barrier=none", "--colony=7", "--ants=20"]), "--ants")
    expect_refusal(run(["--colour"]), "--colour")
    result = run(["--help"])
    expect(result.returncode == 0 and "--barrier" in result.stdout, "--help says nothing", result)


def case_data():
    with tempfile.TemporaryDirectory() as folder:
        for text, word in ((None, "cannot be read"), ("1 2 3", "3 numbers"), ("1 2\nthree", ":2: 'three'")):
            if text is not None:
                (Path(folder) / "wt40.txt").write_text(text, encoding="utf-8")
            result = run(["--data", folder])
            lines = result.stderr.splitlines()
            expect(result.returncode == 1 and result.stdout == "" and len(lines) == 1
                   and lines[0].startswith("aco: error: ") and "wt40.txt" in lines[0] and word in lines[0],
                   f"not exactly one error line with '{word}'", result)


run_case(globals())
