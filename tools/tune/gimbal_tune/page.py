# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a search: one HTML file with its figures and tables inside it, as campaigns have."""
from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from gimbal_campaign.figures import encoded, plotting
from gimbal_campaign.html import CSS, folded, note, picture, table

from . import importance, result
from .space import Configuration
from .store import Run
from .wanted import Wanted


def course(wanted: Wanted, runs: Sequence[Run]) -> str:
    """Each run's result and the best so far."""
    rows = result.run_rows(wanted, runs)
    pyplot = plotting()
    figure, axes = pyplot.subplots(figsize=(8, 3))
    for colour, reasons in (("C7", ("today",)), ("C1", ("start", "random")), ("C0", ("model",))):
        chosen = [(row[0], row[3]) for row in rows if row[1] in reasons and row[3] is not None]
        if chosen:
            axes.plot(*zip(*chosen), "o", color=colour, label=" or ".join(reasons))
    best = [(row[0], row[4]) for row in rows if row[4] is not None]
    axes.step(*zip(*best), where="post", color="black", linewidth=1, label="best so far")
    axes.set_xlabel("run")
    axes.set_ylabel(result.unit(wanted))
    axes.legend(frameon=False)
    return encoded(figure)


def bars(rows: Sequence[tuple[str, float]]) -> str:
    """%IncMSE of each parameter."""
    pyplot = plotting()
    figure, axes = pyplot.subplots(figsize=(8, 0.8 + 0.3 * len(rows)))
    axes.barh([name for name, _ in rows][::-1], [value for _, value in rows][::-1])
    axes.set_xlabel("%IncMSE")
    return encoded(figure)


def page(wanted: Wanted, runs: Sequence[Run], today: Configuration, facts: Mapping[str, str]) -> str:
    """The whole page. Raises CampaignError without matplotlib."""
    best = result.chosen(wanted, runs, today)
    name = html.escape(Path(wanted.command[0]).name)
    weights = result.importances(wanted, runs)
    parts = [f"<h1>Search: {name}</h1>", note(f"Best: {result.shown(best)}"),
             note(result.gain_text(wanted, runs, today)),
             f"<pre>{html.escape(result.command_line(wanted, best))}</pre>",
             picture(course(wanted, runs), "The runs"),
             table((*result.RUN_HEADERS[:3], result.unit(wanted), *result.RUN_HEADERS[4:]), result.run_rows(wanted, runs))]
    if weights:
        parts += [picture(bars(weights), "Which parameter matters"), table(importance.HEADERS, weights),
                  note("By how much a random forest's squared error grows when the values of a parameter are shuffled.")]
    for kind, title in (("short", "Short runs"), ("compare", "Comparison")):
        rows = result.run_rows(wanted, runs, kind)
        if rows:
            parts.append(folded(title, table((*result.RUN_HEADERS[:3], result.unit(wanted), *result.RUN_HEADERS[4:]), rows)))
    odd = [(result.shown(run.configuration), run.status, run.output[-300:]) for run in runs if run.status != "ok"]
    if odd:
        parts += ["<h2>No result</h2>", table(("configuration", "status", "said"), odd)]
    parts += ['<h2 id="conditions">Conditions</h2>', table(("what", "value"), [(key, value) for key, value in facts.items()
                                                                            if key != "wanted"])]
    pretty = html.escape(json.dumps(json.loads(wanted.text()), indent=2))
    body = "\n".join([*parts, folded("What was asked for", f"<pre>{pretty}</pre>")])
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Search: {name}</title>'
            f"<style>{CSS}</style></head>\n<body>\n{body}\n</body></html>\n")
