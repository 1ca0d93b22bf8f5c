# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report: one HTML file with figures and tables inside it, nothing from elsewhere."""
from __future__ import annotations

import html
import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from . import anova, common, figures, gain, overhead, similarity
from . import summary as summaries
from .measured import AppData
from .summary import Summary
from .store import values
from .tables import show

CSS = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 1240px; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.6em; } h2 { margin-top: 2em; border-bottom: 1px solid #ccc; } h3 { margin: 1.4em 0 .3em; }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0; } caption { text-align: left; color: #555; }
th, td { padding: .18em .7em; text-align: right; font-variant-numeric: tabular-nums; border-bottom: 1px solid #e4e4e4; }
th { background: #f4f4f4; position: sticky; top: 0; } td.text, th.text { text-align: left; }
tr.oracle td { font-weight: 600; } img { max-width: 100%; } p.note { color: #555; max-width: 60em; }
details > summary { cursor: pointer; color: #245; }
pre { font-size: 12px; background: #f7f7f7; padding: 1em; overflow: auto; }
nav a { margin-right: 1em; }
"""


def table(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table: text to the left, numbers to the right."""
    def cells(tag: str, values: Sequence[Any], texts: Sequence[bool]) -> str:
        return "".join(f'<{tag}{" class=text" if is_text else ""}>{html.escape(show(value, header))}</{tag}>'
                       for value, header, is_text in zip(values, headers, texts))

    texts = [all(isinstance(row[column], str) for row in rows) for column in range(len(headers))]
    body = "\n".join(f"<tr>{cells('td', row, texts)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', headers, texts)}</tr></thead><tbody>\n{body}\n</tbody></table>"


def picture(data: str | None, caption: str) -> str:
    if data is None:
        return ""
    return f'<h3>{html.escape(caption)}</h3>\n<img alt="{html.escape(caption)}" src="data:image/png;base64,{data}">'


def note(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'


def folded(title: str, content: str) -> str:
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>"


def overview_rows(found: list[Summary]) -> list[tuple[str, dict[str, float]]]:
    """Per application the percent over the Oracle of each kind of selection (figure 5.18)."""
    rows = []
    for one in found:
        if one.oracle is None or one.best_fixed_s is None or one.mean_fixed_s is None:
            continue
        over = {series.name: 100 * (series.total_s() / one.oracle.total_s - 1) for series in one.app.series}
        line = {"best fixed": 100 * (one.best_fixed_s / one.oracle.total_s - 1),
                "mean fixed": 100 * (one.mean_fixed_s / one.oracle.total_s - 1)}
        line |= {series.name: over[series.name] for series in one.app.group("control", "selector")}
        for group, label in (("rl", "RL"), ("rl-chunk", "RL chunk")):
            values = [over[series.name] for series in one.app.group(group)]
            if values:
                line |= {f"best {label}": min(values), f"mean {label}": statistics.fmean(values),
                         f"worst {label}": max(values)}
        rows.append((one.app.name, line))
    return rows


def application(one: Summary) -> str:
    """The section of one application."""
    parts = [f'<h2 id="{html.escape(one.app.name)}">{html.escape(one.app.name)}</h2>',
             note(f"{'virtual time' if one.app.kind == 'virtual' else 'measured'}, {one.app.workers} workers; "
                  + "; ".join(summaries.yardsticks(one)))]
    if one.oracle is not None:
        parts.append(picture(figures.bars(one.app, one.oracle), "Total loop time; percent over Oracle"))
    parts.append(folded("All configurations", table(summaries.HEADERS, one.rows)))
    if one.oracle is not None:
        if len(one.app.series) > len(one.app.group("fixed")):
            parts.append(picture(figures.choices(one.app, one.oracle), "Technique chosen in each step"))
        rows = similarity.similarity(one.app, one.oracle)
        if rows:
            parts.append(picture(figures.similarity(rows), "Similarity to the Oracle's choices"))
        parts.append(picture(figures.boxes(one.app, one.oracle), "RL configurations by agent, policy and reward"))
    return "\n".join(parts)


def statistics_part(apps: list[AppData], alike: list[AppData]) -> str:
    """Gain, overhead, ANOVA and Tukey."""
    parts = ['<h2 id="statistics">Over all applications</h2>']
    gains = [row for app in alike for row in gain.gain(app)]
    if gains:
        parts += ["<h3>Gain on a technique fixed at random</h3>", table(gain.HEADERS, gains)]
    costs = [(app.name, *row) for app in apps for row in overhead.overhead(app)]
    if costs:
        parts += ["<h3>What selecting costs</h3>", table(("application", *overhead.HEADERS), costs)]
    rows, pairs = anova.analyse(alike)
    if rows:
        parts += ["<h3>Analysis of variance, one way</h3>", table(anova.ANOVA_HEADERS, rows),
                  note("An observation is the median total of one RL configuration. p is the probability of so large an "
                       "F if the levels did not differ."),
                  "<h3>Tukey's honestly significant differences</h3>",
                  folded(f"{len(pairs)} pairs, {sum(pair[-1] == 'yes' for pair in pairs)} of which differ at 5 %",
                         table(anova.TUKEY_HEADERS, pairs))]
    return "\n".join(parts)


def slow_runs(runs: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What the short runs beside the cells say; nothing if there were none."""
    found = sorted(run["slower"] for run in runs if run.get("slower") is not None)
    if not found:
        return []
    return [("machine slower than usual", f"by {100 * found[len(found) // 2]:.1f} % in the median run, "
                                          f"{100 * found[-1]:.1f} % at most (short runs beside each)")]


def conditions(facts: Mapping[str, str], runs: Sequence[Mapping[str, Any]]) -> str:
    """Machine, versions, repetitions, failures, specification."""
    rows = [(key, "; ".join(values(facts, key))) for key in facts if key not in ("spec", "hash", "name")]
    statuses: dict[str, int] = {}
    for run in runs:
        statuses[run["status"]] = statuses.get(run["status"], 0) + 1
    rate = sum(run["preemptions"] for run in runs) / max(1e-9, sum(run["wall_s"] for run in runs))
    rows += [("runs", ", ".join(f"{count} {status}" for status, count in statuses.items())),
             ("repetitions", str(1 + max(run["repetition"] for run in runs))),
             ("from, to (UTC)", f"{min(run['started'] for run in runs)} {max(run['started'] for run in runs)}"),
             ("preemptions", f"{rate:.0f} per second, all threads: how much other programs disturbed"),
             *slow_runs(runs),
             ("time in programs", f"{sum(run['wall_s'] for run in runs):.0f} s")]
    failed = [(run["application"], run["configuration"], run["repetition"] + 1, run["status"], run["output"][-300:])
              for run in runs if run["status"] != "ok"]
    text = '<h2 id="conditions">Conditions</h2>' + table(("what", "value"), rows)
    if failed:
        text += "<h3>No result</h3>" + table(("application", "configuration", "repetition", "status", "said"), failed)
    pretty = html.escape(json.dumps(json.loads(facts["spec"]), indent=2))
    return text + folded("Specification", f"<pre>{pretty}</pre>")


def page(facts: Mapping[str, str], runs: Sequence[Mapping[str, Any]], apps: list[AppData]) -> str:
    """The whole report. Raises CampaignError if matplotlib, scipy, pandas or statsmodels is not there."""
    alike, differ = common.comparable(apps)
    found = [summaries.summarise(app) for app in alike]
    name = html.escape(facts.get("name", "campaign"))
    links = " ".join(f'<a href="#{html.escape(key)}">{html.escape(key)}</a>'
                     for key in [*(app.name for app in alike), "statistics", "conditions"])
    rows = overview_rows(found)
    parts = [f"<h1>Campaign {name}</h1>", f"<nav>{links}</nav>",
             note("The Oracle takes in every step the fixed technique with the smallest median loop time. The least of "
                  "noisy medians is biased low. An estimate that chooses on the other repetitions stands beside it: "
                  "choices that err make it longer, and the best of five lengths of a choice counts, which makes it a "
                  "little shorter. T is the sum of loop times; the median over the runs stands for each configuration. "
                  "Best and mean of the fixed techniques are of those that the Oracle chooses from."),
             *map(note, differ)]
    if rows:
        parts.append(picture(figures.overview(rows), "Percent over the Oracle"))
    parts += [application(one) for one in found]
    parts += [statistics_part(apps, alike), conditions(facts, runs)]
    body = "\n".join(parts)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Campaign {name}</title>'
            f"<style>{CSS}</style></head>\n<body>\n{body}\n</body></html>\n")
