# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each command does: read the store, ask one module, and put it into words or data."""
from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import common, conditions, design, measured, run, spec
from . import anova as anova_module
from . import gain as gain_module
from . import overhead as overhead_module
from . import similarity as similarity_module
from . import summary as summary_module
from .errors import CampaignError
from .files import only_writer, refuse_foreign_page, refuse_link, write_text
from .interrupts import interrupts_raise
from .measured import AppData
from .oracle import Oracle, oracle, shares
from .process import Tool, program_words, refusal, tool_at
from .records import last_words
from .store import BUILDS, MACHINE, Store, set_aside, values
from .tables import render


@dataclass
class Answer:
    """An analysis in words, and as data."""

    text: str
    data: Any


def records(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(headers, row)) for row in rows]


def tool_of(options: argparse.Namespace) -> Tool:
    """The tool that started us. Raises CampaignError if it cannot be found."""
    return tool_at(options.gimbal, options.build)


def run_command(options: argparse.Namespace) -> int:
    wanted = spec.load(options.spec)
    configurations = design.configurations(wanted)  # sees that all names differ
    if options.list:
        for cell in design.cells(wanted):
            print(cell.repetition + 1, cell.application.name, cell.configuration.name)
        return 0
    tool = tool_of(options)
    for one in configurations:
        if problem := refusal(tool, one.variables()):
            raise CampaignError(f"{options.spec}: [factors]: {problem}")
    programs = [program_words(app, tool)[0] for app in wanted.applications if app.kind == "real"]
    path = options.output or Path(options.spec.stem + ".sqlite")
    with interrupts_raise(), only_writer(path, "campaign run") as lock:
        if options.new:
            set_aside(path, "runs", "campaign")
        refuse_link(path)
        with closing(Store(path)) as store:
            kinds = {cell.application.kind for cell in
                     design.to_run(design.cells(wanted), store.done(only_ok=options.retry))}
            new = (*(BUILDS if kinds else ()), *(MACHINE if "real" in kinds else ()))  # virtual time is no machine's
            store.begin(wanted, conditions.gathered(tool.gimbal, programs), new)
            warn_of_mixture(store)
            return run.run(wanted, store, dataclasses.replace(tool, passed=lock), options.retry)


def warn_of_mixture(store: Store) -> None:
    """Say on standard error that the results come from several builds of the tool or of the programs, or from several
    machines, if they do."""
    facts = store.facts()
    for key, what in (("build", "builds of Gimbal"), ("program", "builds of the programs"),
                      ("processor", "kinds of processor"), ("cores", "numbers of cores")):
        found = values(facts, key)
        if len(found) > 1:
            names = f" ({'; '.join(found)})" if key in MACHINE else ""
            print(f"gimbal: warning: {store.path}: results of {len(found)} {what}{names} stand in one file; "
                  "compare with care, or start afresh with --new", file=sys.stderr)


def load(options: argparse.Namespace) -> list[AppData]:
    """The applications with a result. Raises CampaignError if there is none."""
    with closing(Store(options.store, must_exist=True)) as store:
        apps = measured.load(store)
        warn_of_mixture(store)
    if not apps:
        raise CampaignError(f"{options.store}: no cell has a result yet",
                            f"gimbal campaign summary {options.store} lists those that have run without one")
    return apps


def compared(path: Path, apps: list[AppData]) -> list[AppData]:
    """The applications over the steps that all of their runs have; says on standard error which runs differ.

    Raises CampaignError if none has such a step.
    """
    found, notes = common.comparable(apps)
    if apps and not found:
        raise CampaignError(f"{path}: {'; '.join(notes)}")
    for note in notes:
        print(f"gimbal: warning: {note}", file=sys.stderr)
    return found


def load_compared(options: argparse.Namespace) -> list[AppData]:
    return compared(options.store, load(options))


def oracles(apps: list[AppData]) -> list[tuple[AppData, Oracle]]:
    """The applications that have an Oracle. Raises CampaignError if none has."""
    found = [(app, one) for app in apps if (one := oracle(app)) is not None]
    if not found:
        raise CampaignError("no Oracle: no fixed technique of its portfolio has run",
                            f"name some in [factors] techniques: {' '.join(measured.PORTFOLIO)}")
    return found


def oracle_command(options: argparse.Namespace) -> Answer:
    texts, data = [], []
    for app, found in oracles(load_compared(options)):
        used = shares(found.steps)
        texts.append("\n".join([app.name, *(f"  {line}" for line in summary_module.yardsticks(
            summary_module.summarise(app))), "  choices: " + ", ".join(
                f"{name} {100 * share:.0f} %" for name, share in used.items()),
            *(f"  {loop}: {total_s:.4f} s" for loop, total_s in found.loops.items())]))
        data.append({"application": app.name, "total_s": found.total_s, "left_out_s": found.left_out_s,
                     "techniques": found.techniques, "shares": used, "loops": found.loops,
                     "steps": [[loop, step, one.technique, one.time_s] for (loop, step), one in found.steps.items()]})
    return Answer("\n\n".join(texts), data)


