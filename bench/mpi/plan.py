# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is run: the commands of every group, with the MPI that the programs were built with."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.runner import SampleError, Variant

TRANSPORTS = ("shared", "foreman", "hierarchical")
PARTNERS = ("idle", "computing")
RANKS = (2, 4)
IMBALANCES = (0, 30)
DATA = ("replicated", "distributed")


@dataclass(frozen=True)
class Setting:
    """The build tree and how its MPI programs are started."""

    build: Path
    launch: Sequence[str]
    quick: bool

    def program(self, *parts: str) -> Path:
        return self.build.joinpath(*parts)

    def ranks(self, count: int, program: Path, *arguments: object) -> list[str]:
        return [*self.launch, "-n", str(count), str(program), *map(str, arguments)]


def find_setting(build: Path, quick: bool) -> Setting:
    """Raises SampleError when the tree was built without MPI."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.+)$", cache, re.MULTILINE)
    if found is None or found[1].endswith("-NOTFOUND"):
        raise SampleError("the build tree was configured without MPI")
    openmpi = "openmpi" in found[1]
    more = ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none") if openmpi else ()
    return Setting(build, (found[1], *more), quick)


BASE = {"GIMBAL_REPORT": "off", "OMP_NUM_THREADS": "1"}


def latency_name(transport: str, partner: str) -> str:
    return f"{transport}, partner {partner}"


def expect_transport(variant: Variant, answer: dict[str, Any]) -> None:
    """Another transport than the one that was asked for is no answer: ranks of one node may have none such."""
    wanted = variant.environment["GIMBAL_MPI_TRANSPORT"]
    if answer["transport"] != wanted:
        raise SampleError(f"{variant.name}: it runs as {answer['transport']} here")


def latency(setting: Setting) -> list[Variant]:
    """Draws of one rank of two. Messages: chunks of 1 ms, so that a foreman must answer from inside of its own."""
    program = setting.program("bench", "mpi", "mpi_latency")
    many = 100_000 if setting.quick else 300_000
    few = 200 if setting.quick else 500
    variants = []
    for transport in TRANSPORTS:
        numbers = (many, 1, 0.5) if transport == "shared" else (few, 50, 20)
        environment = {**BASE, "GIMBAL_MPI_TRANSPORT": transport}
        if transport == "hierarchical":
            environment["GIMBAL_MPI_NODE_RANKS"] = "1"
        variants += [Variant(latency_name(transport, partner), setting.ranks(2, program, partner, *numbers),
                             environment, expect_transport, 30) for partner in PARTNERS]
    return variants


def pisolver_name(ranks: int, data: str, imbalance: int, schedule: str) -> str:
    return f"{ranks} ranks, {data}, {imbalance} %, {schedule}"


def pisolver_work(setting: Setting, ranks: int, cores: int) -> list[object]:
    """Steps of 40 ms where every rank has a core; else of 100 ms or so in which iterations sleep for most of the time,
    which is work that ranks can do at once on fewer cores."""
    if ranks <= cores:
        return ["--iterations", 4000, "--mean", 20000, "--steps", 10 if setting.quick else 40]
    return ["--iterations", 500 * ranks, "--ns-per-step", 30, "--steps", 5 if setting.quick else 15]


def pisolver(setting: Setting, cores: int) -> list[Variant]:
    program = setting.program("apps", "pisolver", "pisolver")
    variants = []
    for ranks in RANKS:
        for data in DATA:
            for imbalance in IMBALANCES:
                for schedule in ("static", "loop"):
                    arguments = [*pisolver_work(setting, ranks, cores), "--imbalance", imbalance, "--warm-up", 5,
                                 "--schedule", schedule, "--json",
                                 *(["--distributed"] if data == "distributed" else [])]
                    variants.append(Variant(pisolver_name(ranks, data, imbalance, schedule),
                                            setting.ranks(ranks, program, *arguments), BASE))
    return variants


def mandelbrot(setting: Setting) -> list[Variant]:
    program = setting.program("apps", "mandelbrot", "mandelbrot")
    steps = 5 if setting.quick else 10
    return [Variant(f"mandelbrot, {schedule}",
                    setting.ranks(2, program, "--ranks", "--rank-schedule", schedule, "--steps", steps, "--json"), BASE)
            for schedule in ("static", "loop")]


def evrard(setting: Setting) -> list[Variant]:
    program = setting.program("apps", "evrard", "evrard")
    particles, steps = (2000, 5) if setting.quick else (5000, 8)
    return [Variant(f"evrard, {schedule}",
                    setting.ranks(2, program, "--particles", particles, "--steps", steps, "--order", "radial",
                                  "--rank-schedule", schedule, "--quiet", "--json"), BASE)
            for schedule in ("static", "loop")]
