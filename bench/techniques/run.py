# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/techniques: loop time of every technique on loops of many shapes, against stock schedules. See README.md."""
from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
BENCH = Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(BENCH), str(BENCH / "dispatch")]  # after this folder, which has a run.py of its own

from harness import runner, table  # noqa: E402
from harness.gate import Gate, open_gate, usable_cores  # noqa: E402
from setting import Setting  # noqa: E402

import parts  # noqa: E402
import roster  # noqa: E402
from parts import Field  # noqa: E402

BUDGET_S, QUICK_BUDGET_S = 780.0, 120.0


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Loop time of every technique, against libomp's and libgomp's own.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--runtimes", type=Path, metavar="DIR",
                        help="build tree with the runtimes and the launcher, if it is another one")
    parser.add_argument("--budget", type=float, default=None, metavar="SECONDS",
                        help=f"time for everything (default {BUDGET_S:.0f}; with --quick {QUICK_BUDGET_S:.0f})")
    parser.add_argument("--quick", action="store_true", help="few executions and rounds, for orientation")
    parser.add_argument("--loops", type=names, metavar="A,B,...", help=f"only these: {' '.join(parts.LOOPS)}")
    parser.add_argument("--techniques", type=names, metavar="A,B,...", help="only these of Gimbal's")
    parser.add_argument("--only", choices=("loops", "drift", "noise"), help="only this part")
    parser.add_argument("--threads", type=int, default=2, help="one per core; default 2")
    parser.add_argument("--hog-thread", type=int, default=1, metavar="T",
                        help="the thread whose core the hog of the noise part shares; default 1")
    return parser.parse_args()


def fail(message: str, hint: str) -> None:
    print(f"bench: error: {message}\n       {hint}", file=sys.stderr)
    sys.exit(2)


def find(options: argparse.Namespace) -> tuple[Setting, Path, Path]:
    """Runtimes and programs, the control job, the launcher; ends the bench with a clear message if one is missing."""
    build = options.build.resolve()
    runtimes = (options.runtimes or build).resolve()
    programs = build / "bench" / "techniques"
    setting = Setting((runtimes / "lib" / "libomp.so").resolve(), (runtimes / "upstream" / "libomp.so").resolve(),
                      programs, usable_cores(options.threads))
    control, gimbal = build / "bench" / "harness" / "control", runtimes / "bin" / "gimbal"
    needed = [control, gimbal, setting.patched, setting.upstream]
    needed += [programs / f"{kind}_{compiler}" for kind in ("loops", "count") for compiler in ("gcc", "clang")]
    for path in needed:
        if not path.is_file():
            fail(f"{path} is missing", "build everything (bench_programs needs gcc and clang; both runtimes, gimbal)")
    if not 0 <= options.hog_thread < options.threads:
        fail(f"--hog-thread {options.hog_thread}", f"the threads are 0 to {options.threads - 1}")
    if options.threads < 2 or len(setting.cores) < options.threads:
        fail(f"{options.threads} threads on {len(setting.cores)} usable cores",
             "--threads: at least 2, and at most one per core")
    return setting, control, gimbal


def field(options: argparse.Namespace, setting: Setting, gimbal: Path, gate: Gate) -> Field:
    """What is measured, from the options; ends the bench on names that do not exist."""
    unknown = [name for name in options.loops or () if name not in parts.LOOPS]
    if unknown:
        fail(f"no such loop: {' '.join(unknown)}", f"there are: {' '.join(parts.LOOPS)}")
    try:
        families = roster.chosen(roster.listed(gimbal), options.techniques)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        fail(f"techniques: {error}", f"see {gimbal.name} info techniques")
    return Field(setting, gate, families, options.threads, options.quick, options.hog_thread)


def measure(options: argparse.Namespace, where: Field, deadline_s: float) -> dict[str, Any]:
    """All parts; prints their tables and returns the result. deadline_s: on the clock of time.monotonic()."""
    loops = options.loops or list(parts.LOOPS)
    jobs: list[tuple[str, str, float]] = []  # part, loop, weight in the budget
    if options.only in (None, "loops"):
        jobs += [("loops", loop, 1.0) for loop in loops]
    if options.only in (None, "drift"):
        jobs.append(("drift", "drift", 0.9))
    if options.only in (None, "noise"):
        jobs += [("noise", loop, 1.5) for loop in parts.NOISE_LENGTHS if loop in loops]
    result: dict[str, Any] = {"bench": "techniques", "loops": {}, "drift": None, "noise": {}}
    outcomes: list[parts.Outcome] = []
    for done, (part, loop, weight) in enumerate(jobs):
        share_s = (deadline_s - time.monotonic()) * weight / sum(rest for _, _, rest in jobs[done:])
        outcome = {"loops": parts.loop, "drift": parts.drift, "noise": parts.noise}[part](where, loop, share_s)
        outcomes.append(outcome)
        if part == "drift":
            result["drift"] = outcome.keys
        else:
            result[part][loop] = outcome.keys
    races = [race for outcome in outcomes for race in outcome.gated]
    tries = sum(race.session.tries for race in races)
    result["failures"] = [text for outcome in outcomes for text in outcome.failures()]
    result["gated"] = bool(races) and all(one.gated for race in races for one in race.used.values())
    result["acceptance"] = (sum(race.session.acceptance() * race.session.tries for race in races) / tries
                            if tries else None)
    result["detail"] = {name: figures for outcome in outcomes for name, figures in outcome.detail.items()}
    return result


def main() -> int:
    options = arguments()
    dropped = runner.clean_environment()
    if dropped:
        print(f"bench: these variables are ignored: {' '.join(sorted(dropped))}")
    setting, control, gimbal = find(options)
    begin = time.monotonic()
    gate = open_gate(control, setting.cores)
    where = field(options, setting, gimbal, gate)
    budget_s = options.budget or (QUICK_BUDGET_S if options.quick else BUDGET_S)
    print(f"techniques: {len(where.families)} of Gimbal's, {options.threads} threads, one per core; control job "
          f"{gate.best_ns / 1e6:.2f} ms, gate at {gate.strict:.2f} of it; * = not gated\n", flush=True)
    result = measure(options, where, begin + budget_s)
    result["conditions"] = {"threads": options.threads, "cores": list(setting.cores), "quick": options.quick,
                            "hog_thread": options.hog_thread,
                            "warm_ups": roster.WARM_UPS, "settling_warm_ups": roster.SETTLING_WARM_UPS,
                            "gate": gate.strict, "control_best_ns": gate.best_ns,
                            "techniques": list(where.families), "seconds": time.monotonic() - begin}
    if result["acceptance"] is not None:
        print(f"accepted by the gate: {100 * result['acceptance']:.0f} % of the samples")
    for text in result["failures"]:
        print(f"failed: {text}")
    print(table.result_line(result))
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
