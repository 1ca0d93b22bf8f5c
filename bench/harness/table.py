# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain text tables and the final RESULT line that every bench prints."""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def show(value: Any) -> str:
    """A cell: floats with three or four significant digits, None as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        size = abs(value)
        return f"{value:.0f}" if size >= 1000 else f"{value:.1f}" if size >= 10 else f"{value:.3f}"
    return str(value)


def render(title: str, headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """An aligned table: first column to the left, the others to the right. Raises ValueError on ragged rows."""
    if any(len(row) != len(headers) for row in rows):
        raise ValueError("every row needs one cell per header")
    cells = [list(headers)] + [[show(value) for value in row] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(headers))]
    lines = ["  ".join(text.ljust(width) if column == 0 else text.rjust(width)
                       for column, (text, width) in enumerate(zip(line, widths))).rstrip() for line in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join([title, *lines])


def rounded(value: Any, digits: int = 4) -> Any:
    """The same structure with every float rounded to significant digits, so that the result line stays readable."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, dict):
        return {key: rounded(inner, digits) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(inner, digits) for inner in value]
    return value


def result_line(result: dict[str, Any]) -> str:
    """The one line that scripts read: `RESULT {json}`. Raises ValueError on NaN or infinity, which JSON lacks."""
    return "RESULT " + json.dumps(rounded(result), allow_nan=False)
