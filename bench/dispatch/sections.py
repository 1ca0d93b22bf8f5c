# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three measurements of bench/dispatch: many chunks, few chunks, and a program that Gimbal has no business with."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.gate import Gate
from harness.runner import Comparison, SampleError, Session, Variant
from harness.stats import Summary
from harness.table import render

import chunks
from setting import ADAPTIVE, PLANNED, Case, Setting

MANY_N = 1_000_000  # iterations, one chunk each
FEW_N_PER_THREAD = 25_000  # iterations, some 8 us: as short as a loop worth a team gets


@dataclass
class Section:
    """A measured section: its samples, the chunks per loop of every case, and who is compared with whom."""

    session: Session
    chunks: dict[Case, float]
    references: dict[Case, Case] = field(default_factory=dict)
    twins: dict[Case, Case] = field(default_factory=dict)  # adaptive -> Gimbal's planned one of as many chunks
    failures: list[str] = field(default_factory=list)

    def summary(self, case: Case) -> Summary:
        return self.session.summary(case.name)

    def compare(self, case: Case, reference: Case) -> Comparison | None:
        """Ratio of two measured cases; None when one of them could not run."""
        measured = {variant.name for variant in self.session.variants}
        if case.name not in measured or reference.name not in measured:
            return None
        return self.session.compare(case.name, reference.name)

    def more_ns(self, case: Case) -> float:
        """How much longer one loop takes than that of the case's reference [ns]."""
        return self.summary(case).median - self.summary(self.references[case]).median

    def ns_per_chunk(self, case: Case, base: str = "upstream") -> float | None:
        """What a chunk costs: loop time over the static loop of the runtime `base`, by the chunks beyond one per
        thread [ns]."""
        static = Case(case.compiler, base, "static", case.threads)
        if static not in self.chunks:
            return None
        more = self.chunks[case] - case.threads
        return (self.summary(case).median - self.summary(static).median) / more if more >= 1 else None

    def medians(self) -> dict[str, Any]:
        """Raw figures for the RESULT line."""
        return {case.name: {"ns_per_loop": self.summary(case).median, "chunks": count}
                for case, count in self.chunks.items()}


def many_cases(compiler: str, threads: int) -> list[Case]:
    """One chunk per iteration: Gimbal's, upstream's and (for gcc) libgomp's."""
    pairs = [("upstream", "monotonic:dynamic,1"), ("upstream", "static_steal"), ("upstream", "static,1"),
             ("gimbal", "ss"), ("gimbal", "static,1")]
    if compiler == "gcc":
        pairs += [("libgomp", "dynamic,1"), ("libgomp", "static,1")]
    return [Case(compiler, runtime, schedule, threads) for runtime, schedule in pairs]


def prepare_many(setting: Setting, gate: Gate, cases: Sequence[Case], time_ms: int) -> Section:
    """Loops of MANY_N chunks. The cases that cannot run are left out and named in failures."""
    counts, failures = chunks.count_all(setting, list(cases), MANY_N, 1)
    variants = [setting.variant(case, "loops", (MANY_N, 1, 2, time_ms)) for case in counts]
    return Section(Session(variants, gate), counts, failures=failures)


def prepare_few(setting: Setting, gate: Gate, compiler: str, threads: int, time_ms: int) -> Section:
    """Short loops under every planned and adaptive technique, each with upstream's guided of as many chunks."""
    n = FEW_N_PER_THREAD * threads
    loops = 200 if threads <= len(setting.cores) else 10  # barriers of an oversubscribed team take 100 times as long
    counts, failures = chunks.count_all(
        setting, [Case(compiler, "gimbal", technique, threads) for technique in PLANNED + ADAPTIVE], n, loops)
    guided = chunks.guided_counts(setting, compiler, threads, n, loops)
    references = {case: chunks.closest(count, guided, n) for case, count in counts.items()}
    twins = {case: planned_twin(references[case]) for case in counts if case.schedule in ADAPTIVE}
    for twin in twins.values():
        if twin not in counts:
            counts[twin] = chunks.count(setting, twin, n, loops)
    others = [Case(compiler, "upstream", "static", threads), Case(compiler, "upstream", "guided", threads)]
    if compiler == "gcc":
        others.append(Case(compiler, "libgomp", "guided", threads))
    for case in [*references.values(), *others]:
        if case not in counts:
            counts[case] = guided.get(case) or chunks.count(setting, case, n, loops)
    variants = [setting.variant(case, "loops", (n, loops, 3, time_ms)) for case in counts]
    return Section(Session(variants, gate), counts, references, twins, failures)


