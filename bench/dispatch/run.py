# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/dispatch: what handing out a chunk costs, against upstream libomp and libgomp. See README.md."""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True  # leaves no caches beside the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import runner, table  # noqa: E402
from harness.gate import Gate, open_gate, usable_cores  # noqa: E402

import layouts  # noqa: E402
import sections  # noqa: E402
from setting import ADAPTIVE, PLANNED, PLANNED_LIKE_ADAPTIVE, Case, Setting  # noqa: E402

KEY_THREADS = 2  # the RESULT ratios
SURVEY_THREADS = (1, 2, 8)
MAX_CORES = 8


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Cost of handing out chunks: Gimbal, upstream libomp, libgomp.")
    parser.add_argument("--build", type=Path, required=True, metavar="DIR", help="build tree")
    parser.add_argument("--upstream", type=Path, metavar="FILE",
                        help="unpatched Release libomp 19.1.7 (default: DIR/upstream/libomp.so)")
    parser.add_argument("--budget", type=float, default=None, metavar="SECONDS",
                        help="time for everything (default 270; with --quick 50)")
    parser.add_argument("--quick", action="store_true", help="only the ratios of the RESULT line, under a minute")
    parser.add_argument("--same-twice", action="store_true",
                        help="A/A run: upstream stands in for the patched runtime; shows the error of the bench itself")
    return parser.parse_args()


def fail(message: str, hint: str) -> None:
    print(f"bench: error: {message}\n       {hint}", file=sys.stderr)
    sys.exit(2)


def find(options: argparse.Namespace) -> tuple[Setting, Path]:
    """The files of the build tree; ends the bench with a clear message when one is missing."""
    build = options.build.resolve()
    programs = build / "bench" / "dispatch"
    upstream = (options.upstream or build / "upstream" / "libomp.so").resolve()
    setting = Setting((build / "lib" / "libomp.so").resolve(), upstream, programs, usable_cores(MAX_CORES),
                      options.same_twice)
    control = build / "bench" / "harness" / "control"
    needed = [control, upstream, programs / "idle_clang"]
    needed += [programs / f"{kind}_{compiler}" for kind in ("loops", "count") for compiler in ("gcc", "clang")]
    needed += [] if options.same_twice else [setting.patched]
    for path in needed:
        if not path.is_file():
            fail(f"{path} is missing", "build the target bench_programs (it needs gcc and clang) and both runtimes")
    return setting, control


def ratio_entry(result: dict[str, Any], key: str, comparison: runner.Comparison | None) -> None:
    """Puts one ratio and its circumstances into the result; null when it could not be measured."""
    result[key] = None if comparison is None else comparison.ratio
    if comparison is not None:
        result["detail"][key] = vars(comparison)


def add_worst(result: dict[str, Any], few: sections.Section) -> None:
    """The planned technique that loses most against upstream's schedule of as many chunks."""
    ratios = {case: few.compare(case, reference) for case, reference in few.references.items()
              if case.schedule in PLANNED}
    worst = max(ratios, key=lambda case: ratios[case].ratio, default=None)
    ratio_entry(result, "planned_worst_vs_guided", ratios.get(worst))
    result["planned_worst_technique"] = worst.schedule if worst else None
    result["detail"]["planned"] = {
        case.schedule: {"ratio": r.ratio, "low": r.low, "high": r.high, "pairs": r.pairs, "gated": r.gated,
                        "chunks": few.chunks[case], "compared_with": few.references[case].schedule,
                        "its_chunks": few.chunks[few.references[case]],
                        "more_ns_per_loop": few.more_ns(case)} for case, r in ratios.items()}


def add_adaptive(result: dict[str, Any], few: sections.Section) -> None:
    """The adaptive technique whose chunks cost most over those of a planned schedule of as many chunks."""
    costs = {case.schedule: few.ns_per_chunk(case) for case in few.references}
    twins = {case.schedule: few.ns_per_chunk(twin) for case, twin in few.twins.items()}
    ratios = {name: costs[name] / twins[name] for name in ADAPTIVE
              if costs.get(name) is not None and (twins.get(name) or 0) > 0}
    worst = max(ratios, key=lambda name: ratios[name], default=None)
    result["adaptive_worst_vs_planned"] = ratios[worst] if worst else None
    result["adaptive_worst_technique"] = worst
    fac2 = costs.get(PLANNED_LIKE_ADAPTIVE)
    result["detail"]["adaptive"] = {
        name: {"ns_per_chunk": costs.get(name), "planned_ns_per_chunk": twins.get(name), "ratio": ratios.get(name),
               "over_fac2": costs[name] / fac2 if costs.get(name) is not None and fac2 else None}
        for name in ADAPTIVE}
    result["detail"]["adaptive_ns_per_chunk_over_own_static"] = {
        case.schedule: few.ns_per_chunk(case, "gimbal") for case in few.references
        if case.schedule in (PLANNED_LIKE_ADAPTIVE, *ADAPTIVE)}


