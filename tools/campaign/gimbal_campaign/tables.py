# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain text tables."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def show(value: Any, header: str = "") -> str:
    """A cell: floats with four significant digits or two decimals (percentages always), None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        if "%" in header and math.isfinite(value):
            return f"{value:.2f}"
        if not math.isfinite(value):
            return str(value)
        size = abs(value)
        if 0 < size < 1e-3:
            return f"{value:.1e}"
        return f"{value:.0f}" if size >= 1e4 else f"{value:.2f}" if size >= 10 or size == 0 else f"{value:.4f}"
    return str(value)


def counted(number: int, word: str) -> str:
    """"1 run", "2 runs"."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def render(headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An aligned table: text to the left, numbers to the right. Ends without a line feed."""
    cells = [list(headers)] + [[show(value, header) for value, header in zip(row, headers)] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(headers))]
    left = [all(isinstance(row[column], str) for row in rows) for column in range(len(headers))]
    lines = ["  ".join(text.ljust(width) if is_text else text.rjust(width)
                       for text, width, is_text in zip(line, widths, left)).rstrip() for line in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
