# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What comes of a search: the configuration file, the command line, the gain over today's configuration."""
from __future__ import annotations

import json
import math
import re
import shlex
import statistics
from collections.abc import Sequence
from pathlib import Path

from gimbal_campaign.tables import counted, render

from . import importance
from .comparison import best_to_run, better, pairs_of, without_result
from .process import left_out, program_words, run_words, variables
from .run import shown
from .space import Configuration, filled
from .store import Run
from .wanted import Wanted

MARK = "# Written by gimbal tune, "  # such a file the next search may replace
RUN_HEADERS = ("run", "chosen by", "configuration", "result", "best so far", "status")


def unit(wanted: Wanted) -> str:
    return "value" if wanted.metric else "wall s"


def escaped(text: str) -> str:
    """Without control characters and bytes that are not UTF-8, which TOML's comments and strings may not have."""
    return re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)


def toml(wanted: Wanted, configuration: Configuration) -> str:
    """A GIMBAL_CONFIG file with the settings of Gimbal. TOML is UTF-8, and no setting is half right."""
    lines = [f"{MARK}and replaced by it: {escaped(shown(configuration))}"]
    for key in wanted.settings:
        value = filled(configuration[key], configuration)
        if value != value.encode(errors="replace").decode():
            lines.append(f"# {key} is left out: its value is not UTF-8")
        else:
            lines.append(f"{key} = {escaped(json.dumps(value, ensure_ascii=False))}")
    return "\n".join(lines) + "\n"


def command_line(wanted: Wanted, configuration: Configuration) -> str:
    """How to run the program so, where this search was started. Settings are variables, as they were in the runs: a file
    of settings gives way to variables of the caller's, and takes the place of a file of theirs."""
    out = [word for name in left_out(wanted) for word in ("-u", name)]
    own = out + [f"{name}={value}" for name, value in variables(wanted, configuration).items()]
    words = ["gimbal", "run", *run_words(wanted, configuration)]
    return shlex.join([*(["env", *own] if own else []), *words, "--", *program_words(wanted.command, configuration)])


def run_rows(wanted: Wanted, runs: Sequence[Run], kind: str = "search") -> list[tuple[object, ...]]:
    """Rows of RUN_HEADERS."""
    rows: list[tuple[object, ...]] = []
    best: float | None = None
    for number, run in enumerate((run for run in runs if run.kind == kind), 1):
        if run.value is not None and (best is None or wanted.sign() * run.value < wanted.sign() * best):
            best = run.value
        rows.append((number, run.reason, shown(run.configuration), run.value, best, run.status))
    return rows


def values_of(wanted: Wanted, runs: Sequence[Run], today: Configuration) -> tuple[list[float], list[float]]:
    """What today's configuration and the one to run with measured: in the pairs that compare them, else in the search."""
    best = best_to_run(wanted, runs, today)
    pairs, _ = pairs_of(runs, best)
    compared = ([one.value for one, _ in pairs if one.value is not None],
                [other.value for _, other in pairs if other.value is not None])
    searched = ([run.value for run in runs if run.kind == "search" and run.configuration == one
                 and run.value is not None] for one in (today, best))
    before, after = (values or search for values, search in zip(compared, searched))
    return before, after


def overlap(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether some runs of one are as good as some of the other: the interval of the ratio holds 1."""
    return min(before) <= max(after) and min(after) <= max(before)


def chosen(wanted: Wanted, runs: Sequence[Run], today: Configuration) -> Configuration:
    """What to run with: the best of the search, or today's configuration if the comparison shows no gain over it."""
    best = best_to_run(wanted, runs, today)
    if best == today:
        return today
    before, after = values_of(wanted, runs, today)
    if before and (overlap(before, after)
                   or wanted.sign() * statistics.median(after) >= wanted.sign() * statistics.median(before)):
        return today
    return best


def gain_text(wanted: Wanted, runs: Sequence[Run], today: Configuration) -> str:
    """How much is gained over today's configuration, with its spread; and what seemed better, but is not reliable."""
    failed = [(one, ends) for one in better(wanted, runs, today) if (ends := without_result(runs, one))]
    notes = [f"not {shown(one)}, which was better in the search: compared, it gave no result ({ends[-1].status})"
             for one, ends in failed]
    return "\n".join([gain_of_best(wanted, runs, today), *notes])


def gain_of_best(wanted: Wanted, runs: Sequence[Run], today: Configuration) -> str:
    best = best_to_run(wanted, runs, today)
    before, after = values_of(wanted, runs, today)
    if not before:
        return f"today's configuration gave no result: {shown(today)}"
    if best == today:
        return "nothing was better than today's configuration: " + shown(today)
    old, new = statistics.median(before), statistics.median(after)
    text = f"{old:.4g} -> {new:.4g} {unit(wanted)}"
    if all(before) and new:
        ratios = [b / a for a in before for b in after]
        text += f": {new / old:.3f} of today's ({min(ratios):.3f} to {max(ratios):.3f} in {len(before)} x {len(after)} runs)"
    if overlap(before, after):
        return f"no difference was measured to the best of the search, {shown(best)}: {text}"
    if chosen(wanted, runs, today) == today:
        return f"today's configuration is as good as the best of the search, {shown(best)}: {text}"
    return text + f"; today: {shown(today)}"


def importances(wanted: Wanted, runs: Sequence[Run]) -> list[tuple[str, float]]:
    """Which parameter matters, from all runs of the search that gave a result; of times, their logarithms count."""
    known = [run for run in runs if run.kind == "search" and run.value is not None]
    values = [run.value for run in known]
    if values and min(values) > 0:
        values = [math.log(value) for value in values]
    return importance.importance(wanted.space.parameters, [run.configuration for run in known], values, wanted.seed)


def text(wanted: Wanted, runs: Sequence[Run], today: Configuration, pool: int, file: Path) -> str:
    """The report on standard output."""
    best = chosen(wanted, runs, today)
    searched = [run for run in runs if run.kind == "search"]
    ended = {status: sum(run.status == status for run in searched) for status in ("failed", "no metric", "slow")}
    words = {"failed": "failed", "no metric": "printed no number", "slow": "ended as too slow"}
    odd = ", ".join(f"{count} {words[status]}" for status, count in ended.items() if count)
    rows, weights = run_rows(wanted, runs), importances(wanted, runs)
    return "\n".join([
        render(RUN_HEADERS[:3] + (unit(wanted), "best so far", "status"), rows), "",
        *([render(importance.HEADERS, weights), ""] if weights else []),
        f"{counted(len(searched), 'run')} of {counted(pool, 'configuration')}" + (f"; {odd}" if odd else ""),
        f"best: {shown(best)}", gain_text(wanted, runs, today),
        f"run it so: {command_line(wanted, best)}",
        *([f"its settings alone, for --config: {file}"] if wanted.settings else [])])
