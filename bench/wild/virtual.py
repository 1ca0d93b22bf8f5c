# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same question in virtual time, for more workers than this machine has."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness import runner, table

PATTERNS = ("jump", "random", "bump", "speeds")
WORKERS = (8, 64, 256)
STEPS = 200
PERIOD = 50  # steps between jumps, as in virtual.cpp
STOCK = ("static", "static,1", "static,16", "static,64", "static,256", "ss", "ss,16", "ss,64", "ss,256", "guided",
         "guided,16", "guided,64", "guided,256")
OURS = ("feedback", "static-steal", "fac2", "gss", "mfsc", "awf-c", "lws-staggered")


@dataclass(frozen=True)
class Row:
    """auto of one pattern on so many workers: against the best of stock, of ours, against static, and the worst step
    right after a jump against the mean step of the best."""

    pattern: str
    workers: int
    best_stock: str
    vs_stock: float
    best_fixed: str
    vs_fixed: float
    vs_static: float
    after_jump: float | None


def compare(pattern: str, workers: int, times: Mapping[str, Sequence[float]]) -> Row:
    """times: [steps] of every schedule, in any unit."""
    sums = {name: sum(steps) for name, steps in times.items()}
    stock = min((name for name in times if name in STOCK), key=sums.__getitem__)
    fixed = min((name for name in times if name != "auto"), key=sums.__getitem__)
    auto = times["auto"]
    jumps = [auto[step] for step in range(PERIOD, len(auto), PERIOD)] if pattern == "jump" else []
    return Row(pattern, workers, stock, sums["auto"] / sums[stock], fixed, sums["auto"] / sums[fixed],
               sums["auto"] / sums["static"], max(jumps) / (sums[fixed] / len(auto)) if jumps else None)


def measure(program: Path, patterns: Sequence[str], workers: Sequence[int], steps: int) -> list[Row]:
    """Raises SampleError."""
    rows = []
    for pattern in patterns:
        for count in workers:
            times = {}
            for name in ("auto", *STOCK, *OURS):
                command = [str(program), pattern, str(count), str(steps), name]
                times[name] = runner.Variant(f"virtual {pattern} {name}", command, timeout_s=300).run()["ns"]
            rows.append(compare(pattern, count, times))
    return rows


def show(rows: Sequence[Row], steps: int) -> str:
    return table.render(
        f"\nvirtual time, {steps} steps of 100000 iterations of 10 us: auto over",
        ["pattern", "P", "static", "best stock", "which", "best fixed", "which", "worst step after a jump"],
        [[row.pattern, row.workers, row.vs_static, row.vs_stock, row.best_stock, row.vs_fixed, row.best_fixed,
          row.after_jump] for row in rows])


def keys(rows: Sequence[Row]) -> dict[str, float]:
    """jump_p256: auto over the best fixed schedule, stock or ours; virtual_vs_best_stock: the largest of all rows."""
    result = {"virtual_vs_best_stock": max(row.vs_stock for row in rows)}
    for row in rows:
        if row.pattern == "jump" and row.workers == 256:
            result["jump_p256"] = row.vs_fixed
    return result
