#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rank level on simulated ranks: the tests of loops and of stealing on 16 to 256 ranks, then a thousand ranks;
and programs of apps/, whose answers must not depend on the schedule.

usage: check.py --build build/simgrid [--smoke]   --smoke: a minute's worth, at most 64 ranks

Two cases run at a time. Exit status 1 if one fails, says nothing, or does not end in time; 77 where there
is nothing to run.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(ROOT / "bench" / "scale")]

import simulation  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Case:
    """One program on so many ranks."""
    program: str
    ranks: int
    per_node: int
    transport: str = "foreman"
    tests: tuple = ()       # words of names, -word: all others
    smoke: bool = False

    def __str__(self):
        return " ".join([self.program, f"{self.ranks} ranks", f"{self.per_node} a node", self.transport, *self.tests])


THROWS = ("Disagreement", "WrongUse", "Fail", "OneRank")
QUIET = tuple("-" + word for word in THROWS)
ALL = (
    Case("simulated_many", 1024, 16, "hierarchical"),
    Case("simulated_many", 1024, 1, "foreman", ("Every",)),
    Case("simulated_matrix", 256, 16, "hierarchical", ("FiftyLoopsOne", "ARankThat", "Others", "Halves")),
    Case("simulated_matrix", 64, 1, "foreman", QUIET),
    Case("simulated_matrix", 32, 8, "hierarchical", QUIET),
    Case("simulated_matrix", 16, 4, "foreman", THROWS),
    Case("simulated_matrix", 16, 4, "hierarchical", THROWS),
    Case("simulated_steal", 64, 16, tests=("nearest_fair", "nearest_50")),  # all of them take more than four minutes
    Case("simulated_steal", 16, 1, tests=QUIET),
    Case("simulated_steal", 16, 4, tests=THROWS),
    Case("simulated_many", 64, 16, "hierarchical", smoke=True),
    Case("simulated_many", 64, 1, "foreman", ("Every",), smoke=True),
    Case("simulated_matrix", 16, 4, "hierarchical", ("Schedules", "TwoComm", "Others", "Inside"), smoke=True),
    Case("simulated_steal", 16, 4, tests=("Fifty", "Pending", "Sequence", "Communicators"), smoke=True),
)

PI = ("--iterations", "6400", "--mean", "500", "--imbalance", "30", "--steps", "3", "--ns-per-step", "1000")
PICTURES = ("--size", "64", "--max-iterations", "300", "--steps", "2", "--ranks", "--ns-per-step", "1000")
# Program, ranks, and arguments that must not change its answer; the first are those without Gimbal.
APPS = (
    ("pisolver", 64, [(*PI, "--schedule", "static"), (*PI, "--schedule", "fac2"), (*PI, "--schedule", "awf-c"),
                      (*PI, "--schedule", "auto"), (*PI, "--distributed")]),
    ("mandelbrot", 32, [(*PICTURES, "--rank-schedule", "static"), (*PICTURES, "--rank-schedule", "fac2"),
                        (*PICTURES, "--rank-schedule", "feedback")]),
)


def answer(program, ranks, arguments, build, patience_s):
    """(checksum, loop time of all steps in virtual seconds). @raises RuntimeError if it fails"""
    environment = dict(os.environ, GIMBAL_REPORT="off", OMP_NUM_THREADS="1")
    command = [ROOT / "mpi_layer/smpi/run.sh", str(ranks), "16", build / "apps" / program / program, *arguments,
               "--json"]
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=patience_s, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    found = json.loads(done.stdout.splitlines()[-1])
    # pisolver's first loop is its loop; mandelbrot's last one is the whole step.
    return found["checksum"], sum(found["loops"][0 if program == "pisolver" else -1]["times_s"])


def run_app(app, build, patience_s):
    """The same answer under every schedule, and earlier than without Gimbal. As run()."""
    program, ranks, runs = app
    begin = time.monotonic()
    try:
        (expected, plain_s), *others = [answer(program, ranks, arguments, build, patience_s) for arguments in runs]
        for (checksum, loop_s), arguments in zip(others, runs[1:]):
            if checksum != expected:
                raise RuntimeError(f"{' '.join(arguments)}: checksum {checksum} is not {expected}")
            if loop_s >= plain_s:  # virtual time: the same in every run
                raise RuntimeError(f"{' '.join(arguments)}: {loop_s:.4f} s, equal blocks {plain_s:.4f} s")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return str(error), time.monotonic() - begin
    return None, time.monotonic() - begin


def run(case, build, patience_s):
    """What went wrong, or None; and how long it took."""
    # Tests wait for times to pass, looking at MPI_Wtime() all the while.
    environment = dict(os.environ, GIMBAL_MPI_TRANSPORT=case.transport,
                       SIMULATED_SETTINGS="--cfg=smpi/wtime:1e-5")
    command = [ROOT / "mpi_layer/smpi/run.sh", str(case.ranks), str(case.per_node),
               build / "tests/mpi/simulated" / case.program, *case.tests]
    begin = time.monotonic()
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return f"not done after {patience_s:.0f} s\n{said[-2000:]}", patience_s
    took_s = time.monotonic() - begin
    if process.returncode == 0 and ", 0 failed" in said:
        return None, took_s
    return f"exit status {process.returncode}\n{said[:6000]}", took_s


def run_thieves(build, patience_s):
    """All ranks run out of items at about the same time and ask the coordinator of the rule `seed` again and again, where
    each message takes its time: it must come to its own items. As run()."""
    case = simulation.Case("flat", 256, 16, "scale_loop", ("schedule=steal-seed", "costs=normal", "executions=2"))
    begin = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            programs = simulation.Simulation(build / "bench/scale", pathlib.Path(folder))
            efficiency = programs.run(case, processor_s=patience_s, timeout_s=10 * patience_s)["efficiency"]
    except simulation.ProgramFailed as error:
        return str(error), time.monotonic() - begin
    return (None if efficiency > 0.9 else f"efficiency {efficiency:.3f}"), time.monotonic() - begin


def main():
    """@return exit status"""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/simgrid")
    parser.add_argument("--smoke", action="store_true")
    arguments = parser.parse_args()
    cases = [case for case in ALL if case.smoke or not arguments.smoke]
    build = arguments.build.resolve()
    if not shutil.which("smpirun") or not (build / "tests/mpi/simulated/simulated_many").exists():
        print("skipped: SimGrid (Debian: libsimgrid-dev) is not installed, or ./dev simgrid has not built the programs")
        return 77
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = {pool.submit(run, case, build, 1800): case for case in cases}
        for app in APPS:
            waiting[pool.submit(run_app, app, build, 600)] = f"{app[0]} {app[1]} ranks"
        waiting[pool.submit(run_thieves, build, 60)] = "scale_loop 256 ranks steal-seed"
        for done in concurrent.futures.as_completed(waiting):
            problem, took_s = done.result()
            print(f"{'FAILED' if problem else 'ok'}: {waiting[done]} ({took_s:.0f} s)", flush=True)
            if problem:
                failed += 1
                print(problem, flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(waiting)} cases, {failed} failed; {used.ru_utime + used.ru_stime:.0f} s of processor time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
