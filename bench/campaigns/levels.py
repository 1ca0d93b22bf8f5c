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
LEARNERS = ("joint", "independent", "alternate", "coordinated")


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


def run(gimbal: str, cell: Cell, steps: int, runs: int) -> dict[str, object]:
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
    parser.add_argument("--runs", type=int, default=5, help="with other noise, in each cell (default 5)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default 2)")
    parser.add_argument("--loops", nargs="+", choices=LOOPS, default=LOOPS)
    return parser.parse_args()


def main() -> int:
    args = arguments()
    cells = [(loop, size, noise) for size in SIZES for loop in args.loops for noise in NOISES]
    with ThreadPoolExecutor(args.jobs) as pool:
        every = [pool.submit(run, args.gimbal, Cell(*cell, "all", None), args.steps, args.runs) for cell in cells]
        careful = [pool.submit(run, args.gimbal, Cell(*cell, "independent", CAREFUL), args.steps, args.runs)
                   for cell in cells]
        found = [(one.result(), two.result()) for one, two in zip(every, careful)]
    print(f"total of {args.steps} steps over that of the best fixed pair, mean of {args.runs} runs (worst of them)")
    print(f"{'ranks x threads':16}{'loop':12}{'noise':>6}  {'best pair':18}" +
          "".join(f"{learner:>16}" for learner in (*LEARNERS, "indep. no ss")))
    worst: dict[tuple[float, str], float] = {}
    beaten = True
    for (loop, size, noise), (result, without) in zip(cells, found):
        row = [result["learners"][learner]["over_best"] for learner in LEARNERS]
        row.append(without["learners"]["independent"]["over_best"])
        print(f"{size.ranks:3} x {size.threads:<10}{loop:12}{noise:6.0%}  {result['best_pair']:18}" +
              "".join(f"{mean(one):8.4f} ({max(one):.3f})"[:16].rjust(16) for one in row))
        for learner, one in zip((*LEARNERS, "careful"), row):
            worst[noise, learner] = max(worst.get((noise, learner), 0), mean(one))
        beaten = beaten and mean(row[3]) < min(mean(row[1]), mean(row[4]))
    print("coordinated is better than independent in every cell" if beaten else
          "coordinated is not better than independent in every cell")
    print("RESULT " + json.dumps({"pair_vs_oracle_2pct": round(worst[0.02, "coordinated"], 4),
                                  "pair_vs_oracle_10pct": round(worst[0.1, "coordinated"], 4),
                                  "independent_vs_oracle_2pct": round(worst[0.02, "independent"], 4),
                                  "independent_without_ss_vs_oracle_2pct": round(worst[0.02, "careful"], 4)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
