# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chunks that a loop really gets, counted outside the timed runs, and upstream's schedule with as many chunks."""
from __future__ import annotations

from collections.abc import Mapping

from harness.runner import SampleError

from setting import Case, Setting

CLOSE_ENOUGH = 0.25  # relative difference of the chunk counts up to which guided is the reference
# Chunk parameters of guided that are tried, as parts of the trip count; then 1 to 64 iterations.
_PARTS = (1, 2, 3, 4, 6)
_CHUNKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def count(setting: Setting, case: Case, n: int, loops: int) -> float:
    """Mean number of chunks of one loop of n iterations [chunks]. Raises SampleError when the program fails."""
    return setting.variant(case, "count", (n, loops, 1, 0)).run()["chunks"]


def count_all(setting: Setting, cases: list[Case], n: int, loops: int) -> tuple[dict[Case, float], list[str]]:
    """Chunk counts of the cases that run, and what the others said."""
    counts: dict[Case, float] = {}
    failures: list[str] = []
    for case in cases:
        try:
            counts[case] = count(setting, case, n, loops)
        except SampleError as error:
            failures.append(str(error))
    return counts, failures


def guided_counts(setting: Setting, compiler: str, threads: int, n: int, loops: int) -> dict[Case, float]:
    """Chunk counts of upstream's guided over a range of its chunk parameter."""
    chunks = sorted({c for c in _CHUNKS if c <= n} | {-(-n // part) for part in _PARTS})
    cases = [Case(compiler, "upstream", "guided" if c == 1 else f"guided,{c}", threads) for c in chunks]
    return {case: count(setting, case, n, loops) for case in cases}


def closest(wanted: float, guided: Mapping[Case, float], n: int) -> Case:
    """The upstream case whose loop of n iterations has the wanted number of chunks.

    guided's, within CLOSE_ENOUGH. guided cannot make a loop of, say, one chunk per iteration: then it is
    monotonic:dynamic with the chunk that gives the wanted number. Of two equally close ones it is that with fewer
    chunks, which is the harder one to match.
    """
    best = min(guided, key=lambda case: (abs(guided[case] - wanted), guided[case]))
    if abs(guided[best] - wanted) <= CLOSE_ENOUGH * wanted:
        return best
    return Case(best.compiler, "upstream", f"monotonic:dynamic,{max(1, round(n / wanted))}", best.threads)
