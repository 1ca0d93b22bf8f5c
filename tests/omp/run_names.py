#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asserts that libomp answers what a program of gcc's or gfortran's asks of OpenMP, and answers as libgomp does.

What libomp lacks under the version of libgomp's that a program asks for is answered by the idle libgomp, which knows
nothing of the program's teams and tasks: names and versions are compared with the libgomp of this gcc. names/ has
programs that use them: they print the same under both runtimes.

Exit status: 0 all passed, 1 something failed.
"""
import argparse
import os
import pathlib
import subprocess
import sys

PROGRAMS = ("names-gcc", "names-gfortran", "names-gfortran-8")
LIMIT_S = 60


def names_of(library):
    """{"omp_get_level@OMP_3.0", ...}: what a library offers, by version, the default one or not."""
    text = subprocess.run(["readelf", "--dyn-syms", "--wide", str(library)], capture_output=True, text=True,
                          check=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {row[7].replace("@@", "@") for row in rows if len(row) > 7 and row[6] not in ("UND", "Ndx")}


def may_stay(name):
    """Memory of devices: libomp has none, only libomptarget, which gcc's programs do not load. libgomp, which has their
    target regions too, answers by itself and keeps nothing of teams; libomp asks it how many devices there are, so
    both give the host the same number (names/names.c)."""
    return name.startswith("omp_target_") or name.startswith("omp_get_mapped_ptr@")


def missing_names(gcc, library):
    libgomp = subprocess.run([gcc, "-print-file-name=libgomp.so.1"], capture_output=True, text=True,
                             check=True).stdout.strip()
    wanted = {name for name in names_of(libgomp) if name.startswith("omp_") and "@" in name}
    offered = names_of(library)
    missing = sorted(name for name in wanted - offered if not may_stay(name))
    for name in missing:
        print(f"FAILED libomp lacks {name}, so that libgomp answers")
    if len(wanted) < 150:
        print(f"FAILED only {len(wanted)} functions were found in {libgomp}: this tested nothing")
        return 1
    print(f"omp names: {len(wanted)} functions of libgomp's, {len(missing)} missing")
    return len(missing)


def run(program, *words, **more):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("OMP_", "KMP_", "GOMP_", "GIMBAL_", "LD_PRELOAD"))}
    environment |= {"OMP_NUM_THREADS": "2", "OMP_PLACES": "threads", "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off"}
    return subprocess.run([str(program), *words], capture_output=True, text=True, timeout=LIMIT_S, check=False,
                          env=environment | more)


def problem_of(program, library):
    """What is wrong with a program's answers, or None."""
    expected = run(program)
    if expected.returncode != 0 or not expected.stdout:
        return f"without Gimbal: exit status {expected.returncode}: {expected.stdout}{expected.stderr}"
    for schedule in ("auto", "fac2"):
        done = run(program, LD_PRELOAD=str(library), GIMBAL_SCHEDULE=schedule)
        if (done.returncode, done.stdout) != (0, expected.stdout):
            return f"{schedule}: exit status {done.returncode}: {done.stdout}{done.stderr}\nlibgomp: {expected.stdout}"
    settings = run(program, "env", LD_PRELOAD=str(library), GIMBAL_SCHEDULE="fac2").stderr
    if settings.count("OPENMP DISPLAY ENVIRONMENT BEGIN") != 1 or "[host] OMP_SCHEDULE='runtime'" not in settings:
        return f"omp_display_env() shows other settings than libomp's: {settings}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the programs")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the patched libomp.so")
    parser.add_argument("--gcc", required=True)
    options = parser.parse_args()
    failed = missing_names(options.gcc, options.library)
    for name in PROGRAMS:
        if not (options.programs / name).is_file():
            print(f"SKIPPED {name}: not built, its compiler is missing")
        elif problem := problem_of(options.programs / name, options.library.resolve()):
            print(f"FAILED {name}: {problem}")
            failed += 1
    print(f"omp names: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
