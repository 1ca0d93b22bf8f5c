#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/selector: what choosing and learning cost per execution of a loop, and how much they remember (README.md)."""
from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leaves no caches beside the sources

import change  # noqa: E402

SELECTORS = ("fixed", "random", "exhaustive", "binary", "expert", "q", "double-q", "qv", "sarsa", "expected-sarsa",
             "r", "dqn", "linear-q", "chunk", "simulate", "auto")
LIMIT_US = 2.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Cost of selectors per execution of a loop.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--workers", type=int, default=2, help="default 2")
    parser.add_argument("--steps", type=int, default=1000, help="executions per run; default 1000")
    parser.add_argument("--loop-ms", type=float, default=5.0, help="length of the loop; default 5")
    parser.add_argument("--repetitions", type=int, default=5, help="default 5; medians count")
    parser.add_argument("--rounds", type=int, default=5, help="runs of the real loops per schedule; default 5, 0: none")
    parser.add_argument("--selectors", default=",".join(SELECTORS), help="which, commas between them")
    return parser.parse_args()


def measure(program: Path, name: str, args: argparse.Namespace) -> dict[str, float]:
    command = [str(program), name, str(args.workers), str(args.steps), str(args.loop_ms)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        print(f"bench: error: {' '.join(command)} ended with exit code {done.returncode}\n{done.stderr}",
              file=sys.stderr)
        sys.exit(2)
    return json.loads(done.stdout)


def main() -> int:
    args = arguments()
    program = args.build / "bench" / "selector" / "selector_cost"
    if not program.is_file():
        print(f"bench: error: {program} is missing: build the target selector_cost", file=sys.stderr)
        return 2
    names = args.selectors.split(",")
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(args.repetitions):
        for name in names:
            runs[name].append(measure(program, name, args))

    def middle(name: str, key: str) -> float:
        return statistics.median(run[key] for run in runs[name])

    print(f"{args.workers} workers, {args.steps} executions of {args.loop_ms:g} ms, median of {args.repetitions} runs")
    print(f"{'':15} {'choose + learn':>24} {'the whole opening and closing':>32} {'memory':>9}")
    print(f"{'selector':15} {'mean us':>12} {'median us':>11} {'mean us':>18} {'median us':>13} {'bytes':>9}")
    for name in names:
        print(f"{name:15} {middle(name, 'choose_learn_us'):12.3f} {middle(name, 'choose_learn_median_us'):11.3f} "
              f"{middle(name, 'open_close_us'):18.3f} {middle(name, 'open_close_median_us'):13.3f} "
              f"{middle(name, 'bytes'):9.0f}")
    result = {
        "choose_learn_us": {name: round(middle(name, "choose_learn_us"), 3) for name in names},
        "open_close_us": {name: round(middle(name, "open_close_us"), 3) for name in names},
        "bytes_per_loop": {name: int(middle(name, "bytes")) for name in names},
    }
    slow = [name for name, value in result["choose_learn_us"].items() if value > LIMIT_US]
    if slow:
        print(f"more than {LIMIT_US:g} us: {' '.join(slow)}")
    if args.rounds > 0:
        parts = change.measure(args.build.resolve() / "lib" / "libomp.so", program.with_name("flip_clang"), args.rounds)
        print(change.table(parts))
        result["auto_vs_best_after_reversal"] = round(parts[0].ratio(), 4)
        result["auto_vs_static_uniform"] = round(parts[1].ratio(), 4)
    print("RESULT " + json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
