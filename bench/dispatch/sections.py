# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The three measurements of bench/dispatch: many chunks, few chunks, and a program that Gimbal has no business with."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
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


def prepare_idle(setting: Setting, gate: Gate, threads: int, layouts: Sequence[tuple[Path, Path]]) -> Section:
    """A program without schedule(runtime), with the patched runtime preloaded and with the upstream one, each in
    several layouts (layouts.py): pairs of patched, upstream."""
    variants: list[Variant] = []
    failures: list[str] = []
    for number, (patched, upstream) in enumerate(layouts):
        placed = replace(setting, patched=patched, upstream=upstream)
        for runtime in IDLE_RUNTIMES:
            variant = placed.variant(Case("clang", runtime, "static", threads), "idle", (3, 10))
            variants.append(replace(variant, name=idle_name(runtime, number)))
    try:
        for variant in variants:
            variant.run()
    except SampleError as error:
        failures.append(str(error))
        variants = []
    return Section(Session(variants, gate), {}, failures=failures)


IDLE_RUNTIMES = ("gimbal", "upstream")


def idle_name(runtime: str, layout: int) -> str:
    return f"idle {runtime} layout {layout}"


def compare_idle(section: Section, key: str) -> Comparison | None:
    """Patched over upstream, summed over the layouts; None when it could not run."""
    count = len(section.session.variants) // len(IDLE_RUNTIMES)
    if count == 0:
        return None
    ours, theirs = ([idle_name(runtime, number) for number in range(count)] for runtime in IDLE_RUNTIMES)
    return section.session.compare_sums(ours, theirs, key)


# RESULT key, figure of the program, what it is.
IDLE_PARTS = (("idle_preload", "ns", "all"), ("idle_regions", "regions_ns", "20 empty regions"),
              ("idle_barriers", "barriers_ns", "20 barriers"), ("idle_static", "static_ns", "static loop"),
              ("idle_dynamic", "dynamic64_ns", "dynamic,64 loop"))


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
    """The parts of the idle program under both runtimes [us], medians over the layouts."""
    if section.failures:
        return "A program without schedule(runtime): not measured"
    rows = []
    for _, key, what in IDLE_PARTS:
        row: list[Any] = [what]
        for runtime in IDLE_RUNTIMES:
            names = [v.name for v in section.session.variants if v.name.startswith(idle_name(runtime, 0)[:-1])]
            medians = [section.session.summary(name, key).median / 1e3 for name in names]
            row += [sum(medians) / len(medians), f"{min(medians):.2f}..{max(medians):.2f}"]
        rows.append([*row, *interval(compare_idle(section, key))])
    return render("A program without schedule(runtime), clang; each runtime in several layouts of its code",
                  ["part", "preloaded us", "by layout", "upstream us", "by layout", "ratio", "95 %", "pairs"], rows)
