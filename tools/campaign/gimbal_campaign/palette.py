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
    others = [name for name in names if name not in COLOURS]
    return {name: COLOURS.get(name) or OTHERS[others.index(name) % len(OTHERS)] for name in names}
