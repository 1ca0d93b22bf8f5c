#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/scale: the synthetic loop on 64 to 4096 simulated ranks, by Gimbal and by its peers. See README.md."""
from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench")]

import calibrate  # noqa: E402
import fabric  # noqa: E402
import plot  # noqa: E402
from harness import table  # noqa: E402
from simulation import Case, ProgramFailed, Simulation, TooSlow  # noqa: E402

RANKS = (64, 256, 1024, 4096)
OURS = ("fac2", "feedback", "auto")
STEALS = ("steal-nearest", "steal-seed")
OTHER_COSTS = ("constant", "exponential", "drifting", "power")
FEW_RANKS = 1024  # a simulation of more takes minutes
# Processor time that a case may take, else it is left out [s]: what the machine does beside it must not decide.
CASE_S = 120
MANY_CASE_S = 900
HEADERS = ("fabric", "ranks", "schedule", "costs", "efficiency", "bound", "in order", "messages a rank", "most at one", "set-up ms",
           "KiB a rank", "first ms", "last ms")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The synthetic loop on thousands of simulated ranks.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR",
                        help="native build tree, whose loops are compared with simulated ones")
    parser.add_argument("--simulated", type=Path, default=ROOT / "build/simgrid", metavar="DIR",
                        help="build tree of the preset simgrid")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)), help="default 64,256,1024,4096")
    parser.add_argument("--node-ranks", type=int, default=16, help="ranks of a node (default 16)")
    parser.add_argument("--budget", type=float, default=5400, metavar="SECONDS",
                        help="what is not done by then is left out (default 5400)")
    parser.add_argument("--quick", action="store_true", help="64 and 256 ranks, the flat fabric; two minutes")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the plot there (default BUILD/scale.svg)")
    parser.add_argument("--no-native", action="store_true", help="no comparison with native runs, which needs a quiet machine")
    return parser.parse_args()


def executions(schedule: str, ranks: int) -> int:
    """`auto` needs some to learn, and large simulations take long."""
    if schedule == "auto":
        return 24 if ranks <= 256 else 10 if ranks <= 1024 else 6
    return 8 if ranks <= 256 else 6 if ranks <= 1024 else 4


def case_of(fabric_name: str, ranks: int, node_ranks: int, schedule: str, costs: str, slow: bool) -> Case:
    program, environment, name = "scale_loop", (), schedule
    if schedule == "master-worker":
        program, name = "scale_peer", "fac2"
    elif schedule.startswith("foreman"):
        name, environment = "fac2", (("GIMBAL_MPI_TRANSPORT", "foreman"),)
    elif not schedule.startswith(("static", "steal")):
        environment = (("GIMBAL_MPI_TRANSPORT", "hierarchical"),) if node_ranks > 1 else ()
    runs = executions(schedule, ranks) if schedule in OURS else 2  # the others learn nothing
    given = (f"schedule={name}", f"costs={costs}", f"executions={runs}", f"slow={1 if slow else 0}")
    return Case(fabric_name, ranks, node_ranks, program, given, environment)


Key = tuple[str, int, str, str, bool]  # fabric, ranks, schedule, costs, slow nodes


def plan(args: argparse.Namespace) -> list[Key]:
    """The cases. Those that the keys of the RESULT line are made of come first; of them the largest ones last, minutes
    each, so that a short budget has the others."""
    ranks = (64, 256) if args.quick else tuple(int(text) for text in args.ranks.split(","))
    fabrics = fabric.FABRICS[:1] if args.quick else fabric.FABRICS
    few = [p for p in ranks if p <= FEW_RANKS]
    many = [p for p in ranks if p > FEW_RANKS]
    most = few[-1:]
    cases = [(name, p, schedule, "normal", False) for p in reversed(few) for name in fabrics for schedule in OURS]
    cases += [("flat", p, schedule, costs, False) for p in most for costs in ("normal", "power") for schedule in STEALS]
    cases += [("flat", p, schedule, "normal", False) for p in few for schedule in ("master-worker", "static-blocks")]
    # One master among thousands: with costs that differ its simulation takes hours, so both run constant ones.
    cases += [("flat", p, schedule, "constant", False) for p in many for schedule in ("master-worker", "fac2")]
    cases += [(name, p, schedule, "normal", False) for p in many for name in fabrics for schedule in OURS]
    cases += [("flat", p, schedule, costs, False) for p in most for costs in OTHER_COSTS
              for schedule in ("static-blocks", *OURS)]
    cases += [("flat", p, schedule, "normal", True) for p in most for schedule in ("static-blocks", *OURS)]
    cases += [("flat", p, schedule, "normal", False) for p in few for schedule in (*STEALS, "foreman")]
    cases += [("flat", p, "master-worker", costs, slow) for p in most
              for costs, slow in (("power", False), ("exponential", False), ("normal", True))]
    cases += [(name, p, "master-worker", "normal", False) for p in most for name in fabrics[1:]]
    return list(dict.fromkeys(cases))