def summary_command(options: argparse.Namespace) -> Answer:
    with closing(Store(options.store, must_exist=True)) as store:
        apps = measured.load(store)
        warn_of_mixture(store)
        runs = store.runs()
    summaries = [summary_module.summarise(app) for app in compared(options.store, apps)]
    failures = [(row["application"], row["configuration"], row["repetition"] + 1, row["status"],
                 last_words(row["output"])[:100])
                for row in runs if row["status"] != "ok"]
    names = dict.fromkeys(row["configuration"] for row in runs)
    if options.configuration and options.configuration not in names:
        raise CampaignError(f'{options.store}: there is no configuration "{options.configuration}"',
                            f"there are: {' '.join(names)}")
    if not summaries and not failures:
        raise CampaignError(f"{options.store}: no cell has run yet")
    texts = ["\n".join([one.app.name, *summary_module.yardsticks(one), render(summary_module.HEADERS, one.rows)])
             for one in summaries]
    if failures:
        texts.append(render(("no result", "configuration", "repetition", "status", "last words"), failures))
    ratios = summary_module.result(summaries, options.configuration or "auto")
    if options.result:
        texts.append("RESULT " + json.dumps(ratios))
    data = {"applications": {one.app.name: {
        "rows": records(summary_module.HEADERS, one.rows), "best_fixed": one.best_fixed,
        "mean_fixed_s": one.mean_fixed_s, "oracle_s": one.oracle.total_s if one.oracle else None,
        "left_out_s": one.oracle.left_out_s if one.oracle else None} for one in summaries}, "result": ratios,
        "failures": failures}
    return Answer("\n\n".join(texts), data)


def listed(headers: Sequence[str], rows: list[Sequence[Any]], nothing: str) -> Answer:
    return Answer(render(headers, rows) if rows else nothing, records(headers, rows))


def similarity_command(options: argparse.Namespace) -> Answer:
    rows = [(app.name, *row) for app, found in oracles(load_compared(options))
            for row in similarity_module.similarity(app, found)]
    return listed(("application", "configuration", "loop", "same %", "equivalent %"), rows, "nothing has selected")


def overhead_command(options: argparse.Namespace) -> Answer:
    rows = [(app.name, *row) for app in load(options) for row in overhead_module.overhead(app)]
    return listed(("application", *overhead_module.HEADERS), rows, "virtual time only, of before it kept what "
                  "selecting costs")


def gain_command(options: argparse.Namespace) -> Answer:
    rows = [row for app in load_compared(options) for row in gain_module.gain(app)]
    return listed(gain_module.HEADERS, rows, "no fixed technique has run: there is no baseline")


def anova_command(options: argparse.Namespace) -> Answer:
    table, pairs = anova_module.analyse(load_compared(options))
    if not table:
        raise CampaignError("too few RL configurations for an analysis of variance",
                            "[factors] agents, policies and rewards: at least two levels of one of them")
    texts = [render(anova_module.ANOVA_HEADERS, table)]
    texts += [f"{row[0]}, {row[1]}: the variance within the levels is zero, so there is no F" for row in table
              if row[anova_module.ANOVA_HEADERS.index("F")] is None]
    if pairs:
        texts.append(render(anova_module.TUKEY_HEADERS, pairs))
    return Answer("\n\n".join(texts),
                  {"anova": records(anova_module.ANOVA_HEADERS, table),
                   "tukey": records(anova_module.TUKEY_HEADERS, pairs)})


def report_command(options: argparse.Namespace) -> int:
    from . import html  # needs matplotlib

    path = options.output or Path(options.store.stem + ".html")
    refuse_foreign_page(path, "--output")
    apps = load(options)
    compared(options.store, apps)  # the page says again what it says
    with closing(Store(options.store, must_exist=True)) as store:
        text = html.page(store.facts(), store.runs(), apps)
    write_text(path, text)
    print(path)
    return 0


def replay_command(options: argparse.Namespace) -> Answer:
    from . import replay

    with closing(Store(options.store, must_exist=True)) as store:
        wanted = spec.check(json.loads(store.facts()["spec"]))
        tool = tool_of(options)
        with interrupts_raise(), only_writer(options.store, "campaign replay") as lock:
            rows = replay.replay(wanted, store, dataclasses.replace(tool, passed=lock), options.configuration,
                                 options.times, options.beside)
    headers = (*replay.HEADERS, *([f"{options.beside} {replay.BESIDE}"] if options.beside else []))
    return listed(headers, rows, f'no application has a run of "{options.configuration}"')


COMMANDS: dict[str, Callable[[argparse.Namespace], Answer | int]] = {
    "run": run_command, "oracle": oracle_command, "summary": summary_command, "similarity": similarity_command,
    "overhead": overhead_command, "gain": gain_command, "anova": anova_command, "report": report_command,
    "replay": replay_command}
