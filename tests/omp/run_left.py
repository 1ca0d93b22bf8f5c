#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs left/left.c: loops that are left to libomp's static run every iteration once, and really are left.

Exit status: 0 all passed, 1 something failed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = ("left-gcc", "left-clang")
THREADS = ("2", "3", "8")
LIMIT_S = 600


def run(program, threads, library, folder):
    """One run. Returns what is wrong, or None."""
    out = pathlib.Path(folder) / "record.json"
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "GIMBAL_", "LD_PRELOAD"))}
    environment |= {"LD_PRELOAD": str(library), "OMP_SCHEDULE": "runtime", "GIMBAL_SCHEDULE": "auto",
                    "OMP_CANCELLATION": "true", "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off",
                    "GIMBAL_OUTPUT": str(out)}
    done = subprocess.run([str(program), "300", threads], capture_output=True, text=True, timeout=LIMIT_S,
                          env=environment, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stdout[-600:]}{done.stderr[-300:]}"
    loops = json.loads(out.read_text())["loops"]
    left = sum(loop.get("untimed_calls", 0) for loop in loops)
    return None if left > 0 else "no execution was left to libomp: this tested nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    options = parser.parse_args()
    failed = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            program = options.programs / name
            if not program.is_file():
                print(f"SKIPPED {name}: not built, its compiler is missing")
                continue
            for threads in THREADS:
                runs += 1
                problem = run(program, threads, options.library, folder)
                if problem:
                    failed += 1
                    print(f"FAILED {name} with {threads} threads: {problem}")
    print(f"omp left: {runs} runs, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
