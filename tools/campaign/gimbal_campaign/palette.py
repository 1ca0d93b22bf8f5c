# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One colour per technique, the same in every figure."""
from __future__ import annotations

from collections.abc import Iterable

from .measured import PORTFOLIO

# The twelve of the portfolio: static grey, ss red, then by family; told apart in print and by most colour-blind eyes.
COLOURS = dict(zip(PORTFOLIO, (
    "#7f7f7f", "#d62728", "#1f77b4", "#17becf", "#2ca02c", "#ff9f1c", "#4b2e83", "#7d5ba6", "#a98bc9", "#c5a3dd",
    "#dcc6ee", "#8c564b")))
OTHERS = ("#0b6e4f", "#e377c2", "#bcbd22", "#003f5c", "#f95d6a", "#a05195", "#2f4b7c", "#665191")


def colours(techniques: Iterable[str]) -> dict[str, str]:
    """Technique -> colour: those of the portfolio always alike, the others in the order of their names."""
    names = sorted(set(techniques), key=lambda name: (PORTFOLIO.index(name) if name in COLOURS else 99, name))
    others = [name for name in names if name not in COLOURS and "," not in name]
    chunked = sorted((name for name in names if "," in name), key=parameter)
    found = {name: COLOURS.get(name) or OTHERS[others.index(name) % len(OTHERS)] for name in names if "," not in name}
    return found | {name: shade(place / max(1, len(chunked) - 1)) for place, name in enumerate(chunked)}


def parameter(name: str) -> tuple[str, float, str]:
    """Technique and the number behind the comma, for sorting."""
    technique, _, text = name.partition(",")
    try:
        return technique, float(text), text
    except ValueError:
        return technique, float("inf"), text


def shade(place: float) -> str:
    """From blue (0) over light grey to red (1), as the seed draws chunks."""
    low, middle, high = (0x21, 0x66, 0xac), (0xe0, 0xe0, 0xe0), (0xb2, 0x18, 0x2b)
    begin, end, share = (low, middle, 2 * place) if place < 0.5 else (middle, high, 2 * place - 1)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(begin, end))
