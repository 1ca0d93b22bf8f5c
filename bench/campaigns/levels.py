#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs of techniques, of ranks and of their threads, in virtual time: what every learner takes over the best fixed
pair. Five loops, two sizes of machine, steps that deviate by 2 and by 10 %. ./dev campaign levels runs it."""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

LOOPS = ("uniform", "triangular", "normal", "power", "bump")
NOISES = (0.02, 0.1)
LEARNERS = ("joint", "independent", "alternate", "levels", "coordinated")


class Size(NamedTuple):
    """A machine, and a loop whose step takes 10 ms there if nothing is lost."""
    ranks: int
    threads: int
    iterations: int
    cost_us: int


SIZES = (Size(8, 8, 64000, 10), Size(64, 16, 256000, 40))


class Cell(NamedTuple):
    loop: str
    size: Size
    noise: float
    learner: str
    portfolio: str | None


# With single self-scheduling over ranks left out, as a careful user would: what independent learners take then.
CAREFUL = "static mfsc gss tss fac2 awf-c af"


def run(gimbal: str, cell: Cell, steps: int, runs: int) -> dict:
    size = cell.size
    words = [gimbal, "simulate", "--app", f"{cell.loop}:cost_us={size.cost_us}", "--ranks", str(size.ranks),
             "--workers", str(size.threads), "--iterations", str(size.iterations), "--steps", str(steps),
             "--learner", cell.learner, "--step-noise", str(cell.noise), "--runs", str(runs), "--json"]
    if cell.portfolio:
        words += ["--portfolio", cell.portfolio]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"levels: error: {' '.join(words)}\n{done.stderr}")
    return json.loads(done.stdout)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gimbal", required=True, metavar="FILE", help="the gimbal command")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--runs", type=int, default=10, help="of each cell, each with noise, drawn costs and "
                        "selectors of its own (default 10)")
    parser.add_argument("--careful", action="store_true",
                        help="also independent learners without single self-scheduling among the techniques")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default 2)")
    parser.add_argument("--loops", nargs="+", choices=LOOPS, default=LOOPS)
    return parser.parse_args()


def row(cell: Cell, result: dict, over: list[list[float]]) -> str:
    size = cell.size
    return (f"{size.ranks:3} x {size.threads:<10}{cell.loop:12}{cell.noise:6.0%}  {result['best_pair']:18}" +
            "".join(f"{mean(one):8.4f} ({max(one):.3f})".rjust(18) for one in over))


def main() -> int:
    args = arguments()
    cells = [Cell(loop, size, noise, "all", None) for size in SIZES for loop in args.loops for noise in NOISES]
    columns = [*LEARNERS, "indep. without ss"] if args.careful else [*LEARNERS]
    print(f"total of {args.steps} steps over that of the best fixed pair, mean of {args.runs} runs (worst of them); "
          "best pair of the last")
    print(f"{'ranks x threads':16}{'loop':12}{'noise':>6}  {'best pair':18}" +
          "".join(f"{name:>18}" for name in columns))
    worst: dict[tuple[float, str], float] = {}
    lost = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        pending = [(cell, pool.submit(run, args.gimbal, cell, args.steps, args.runs),
                    pool.submit(run, args.gimbal, cell._replace(learner="independent", portfolio=CAREFUL), args.steps,
                                args.runs) if args.careful else None) for cell in cells]
        for cell, every, careful in pending:
            result = every.result()
            over = [result["learners"][learner]["over_best"] for learner in LEARNERS]
            if careful:
                over.append(careful.result()["learners"]["independent"]["over_best"])
            print(row(cell, result, over), flush=True)
            means = dict(zip(columns, map(mean, over)))
            for name, one in means.items():
                worst[cell.noise, name] = max(worst.get((cell.noise, name), 0), one)
            lost += any(means["coordinated"] >= one for name, one in means.items() if name.startswith("indep"))
    print(f"independent learners were as good as the coordinated one in {lost} of {len(cells)} cells")
    print("RESULT " + json.dumps({"pair_vs_oracle_2pct": round(worst[0.02, "coordinated"], 4),
                                  "pair_vs_oracle_10pct": round(worst[0.1, "coordinated"], 4),
                                  "independent_vs_oracle_2pct": round(worst[0.02, "independent"], 4),
                                  "agent_vs_oracle_2pct": round(worst[0.02, "levels"], 4),
                                  "agent_vs_oracle_10pct": round(worst[0.1, "levels"], 4)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
