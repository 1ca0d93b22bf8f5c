# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The seed's figures (000, chapter 5), each as a PNG in base64."""
from __future__ import annotations

import base64
import io
import statistics
from typing import Any

from .measured import AppData, Key, Step
from .modules import need
from .oracle import Oracle, portfolio, shares
from .palette import colours

DPI = 110
WIDTH_IN = 12.0
MOST_ENTRIES = 20  # of one column of a legend
MOST_LOOPS = 4  # loops of an application whose choices are drawn, the longest first
STYLE = {"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "font.family": "DejaVu Sans"}


def plotting() -> Any:
    """pyplot without a screen. Raises CampaignError without matplotlib."""
    need("matplotlib").use("Agg")
    pyplot = need("matplotlib.pyplot")
    pyplot.rcParams.update(STYLE)
    return pyplot


def encoded(figure: Any) -> str:
    """PNG in base64; closes the figure."""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    plotting().close(figure)
    return base64.b64encode(data.getvalue()).decode()


def legend(axes: Any, palette: dict[str, str]) -> None:
    """Beside the axes. To be called last: a layout made after it would give it the figure's room."""
    patches = need("matplotlib.patches")
    axes.legend(handles=[patches.Patch(color=colour, label=name) for name, colour in palette.items()],
                loc="upper left", bbox_to_anchor=(1.005, 1.0), frameon=False, fontsize=7,
                ncol=1 + (len(palette) - 1) // MOST_ENTRIES)


def candidates(app: AppData, oracle: Oracle) -> list[tuple[str, str, dict[Key, Step]]]:
    """(name, group, steps) of the Oracle and of every configuration's median run."""
    return [("Oracle", "oracle", oracle.steps), *((one.name, one.group, one.median_run().steps) for one in app.series)]


def means(app: AppData) -> list[tuple[str, str, float]]:
    """(label, colour, mean of the totals in s) of the techniques that the Oracle chooses from, and of the RL groups."""
    groups = (("mean of the Oracle's", "#2ca02c", portfolio(app)), ("mean of RL", "#1f77b4", app.group("rl")),
              ("mean of RL chunk", "#777777", app.group("rl-chunk")))
    return [(label, colour, statistics.fmean(one.total_s() for one in series)) for label, colour, series in groups
            if series]


def bars(app: AppData, oracle: Oracle) -> str:
    """Total loop time per configuration, coloured by technique, percent over Oracle above (figures 5.1, 5.5, 5.10)."""
    pyplot = plotting()
    rows = candidates(app, oracle)
    used = [shares(steps) for _, _, steps in rows]
    palette = colours(name for one in used for name in one)
    figure, axes = pyplot.subplots(figsize=(WIDTH_IN, 3.6))
    totals = [sum(step.time_s for step in steps.values()) for _, _, steps in rows]
    for place, (total_s, parts) in enumerate(zip(totals, used)):
        bottom = 0.0
        for name in palette:
            if name in parts:
                axes.bar(place, parts[name] * total_s, bottom=bottom, color=palette[name], width=0.8)
                bottom += parts[name] * total_s
        axes.text(place, total_s, f" {100 * (total_s / oracle.total_s - 1):.1f} %", rotation=90, ha="center",
                  va="bottom", fontsize=6.5)
    for label, colour, mean_s in means(app):
        axes.axhline(mean_s, color=colour, linestyle=":", linewidth=1.2)
        axes.text(-0.5, mean_s, label, color=colour, fontsize=6.5, va="bottom", ha="left",
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5})
    axes.set_xticks(range(len(rows)), [name for name, _, _ in rows], rotation=60, ha="right", fontsize=7)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    axes.set_ylim(0, 1.2 * max(totals))
    axes.set_ylabel("sum of loop times [s]")
    legend(axes, palette)
    return encoded(figure)


def choices(app: AppData, oracle: Oracle) -> str:
    """The technique of every step, one strip per configuration and loop (figures 5.3, 5.7, 5.12)."""
    pyplot, numpy = plotting(), need("numpy")
    rows = [row for row in candidates(app, oracle) if row[1] != "fixed"]
    loops = sorted(oracle.loops, key=lambda loop: -oracle.loops[loop])[:MOST_LOOPS]
    palette = colours(step.technique for _, _, steps in rows for step in steps.values())
    names = list(palette)
    maps = need("matplotlib.colors").ListedColormap(list(palette.values()))
    size = (WIDTH_IN, 0.8 + 0.19 * len(rows))
    figure, grid = pyplot.subplots(1, len(loops), figsize=size, sharey=True, squeeze=False)
    for axes, loop in zip(grid[0], loops):
        ordered = sorted(step for one, step in oracle.steps if one == loop)
        picture = numpy.full((len(rows), len(ordered)), numpy.nan)
        for line, (_, _, steps) in enumerate(rows):
            for column, step in enumerate(ordered):
                if (loop, step) in steps:
                    picture[line, column] = names.index(steps[(loop, step)].technique)
        axes.imshow(picture, aspect="auto", interpolation="nearest", cmap=maps, vmin=-0.5, vmax=len(names) - 0.5,
                    extent=(-0.5, len(ordered) - 0.5, len(rows) - 0.5, -0.5))
        axes.set_title(loop, fontsize=8)
        axes.set_xlabel("step")
        axes.hlines([line + 0.5 for line in range(len(rows) - 1)], -0.5, len(ordered) - 0.5, color="white",
                    linewidth=1)
    grid[0][0].set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=7)
    figure.tight_layout()
    legend(grid[0][-1], palette)
    return encoded(figure)


