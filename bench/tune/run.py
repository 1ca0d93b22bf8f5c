#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/tune: how many runs it takes to find the best configuration, on the model of CICE, on spaces of other kinds,
and on a real one; and what the selfish balancer of seed 002 learns. See README.md."""
from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the models are small; processes share the cores
HERE = Path(__file__).resolve().parent
DEBIAN = "/usr/bin/python3"
try:
    import sklearn  # noqa: F401
except ImportError:
    if sys.executable != DEBIAN:
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    sys.exit("bench tune: needs Debian's python3-sklearn, python3-optuna and python3-matplotlib")
sys.path[:0] = [str(HERE.parent)]

import methods  # noqa: E402
import numpy as np  # noqa: E402
import replay  # noqa: E402
import synthetic  # noqa: E402
from harness import table  # noqa: E402

# What `gimbal tune` found for the seed's learner; docs/selfish.md has the search.
SELFISH = ("--alpha", "0.00003", "--gamma", "0.9", "--cost", "10")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs until the best configuration is found; the selfish balancer.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--only", choices=("cice", "nnet", "synthetic", "real", "selfish"), help="one part; "
                        "nnet: seed 003's network in R (Debian: r-cran-nnet), not part of the whole")
    parser.add_argument("--seeds", type=int, default=10, help="of each method (default 10)")
    parser.add_argument("--runs", type=int, default=20, help="of each method (default 20)")
    parser.add_argument("--output", type=Path, metavar="DIR", help="of plots; default: bench/tune in the build tree")
    parser.add_argument("--quick", action="store_true", help="two seeds, twelve runs")
    return parser.parse_args()


def on_cice(args: argparse.Namespace, folder: Path, result: dict[str, Any]) -> None:
    found = methods.curves(methods.METHODS, args.seeds, args.runs, len(os.sched_getaffinity(0)))
    rows = []
    for method in methods.METHODS:
        own = [one for one in found if one.method == method]
        needed = [one.needed() for one in own]
        rows.append([method, *(one.mean()[methods.AFTER - 1] for one in own), methods.within(found, method),
                     statistics.median(need if need is not None else 999 for need in needed)])
    print(table.render(f"Model of CICE: mean % over the optimum after {methods.AFTER} runs, {args.seeds} seeds, by "
                       "task count; counts within 1 %; median of the runs needed for 1 % (999: more than were made)",
                       ["method", *(str(one.tasks) for one in found if one.method == "random"), "within", "needs"], rows),
          end="\n\n")
    print(table.render("Ours less another method, after as many runs: points, and p of a paired t-test",
                       ["method", "difference", "p"], [list(row) for row in methods.t_tests(found)]), end="\n\n")
    sensitive = methods.sensitivity()
    names = methods.cice.PARAMETERS
    print(table.render("%IncMSE by task count", ["tasks", *names],
                       [[str(tasks), *(one.get(name, 0.0) for name in names)] for tasks, one in sensitive]), end="\n\n")
    methods.plot_curves(found, folder / "cice_methods.png")
    methods.plot_sensitivity(sensitive, folder / "cice_sensitivity.png")
    result["cice_within_1pct_at_10"] = methods.within(found, "gimbal")
    result["cice_within_1pct_at_10_with_earlier"] = methods.within(found, methods.EARLIER)
    result["cice_nn_within_1pct_at_10"] = methods.within(found, "nn")
    result["cice_bound_within_1pct_at_10"] = methods.within(found, methods.replay.TOLD)
    by_optuna = [one for one in found if one.method == "optuna"]
    result["cice_tpe_drawn"] = sum(one.drawn for one in by_optuna) / sum(one.deviations.size for one in by_optuna)
    result["cice_random_over_40"] = sum((one.needed() or 999) > 40 for one in found if one.method == "random")
    result["cice_random_needs"] = min(one.needed() or 999 for one in found if one.method == "random")


def on_nnet(args: argparse.Namespace, folder: Path) -> None:
    """Seed 003's own network on the model of CICE, whose times are made as long as those of the real code: over 1 s."""
    for tasks in methods.cice.TASKS:
        space = methods.cice.space(tasks)
        with (folder / f"{tasks}.csv").open("w") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow([*space.pool[0], "time"])
            out.writerows([*one.values(), 100 * time] for one, time in zip(space.pool, space.times))
    done = subprocess.run(["Rscript", str(HERE / "nnet.R"), str(folder), str(args.seeds), str(methods.AFTER)], check=True,
                          capture_output=True, text=True)
    rows = []
    for line in done.stdout.splitlines():
        linear, size, *values, same = line.split()
        found = [float(value) for value in values]
        rows.append(["linear" if linear == "TRUE" else "0 to 1", size, *found, sum(one <= methods.GOOD for one in found),
                     100 * float(same)])
    print(table.render(f"R's nnet on the model of CICE: mean % over the optimum after {methods.AFTER} runs by task count; "
                       "counts within 1 %; % of the steps in which all predictions were the same",
                       ["output", "neurons", *map(str, methods.cice.TASKS), "within", "same"], rows), end="\n\n")