def survey(setting: Setting, gate: Gate, deadline_s: float) -> list[sections.Section]:
    """Every technique with both compilers at 1, 2 and 8 threads: fewer rounds, for orientation.

    deadline_s: on the clock of time.monotonic().
    """
    combinations = [(compiler, threads) for threads in SURVEY_THREADS for compiler in ("clang", "gcc")
                    if (compiler, threads) != ("clang", KEY_THREADS)]
    many = sections.prepare_many(setting, gate, [case for compiler, threads in combinations
                                                 for case in sections.many_cases(compiler, threads)
                                                 if threads != KEY_THREADS], 20)
    many.session.run(0.35 * (deadline_s - time.monotonic()))
    print(sections.many_table(many), end="\n\n", flush=True)
    measured = [many]
    for done, (compiler, threads) in enumerate(combinations):
        share_s = (deadline_s - time.monotonic()) / (len(combinations) - done)
        begin = time.monotonic()
        few = sections.prepare_few(setting, gate, compiler, threads, 10)
        few.session.run(share_s - (time.monotonic() - begin))
        print(sections.few_table(few), end="\n\n", flush=True)
        measured.append(few)
    return measured


def measure(setting: Setting, gate: Gate, deadline_s: float, quick: bool,
            runtimes: list[tuple[Path, Path]]) -> dict[str, Any]:
    """All sections; prints their tables and returns the result. deadline_s: on the clock of time.monotonic();
    runtimes: patched and upstream in every layout."""
    cases = sections.many_cases("clang", KEY_THREADS) + sections.many_cases("gcc", KEY_THREADS)
    many = sections.prepare_many(setting, gate, cases, 40)
    few = sections.prepare_few(setting, gate, "clang", KEY_THREADS, 12)
    idle = sections.prepare_idle(setting, gate, KEY_THREADS, runtimes)
    shares = (0.36, 0.40, 0.24) if quick else (0.24, 0.28, 0.14)
    budget_s = deadline_s - time.monotonic()  # what counting chunks has left
    for section, share, show in zip((many, few, idle), shares,
                                    (sections.many_table, sections.few_table, sections.idle_table)):
        section.session.run(budget_s * share)
        print(show(section), end="\n\n", flush=True)
    rest = [] if quick else survey(setting, gate, deadline_s)

    def at(compiler: str, runtime: str, schedule: str) -> Case:
        return Case(compiler, runtime, schedule, KEY_THREADS)

    result: dict[str, Any] = {"bench": "dispatch", "detail": {}}
    ratio_entry(result, "ss_vs_upstream", many.compare(at("clang", "gimbal", "ss"),
                                                       at("clang", "upstream", "monotonic:dynamic,1")))
    ratio_entry(result, "ss_vs_libgomp", many.compare(at("gcc", "gimbal", "ss"), at("gcc", "libgomp", "dynamic,1")))
    ratio_entry(result, "static_chunk_vs_libgomp", many.compare(at("gcc", "gimbal", "static,1"),
                                                                at("gcc", "libgomp", "static,1")))
    add_worst(result, few)
    add_adaptive(result, few)
    for key, figure, _ in sections.IDLE_PARTS:
        ratio_entry(result, key, sections.compare_idle(idle, figure))
    everything = [many, few, idle, *rest]
    result["failures"] = [text for section in everything for text in section.failures]
    result["gated"] = all(entry.get("gated", True) for entry in result["detail"].values() if isinstance(entry, dict))
    result["acceptance"] = (sum(s.session.acceptance() * s.session.tries for s in everything)
                            / sum(s.session.tries for s in everything))
    result["detail"]["medians"] = {name: value for section in (many, few, *rest)
                                   for name, value in section.medians().items()}
    return result


def main() -> int:
    options = arguments()
    dropped = runner.clean_environment()
    if dropped:
        print(f"bench: these variables are ignored: {' '.join(sorted(dropped))}")
    setting, control = find(options)
    try:
        runtimes = layouts.pairs(options.build.resolve())
    except layouts.LinkError as error:
        fail(str(error), "both runtimes are linked again from their build folders: ./dev build")
    if options.upstream:
        runtimes = [(patched, setting.upstream) for patched, _ in runtimes]
    if options.same_twice:
        runtimes = [(upstream, upstream) for _, upstream in runtimes]
    begin = time.monotonic()
    gate = open_gate(control, setting.cores)
    budget_s = options.budget or (50.0 if options.quick else 270.0)
    print(f"dispatch: threads one per core on {len(setting.cores)} cores (more threads share them); control job "
          f"{gate.best_ns / 1e6:.2f} ms, gate at {gate.strict:.2f} of it; * = not gated\n", flush=True)
    try:
        result = measure(setting, gate, begin + budget_s, options.quick, runtimes)
    except runner.SampleError as error:
        fail(str(error), "the program ran when its chunks were counted, or it belongs to the upstream runtime")
    result["conditions"] = {"key_threads": KEY_THREADS, "cores": len(setting.cores), "many_n": sections.MANY_N,
                            "few_n_per_thread": sections.FEW_N_PER_THREAD, "gate": gate.strict,
                            "control_best_ns": gate.best_ns, "same_twice": options.same_twice,
                            "seconds": time.monotonic() - begin}
    print(f"accepted by the gate: {100 * result['acceptance']:.0f} % of the samples")
    for text in result["failures"]:
        print(f"could not run: {text}")
    print(table.result_line(result))
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
