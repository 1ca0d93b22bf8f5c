#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/wild: auto against every stock schedule on loops and programs that it was not made with. See README.md."""
from __future__ import annotations

import argparse
import dataclasses
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import analysis  # noqa: E402
import costs  # noqa: E402
import virtual  # noqa: E402
from harness import gate, runner, stats, table  # noqa: E402
from kinds import AUTO, FIXED, KEPT, KINDS, MARKS, STOCK, Kind  # noqa: E402


QUICK_S = 10.0
SHORT_TIMES = 3  # processes of a short kind for one of the others
BEGINNINGS = 2  # processes that run the first steps only, for each one of --repeat
BEGINNING_STEPS = 50
BEGINNING_US = 2000  # longer loops are left out: they hardly differ from process to process


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="auto against every stock schedule on loops of many kinds.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree with the programs")
    parser.add_argument("--runtimes", type=Path, metavar="DIR", help="build tree with the runtimes; default: --build")
    parser.add_argument("--kinds", default="", help="which, commas between them; default all: "
                        + " ".join(kind.name for kind in KINDS))
    parser.add_argument("--steps", type=int, default=0, help="of every kind; default: each kind's own, at most 1000 "
                        "but for tiny loops")
    parser.add_argument("--repeat", type=int, default=2, help="processes per kind, of tiny loops three times as many; "
                        "default 2; medians count")
    parser.add_argument("--quick", action="store_true", help="200 turns of each schedule at most, one process per "
                        "kind: seconds")
    parser.add_argument("--known", action="store_true", help="every process finds what one before it has learnt "
                        "(GIMBAL_CACHE)")
    parser.add_argument("--threads", type=int, default=0, help="default: the usable cores, at most 8")
    parser.add_argument("--schedules", default="", help="only these; static:16 stands for static,16, gimbal:runtime "
                        "for auto")
    parser.add_argument("--only", choices=("kinds", "costs", "virtual"), help="only this part; --kinds means kinds")
    parser.add_argument("--runtime", choices=("gimbal", "upstream", "libgomp"), default="gimbal",
                        help="upstream, libgomp: stock schedules only, as a control")
    return parser.parse_args()


def schedules_of(args: argparse.Namespace) -> list[str]:
    if args.schedules:
        return ["+" + name.replace(":", ",") if not name.startswith("gimbal:") else "+" + name
                for name in args.schedules.split(",")]
    names = [*STOCK] if args.runtime != "gimbal" else [*STOCK, AUTO, *FIXED]
    return [("+" if name in KEPT else "") + name for name in names]


def environment_of(args: argparse.Namespace) -> dict[str, str]:
    cores = gate.usable_cores(args.threads or 8)
    environment = {"OMP_NUM_THREADS": str(args.threads or len(cores)), "BENCH_CPUS": ",".join(map(str, cores)),
                   "GIMBAL_REPORT": "off", "GIMBAL_CACHE": os.environ["XDG_CACHE_HOME"] + "/gimbal"}
    tree = args.runtimes or args.build
    library = {"gimbal": tree / "lib" / "libomp.so", "upstream": tree / "upstream" / "libomp.so"}.get(args.runtime)
    if library:
        environment["LD_PRELOAD"] = str(library.resolve())
    return environment


def quick_steps(kind: Kind) -> int:
    """At most 200 turns, and about ten seconds of all schedules."""
    few = int(QUICK_S * 1e6 / (kind.loop_us * len([*STOCK, AUTO, *FIXED])))
    return min(kind.steps, max(10, few), 200 * kind.burst)


def variant(args: argparse.Namespace, kind: Kind, seed: int, most_steps: int = sys.maxsize) -> runner.Variant:
    programs = args.build / "bench" / "wild"
    if args.runtime == "libgomp" and kind.compiler == "clang":
        kind = dataclasses.replace(kind, compiler="gcc")
    steps = min(args.steps or (quick_steps(kind) if args.quick else kind.steps), most_steps)
    steps -= steps % kind.burst
    command = [programs / "wild", programs / kind.file, steps, kind.burst, kind.prune, seed, *schedules_of(args)]
    return runner.Variant(kind.name, list(map(str, command)), environment_of(args), timeout_s=600)