def on_synthetic(args: argparse.Namespace) -> None:
    compared = ("gimbal", "forest", "gp", "nn", "random", "optuna")
    rows = []
    for family in synthetic.FAMILIES:
        spaces = [synthetic.space(family, number) for number in range(4)]
        row: list[Any] = [family]
        for method in compared:
            row.append(float(np.mean([replay.by(method, pool, times, seed, 10)[0][-1] for pool, times in spaces
                                      for seed in range(max(2, args.seeds // 2))])))
        rows.append(row)
    print(table.render("Formulas of other kinds, 4 instances each: mean % over the optimum after 10 runs",
                       ["space", *compared], rows), end="\n\n")


def real_space(path: Path) -> tuple[list[dict[str, Any]], Any]:
    """The measured table: configurations, and the least time of each."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    pool, times = [], []
    for row in csv.DictReader(lines):
        pool.append({"ranks": int(row["ranks"]), "threads": int(row["threads"]), "technique": row["technique"],
                     "chunk": int(row["chunk"])})
        times.append(float(row["least_s"]))
    return pool, np.array(times)


def on_real(args: argparse.Namespace, result: dict[str, Any]) -> None:
    for program, suffix in (("evrard", ""), ("pisolver", "_pisolver")):
        pool, times = real_space(HERE / "data" / f"{program}.csv")
        seeds = max(5, 2 * args.seeds)
        tried = {method: [replay.by(method, pool, times, seed, max(args.runs, 12)) for seed in range(seeds)]
                 for method in ("gimbal", "nn", "random", "optuna")}
        found = {method: np.array([one for one, _ in runs]) for method, runs in tried.items()}
        places = [at for at in (4, 6, 8, 10, 12, 16, 20) if at <= max(args.runs, 12)]
        rows = [[method, *(float(np.median(one[:, at - 1])) for at in places)] for method, one in found.items()]
        good = int((times <= 1.02 * times.min()).sum())
        print(table.render(f"{program}, {len(pool)} measured configurations, {good} within 2 % of the best: median % over "
                           f"the best, {seeds} seeds, by runs", ["method", *map(str, places)], rows), end="\n\n")
        ratio, low, high = against(found["gimbal"], found["optuna"])
        result[f"real_gap_at_12{suffix}"] = float(np.median(found["gimbal"][:5, 11]))
        result[f"vs_tpe{suffix}"] = ratio
        result[f"vs_tpe_interval{suffix}"] = [low, high]
        result[f"tpe_drawn{suffix}"] = sum(drawn for _, drawn in tried["optuna"]) / found["optuna"].size


def against(ours: Any, theirs: Any) -> tuple[float, float, float]:
    """The largest ratio of the medians from run 8 on, and between what it lies in 95 % of redraws of the seeds."""
    def worst(one: Any, other: Any) -> float:
        return float(((100 + np.median(one, axis=0)) / (100 + np.median(other, axis=0)))[7:].max())

    draw = np.random.default_rng(1)
    redrawn = [worst(ours[draw.integers(len(ours), size=len(ours))], theirs[draw.integers(len(theirs), size=len(theirs))])
               for _ in range(400)]
    return worst(ours, theirs), float(np.quantile(redrawn, 0.025)), float(np.quantile(redrawn, 0.975))


def on_selfish(args: argparse.Namespace, result: dict[str, Any]) -> None:
    words = [str(args.build / "bin" / "gimbal"), "simulate", "selfish", "--json", "--seeds", str(max(5, args.seeds))]
    rows = json.loads(subprocess.run([*words, *SELFISH], check=True, capture_output=True, text=True).stdout)["rows"]
    small = json.loads(subprocess.run([*words, "--learner", "rules", "--processors", "2", "--plan"], check=True,
                                      capture_output=True, text=True).stdout)["rows"]
    shown = [[row["name"], row["median"], row["success_rate"], row.get("best_median"), row.get("diverged")]
             for row in rows]
    headers = ["who decides", "median quanta", "finish", "best test", "diverged"]
    print(table.render(f"Selfish balancing, 4 processors, {' '.join(SELFISH)}", headers, shown), end="\n\n")
    print(table.render("The same with 2 processors; plan: value iteration", headers[:3],
                       [[row["name"], row["median"], row["success_rate"]] for row in small]), end="\n\n")
    # The seed's only rate, 0.001, for the two forms that do not squash the error.
    plain = {name: json.loads(subprocess.run([*words, "--learner", name], check=True, capture_output=True,
                                             text=True).stdout)["rows"][0] for name in ("constant", "sigmoid")}
    of = {row["name"]: row for row in rows}
    result["selfish_success_rate"] = of["sigmoid"]["success_rate"]
    result["selfish_median_quanta"] = of["sigmoid"]["median"]
    result["selfish_seeds"] = len(of["sigmoid"]["quanta"])
    result["selfish_constant_diverged"] = plain["constant"]["diverged"]
    result["selfish_sigmoid_diverged"] = plain["sigmoid"]["diverged"] + of["sigmoid"]["diverged"]
    result["selfish_agents_quanta"] = {name: of[name]["median"] for name in ("q", "sarsa", "dqn")}
    result["selfish_bound_quanta"] = of["bound"]["median"]
    for name in ("plan", "plan-at-start"):
        result[f"selfish_{name.replace('-', '_')}_quanta_2"] = next(row["median"] for row in small if row["name"] == name)


def main() -> int:
    args = arguments()
    if args.quick:
        args.seeds, args.runs = 2, 12
    folder = args.output or args.build / "bench" / "tune"
    folder.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {}
    if args.only in (None, "cice"):
        on_cice(args, folder, result)
    if args.only == "nnet":
        on_nnet(args, folder)
    if args.only in (None, "synthetic"):
        on_synthetic(args)
    if args.only in (None, "real"):
        on_real(args, result)
    if args.only in (None, "selfish"):
        on_selfish(args, result)
    print(table.result_line(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
