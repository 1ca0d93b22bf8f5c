#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the loop programs under every technique, chunk and way of waiting; prints what failed and one summary line.

Exit status: 0 all passed, 1 something failed, 2 the set-up is wrong (no library, no tool, no program).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time
from dataclasses import dataclass

# What follows the comma; for techniques with a static fraction, that and the chunk.
CHUNKS = (None, "1", "7", "1000")
FRACTIONS = (None, "0.5:1", "0:7", "0.37:1000", "1")
# Names that OpenMP gives a meaning of its own: Gimbal's version is asked for through GIMBAL_SCHEDULE.
OPENMP_NAMES = {"static", "dynamic", "guided", "auto", "trapezoidal", "static_steal"}
# Ordinary schedules: the patched library must serve them as the original does. Not nonmonotonic:dynamic: there the
# original loses lastprivate values and ignores schedule(monotonic: runtime).
ORDINARY = ("static", "dynamic,3", "guided", "monotonic:dynamic,2")
C_PROGRAMS = ("loops-clang", "loops-gcc")
BARE_PROGRAMS = ("loops-clang-nodebug", "loops-gcc-nodebug")
FORTRAN_PROGRAMS = ("loops-gfortran",)
RUN_LIMIT_S = 600
FEW_THREADS = ("--threads", "1", "--threads", "2", "--threads", "3")
ASLEEP = (("KMP_BLOCKTIME", "0"), ("OMP_WAIT_POLICY", "passive"))
SOON_ASLEEP = (("KMP_BLOCKTIME", "100us"),)  # two thirds of the time that sleeping at once takes


@dataclass(frozen=True)
class Job:
    """One program under one schedule."""

    program: str
    schedule: str
    environment: tuple  # pairs (name, value)
    arguments: tuple
    mode: str

    def describe(self):
        """The command line that repeats this job by hand, less the preloaded library."""
        pairs = " ".join(f"{name}={value}" for name, value in self.environment)
        return f"{pairs} {self.program} {' '.join(self.arguments)}"


def clean_environment():
    """The caller's environment without anything that steers an OpenMP runtime."""
    prefixes = ("OMP_", "KMP_", "GOMP_", "LIBOMP_", "GIMBAL_", "LD_PRELOAD")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return kept | {"GIMBAL_CACHE": "off"}


def technique_parameters(tool):
    """Names that `gimbal info techniques --json` lists, each with what is tried after the comma."""
    done = subprocess.run([tool, "info", "techniques", "--json"], capture_output=True, text=True, timeout=600,
                          env=clean_environment(), check=False)
    if done.returncode != 0:
        sys.exit(f"run_matrix: {tool} info techniques --json failed: {done.stderr.strip()}")
    return {entry["name"]: FRACTIONS if entry["takes_fraction"] else CHUNKS for entry in json.loads(done.stdout)}


def schedule_environment(technique, chunk, by_gimbal):
    """The two ways to ask for a technique: OMP_SCHEDULE alone, or OMP_SCHEDULE=runtime with GIMBAL_SCHEDULE."""
    text = technique if chunk is None else f"{technique},{chunk}"
    if by_gimbal or technique in OPENMP_NAMES:
        return text, (("OMP_SCHEDULE", "runtime"), ("GIMBAL_SCHEDULE", text))
    return text, (("OMP_SCHEDULE", text),)


def jobs_for(number, technique, chunks, quick):
    """All jobs of one technique, the number-th: full size once, the rest quick.

    What a compiler makes of a loop does not depend on the technique: of every chunk, one compiler's program runs with
    1 to 3 threads, the other's with 8, and the next chunk has them the other way round.
    How threads wait has nothing to do with the technique, the chunk or debug information. Threads that spin on the cores
    of fewer take most of the time, and those that sleep at once nearly as much: they spin in every third technique's
    run in full size, sleep at once in the runs with 8 threads and no chunk, and sleep soon in all others.
    """
    jobs = []
    for place, chunk in enumerate(chunks[:2] if quick else chunks):
        compilers = (place + len(technique)) % 2
        for by_gimbal, mode, extra, arguments in (
                (False, "normal", (), ()),
                (True, "oversubscribed", ASLEEP if chunk is None else SOON_ASLEEP, ("--threads", "8"))):
            text, environment = schedule_environment(technique, chunk, by_gimbal)
            if mode == "normal" and (chunk is not None or number % 3):
                extra = SOON_ASLEEP
            size = () if chunk is None and mode == "normal" and not quick else ("--quick",)
            if size and mode == "normal":
                arguments = FEW_THREADS
            program = C_PROGRAMS[(compilers + (mode == "normal")) % 2]
            jobs.append(Job(program, text, environment + extra, ("--all",) + size + arguments, mode))
            if mode == "normal" and chunk in (None, "7", "0:7"):
                jobs += [Job(p, text, environment + extra, ("--all",), mode) for p in FORTRAN_PROGRAMS]
            if mode == "normal" and chunk is None:
                jobs.append(Job(BARE_PROGRAMS[compilers], text, environment + SOON_ASLEEP,
                                ("--all", "--quick") + FEW_THREADS, mode))
    return jobs


