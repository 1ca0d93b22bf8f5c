# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interleaved measurement: rounds in which every variant is sampled once, in a new random order each time.

All variants then see the same drift of the machine, and two of them are compared within a round, by ratio.
"""
from __future__ import annotations

import functools
import json
import os
import random
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import gate as gates
from . import stats

PADDING = 512  # bytes; see Variant.run
RETRIES = 2  # further tries for a sample that the gate refused; the quietest one is kept


# Variables that steer an OpenMP runtime or Gimbal: a bench sets its own and must not inherit the caller's.
STEERING = ("OMP_", "KMP_", "LIBOMP_", "GOMP_", "GIMBAL_", "LD_PRELOAD")


def clean_environment() -> list[str]:
    """Removes the steering variables from this process; returns the names that were set.

    What Gimbal learns is not kept from one sample to the next, so that all begin alike.
    """
    names = [name for name in os.environ if name.startswith(STEERING)]
    for name in names:
        del os.environ[name]
    os.environ["GIMBAL_CACHE"] = "off"
    return names


class SampleError(RuntimeError):
    """A measured program failed; the text names the variant, the status and what it said."""


@dataclass(frozen=True)
class Variant:
    """One thing to measure: a command that prints one JSON line, and the environment that makes the difference.

    environment: added to the caller's; check: raises SampleError when the answer does not come from where it should.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Variant, dict[str, Any]], None] | None = None
    timeout_s: float = 60.0

    def run(self, padding: int = 0) -> dict[str, Any]:
        """Runs the command once and returns the JSON object of its last output line. Raises SampleError.

        padding: bytes added to the environment. The size of the environment moves the stack, and that alone can make
        a program faster or slower; varied from sample to sample it is noise instead of a lead for one variant.
        Adds "process_ns", the wall time of the whole process as seen from here.
        """
        environment = {**os.environ, **self.environment, "BENCH_PADDING": "x" * padding}
        begin_ns = time.perf_counter_ns()
        try:
            done = subprocess.run(list(self.command), env=environment, capture_output=True, text=True,
                                  timeout=self.timeout_s, check=False)
        except subprocess.TimeoutExpired as error:
            raise SampleError(f"{self.name}: no answer within {self.timeout_s:.0f} s") from error
        process_ns = float(time.perf_counter_ns() - begin_ns)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()[-400:]
            raise SampleError(f"{self.name}: exit status {done.returncode}: {said}")
        try:
            answer = json.loads(done.stdout.strip().splitlines()[-1])
        except (IndexError, ValueError) as error:
            raise SampleError(f"{self.name}: the last output line is not JSON") from error
        if self.check is not None:
            self.check(self, answer)
        answer["process_ns"] = process_ns
        return answer


@dataclass
class Comparison:
    """Ratio of two variants: the median of the ratios within rounds, with a 95 % bootstrap interval."""

    ratio: float
    low: float
    high: float
    pairs: int
    tolerance: float
    gated: bool


class Session:
    """Samples of several variants, taken in interleaved rounds through one gate."""

    def __init__(self, variants: Sequence[Variant], gate: gates.Gate, seed: int = 1) -> None:
        self.variants = list(variants)
        self.gate = gate
        self.rounds: list[dict[str, gates.Reading]] = []
        self.tries = 0
        self._random = random.Random(seed)

    def run(self, budget_s: float, max_rounds: int = 1000) -> None:
        """Full rounds until the budget would be overrun (at least one). Raises SampleError when a program fails."""
        begin = time.monotonic()
        last_s = 0.0
        while len(self.rounds) < max_rounds:
            round_begin = time.monotonic()
            if self.rounds and round_begin - begin + last_s > budget_s:
                break
            order = self._random.sample(self.variants, len(self.variants))
            self.rounds.append({variant.name: self._sample(variant) for variant in order})
            last_s = time.monotonic() - round_begin

    def _sample(self, variant: Variant) -> gates.Reading:
        best: gates.Reading | None = None
        for _ in range(1 + RETRIES):
            run_padded = functools.partial(variant.run, self._random.randrange(PADDING))
            reading = self.gate.read(run_padded)
            self.tries += 1
            if best is None or self.gate.score(reading) < self.gate.score(best):
                best = reading
            if self.gate.score(reading) <= self.gate.strict or not self.gate.patient():
                break
        assert best is not None
        return best

    def acceptance(self) -> float:
        """Share of all tries that passed the strict gate."""
        kept = sum(self.gate.score(r) <= self.gate.strict for one in self.rounds for r in one.values())
        return kept / self.tries if self.tries else 0.0

    def values(self, name: str, key: str = "ns", wanted: int = 5) -> list[float]:
        """The accepted values of one variant, or its `wanted` quietest ones when the machine was never quiet."""
        readings = [one[name] for one in self.rounds]
        scores = [self.gate.score(r) for r in readings]
        tolerance, _ = gates.choose_tolerance(scores, self.gate.strict, wanted)
        return [r.value[key] for r, s in zip(readings, scores) if s <= tolerance]

    def summary(self, name: str, key: str = "ns") -> stats.Summary:
        return stats.summarise(self.values(name, key))

    def compare(self, name: str, baseline: str, key: str = "ns", wanted: int = 5) -> Comparison:
        """How long `name` takes over `baseline` [ratio, lower is better], from the rounds in which both were quiet."""
        return self.compare_sums([name], [baseline], key, wanted)

    def compare_sums(self, names: Sequence[str], baselines: Sequence[str], key: str = "ns",
                     wanted: int = 5) -> Comparison:
        """The same for sums over several variants, as over links of one runtime; both sides have as many."""
        pairs = []
        for one in self.rounds:
            ours, theirs = ([one[name] for name in side] for side in (names, baselines))
            pairs.append((max(self.gate.score(reading) for reading in ours + theirs),
                          sum(r.value[key] for r in ours) / sum(r.value[key] for r in theirs)))
        tolerance, gated = gates.choose_tolerance([s for s, _ in pairs], self.gate.strict, wanted)
        ratios = [ratio for s, ratio in pairs if s <= tolerance]
        low, high = stats.bootstrap_interval(ratios)
        return Comparison(stats.median(ratios), low, high, len(ratios), tolerance, gated)
