#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/trace: what a trace costs while it is recorded, and what it takes to write it; how large the page of a large run
is, and whether the Debian packages work where they are installed. See README.md."""
from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from harness import table  # noqa: E402
from harness.runner import clean_environment  # noqa: E402

COST = ("2 threads, 200 ns of work in a chunk", 2, 100_000, 20, 200)
WHOLE = ("8 threads, 10^7 chunks of 1000 ns", 8, 1_000_000, 10, 1000)
ROOT = Path(__file__).resolve().parents[2]
WHOLE_QUICK = ("8 threads, 10^6 chunks of 1000 ns", 8, 100_000, 10, 1000)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What a trace costs.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--rounds", type=int, default=7, help="runs with and without a trace, in turns (default 7)")
    parser.add_argument("--quick", action="store_true", help="three rounds, a tenth of the chunks")
    return parser.parse_args()


class Runs:
    """Runs of the program with and without a trace."""

    def __init__(self, build: Path, folder: Path) -> None:
        self.program = build / "bench" / "trace" / "chunks"
        self.trace = folder / "run.pftrace"
        self.environment = {**os.environ, "LD_PRELOAD": str(build / "lib" / "libomp.so"), "OMP_SCHEDULE": "ss",
                            "GIMBAL_REPORT": "off"}
        clock = time.perf_counter()
        self.step_ns = 1.0
        probe = self.run(1, 1000, 50, 1000, traced=False)
        self.step_ns = 1e9 * probe["cpu_s"] / (1000 * 50 * 1000)
        self.started_s = clock

    def run(self, threads: int, iterations: int, executions: int, work_ns: float, traced: bool) -> dict[str, Any]:
        """One run: what the program printed, and the wall time of its process."""
        words = [self.program, iterations, executions, max(1, round(work_ns / self.step_ns))]
        more = {"OMP_NUM_THREADS": str(threads), **({"GIMBAL_TRACE": str(self.trace)} if traced else {})}
        begin = time.perf_counter()
        done = subprocess.run([str(word) for word in words], env={**self.environment, **more}, capture_output=True,
                              text=True, timeout=600)
        if done.returncode != 0:
            sys.exit(f"bench: error: {self.program}: {done.stderr}")
        return {**json.loads(done.stdout), "process_s": time.perf_counter() - begin}


def compare(runs: Runs, case: tuple, rounds: int) -> dict[str, float]:
    """Medians over rounds of both kinds, one after the other."""
    _, threads, iterations, executions, work_ns = case
    pairs = []
    for number in range(rounds):
        kinds = (False, True) if number % 2 == 0 else (True, False)
        pair = {traced: runs.run(threads, iterations, executions, work_ns, traced) for traced in kinds}
        pairs.append((pair[False], pair[True]))
    chunks = iterations * executions
    ratios = [on["wall_s"] / off["wall_s"] for off, on in pairs]
    return {
        "ns": statistics.median(1e9 * (on["cpu_s"] - off["cpu_s"]) / chunks for off, on in pairs),
        "wall_ratio": statistics.median(ratios),
        "cpu_ratio": statistics.median(on["cpu_s"] / off["cpu_s"] for off, on in pairs),
        "writing_s": statistics.median(on["process_s"] - on["wall_s"] for _, on in pairs)
        - statistics.median(off["process_s"] - off["wall_s"] for off, _ in pairs),
        "memory_mb": max(on["memory_kb"] for _, on in pairs) / 1024,
        "memory_off_mb": max(off["memory_kb"] for off, _ in pairs) / 1024,
        "work_ns": statistics.median(1e9 * off["cpu_s"] / chunks for off, _ in pairs),
        "trace_mb": runs.trace.stat().st_size / 2**20,
        "children_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


def row(title: str, found: dict[str, float]) -> list[str]:
    return [title, f"{found['work_ns']:.0f}", f"{found['ns']:.1f}", f"{found['wall_ratio']:.3f}",
            f"{found['cpu_ratio']:.3f}", f"{found['writing_s']:.2f}", f"{found['trace_mb']:.0f}",
            f"{found['memory_off_mb']:.1f} / {found['memory_mb']:.1f} / {found['children_mb']:.1f}"]


def result_of(*command: str | Path) -> dict[str, Any]:
    """The RESULT line of another program; {} if it failed, which it has said itself."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, timeout=1800)
    lines = [line.removeprefix("RESULT ") for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return json.loads(lines[-1]) if done.returncode == 0 and lines else {}


def packages_install() -> int | None:
    """1: the packages that `./dev packages` has made work in a fresh Debian; 0: they do not; None: that cannot be tried
    here, and a line says why."""
    packages = ROOT / "build" / "packages"
    missing = ("not made yet: ./dev packages" if not list(packages.glob("libgimbal_*.deb"))
               else "debootstrap is not installed" if shutil.which("debootstrap") is None
               else "only root can make a chroot" if os.getuid() != 0 else None)
    if missing:
        print(f"Debian packages: not tried, {missing}", end="\n\n")
        return None
    return result_of(ROOT / "packaging/debian/check_in_chroot.sh", packages).get("deb_install_ok", 0)


def main() -> int:
    args = arguments()
    clean_environment()
    rounds = 3 if args.quick else args.rounds
    whole_case = WHOLE_QUICK if args.quick else WHOLE
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(args.build.resolve(), Path(folder))
        cost = compare(runs, COST, rounds)
        whole = compare(runs, whole_case, max(3, rounds // 2))
    print(table.render("What a trace costs; processor time, and wall time of the loops with over without",
                       ["case", "chunk ns", "added ns", "wall", "cpu", "writing s", "file MB",
                        "memory MB: without / with / while writing"],
                       [row(COST[0], cost), row(whole_case[0], whole)]), end="\n\n", flush=True)
    page = result_of(sys.executable, ROOT / "bench/page/run.py", "--build", args.build, "--rounds", "1")
    print(table.result_line({
        "trace_ns_per_chunk": cost["ns"], "trace_overhead": whole["wall_ratio"] - 1,
        "trace_cpu_overhead": whole["cpu_ratio"] - 1, "trace_writing_s": whole["writing_s"],
        "trace_memory_mb": whole["children_mb"], "trace_file_mb": whole["trace_mb"],
        "html_mb_64_ranks": page.get("html_mb_64_ranks"), "deb_install_ok": packages_install()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
