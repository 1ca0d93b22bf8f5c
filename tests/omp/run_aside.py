#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops beside a program that takes one of their cores in turns: each iteration once, and threads stand aside.

Exit status: 0 passed, 1 something failed, 77 one processor: nobody to leave anything to.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCHEDULES = ("usched", "usched,0", "usched,0.5", "vsched", "vsched,0.5")
EXECUTIONS = 250
TRIES = 3  # that threads stand aside needs the neighbour to be there at the right moments
SPIN = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass\n"


def run(program, library, schedule):
    """@return text that says what failed, times that a thread stood aside"""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "GOMP_", "GIMBAL_", "LD_PRELOAD"))}
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.json"
        environment |= {"LD_PRELOAD": str(library), "GIMBAL_SCHEDULE": schedule, "OMP_SCHEDULE": "runtime",
                        "OMP_NUM_THREADS": "2", "OMP_PLACES": "threads", "OMP_PROC_BIND": "true",
                        "GIMBAL_REPORT": "summary", "GIMBAL_OUTPUT": str(record)}
        done = subprocess.run([program, str(EXECUTIONS)], capture_output=True, text=True, timeout=120, env=environment,
                              check=False)
        if done.returncode != 0 or not done.stdout.startswith("0 wrong"):
            return f"{schedule}: {done.stdout}{done.stderr}", 0
        times = sum(loop["stood_aside"] for loop in json.loads(record.read_text(encoding="utf-8"))["loops"])
        if (times > 0) != ("left the end of a loop to the others" in done.stderr):
            return f"{schedule}: {times} times in the record, the report says\n{done.stderr}", times
        return None, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    options = parser.parse_args()
    processors = sorted(os.sched_getaffinity(0))
    programs = [options.programs / name for name in ("aside-clang", "aside-gcc")]
    programs = [program for program in programs if program.is_file()]
    if len(processors) < 2 or not programs:
        print("SKIPPED: it needs two processors and a compiler")
        return 77
    with subprocess.Popen([sys.executable, "-c", SPIN, str(os.getpid())]) as hog:
        try:
            os.sched_setaffinity(hog.pid, {processors[1]})
            for program in programs:
                for schedule in SCHEDULES:
                    for _ in range(TRIES):
                        problem, times = run(program, options.library, schedule)
                        if problem:
                            print("FAILED", program.name, problem)
                            return 1
                        if times > 0:
                            break
                    else:
                        print(f"FAILED {program.name} {schedule}: no thread ever stood aside")
                        return 1
                    print(f"{program.name} {schedule}: each iteration once, {times} times a thread stood aside")
        finally:
            hog.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
