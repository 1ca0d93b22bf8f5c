# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One loop, many schedules: the interleaved session of a table, without those that fail."""
from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.gate import Gate
from harness.runner import Comparison, SampleError, Session
from harness.table import render

from ranking import Row, fastest, of
from roster import Entrant
from setting import Case, Setting

TIMEOUT_S = 30.0  # for one process; the longest sample takes about two seconds


@dataclass(frozen=True)
class Plan:
    """How one sample is taken. key: which loop time counts, ns (median of a sample) or mean_ns.

    The chunks are those of the first execution after trial_warm_ups executions, None: after as many as in a sample.
    warm_ups: executions before the timed ones, None: as many as each entrant needs.
    n: iterations; 0: as many as the kernel is made for.
    """

    kernel: str
    executions: int
    passes: int
    key: str = "ns"
    trial_warm_ups: int | None = None
    warm_ups: int | None = None
    n: int = 0

    @property
    def efficiency_key(self) -> str:
        return "efficiency" if self.key == "ns" else "mean_efficiency"

    def arguments(self, warm_ups: int) -> tuple[object, ...]:
        return self.kernel, self.n, warm_ups, self.executions, self.passes


@dataclass
class Race:
    """A session whose variants may drop out. failures: what those who did said."""

    plan: Plan
    session: Session
    entrants: list[Entrant]
    n: int = 0
    chunks: dict[Case, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    used: dict[tuple[Case, Case], Comparison] = field(default_factory=dict)

    def run(self, budget_s: float, max_rounds: int = 1000) -> None:
        """Rounds until the budget is used, at least one. A variant that fails is named and runs no more."""
        end = time.monotonic() + budget_s
        while self.session.variants:
            try:
                self.session.run(end - time.monotonic(), max_rounds)
                return
            except SampleError as error:
                self._drop(error)

    def _drop(self, error: SampleError) -> None:
        guilty = [one for one in self.session.variants if str(error).startswith(f"{one.name}: ")]
        if not guilty:
            raise error
        self.failures.append(f"{self.plan.kernel}: {error}")
        self.session.variants.remove(guilty[0])
        self.entrants = [one for one in self.entrants if one.case.name != guilty[0].name]

    def rows(self) -> list[Row]:
        """The measured rows, fastest first."""
        if not self.session.rounds:
            return []
        rows = [Row(one, self.session.summary(one.case.name, self.plan.key).median,
                    self.session.summary(one.case.name, self.plan.efficiency_key).median, self.chunks[one.case])
                for one in self.entrants]
        return sorted(rows, key=lambda row: row.ns)

    def compare(self, case: Case, baseline: Case) -> Comparison:
        """Ratio of two rows; remembered in used, for the question whether all ratios were gated."""
        if (case, baseline) not in self.used:
            self.used[case, baseline] = self.session.compare(case.name, baseline.name, self.plan.key)
        return self.used[case, baseline]

    def detail(self) -> dict[str, Any]:
        """Raw figures for the RESULT line."""
        return {row.name: {"ns": row.ns, "efficiency": row.efficiency, "chunks": row.chunks} for row in self.rows()}


def prepare(setting: Setting, gate: Gate, plan: Plan, entrants: Sequence[Entrant]) -> Race:
    """Runs every entrant once with its chunks counted; those that fail do not take part and are named."""
    race = Race(plan, Session([], gate), [])
    for entrant in entrants:
        settled = entrant.warm_ups if plan.warm_ups is None else plan.warm_ups
        warm_ups = settled if plan.trial_warm_ups is None else plan.trial_warm_ups
        trial = setting.variant(entrant.case, "count", (plan.kernel, plan.n, warm_ups, 1, 1))
        try:
            answer = dataclasses.replace(trial, timeout_s=TIMEOUT_S).run()
        except SampleError as error:
            race.failures.append(f"{plan.kernel}: {error}")
            continue
        race.n = answer["n"]
        race.chunks[entrant.case] = answer["chunks"]
        race.entrants.append(entrant)
        timed = setting.variant(entrant.case, "loops", plan.arguments(settled))
        race.session.variants.append(dataclasses.replace(timed, timeout_s=TIMEOUT_S))
    return race


def show(race: Race, title: str, gated: bool = True, cores: float | None = None) -> str:
    """The table of a race, fastest first. cores: what a full efficiency refers to, if not the number of threads."""
    rows = race.rows()
    baseline = fastest(of(rows, False)) or fastest(rows)
    if baseline is None:
        return f"{title}: nothing could be measured"
    cells = []
    for row in rows:
        compared = race.compare(row.case, baseline.case)
        star = "" if gated and compared.gated else "*"
        share = 1.0 if cores is None else row.case.threads / cores
        cells.append([row.name, row.entrant.family, row.chunks or None, row.ns / 1e6, row.efficiency * share,
                      f"{compared.ratio:.4f}", f"{compared.low:.4f}..{compared.high:.4f}", f"{compared.pairs}{star}"])
    return render(f"{title}; N {race.n}; ratio to {baseline.name}",
                  ["technique", "family", "chunks", "loop ms", "efficiency", "ratio", "95 %", "pairs"], cells)