def ordinary_jobs():
    """Ordinary schedules, without the forms that the original library gets wrong. One program's threads spin."""
    return [Job(program, schedule, (("OMP_SCHEDULE", schedule),) + waiting, ("--quick",), "ordinary")
            for schedule in ORDINARY for program in C_PROGRAMS + BARE_PROGRAMS + FORTRAN_PROGRAMS
            for waiting in [() if program == C_PROGRAMS[0] else SOON_ASLEEP]]


def run_job(job, programs, library):
    """Run one job. Returns None, or a text that says what failed."""
    environment = clean_environment() | dict(job.environment)
    environment |= {"LD_PRELOAD": str(library), "OMP_CANCELLATION": "true", "GIMBAL_REPORT": "off"}
    try:
        done = subprocess.run([str(programs / job.program), *job.arguments], capture_output=True, text=True,
                              timeout=RUN_LIMIT_S, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return f"still running after {RUN_LIMIT_S} s"
    problems = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    # A schedule that the runtime did not understand would test something else and pass.
    problems += [line for line in done.stderr.splitlines()
                 if "OMP: Warning" in line or "cannot be preloaded" in line or "gimbal: error" in line]
    if done.returncode != 0 or problems:
        return "\n    ".join([f"exit status {done.returncode}", *problems[:4], *done.stderr.splitlines()[-2:]])
    return None


def check_library_loads(program, library):
    """The library must really replace the program's own runtime: it names itself when it starts."""
    environment = clean_environment() | {"LD_PRELOAD": str(library), "KMP_VERSION": "1"}
    done = subprocess.run([str(program), "--quick"], capture_output=True, text=True, timeout=RUN_LIMIT_S,
                          env=environment, check=False)
    if "LLVM OMP" not in done.stderr:
        sys.exit(f"run_matrix: {program.name} does not run on {library}: {done.stderr.strip()[:300]}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the loop programs")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="the libomp.so to preload")
    parser.add_argument("--tool", help="the gimbal command: names the techniques")
    parser.add_argument("--schedules", help="instead: ordinary schedules, separated by blanks, for any libomp.so")
    parser.add_argument("--techniques", help="only these techniques, separated by commas")
    parser.add_argument("--quick", action="store_true", help="two chunks, small sizes")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.tool and not options.schedules:
        parser.error("--tool or --schedules is needed")
    if not options.library.is_file():
        sys.exit(f"run_matrix: no library {options.library}")
    return options


def collect_jobs(options):
    if options.schedules:
        return [Job(p, s, (("OMP_SCHEDULE", s),), ("--quick",), "ordinary")
                for s in options.schedules.split() for p in C_PROGRAMS + BARE_PROGRAMS + FORTRAN_PROGRAMS]
    names = technique_parameters(options.tool)
    if options.techniques:
        chosen = options.techniques.split(",")
        unknown = [name for name in chosen if name not in names]
        if unknown:
            sys.exit(f"run_matrix: unknown technique {unknown[0]}")
        names = {name: names[name] for name in chosen}
    return ordinary_jobs() + [job for number, (name, chunks) in enumerate(names.items())
                              for job in jobs_for(number, name, chunks, options.quick)]


def main():
    options = parse_arguments()
    begin = time.monotonic()
    jobs = collect_jobs(options)
    missing = sorted({job.program for job in jobs if not (options.programs / job.program).is_file()})
    for program in missing:
        print(f"SKIPPED {program}: not built, its compiler is missing")
    jobs = [job for job in jobs if job.program not in missing]
    if not jobs:
        sys.exit("run_matrix: no program to run")
    for program in sorted({job.program for job in jobs}):
        check_library_loads(options.programs / program, options.library)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job, problem in zip(jobs, pool.map(lambda job: run_job(job, options.programs, options.library), jobs)):
            if problem:
                failed += 1
                print(f"FAILED {job.mode}: {job.describe()}\n    {problem}", flush=True)
    print(f"omp matrix: {len(jobs)} runs, {failed} failed, {len(missing)} programs skipped, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
