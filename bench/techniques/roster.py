# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who takes part: Gimbal's techniques as the launcher lists them, and the stock schedules they are compared with."""
from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setting import Case

WARM_UPS = 10  # executions before the timed ones
# Families that tune themselves: usched takes 100 to 310 executions, vsched 60 more.
SETTLING_WARM_UPS = {"lightweight": 370}

# "monotonic:" because libomp may turn a plain dynamic into stealing, which is a row of its own.
UPSTREAM = ("static", "monotonic:dynamic,1", "monotonic:dynamic,16", "monotonic:dynamic,64", "guided", "static_steal")
LIBGOMP = ("static", "dynamic,1", "dynamic,16", "dynamic,64", "guided")

FEEDBACK = "feedback"
TRAPS = ("fsc", "fac", "bold", "tap", "awf-b", "awf-d")  # in other codes serial, 1.5 or 2 times the best


@dataclass(frozen=True)
class Entrant:
    """One row of a table before it is measured. family: Gimbal's, or the runtime of a stock schedule."""

    case: Case
    family: str

    @property
    def warm_ups(self) -> int:
        return SETTLING_WARM_UPS.get(self.family, WARM_UPS)


def listed(gimbal: Path) -> dict[str, str]:
    """Name -> family of every technique that `gimbal info techniques --json` lists, in its order.

    Raises OSError, CalledProcessError or ValueError when the launcher cannot say.
    """
    output = subprocess.run([str(gimbal), "info", "techniques", "--json"], check=True, capture_output=True, text=True,
                            timeout=20).stdout
    return {entry["name"]: entry["family"] for entry in json.loads(output)}


def chosen(families: dict[str, str], wanted: Sequence[str] | None) -> dict[str, str]:
    """The wanted ones of the listed techniques; None: all. Raises ValueError naming those that do not exist."""
    unknown = [name for name in wanted or () if name not in families]
    if unknown:
        raise ValueError(f"no such technique: {' '.join(unknown)}; there are: {' '.join(families)}")
    return {name: family for name, family in families.items() if wanted is None or name in wanted}


def ours(families: dict[str, str], compiler: str, threads: int) -> list[Entrant]:
    return [Entrant(Case(compiler, "gimbal", name, threads), family) for name, family in families.items()]


def stock(compiler: str, threads: int) -> list[Entrant]:
    """The stock schedules for programs of the compiler: upstream libomp's for clang, libgomp's for gcc."""
    runtime, schedules = ("libgomp", LIBGOMP) if compiler == "gcc" else ("upstream", UPSTREAM)
    family = "libgomp" if compiler == "gcc" else "libomp"
    return [Entrant(Case(compiler, runtime, schedule, threads), family) for schedule in schedules]


def is_noise_aware(name: str) -> bool:
    """Whether the technique is one of those that are meant to absorb noise."""
    return name in ("usched", "vsched") or name == "lws" or name.startswith("lws-")
