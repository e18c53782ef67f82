"""How far off all pairs of attributes are together: six ways to look at it, each a share or a ratio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.accuracy.shapes import Floats

#: relative errors are judged as if counts were no smaller than this share of all records; heavy cells have this one
SANITY, HEAVY = 1e-4, 0.01
METRICS = ("total variation", "worst table", "relative error", "small tables", "heavy cells", "one-way tables")

Tables = Sequence[Floats]


def errors(true: Tables, found: Tables, true_singles: Tables, singles: Tables) -> Floats:
    """By METRICS: of tables of pairs, and of one-way tables, true and as they were found."""
    records = float(true[0].sum())
    off = [np.abs(one - other) for one, other in zip(true, found, strict=True)]
    variation = np.array([table.sum() / (2 * records) for table in off])
    cells = np.array([table.size for table in true])
    relative = [(one / np.maximum(table, SANITY * records)).mean() for one, table in zip(off, true, strict=True)]
    heavy = np.concatenate([one[table >= HEAVY * records] for one, table in zip(off, true, strict=True)])
    alone = [np.abs(one - other).sum() / (2 * records) for one, other in zip(true_singles, singles, strict=True)]
    small = variation[cells <= np.quantile(cells, 0.25)]
    of_pairs = [variation.mean(), variation.max(), np.mean(relative), small.mean(), heavy.mean() / records]
    return np.array([*of_pairs, np.mean(alone)])