def similarity(rows: list[tuple[str, str, float, float]]) -> str:
    """Percent of steps with the Oracle's technique and with an equivalent one, per loop (figures 5.8, 5.13)."""
    pyplot, numpy = plotting(), need("numpy")
    names = list(dict.fromkeys(row[0] for row in rows))
    loops = list(dict.fromkeys(row[1] for row in rows))
    figure, grid = pyplot.subplots(1, 2, figsize=(WIDTH_IN, 0.9 + 0.17 * len(names)), sharey=True)
    for axes, column, title in ((grid[0], 2, "same technique [%]"), (grid[1], 3, "equivalent, within 1 % [%]")):
        picture = numpy.full((len(names), len(loops)), numpy.nan)
        for row in rows:
            picture[names.index(row[0]), loops.index(row[1])] = row[column]
        axes.imshow(picture, aspect="auto", cmap="viridis", vmin=0, vmax=100)
        for line in range(len(names)):
            for place in range(len(loops)):
                if not numpy.isnan(picture[line, place]):
                    axes.text(place, line, f"{picture[line, place]:.0f}", ha="center", va="center", fontsize=6.5,
                              color="white" if picture[line, place] < 60 else "black")
        axes.set_xticks(range(len(loops)), loops, rotation=20, ha="right", fontsize=7)
        axes.set_title(title, fontsize=8)
    grid[0].set_yticks(range(len(names)), names, fontsize=7)
    figure.tight_layout()
    return encoded(figure)


def boxes(app: AppData, oracle: Oracle) -> str | None:
    """Percent over the Oracle by agent, policy and reward, every configuration a dot (figures 5.4, 5.17)."""
    series = app.group("rl")
    if not series:
        return None
    pyplot = plotting()
    figure, grid = pyplot.subplots(1, 3, figsize=(WIDTH_IN, 2.8), sharey=True)
    for axes, factor in zip(grid, ("agent", "policy", "reward")):
        levels = list(dict.fromkeys(getattr(one, factor) for one in series))
        values = [[100 * (one.total_s() / oracle.total_s - 1) for one in series if getattr(one, factor) == level]
                  for level in levels]
        axes.boxplot(values, widths=0.5, showfliers=False, medianprops={"color": "#d62728"})
        for place, one in enumerate(values, 1):
            aside = [place + 0.25 * ((k % 5) - 2) / 5 for k in range(len(one))]
            axes.plot(aside, one, "o", color="#1f77b4", markersize=3, alpha=0.7)
        axes.set_xticks(range(1, 1 + len(levels)), levels, fontsize=7)
        axes.set_title(factor, fontsize=8)
    grid[0].set_ylabel("over Oracle [%]")
    figure.tight_layout()
    return encoded(figure)


def overview(rows: list[tuple[str, dict[str, float]]]) -> str:
    """Percent over the Oracle of each kind of selection in each application (figure 5.18)."""
    pyplot, numpy = plotting(), need("numpy")
    columns = list(dict.fromkeys(name for _, one in rows for name in one))
    picture = numpy.array([[one.get(name, numpy.nan) for name in columns] for _, one in rows])
    figure, axes = pyplot.subplots(figsize=(min(WIDTH_IN, 2.5 + 0.9 * len(columns)), 1.1 + 0.32 * len(rows)))
    axes.imshow(numpy.clip(picture, 0.0, 100.0), aspect="auto", cmap="RdYlGn_r", vmin=0, vmax=60)
    for line in range(len(rows)):
        for place in range(len(columns)):
            if not numpy.isnan(picture[line, place]):
                axes.text(place, line, f"{picture[line, place]:.1f}", ha="center", va="center", fontsize=7.5,
                          color="white" if picture[line, place] < 4 or picture[line, place] > 50 else "black")
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    return encoded(figure)
