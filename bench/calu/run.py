#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/calu: LU with tournament pivoting, n-body and a stencil under stock schedules and Gimbal's lightweight ones,
quiet and beside a hog. See README.md."""
from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import virtual  # noqa: E402
from harness import apps, gate, runner, table  # noqa: E402

OURS = ("gimbal:lws", "gimbal:usched", "gimbal:vsched", apps.AUTO)
# Lines of each app that name a schedule: schedule(runtime) in place of no clause. Nothing else was changed for Gimbal.
PROGRAMS = {
    "calu": ["apps/calu/calu", "--size", "1024", "--block", "32"],
    "nbody": ["apps/nbody/nbody", "--bodies", "2000"],
    "stencil": ["apps/stencil/stencil", "--size", "96"],
}
LENGTHS = {"calu": ("--repeat", 30), "nbody": ("--steps", 100), "stencil": ("--steps", 400)}
TURNS = {"nbody": 5}  # steps after which another schedule's program goes on, where nobody else computes
STOCK = {"calu": (*apps.STOCK, "static,1")}
TOGETHER = {"calu": "bench/calu/kind.so"}  # where nobody else computes: all schedules in one process,
PROCESSES = 3  # times as many of these as rounds: where a matrix lies in memory makes some per cent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CALU, n-body and stencil: stock schedules against Gimbal's.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each schedule, in turns (default 7)")
    parser.add_argument("--threads", type=int, default=2, help="default 2")
    parser.add_argument("--only", choices=tuple(PROGRAMS), help="one program")
    parser.add_argument("--with", dest="kinds", choices=("quiet", "hog", "virtual"),
                        help="only quiet, only beside the hog, or only more workers in virtual time")
    parser.add_argument("--length", type=int, help="factorisations or steps; default: each program's own")
    parser.add_argument("--ours", default=",".join(OURS), help="Gimbal's schedules, commas between them; default all")
    parser.add_argument("--traces", type=Path, metavar="DIR",
                        help="virtual time: folder that keeps the traces; those that it has are used again")
    parser.add_argument("--quick", action="store_true", help="two rounds, a third of the steps")
    return parser.parse_args()


def runtime_clauses(app: str) -> int:
    """Lines of an app with schedule(runtime): all that an app has for Gimbal."""
    folder = Path(__file__).resolve().parents[2] / "apps" / app
    return sum("schedule(runtime)" in line and line.lstrip().startswith("#pragma")
               for path in folder.rglob("*.cpp") for line in path.read_text(encoding="utf-8").splitlines())


def steps_of(args: argparse.Namespace, name: str) -> int:
    length = args.length or LENGTHS[name][1]
    return max(length // 3, 2) if args.quick else length


def variants(args: argparse.Namespace, name: str) -> list[apps.AppVariant]:
    command = [str(args.build / PROGRAMS[name][0]), *PROGRAMS[name][1:], LENGTHS[name][0], str(steps_of(args, name)),
               "--json"]
    cores = gate.usable_cores(args.threads)
    return [apps.AppVariant(schedule, command, apps.environment(args.build, schedule, args.threads, cores),
                            timeout_s=300) for schedule in (*STOCK.get(name, apps.STOCK), *args.ours.split(","))]


def race_together(args: argparse.Namespace, name: str, rounds: int) -> apps.Race:
    """All schedules in one process, step by step in turns: the driver of bench/wild, which compares results. Upstream's
    schedules are run by the preloaded library, as libomp's own code."""
    schedules = [*STOCK[name], *args.ours.split(",")]
    asked = {"dynamic": "dynamic,1", apps.AUTO: "gimbal:runtime"}
    environment = apps.environment(args.build, apps.AUTO, args.threads)
    environment["BENCH_CPUS"] = ",".join(map(str, gate.usable_cores(args.threads)))
    found = apps.Race({schedule: [] for schedule in schedules}, {})
    for seed in range(rounds):
        command = [args.build / "bench/wild/wild", args.build / TOGETHER[name], steps_of(args, name), 1, 0, seed + 1,
                   *(asked.get(schedule, schedule) for schedule in schedules)]
        answer = runner.Variant(name, list(map(str, command)), environment, timeout_s=300).run(seed * 64)
        for schedule in schedules:
            found.times[schedule].append(sum(answer["schedules"][asked.get(schedule, schedule)]["ns"]))
    return found


def race_of(args: argparse.Namespace, name: str, hog: int | None) -> apps.Race:
    rounds = 2 if args.quick else args.rounds
    if hog is None and name in TOGETHER:
        return race_together(args, name, PROCESSES * rounds)
    if hog is None and name in TURNS:
        return apps.race_in_turns(variants(args, name), rounds, min(TURNS[name], steps_of(args, name)))
    return apps.race(variants(args, name), rounds, hog)


def measure(args: argparse.Namespace, name: str, result: dict[str, Any]) -> None:
    stock = STOCK.get(name, apps.STOCK)
    hogs = {"quiet": None, "hog": gate.usable_cores(args.threads)[-1]}
    races = {kind: race_of(args, name, hog) for kind, hog in hogs.items() if args.kinds in (None, kind)}
    best = {kind: race.best(stock) for kind, race in races.items()}
    rows = [[schedule, *(figure for kind, race in races.items()
                         for figure in (race.median(schedule) / 1e6, race.ratio(schedule, best[kind])))]
            for schedule in (*stock, *args.ours.split(","))]
    print(table.render(f"{name}: {steps_of(args, name)} steps, {runtime_clauses(name)} lines say schedule(runtime); "
                       f"loops{' (quiet: factorisations)' if name in TOGETHER else ''}, ratio to the best stock schedule",
                       ["schedule", *(head for kind in races for head in (f"{kind} ms", f"/ {best[kind]}"))], rows),
          end="\n\n", flush=True)
    for kind, race in races.items():
        ratio, low, high = race.against_best(apps.AUTO, stock)
        print(f"{name}, {kind}: auto over the best of stock, chosen in other rounds: {ratio:.3f} [{low:.3f}, {high:.3f}]")
        result[f"{name}_auto_{'' if kind == 'quiet' else 'hog_'}vs_best_stock"] = ratio
    if "hog" in races:
        result[f"{name}_hog_vs_static"] = races["hog"].ratio(apps.AUTO, "static")


def main() -> int:
    args = arguments()
    args.build = args.build.resolve()
    runner.clean_environment()
    result: dict[str, Any] = {}
    try:
        for name in PROGRAMS:
            if args.only not in (None, name):
                continue
            if args.kinds != "virtual":
                measure(args, name, result)
            if args.kinds in (None, "virtual"):
                with tempfile.TemporaryDirectory() as folder:
                    virtual.measure(args.build, name, args.traces or Path(folder), args.quick, result)
    except (runner.SampleError, subprocess.SubprocessError) as error:
        print(f"bench: error: {error}", file=sys.stderr)
        result["failed"] = str(error)
    print(table.result_line(result))
    return 1 if "failed" in result else 0


if __name__ == "__main__":
    sys.exit(main())
