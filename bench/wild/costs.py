# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What auto costs beside the loops: CPU time of its background thread, and memory per loop."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import runner, table
from kinds import AUTO, Kind

# Loops that give auto something to think about, with the steps that take some seconds.
BACKGROUND = {"random": 4000, "drift": 3000, "in_turn": 6000, "hydro_large": 4000}
COPIES = 17  # of the library of small loops; the first one does not count
LOOPS = 16  # in each
THREADS = 64
STEPS = 12


@dataclass
class Costs:
    """share: CPU time of the thread over cores times wall time, by kind; site_kb: memory of one loop [KiB]."""

    shares: dict[str, float]
    site_kb: float
    resident_kb: float


def background_share(run: dict[str, Any]) -> float:
    """CPU time of Gimbal's background thread over all cores' time of one race."""
    return run["select_ns"] / (run["wall_ns"] * run["threads"])


def measure(programs: Path, environment: dict[str, str], kinds: list[Kind], part: float) -> Costs:
    """part: of the steps, to be quick. Raises SampleError."""
    shares = {}
    for kind in kinds:
        steps = int(BACKGROUND[kind.name] * part) // kind.burst * kind.burst
        command = [str(programs / "wild"), str(programs / kind.file), str(steps), str(kind.burst), "0", "1", AUTO]
        shares[kind.name] = background_share(runner.Variant(kind.name, command, environment, timeout_s=300).run())
    command = [str(programs / "memory"), str(programs / "sites_clang.so"), str(COPIES), str(LOOPS), str(STEPS)]
    many = environment | {"OMP_NUM_THREADS": str(THREADS), "MALLOC_ARENA_MAX": "1"}
    answer = runner.Variant("memory per loop", command, many, timeout_s=300).run()
    return Costs(shares, answer["kb"], answer["resident_kb"])


def show(costs: Costs) -> str:
    rows = [[name, 100 * share] for name, share in costs.shares.items()]
    return "\n".join([
        table.render("\nCPU time of the background thread over cores x wall time, auto alone", ["kind", "%"], rows),
        f"\nmemory per loop at {THREADS} threads: {costs.site_kb:.1f} KiB allocated, {costs.resident_kb:.1f} resident"])


def keys(costs: Costs) -> dict[str, float]:
    return {"background_share": max(costs.shares.values()), "site_kb_at_64": costs.site_kb}