class Table:
    """Results as they come."""

    def __init__(self, args: argparse.Namespace, simulation: Simulation) -> None:
        self.args, self.simulation = args, simulation
        self.results: dict[Key, dict[str, Any]] = {}
        self.failed: list[str] = []
        self.left_out: list[str] = []
        self.begin = time.monotonic()

    def measure(self, key: Key) -> None:
        left_s = self.args.budget - (time.monotonic() - self.begin)
        if left_s <= 0:
            self.left_out.append(" ".join(map(str, key)))
            return
        fabric_name, ranks, schedule, costs, slow = key
        try:
            result = self.simulation.run(case_of(fabric_name, ranks, self.args.node_ranks, schedule, costs, slow),
                                         processor_s=MANY_CASE_S if ranks > FEW_RANKS else CASE_S, timeout_s=left_s)
        except TooSlow as error:
            print(error, file=sys.stderr, flush=True)
            self.left_out.append(" ".join(map(str, key)))
            return
        except ProgramFailed as error:
            print(error, file=sys.stderr, flush=True)
            self.failed.append(" ".join(map(str, key)))
            return
        self.results[key] = result
        print(f"{time.monotonic() - self.begin:6.0f} s  {fabric_name} {ranks} {schedule} {costs}"
              f"{' slow' if slow else ''}: {result['efficiency']:.3f}", file=sys.stderr, flush=True)

    def rows(self) -> list[list[Any]]:
        return [[key[0], key[1], key[2], key[3] + (", slow nodes" if key[4] else ""), r["efficiency"], r["bound"],
                 r["in_order"], r["messages_per_rank"], r["peak_messages"], r["setup_s"] * 1e3,
                 r["memory_per_rank"] / 1024, r["times_s"][0] * 1e3, r["times_s"][-1] * 1e3] for key, r in sorted(self.results.items())]

    def efficiencies(self, ranks: int, schedules: tuple[str, ...], of_costs: str = "normal") -> list[float]:
        return [r["efficiency"] for (_, p, schedule, costs, slow), r in self.results.items()
                if p == ranks and schedule in schedules and costs == of_costs and not slow]

    def against_the_peer(self, ranks: int) -> float | None:
        """Our time over its time, fac2, flat, with the same costs."""
        for costs in ("normal", "constant"):
            ours = self.results.get(("flat", ranks, "fac2", costs, False))
            peer = self.results.get(("flat", ranks, "master-worker", costs, False))
            if ours and peer:
                return peer["efficiency"] / ours["efficiency"]
        return None

    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for ranks in sorted({key[1] for key in self.results}):
            found = self.efficiencies(ranks, OURS)
            result[f"eff_{ranks}"] = min(found) if found else None
            result[f"vs_master_worker_{ranks}"] = self.against_the_peer(ranks)
            steal = self.efficiencies(ranks, STEALS)
            result[f"eff_steal_{ranks}"] = min(steal) if steal else None
        if self.failed:
            result["failed"] = self.failed
        if self.left_out:
            result["left_out"] = self.left_out
        return result


def compare_with_native(args: argparse.Namespace) -> float | None:
    """The largest deviation of loop times; None if it cannot be measured here."""
    try:
        return calibrate.compare(args.build, args.simulated)["sim_vs_native"]
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        print(f"bench/scale: simulated loops were not compared with native ones: {error}", file=sys.stderr)
        return None


def main() -> int:
    args = arguments()
    # First, and alone: it is the only part whose time is measured.
    deviation = None if args.no_native or args.quick else compare_with_native(args)
    with tempfile.TemporaryDirectory() as folder:
        try:
            measured = Table(args, Simulation(args.simulated / "bench" / "scale", Path(folder)))
        except ProgramFailed as error:
            print(f"bench/scale: {error}", file=sys.stderr)
            return 1
        with ThreadPoolExecutor(2) as pool:  # a simulation is one thread
            list(pool.map(measured.measure, plan(args)))
    print(table.render(f"N = 100 P iterations of 1 ms in the mean, {args.node_ranks} ranks a node, virtual time; bound: "
                       "what the longest iteration allows", HEADERS, measured.rows()), end="\n\n", flush=True)
    plot.draw(args.plot or args.build / "scale.svg",
              {(key[1], key[2]): r["efficiency"] for key, r in measured.results.items()
               if key[0] == "flat" and key[3] == "normal" and not key[4]})
    print(table.result_line(measured.result() | {"sim_vs_native": deviation}))
    return 1 if measured.failed else 0


if __name__ == "__main__":
    sys.exit(main())