def planned_twin(reference: Case) -> Case:
    """The same schedule under Gimbal: as many chunks, of the same sizes, but planned."""
    schedule = reference.schedule.removeprefix("monotonic:")
    return Case(reference.compiler, "gimbal", schedule, reference.threads)


def prepare_idle(setting: Setting, gate: Gate, threads: int) -> Section:
    """A program without schedule(runtime), with the patched runtime preloaded and with the upstream one."""
    variants: dict[Case, Variant] = {}
    failures: list[str] = []
    for runtime in ("gimbal", "upstream"):
        case = Case("clang", runtime, "static", threads)
        variants[case] = setting.variant(case, "idle", (3, 10))
        try:
            variants[case].run()
        except SampleError as error:
            failures.append(str(error))
            del variants[case]
    return Section(Session(list(variants.values()), gate), dict.fromkeys(variants, 0.0), failures=failures)


def interval(comparison: Comparison | None) -> list[Any]:
    """Table cells: ratio, 95 % interval, pairs (with a star when they did not pass the strict gate)."""
    if comparison is None:
        return [None, None, None]
    star = "" if comparison.gated else "*"
    return [comparison.ratio, f"{comparison.low:.3f}..{comparison.high:.3f}", f"{comparison.pairs}{star}"]


def many_table(section: Section) -> str:
    """Nanoseconds per chunk (wall time over chunks) and the ratio to the same program's upstream schedule."""
    rows = []
    for case, count in section.chunks.items():
        # A serial team gets the loop in one piece: a cost per chunk would then be the cost of the body.
        per_chunk = section.summary(case).median / MANY_N if count > case.threads else None
        dynamic = case.schedule in ("ss", "dynamic,1", "static_steal", "monotonic:dynamic,1")
        reference = Case(case.compiler, "upstream", "monotonic:dynamic,1" if dynamic else "static,1", case.threads)
        summary = section.summary(case)
        rows.append([case.compiler, case.runtime, case.schedule, case.threads, int(count), per_chunk,
                     summary.median / 1e6, summary.interquartile_range / 1e6,
                     *interval(section.compare(case, reference))])
    rows.sort(key=lambda row: (row[3], row[0], row[2] not in ("ss", "dynamic,1", "monotonic:dynamic,1"), row[2]))
    return render(f"Many chunks: one loop of {MANY_N} iterations, chunk 1; ratio to upstream dynamic,1 or static,1",
                  ["compiler", "runtime", "schedule", "threads", "chunks", "ns/chunk", "loop ms", "IQR ms", "ratio",
                   "95 %", "pairs"], rows)


def few_table(section: Section) -> str:
    """Time of a short loop per technique, and the ratio to upstream's schedule of as many chunks."""
    first = next(iter(section.chunks))
    rows = []
    for case, count in section.chunks.items():
        summary = section.summary(case)
        per_chunk = section.ns_per_chunk(case)
        reference = section.references.get(case)
        rows.append([case.runtime, case.schedule, count, summary.median, summary.interquartile_range, per_chunk,
                     reference.schedule if reference else None, section.chunks[reference] if reference else None,
                     section.more_ns(case) if reference else None,
                     *interval(section.compare(case, reference) if reference else None)])
    return render(f"Few chunks: {first.compiler} program, {first.threads} thread(s), loops of "
                  f"{FEW_N_PER_THREAD * first.threads} iterations with their barrier; ratio to upstream's schedule of "
                  f"as many chunks", ["runtime", "schedule", "chunks", "loop ns", "IQR ns", "ns/chunk over static",
                                      "compared with", "its chunks", "more ns", "ratio", "95 %",
                                      "pairs"], rows)


def idle_table(section: Section) -> str:
    """The parts of the idle program under both runtimes [us]."""
    if section.failures:
        return "A program without schedule(runtime): not measured"
    ours, theirs = (variant.name for variant in section.session.variants)
    rows = []
    for key, what in (("ns", "all"), ("regions_ns", "20 empty regions"), ("barriers_ns", "20 barriers"),
                      ("static_ns", "static loop"), ("dynamic64_ns", "dynamic,64 loop")):
        rows.append([what, section.session.summary(ours, key).median / 1e3,
                     section.session.summary(theirs, key).median / 1e3,
                     *interval(section.session.compare(ours, theirs, key))])
    return render("A program without schedule(runtime), clang", ["part", "preloaded us", "upstream us", "ratio",
                                                                 "95 %", "pairs"], rows)
