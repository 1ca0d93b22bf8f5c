#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slack across collective calls, in virtual time: 64 to 1024 ranks of 16 threads run a loop, then wait for the last
rank, step after step. What callpath-fd (usched that knows the slack) and full (vsched that does) take, over static and
over the same techniques without slack. ./dev campaign slack runs it."""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

RANKS = (64, 256, 1024)
THREADS, ITERATIONS, COST_US = 16, 1024, 10  # a step takes a rank 0.64 ms if nothing is lost
PAIRS = (("callpath-fd", "usched"), ("full", "vsched"))

# What disturbs the ranks. Interruptions are of each thread.
SCENARIOS = {
    "spread": ("--rank-spread", "0.1"),
    "noise": ("--interruptions", "100", "--interruption-us", "250"),
    "rare": ("--interruptions", "5", "--interruption-us", "250"),
    "mixed": ("--rank-spread", "0.1", "--step-noise", "0.02", "--interruptions", "100", "--interruption-us", "250"),
}
MIXED = "mixed"


class Draw(NamedTuple):
    """What a draw costs, of which a part is exclusive, and how many iterations it takes (None: as measured)."""
    name: str
    ns: int
    serial_ns: int
    chunk: int | None


DRAWS = (Draw("0.1 us", 100, 40, None), Draw("1 us, chunk 1", 1000, 100, 1))
SEED_DRAW = DRAWS[1]  # of the machines of the published figures, as far as they say


class Cell(NamedTuple):
    ranks: int
    scenario: str
    draw: Draw
    more: tuple[str, ...] = ()


# As published, as far as that is known: half of the loop is static whatever the machine does, the last call counts as
# slack, all of it, and it takes 0.2 ms after the last arrival. Kale's slack-trace takes a draw for 10 us.
PUBLISHED = ("--fraction", "0.5", "--published-rule", "--collective-us", "200", "--step-noise", "0.02")
OFTEN = ("--interruptions", "500", "--interruption-us", "50")
PUBLISHED_NS = (1000, 4000, 10000)


def run(gimbal: str, cell: Cell, steps: int) -> dict:
    words = [gimbal, "simulate", "--app", f"uniform:cost_us={COST_US}", "--slack", "--json",
             "--ranks", str(cell.ranks), "--workers", str(THREADS), "--iterations", str(ITERATIONS),
             "--steps", str(steps), "--dispatch-ns", str(cell.draw.ns), "--serial-ns", str(cell.draw.serial_ns),
             *SCENARIOS.get(cell.scenario, ()), *cell.more]
    if cell.draw.chunk:
        words += ["--chunk", str(cell.draw.chunk)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"slack: error: {' '.join(words)}\n{done.stderr}")
    return json.loads(done.stdout)["techniques"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gimbal", required=True, metavar="FILE", help="the gimbal command")
    parser.add_argument("--steps", type=int, default=600, help="the second half counts (default 600)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default 2)")
    parser.add_argument("--ranks", type=int, nargs="+", default=RANKS)
    return parser.parse_args()


def over_static(result: dict, name: str) -> float:
    return result[name]["tail_s"] / result["static"]["tail_s"]


def row(cell: Cell, result: dict) -> str:
    plain = "".join(f"{over_static(result, name):9.4f}" for name in ("dynamic", "usched", "vsched"))
    text = f"{cell.ranks:5}  {cell.scenario:12}{cell.draw.name:15}{plain}"
    for name, _ in PAIRS:
        one = result[name]
        text += (f"  {over_static(result, name):8.4f} {one['over_base']:7.4f} {one['most_saved']:6.1%}"
                 f" {one['predicted'] / one['executions']:6.1%}")
    settled = min(one["settled"] for one in result.values()) / cell.ranks
    return f"{text}  {settled:7.0%}"


def heading() -> str:
    pairs = "".join(f"  {name:>8} {'/base':>7} {'bound':>6} {'told':>6}" for name in ("callpath", "full"))
    return (f"{'ranks':5}  {'disturbance':12}{'draw':15}" +
            "".join(f"{name:>9}" for name in ("dynamic", "usched", "vsched")) + f"{pairs}  settled")


def cells_of(ranks: list[int]) -> tuple[list[Cell], list[Cell]]:
    ours = [Cell(size, scenario, draw) for size in ranks for scenario in SCENARIOS for draw in DRAWS]
    published = [Cell(max(ranks), name, Draw(f"{ns / 1000:g} us, chunk 1", ns, 100, 1), (*PUBLISHED, *noise))
                 for name, noise in (("published", ()), ("publ. noise", OFTEN)) for ns in PUBLISHED_NS]
    return ours, published


def main() -> int:
    args = arguments()
    ours, published = cells_of(list(args.ranks))
    print(f"time of the last {args.steps - args.steps // 2} of {args.steps} steps over that of static; base: the same "
          "without slack;\nbound: dequeues that slack saves, (f_d - f_d') N q / p, over that time; told: loops that "
          "expected slack;\nsettled: ranks whose search of a fraction has ended, of the technique with the fewest")
    print(heading())
    results: dict[Cell, dict] = {}
    with ThreadPoolExecutor(args.jobs) as pool:
        pending = [(cell, pool.submit(run, args.gimbal, cell, args.steps)) for cell in (*ours, *published)]
        for cell, one in pending:
            results[cell] = one.result()
            print(row(cell, results[cell]), flush=True)
    figures: dict[str, float] = {}
    for size in args.ranks:
        mixed = results[Cell(size, MIXED, SEED_DRAW)]
        figures[f"slack_vs_static_{size}"] = round(over_static(mixed, "callpath-fd"), 4)
        figures[f"slack_vs_lightweight_{size}"] = round(mixed["callpath-fd"]["over_base"], 4)
        figures[f"full_vs_static_{size}"] = round(over_static(mixed, "full"), 4)
    figures["slack_never_worse"] = round(max(results[cell][name]["over_base"] for cell in ours for name, _ in PAIRS), 4)
    for cell in published:
        name = "published" + ("_noise" if "noise" in cell.scenario else "")
        figures[f"{name}_vs_lightweight_{cell.draw.ns // 1000}us"] = round(results[cell]["callpath-fd"]["over_base"], 4)
    print("RESULT " + json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
