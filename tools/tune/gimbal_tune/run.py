# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The search itself: short runs if there are any, the runs of the search, and the comparison at its end."""
from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gimbal_campaign.errors import CampaignError
from gimbal_campaign.interrupts import interrupts_raise, status_of
from gimbal_campaign.process import Tool
from gimbal_campaign.records import last_words
from gimbal_campaign.run import Progress, say
from gimbal_campaign.tables import counted

from .belief import Belief
from .comparison import best_to_run, pairs_of
from .encoding import encode, encode_with
from .modules import need
from .process import Outcome, left_out, run_once
from .search import Proposal, Search, Seen, levels, scale_of
from .space import Configuration
from .store import Run, Store
from .values import Value
from .wanted import Wanted, aim

GIVE_UP = 6  # runs without any result
LEAST_LIMIT_S = 2.0  # a busy machine alone makes a run of milliseconds three times as long
SHORT_PER_RUN = 2  # short runs for each run of the search
SHORT_SHARE = 0.25  # of the time that the runs may take


@dataclass(frozen=True)
class Budget:
    """runs: of the search; seconds: of all runs, 0 for no limit; compare: pairs of runs at the end."""

    runs: int
    seconds: float
    compare: int


def shown(configuration: Configuration) -> str:
    return " ".join(f"{key}={value}" for key, value in configuration.items())


def objective(wanted: Wanted, value: float | None) -> float | None:
    return None if value is None else wanted.sign() * value


def best_of(wanted: Wanted, runs: Sequence[Run], kind: str = "search") -> Run | None:
    """The run with the best value."""
    known = [run for run in runs if run.kind == kind and run.value is not None]
    return min(known, key=lambda run: wanted.sign() * run.value) if known else None


def read_earlier(wanted: Wanted, files: Sequence[Path]) -> list[list[Run]]:
    """The runs with a result of earlier searches for the same, with the same parameters. Raises CampaignError."""
    found = []
    for path in files:
        with closing(Store(path, must_exist=True)) as store:
            runs = [run for run in store.runs() if run.kind == "search" and run.value is not None]
            theirs = store.objective()
        ours = (wanted.metric.pattern if wanted.metric else "", wanted.maximize)
        if theirs != ours:
            by = (f" by {theirs[0]}", f" by {ours[0]}") if aim(*theirs) == aim(*ours) else ("", "")
            raise CampaignError(f"--earlier {path}: it looked for {aim(*theirs)}{by[0]}, this search looks for "
                                f"{aim(*ours)}{by[1]}", "allowed are searches for the same")
        for run in runs[:1]:
            if set(run.configuration) != set(wanted.space.names):
                raise CampaignError(f"--earlier {path}: its parameters are {' '.join(run.configuration)}",
                                    f"here they are {' '.join(wanted.space.names)}")
        found.append(runs)
    return found


