# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations as numbers: what the models see."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .modules import numpy
from .expressions import Expression
from .space import Configuration, Parameter
from .values import number_of


@dataclass(frozen=True)
class Encoded:
    """x: [n, columns], each parameter within [0, 1]; owner: [columns] index of the parameter of a column."""

    x: Any
    owner: tuple[int, ...]


def scaled(one: Parameter, value: Any) -> float:
    """A number's place between the parameter's least and greatest, in logarithms where factors count."""
    scale = math.log if one.logarithmic else float
    low, high = scale(min(one.numbers)), scale(max(one.numbers))
    return (scale(number_of(value)) - low) / (high - low) if high > low else 0.0


def united(parameters: Sequence[Parameter], rows: Sequence[Configuration]) -> list[Parameter]:
    """The parameters with all values that occur in rows of other searches."""
    return [Parameter(one.name, tuple(dict.fromkeys([*one.values, *(row[one.name] for row in rows)])))
            for one in parameters]


def encode_with(parameters: Sequence[Parameter], pool: Sequence[Configuration],
                earlier: Sequence[Sequence[Configuration]], features: Sequence[Expression] = ()) -> Encoded:
    """The pool, and below it the rows of earlier searches. Which search a row is of is one more word."""
    rows = [{**row, "search": "this"} for row in pool]
    rows += [{**row, "search": str(number)} for number, many in enumerate(earlier) for row in many]
    words = ("this", *(str(number) for number in range(len(earlier))))
    return encode([*united(parameters, rows), Parameter("search", words)], rows, features)


def with_features(parameters: Sequence[Parameter], rows: Sequence[Configuration],
                  features: Sequence[Expression]) -> tuple[list[Parameter], list[Configuration]]:
    """What is computed from a configuration stands beside what it says. Raises CampaignError."""
    values = [[one.number(row) for row in rows] for one in features]
    found = [Parameter(one.text, tuple(sorted(set(column)))) for one, column in zip(features, values)]
    return [*parameters, *found], [{**row, **{one.text: column[index] for one, column in zip(features, values)}}
                                   for index, row in enumerate(rows)]


def encode(parameters: Sequence[Parameter], pool: Sequence[Configuration],
           features: Sequence[Expression] = ()) -> Encoded:
    """Numbers by their place; words as one column each, so that any two words are equally far apart: at distance 1."""
    np = numpy()
    if features:
        parameters, pool = with_features(parameters, pool, features)
    columns: list[list[float]] = []
    owner: list[int] = []
    for index, one in enumerate(parameters):
        if len(one.values) < 2:
            continue
        if one.numbers:
            columns.append([scaled(one, row[one.name]) for row in pool])
            owner.append(index)
            continue
        for value in one.values:
            columns.append([math.sqrt(0.5) * (row[one.name] == value) for row in pool])
            owner.append(index)
    return Encoded(np.array(columns, dtype=float).T.reshape(len(pool), len(columns)), tuple(owner))
