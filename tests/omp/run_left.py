#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs left/left.c: loops that are left to libomp's static, or have a standing execution, run every iteration once, and
really are left, or stand. None is left while its steps are recorded: a record has one row per execution.

Exit status: 0 all passed, 1 something failed.
"""
import argparse
import csv
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAMS = ("left-gcc", "left-clang")
THREADS = ("2", "3", "8")
LIMIT_S = 600


# With cancellation no execution stands.
LEFT = {"GIMBAL_SCHEDULE": "auto", "OMP_CANCELLATION": "true"}
RECORDED = LEFT | {"GIMBAL_RECORD": "steps.csv"}
STANDING = tuple({"GIMBAL_SCHEDULE": schedule} for schedule in ("gss", "ss,7", "feedback", "static-steal", "auto"))


def run(program, threads, library, folder, settings):
    """One run. Returns what is wrong, or None, how many loops had a standing execution at the end, and how many
    executions were left to libomp."""
    out = pathlib.Path(folder) / "record.json"
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "GIMBAL_", "LD_PRELOAD"))}
    environment |= {"LD_PRELOAD": str(library), "OMP_SCHEDULE": "runtime", "GIMBAL_REPORT": "off",
                    "GIMBAL_CACHE": "off", "GIMBAL_OUTPUT": str(out)} | settings
    done = subprocess.run([str(program), "300", threads], capture_output=True, text=True, timeout=LIMIT_S,
                          env=environment, cwd=folder, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stdout[-600:]}{done.stderr[-300:]}", 0, 0
    if settings is RECORDED and (problem := problem_of_steps(pathlib.Path(folder), out)):
        return problem, 0, 0
    left = sum(loop.get("untimed_calls", 0) for loop in json.loads(out.read_text())["loops"])
    return None, int(re.search(r"(\d+) standing", done.stdout).group(1)), left if settings is LEFT else 0


def problem_of_steps(folder, out):
    """What is wrong with a recorded run, or None."""
    calls = sum(loop["calls"] for loop in json.loads(out.read_text())["loops"])
    with (folder / "steps.csv").open(newline="", encoding="utf-8") as file:
        rows = sum(1 for _ in csv.DictReader(file))
    return None if rows == calls else f"{rows} steps were recorded of {calls} executions"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failed = runs = stood = left = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            program = options.programs / name
            if not program.is_file():
                print(f"SKIPPED {name}: not built, its compiler is missing")
                continue
            for settings, threads in itertools.product((LEFT, RECORDED, *STANDING), THREADS):
                runs += 1
                problem, standing, untimed = run(program, threads, options.library, folder, settings)
                stood += standing
                left += untimed
                if problem:
                    failed += 1
                    print(f"FAILED {name} with {threads} threads, {settings}: {problem}")
    # Where the machine is busy loops take so long that each execution is learnt from: not in all of these runs.
    for what, count in (("stood", stood), ("was left to libomp", left)):
        if runs and not count:
            failed += 1
            print(f"FAILED no execution {what}: this tested nothing")
    print(f"omp left: {runs} runs, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