def show(kind: Kind, runs: list[analysis.Run], marks: list[analysis.Mark]) -> str:
    """The table of one kind: whole time per step of every schedule over auto's, at every mark, the best first."""
    names = [name for name in runs[0]["schedules"] if name != AUTO]
    steps = [mark.steps for mark in marks]

    def ratio(name: str, mark: int) -> float | None:
        found = analysis.middle_ratio(runs, name, AUTO, mark // kind.burst)
        return found.value if found else None

    rows = [[name, *(ratio(name, mark) for mark in steps), analysis.steady_ns(runs, name, kind) / 1e3]
            for name in names]
    rows.sort(key=lambda row: next((value for value in reversed(row[1:-1]) if value is not None), 9e9))
    auto = ["gimbal:runtime (auto)", *(1.0 for _ in steps), analysis.steady_ns(runs, AUTO, kind) / 1e3]
    late = stats.median([analysis.late_turns(run) for run in runs])
    lines = [table.render(f"\n{kind.name}: {kind.what}; time over auto's, {late:.1%} of turns disturbed",
                          ["schedule", *(f"{count} steps" for count in steps), "us/step"], [auto, *rows])]
    for mark in marks:
        star = "" if mark.vs_stock.gated else " *not gated"
        fixed = f"   / best fixed ({mark.vs_fixed.other[7:]}) {mark.vs_fixed.ratio:.3f}" if mark.vs_fixed else ""
        lines.append(f"  {mark.steps:6d} steps: auto / static {mark.vs_static.value:.3f}   "
                     f"/ best stock ({mark.vs_stock.other}) {mark.vs_stock.ratio:.3f}, bound {mark.bound:.3f} "
                     f"(luck {mark.luck:.3f}, price {mark.price:.2%}){fixed}{star}")
    return "\n".join(lines)


def race(args: argparse.Namespace, kinds: list[Kind]) -> tuple[dict[Kind, list[analysis.Run]], list[str]]:
    """All processes, one kind after the other within a repetition; and which kinds failed, with what they said."""
    runs: dict[Kind, list[analysis.Run]] = {kind: [] for kind in kinds}
    failures = []
    times = 1 if args.quick else args.repeat

    def add(kind: Kind, one: runner.Variant) -> None:
        # Each process begins with nothing learnt before, or with what one before it has.
        for file in Path(os.environ["XDG_CACHE_HOME"]).iterdir():
            shutil.rmtree(file) if file.is_dir() else file.unlink()
        try:
            if args.known:
                one.run()
            runs[kind].append(one.run())
        except runner.SampleError as error:
            failures.append(str(error))
            print(f"bench: error: {error}", file=sys.stderr)

    for repetition in range(SHORT_TIMES * times):
        # Short loops take no time, and what the gate does not see weighs more there.
        for kind in (one for one in kinds if repetition < times or one.short):
            add(kind, variant(args, kind, repetition + 1))
    # A disturbance is as long as ten steps of most loops: a median over few processes is one process's luck.
    for repetition in range(0 if args.quick else BEGINNINGS * times):
        for kind in (one for one in kinds if one.loop_us < BEGINNING_US and not one.short):
            add(kind, variant(args, kind, SHORT_TIMES * times + repetition + 1, BEGINNING_STEPS))
    return {kind: found for kind, found in runs.items() if found}, failures


def show_control(kind: Kind, found: list[analysis.Run]) -> str:
    """Without auto: microseconds per step, nothing to compare."""
    names = sorted(found[0]["schedules"], key=lambda name: analysis.steady_ns(found, name, kind))
    return table.render(f"\n{kind.name}: {kind.what}; served by {found[0]['runtime']}", ["schedule", "us/step"],
                        [[name, analysis.steady_ns(found, name, kind) / 1e3] for name in names])


def race_kinds(args: argparse.Namespace, wanted: list[Kind]) -> tuple[dict[str, Any], list[str]]:
    runs, failures = race(args, wanted)
    marks = {}
    for kind, found in runs.items():
        if not {AUTO, "static"} <= found[0]["schedules"].keys():
            print(show_control(kind, found))
            continue
        marks[kind] = analysis.marks_of(kind, found, MARKS)
        print(show(kind, found, marks[kind]))
    if not marks:
        return {}, failures
    result: dict[str, Any] = {**analysis.keys_of(marks), **analysis.short_keys(runs, marks)}
    result["ungated"] = [kind.name for kind, rows in marks.items() if not all(row.vs_stock.gated for row in rows)]
    result["bounds"] = {kind.name: {str(row.steps): row.bound for row in rows} for kind, rows in marks.items()}
    result["detail"] = {kind.name: {str(row.steps): [row.vs_static.value, row.vs_stock.ratio, row.vs_stock.other]
                                    for row in rows} for kind, rows in marks.items()}
    return result, failures


def main() -> int:
    args = arguments()
    programs = args.build / "bench" / "wild"
    wanted = args.kinds.split(",") if args.kinds else [kind.name for kind in KINDS]
    unknown = set(wanted) - {kind.name for kind in KINDS}
    if unknown or not (programs / "wild").is_file():
        print(f"bench: error: no such kind: {' '.join(unknown)}" if unknown else
              "bench: error: the programs are missing: build the target bench_programs", file=sys.stderr)
        return 2
    runner.clean_environment()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # whatever Gimbal keeps from one run to the next
        return measure(args, wanted)


def measure(args: argparse.Namespace, wanted: list[str]) -> int:
    programs = args.build / "bench" / "wild"
    begin = time.monotonic()
    only = args.only or ("kinds" if args.kinds or args.schedules or args.runtime != "gimbal" else None)
    result: dict[str, Any] = {}
    failures: list[str] = []
    if only in (None, "kinds"):
        # A kind in Fortran needs gfortran: without one it is left out, and said so.
        kinds = [kind for kind in KINDS if kind.name in wanted and (programs / kind.file).is_file()]
        missing = [name for name in wanted if name not in {kind.name for kind in kinds}]
        print(f"not built, left out: {' '.join(missing)}" if missing else "", end="")
        result, failures = race_kinds(args, kinds)
    try:
        if only in (None, "costs"):
            kinds = [kind for kind in KINDS if kind.name in costs.BACKGROUND]
            found = costs.measure(programs, environment_of(args), kinds, 0.3 if args.quick else 1.0)
            print(costs.show(found))
            result |= costs.keys(found)
        if only in (None, "virtual"):
            rows = virtual.measure(programs / "wild_virtual", virtual.PATTERNS, virtual.WORKERS, virtual.STEPS)
            print(virtual.show(rows, virtual.STEPS))
            result |= virtual.keys(rows)
    except runner.SampleError as error:
        failures.append(str(error))
        print(f"bench: error: {error}", file=sys.stderr)
    print(f"\n{time.monotonic() - begin:.0f} s")
    print(table.result_line({**result, "failures": failures}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
