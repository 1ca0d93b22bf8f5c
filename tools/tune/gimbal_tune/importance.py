# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which parameter matters: by how much a forest's squared error grows when a parameter's values are shuffled (%IncMSE,
Breiman 2001; seed 003, section 4, trains on half of the data)."""
from __future__ import annotations

from collections.abc import Sequence

from .encoding import encode
from .models import regressor
from .modules import numpy
from .space import Configuration, Parameter

HEADERS = ("parameter", "%IncMSE")
SHUFFLES = 20
ENOUGH = 24  # from so many rows on, half is kept to look at; of fewer, all are learnt from
LEAST = 5  # rows


def importance(parameters: Sequence[Parameter], rows: Sequence[Configuration], values: Sequence[float],
               seed: int) -> list[tuple[str, float]]:
    """Rows of HEADERS, the most important first; [] if there is too little to tell.

    Negative: the forest is better without. With few rows they are those that it has learnt from, which flatters it.
    """
    np = numpy()
    varied = [one for one in parameters if len({row[one.name] for row in rows}) > 1]
    if len(rows) < LEAST or not varied:
        return []
    draw = np.random.default_rng(seed)
    order = draw.permutation(len(rows))
    half = order[:len(rows) // 2] if len(rows) >= ENOUGH else order
    rest = order[len(rows) // 2:] if len(rows) >= ENOUGH else order
    x, y = encode(varied, rows), np.asarray(values, dtype=float)
    forest = regressor("forest", x.x.shape[1], seed).fit(x.x[half], y[half])
    error = max(float(((forest.predict(x.x[rest]) - y[rest]) ** 2).mean()), 1e-12)
    found = []
    for index, one in enumerate(varied):
        columns = [column for column, owner in enumerate(x.owner) if owner == index]
        errors = []
        for _ in range(SHUFFLES):
            shuffled = x.x[rest].copy()
            shuffled[:, columns] = shuffled[draw.permutation(len(rest))][:, columns]
            errors.append(float(((forest.predict(shuffled) - y[rest]) ** 2).mean()))
        found.append((one.name, 100 * (sum(errors) / len(errors) / error - 1)))
    return sorted(found, key=lambda row: -row[1])
