#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/levels: ranks that lend each other cores, what looking at a call of MPI costs, and techniques of both levels
that are chosen together. See README.md."""
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

import elastic  # noqa: E402
import hybrid  # noqa: E402
import pmpi  # noqa: E402
from harness import table  # noqa: E402

STEP_MS = 20.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Ranks that lend cores; the cost of looking at a call of MPI.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--only", choices=("elastic", "cost", "hybrid"), help="one part")
    parser.add_argument("--kinds", default=",".join(elastic.KINDS), help=f"default {','.join(elastic.KINDS)}; also "
                        "static, which has no loop of Gimbal's")
    parser.add_argument("--steps", type=int, default=200, help=f"of {STEP_MS:.0f} ms (default 200)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, in turns (default 5)")
    parser.add_argument("--quick", action="store_true", help="one round of 100 steps; three processes for the cost")
    return parser.parse_args()


def programs(folder: Path) -> dict[str, Path]:
    """The program for each MPI that has a compiler here."""
    source = Path(__file__).resolve().parent / "elastic.c"
    found = {}
    for mpi in ("mpich", "openmpi"):
        compiler = shutil.which(f"mpicc.{mpi}")
        if not compiler:
            continue
        found[mpi] = folder / f"elastic-{mpi}"
        subprocess.run([compiler, "-O2", "-fopenmp", "-o", found[mpi], source], check=True, timeout=300)
    return found


def lending(args: argparse.Namespace, result: dict[str, Any]) -> None:
    """Programs that know nothing of it, under each MPI."""
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        for mpi, program in programs(Path(folder)).items():
            try:
                runs = elastic.Runs(args.build / "bin" / "gimbal", program, mpi, 100 if args.quick else args.steps,
                                    STEP_MS)
                for kind in [*args.kinds.split(","), "static"]:
                    cases.append(elastic.measure(runs, kind, 1 if args.quick else args.rounds))
            except elastic.ProgramFailed as error:
                print(f"{mpi}: {error}", file=sys.stderr)
                result.setdefault("failed", []).append(mpi)
    print(table.render(f"{elastic.RANKS} ranks x 1 thread, steps of {STEP_MS:.0f} ms, imbalance "
                       f"{elastic.IMBALANCE:.0%}; ratios over the usual run", elastic.HEADERS,
                       [elastic.row(case) for case in cases]), end="\n\n", flush=True)
    elastic_cases = [case for case in cases if case.kind != "static"]
    if elastic_cases:
        result["elastic_gain_share"] = min(case.gain_share for case in elastic_cases)
        result["elastic_balanced"] = max(case.balanced for case in elastic_cases)
        result["elastic_without_loops"] = max(case.elastic for case in cases if case.kind == "static")


def together(args: argparse.Namespace, result: dict[str, Any]) -> None:
    """`auto` at both levels against pairs that are named."""
    cases = []
    gimbal, program = args.build / "bin" / "gimbal", args.build / "bench" / "levels" / "hybrid"
    for threads in hybrid.SHAPES:
        try:
            runs = hybrid.Runs(gimbal, program, threads, 200 if args.quick else 500)
            cases.append(hybrid.measure(runs, threads, 3 if args.quick else 8, 60 if args.quick else 170))
        except hybrid.ProgramFailed as error:
            print(f"hybrid: {error}", file=sys.stderr)
            result.setdefault("failed", []).append(f"hybrid {threads}")
    print(table.render("Iterations that sleep, imbalance at both levels; time of a step", hybrid.HEADERS,
                       [hybrid.row(case) for case in cases]), end="\n\n", flush=True)
    if cases:
        worst = max(cases, key=lambda case: case.ratio)
        result["hybrid_auto_vs_best_pair"] = worst.ratio
        result["hybrid_luck"] = worst.luck


def main() -> int:
    args = arguments()
    result: dict[str, Any] = {}
    if args.only in (None, "cost"):
        rows, added = pmpi.measure(args.build, 3 if args.quick else 9)
        print(table.render("A call of MPI, CPU time", ["call", "without ns", "with ns", "added ns"], rows), end="\n\n",
              flush=True)
        result["pmpi_ns"] = pmpi.most_added(added)
    if args.only in (None, "hybrid"):
        together(args, result)
    if args.only in (None, "elastic"):
        lending(args, result)
    print(table.result_line(result))
    return 1 if "failed" in result else 0


if __name__ == "__main__":
    sys.exit(main())
