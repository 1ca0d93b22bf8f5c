# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How auto takes a loop that is reversed at half time, and one that has nothing to be balanced; on real threads."""
from __future__ import annotations

import csv
import os
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

STEPS = 240
ITERATIONS = 2000
AFTER = STEPS // 2 + 20  # steps that auto has to be back
# The best of these is what auto is compared with: stock-like schedules and Gimbal's most even ones.
FIXED = ("fac2", "guided", "mfsc", "feedback", "awf-c")


@dataclass
class Part:
    """One comparison: mean loop time [s] of steps `first` and later, by schedule or selector."""

    what: str
    first: int
    times: dict[str, float]

    def ratio(self) -> float:
        """auto over the best of the others."""
        return self.times["auto"] / min(time for name, time in self.times.items() if name != "auto")


def step_times(library: Path, program: Path, what: str, who: str, work: int) -> list[float]:
    """Loop time of every step [s]. Raises RuntimeError when the program fails."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "steps.csv"
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIMBAL_", "OMP_"))}
        environment |= {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "runtime",
                        "GIMBAL_REPORT": "off", "GIMBAL_CACHE": "off", "GIMBAL_RECORD": str(record),
                        "GIMBAL_SELECT" if who == "auto" else "GIMBAL_SCHEDULE": who}
        command = [str(program), what, str(ITERATIONS), str(STEPS), str(work)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with exit code {done.returncode}: {done.stderr}")
        with record.open(encoding="utf-8") as file:
            return [float(row["loop_time_s"]) for row in csv.DictReader(file)]


def compare(library: Path, program: Path, what: str, others: tuple[str, ...], first: int, rounds: int) -> Part:
    """Interleaved rounds; per step the median over rounds counts, so that single interruptions do not."""
    seen: dict[str, list[list[float]]] = {who: [] for who in (*others, "auto")}
    for _ in range(rounds):
        for who, runs in seen.items():
            runs.append(step_times(library, program, what, who, 2000))
    medians = {who: [statistics.median(step) for step in zip(*runs)] for who, runs in seen.items()}
    return Part(what, first, {who: statistics.fmean(steps[first:]) for who, steps in medians.items()})


def measure(library: Path, program: Path, rounds: int) -> list[Part]:
    return [compare(library, program, "reversed", FIXED, AFTER, rounds),
            compare(library, program, "uniform", ("static",), 0, rounds)]


def table(parts: list[Part]) -> str:
    lines = []
    for part in parts:
        what = f"{part.what}, steps {part.first} to {STEPS - 1}"
        by_time = sorted(part.times.items(), key=lambda item: item[1])
        cells = "  ".join(f"{who} {1e3 * time:.3f}" for who, time in by_time)
        lines.append(f"{what}: mean loop time [ms]  {cells}   auto / best other {part.ratio():.3f}")
    return "\n".join(lines)