class Session:
    """One search on one store; everything that is decided follows from the rows of the store."""

    def __init__(self, wanted: Wanted, store: Store, tool: Tool, budget: Budget) -> None:
        self.wanted, self.store, self.tool, self.budget = wanted, store, tool, budget
        self.pool = wanted.space.pool(wanted.seed)
        self.place = {self.key(one): index for index, one in enumerate(self.pool)}
        self.encoded = encode(wanted.space.parameters, self.pool, wanted.space.features)
        self.earlier: list[list[Configuration]] = []
        self.levels: list[float] = []  # what these measured
        self.today = wanted.space.today(self.pool)
        self.runs = store.runs()
        for run in self.runs:
            if self.key(run.configuration) not in self.place:
                raise store.damaged(f"it has a run of {shown(run.configuration)}, which is none of the configurations")
        self.total = min(budget.runs, len(self.pool))
        shorts = min(SHORT_PER_RUN * self.total, len(self.pool)) if wanted.short else 0
        self.shorts = shorts
        self.progress = Progress((self.total + shorts) * wanted.repeats + 2 * budget.compare, len(self.runs))

    def key(self, configuration: Configuration) -> tuple[Value | None, ...]:
        """By name: the parameters of the rows may stand in another order."""
        return tuple(map(configuration.get, self.wanted.space.names))

    def know(self, searches: Sequence[Sequence[Run]]) -> None:
        """Take over what earlier searches measured, as read_earlier() has it. Raises CampaignError."""
        for runs in searches:
            seen = [Seen(0, objective(self.wanted, run.value)) for run in runs]
            self.earlier.append([run.configuration for run in runs])
            self.levels += levels(seen, True)
        if self.earlier:
            self.encoded = encode_with(self.wanted.space.parameters, self.pool, self.earlier,
                                       self.wanted.space.features)

    def of(self, kind: str) -> list[Run]:
        return [run for run in self.runs if run.kind == kind]

    def configurations(self, kind: str) -> list[tuple[int, list[Run]]]:
        """The configurations that have run, in their order, each with its repeats."""
        found: dict[int, list[Run]] = {}
        for run in self.of(kind):
            found.setdefault(self.place[self.key(run.configuration)], []).append(run)
        return list(found.items())

    def seen(self, kind: str) -> list[Seen]:
        found = []
        for index, runs in self.configurations(kind):
            values = [objective(self.wanted, run.value) for run in runs if run.value is not None]
            found.append(Seen(index, min(values, default=None), all(run.status != "slow" for run in runs)))
        return found

    def limit_s(self, kind: str) -> float:
        """How long a run may take: some times what the quickest of its kind took."""
        known = [run.wall_s for run in self.runs if run.value is not None and (run.kind == "short") == (kind == "short")]
        if not known or not self.wanted.abort or kind == "compare":
            return self.wanted.timeout_s
        return min(self.wanted.timeout_s, max(LEAST_LIMIT_S, self.wanted.abort * min(known)))

    def spent_s(self) -> float:
        return sum(run.wall_s for run in self.runs)

    def affordable(self, kind: str, more: int = 0) -> bool:
        """Whether there is time for another run of a kind, and for `more` after it."""
        if not self.budget.seconds:
            return True
        known = [run.wall_s for run in self.runs if (run.kind == "short") == (kind == "short")]
        each = sum(known) / len(known) if known else 0.0
        if kind == "short" and sum(known) + each > SHORT_SHARE * self.budget.seconds:
            return False
        return self.spent_s() + each * (1 + more) <= self.budget.seconds

    def measure(self, kind: str, index: int, reason: str, predicted: float | None) -> Outcome:
        configuration = self.pool[index]
        outcome = run_once(self.wanted, self.tool, configuration, self.limit_s(kind), kind == "short")
        self.store.add(kind, configuration, reason, predicted, outcome)
        self.runs.append(Run(kind, configuration, reason, predicted, outcome.status, outcome.value, outcome.wall_s,
                             outcome.output))
        value = f"{outcome.value:.4g}" if outcome.value is not None else outcome.status
        if outcome.status not in ("ok", "slow"):
            self.progress.note(f"{outcome.status}: {shown(configuration)}: {last_words(outcome.output)}")
        self.progress.step(f"{shown(configuration)}: {value}")
        return outcome

    def search(self, kind: str, total: int, propose: Callable[[list[Seen]], Proposal | None], after: int) -> None:
        """Run until there are `total` configurations, the time is spent but for `after` runs, or none is left."""
        while True:
            found = self.configurations(kind)
            again = next(((index, runs) for index, runs in found[-1:] if len(runs) < self.wanted.repeats
                          and runs[-1].status == "ok"), None)
            if again is not None:
                self.measure(kind, again[0], again[1][0].reason, again[1][0].predicted)
                continue
            if len(found) >= total or not self.affordable(kind, after):
                return
            seen = self.seen(kind)
            if len(seen) >= GIVE_UP and all(one.value is None for one in seen):
                raise CampaignError(f"none of {len(seen)} configurations gave a result; the last one: "
                                    f"{last_words(self.runs[-1].output)}", "does the program run by itself?")
            proposal = Proposal(self.today, "today") if not seen else propose(seen)
            if proposal is None:
                return
            self.measure(kind, proposal.index, proposal.reason, proposal.predicted)

    def noise(self) -> float | None:
        """Variance of a value, as models see it, where repeats show it; of the least of several, so less."""
        values = [[self.wanted.sign() * run.value for run in runs if run.value is not None]
                  for _, runs in self.configurations("search")]
        scale = scale_of([min(repeats) for repeats in values if repeats])  # as levels() has it
        spreads = [statistics.variance(map(scale, repeats)) for repeats in values
                   if len(repeats) > 1 and (scale is float or scale_of(repeats) is scale)]
        return sum(spreads) / len(spreads) / self.wanted.repeats if spreads else None

    def prior(self) -> Any:
        """What the short runs say of every configuration, as models see it, about their mean; None without."""
        seen = self.seen("short")
        if len(self.pool) == 1 or not any(one.value is not None for one in seen):
            return None
        found = Belief(self.encoded, self.wanted.seed).expected(seen, levels(seen, True))
        return found - found.mean()

    def announce(self) -> None:
        """Say what will be done."""
        parts = [f"{counted(self.total, 'run')} of {counted(len(self.pool), 'configuration')}, today's first"]
        if self.shorts:
            parts.insert(0, counted(self.shorts, "short run"))
        if self.budget.compare:
            parts.append(f"then {self.budget.compare} of today's and of the best in turns")
        self.progress.note("; ".join(parts))
        if out := left_out(self.wanted):
            self.progress.note(f"without {', '.join(out)}, which would decide what is tuned")
        if self.runs:
            self.progress.note(f"{self.store.path} has {counted(len(self.runs), 'run')}, going on")

    def everything(self) -> None:
        """What has not run yet. An interrupt loses the run in progress only."""
        after = 2 * self.budget.compare
        if self.shorts:
            shorts = Search("gimbal", self.encoded, self.wanted.seed, self.shorts)
            self.search("short", self.shorts, shorts.next, 0)
        prior = self.prior()
        method = Search(self.wanted.method, self.encoded, self.wanted.seed, 2 if prior is not None else None, prior,
                        self.levels)

        def propose(seen: list[Seen]) -> Proposal | None:
            method.noise = self.noise()
            return method.next(seen)

        self.search("search", self.total, propose, after)
        if best_of(self.wanted, self.runs) is None:
            raise CampaignError("no configuration gave a result", last_words(self.runs[-1].output) if self.runs else "")
        self.compare()

    def compare(self) -> None:
        """Today's configuration and the best in turns; where the best gives no result, the next best does it."""
        today = self.pool[self.today]
        while (best := best_to_run(self.wanted, self.runs, today)) != today:
            done, half = pairs_of(self.runs, best)
            if len(done) >= self.budget.compare or not self.affordable("compare"):
                return
            self.progress.total = len(self.runs) + 2 * (self.budget.compare - len(done)) - (half is not None)
            order = ("today", "best") if len(done) % 2 else ("best", "today")
            reason = next(one for one in order if half is None or one != half.reason)
            self.measure("compare", self.today if reason == "today" else self.place[self.key(best)], reason, None)


def run(session: Session) -> int:
    """Search. Returns 0, or 128 + signal if it was interrupted; the store then has all runs that ended."""
    begin = time.monotonic()
    with interrupts_raise():
        try:
            # The matrices are small: more threads would only take cores from others.
            with need("threadpoolctl").threadpool_limits(1):
                session.everything()
        except KeyboardInterrupt as interruption:
            session.progress.end()
            stored = len(session.store.runs())  # one more than the session knows, if that was just being noted
            say(f"interrupted after {time.monotonic() - begin:.0f} s; {session.store.path} has "
                f"{counted(stored, 'run')}; the same command goes on")
            return status_of(interruption)
        except sqlite3.Error as error:
            raise CampaignError(f"{session.store.path}: {error}") from None
    session.progress.end()
    return 0
