#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/mpi: what drawing a chunk costs a rank, and what sharing out over ranks gains. See README.md."""
from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import table  # noqa: E402
from harness.gate import Gate, open_gate, usable_cores  # noqa: E402
from harness.runner import SampleError, Session, Variant, clean_environment  # noqa: E402

import figures  # noqa: E402
import plan  # noqa: E402

# Key of the RESULT line -> what makes it, for the reason when it could not be made.
KEYS = ("shared_ns", "shared_vs_atomic", "foreman_wait_us", "pisolver_gain_share", "pisolver_uniform",
        "evrard_gravity_imbalance")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Loops over ranks: latency of a draw, and gain over equal blocks.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="for everything (default 420; --quick 60)")
    parser.add_argument("--quick", action="store_true", help="shorter programs, fewer rounds, a minute")
    return parser.parse_args()


class Bench:
    """Groups of variants, one after the other; what cannot run is left out with its reason."""

    def __init__(self, setting: plan.Setting, gate: Gate) -> None:
        self.setting = setting
        self.gate = gate
        self.reasons: dict[str, str] = {}
        self.gated: list[bool] = []  # of each part that has figures

    def session(self, variants: Sequence[Variant], budget_s: float) -> Session | None:
        """Interleaved rounds of those that run at all, or None."""
        begin = time.monotonic()
        able = []
        for variant in variants:
            try:
                variant.run()
                able.append(variant)
            except (SampleError, OSError) as error:
                self.reasons[variant.name] = str(error)
        if not able:
            return None
        session = Session(able, self.gate)
        try:
            session.run(budget_s - (time.monotonic() - begin))
        except SampleError as error:
            self.reasons["interrupted"] = str(error)
        return session if session.rounds else None


def latency(bench: Bench, budget_s: float, result: dict[str, Any]) -> None:
    session = bench.session(plan.latency(bench.setting), budget_s)
    if session is None:
        return
    rows, gated = figures.latency(session)
    print(table.render("A draw of the last of 2 ranks", ["transport", "ns per draw", "bare atomic", "ratio",
                                                         "wait us", "p90", "p99", "max", "rounds"], rows),
          end="\n\n", flush=True)
    by_name = {row[0]: row for row in rows}
    shared = by_name.get(plan.latency_name("shared", "computing"))
    foreman = by_name.get(plan.latency_name("foreman", "computing"))
    if shared:
        result["shared_ns"], result["shared_vs_atomic"] = shared[1], shared[3]
    if foreman:
        result["foreman_wait_us"] = foreman[4]
    result["detail"]["latency"] = rows
    bench.gated.append(gated)


def pisolver(bench: Bench, budget_s: float, cores: int, result: dict[str, Any]) -> None:
    session = bench.session(plan.pisolver(bench.setting, cores), budget_s)
    if session is None:
        return
    made = figures.pisolver(session, cores)
    print(table.render("PISOLVER against static blocks of the same program", [
        "ranks", "data", "imbalance", "iterations", "ratio to static", "share of ideal gain", "by busiest rank",
        "imbalance left", "rounds"], made["rows"]), end="\n\n", flush=True)
    if made["share"]:
        result["pisolver_gain_share"] = made["share"]
    if made["uniform"]:
        result["pisolver_uniform"] = made["uniform"]
    result["detail"]["pisolver"] = made["rows"]
    bench.gated.append(made["gated"])


def mandelbrot(bench: Bench, budget_s: float, result: dict[str, Any]) -> None:
    session = bench.session(plan.mandelbrot(bench.setting), budget_s)
    names = ("mandelbrot, static", "mandelbrot, loop")
    if session is None or any(name not in session.rounds[0] for name in names):
        return

    def step_s(answer: Any) -> float:
        return sum(next(loop["times_s"] for loop in answer["loops"] if loop["name"] == "step"))

    rounds, gated = figures.rounds_of(session, names)
    ratio = figures.median_of(rounds, lambda r: step_s(r[names[1]]) / step_s(r[names[0]]))
    left = figures.median_of(rounds, lambda r: r[names[1]]["imbalance"])
    print(f"Mandelbrot, three loops at once on 2 ranks x 1 thread: {table.show(ratio)} of the time of static blocks, "
          f"imbalance {table.show(left)}, rounds {figures.count_of(rounds, gated)}\n", flush=True)
    result["mandelbrot_vs_static"] = ratio
    bench.gated.append(gated)


def evrard(bench: Bench, budget_s: float, result: dict[str, Any]) -> None:
    session = bench.session(plan.evrard(bench.setting), budget_s)
    if session is None:
        return
    by_name, counts = {}, {}
    for name in session.rounds[0]:
        rounds, gated = figures.rounds_of(session, (name,))
        bench.gated.append(gated)
        counts[name] = figures.count_of(rounds, gated)
        by_name[name] = figures.median_of(rounds, lambda r: r[name]["evrard_gravity_imbalance"])
    checksums = {reading.value["checksum"] for one in session.rounds for reading in one.values()}
    if len(checksums) != 1:
        bench.reasons["evrard"] = f"the answers differ: {sorted(checksums)}"
        return
    print("Evrard, 2 ranks x 1 thread, radial: imbalance of gravity " + ", ".join(
        f"{table.show(value)} ({name.split()[-1]}, rounds {counts[name]})" for name, value in by_name.items()) + "\n",
        flush=True)
    result["evrard_gravity_imbalance"] = by_name.get("evrard, loop")


def main() -> int:
    options = arguments()
    dropped = clean_environment()
    if dropped:
        print(f"bench: these variables are ignored: {' '.join(sorted(dropped))}")
    build = options.build.resolve()
    cores = usable_cores(2)
    try:
        bench = Bench(plan.find_setting(build, options.quick), open_gate(build / "bench/harness/control", cores))
    except (OSError, SampleError) as error:
        print(f"bench: error: {error}\n       build everything first: ./dev build", file=sys.stderr)
        return 2
    begin = time.monotonic()
    budget_s = options.budget or (60.0 if options.quick else 420.0)
    result: dict[str, Any] = {"bench": "mpi", "detail": {}, **dict.fromkeys(KEYS)}
    if len(cores) < 4:
        print("4 ranks share 2 cores: there iterations sleep rather than compute\n")
    latency(bench, 0.15 * budget_s, result)
    pisolver(bench, 0.6 * budget_s, len(cores), result)
    mandelbrot(bench, 0.1 * budget_s, result)
    evrard(bench, 0.15 * budget_s, result)
    result["gated"] = figures.all_passed(bench.gated)
    result["reasons"] = bench.reasons
    result["conditions"] = {"cores": len(cores), "gate": bench.gate.strict, "seconds": time.monotonic() - begin}
    for name, reason in bench.reasons.items():
        print(f"could not run: {name}: {reason}")
    print(table.result_line(result))
    return 1 if any(result[key] is None for key in KEYS) else 0


if __name__ == "__main__":
    sys.exit(main())
