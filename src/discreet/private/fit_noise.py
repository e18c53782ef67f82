"""What a planned release would count, against the noise that it would have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Mechanism
from discreet.private.fit_known import known_warnings
from discreet.private.fit_report import FitWarning, ReleaseFit
from discreet.private.rows import Rows
from discreet.tasks import Items, Marginals, Ranges, Task

#: a count of fewer times the noise than this tells little
CLEAR = 2
#: for a look that is never published, so nobody is protected by the choice of rows
_SALT = b"never published."


def release_fit(
    name: str, task: Task, mechanism: Mechanism, origin: Rows, rows: int
) -> tuple[ReleaseFit, list[FitWarning]]:
    """Its counts against plain noise, whatever its method makes of it: where nothing stands out, no method helps."""
    made: Any = mechanism
    unit, schema = mechanism.request.unit, mechanism.request.schema
    bounded = origin.bounded(schema, unit, _SALT)
    sensitivity, epsilon, cells = unit.sensitivity, mechanism.request.epsilon, schema.cells
    tables: dict[str, NDArray[np.int64]]
    weights: dict[str, NDArray[np.float64]] = {}
    if isinstance(task, Marginals):
        tables = _marginals(made, bounded)
        sensitivity, cells = sensitivity * len(made.cells), sum(made.cells)
    elif isinstance(task, Items):
        seen = made.looked_at(bounded.histories(1), _SALT)
        tables, weights = {"": seen.counts}, {"": seen.weights}
        sensitivity, epsilon, cells = seen.change, seen.epsilon, seen.counts.size
    else:
        tables = {"": bounded.table().counts}
    noise = math.sqrt(2) * float(sensitivity) / float(epsilon)
    small = {table: _in_small(counts, weights.get(table, counts), CLEAR * noise) for table, counts in tables.items()}
    occupied = sum(int(np.count_nonzero(counts)) for counts in tables.values())
    kept = max(int(counts.sum()) for counts in tables.values())
    fit = ReleaseFit(name, rows, kept, occupied, cells, noise, float(np.mean(list(small.values()))))
    noisy = [table for table, part in small.items() if part > 0.5]
    return fit, [*_warnings(fit, task, noisy), *known_warnings(name, task, schema, bounded)]


def _marginals(made: Any, bounded: Any) -> dict[str, NDArray[np.int64]]:
    """The counts of every table; of queries, all answers together."""
    if made.families is not None:
        return {"": np.concatenate(made.families.counts(bounded.table()))}
    names = made.request.schema.names
    places = [[names.index(attribute) for attribute in some] for some in made.sets]
    return {" x ".join(some): table.counts for some, table in zip(made.sets, bounded.tables(places), strict=True)}


def _in_small(counts: NDArray[np.int64], seen: NDArray[Any], least: float) -> float:
    """The share of the records that are in cells of which fewer than `least` are seen."""
    total = int(counts.sum())
    return float(counts[seen < least].sum() / total) if total else 1.0


def _warnings(fit: ReleaseFit, task: Task, noisy: list[str]) -> Iterator[FitWarning]:
    place, less = f"releases.{fit.name}", "raise epsilon, use wider bins or fewer attributes"
    if isinstance(task, Items):
        less = "raise epsilon, ask for fewer of the largest (top), or count groups of items"
    if fit.kept == 0:
        fix = "see what is outside the domains before you publish: it would cost budget and tell nothing"
        yield FitWarning(place, "no row counts, so it would hold nothing but noise", fix)
    elif isinstance(task, Ranges):
        # a range adds up few nodes of a tree, about as many as it has levels
        wide = fit.noise * math.log2(2 * fit.cells) / 2
        if fit.kept / 10 < CLEAR * wide:
            said = (
                f"a range with a tenth of all records has about {fit.kept / 10:,.0f}, and noise of about ± {wide:,.0f}"
            )
            yield FitWarning(place, f"would be mostly noise: {said}", less)
    elif isinstance(task, Marginals) and noisy and noisy != [""]:
        some = ", ".join(noisy[:3]) + (", ..." if len(noisy) > 3 else "")
        said = f"at ± {fit.noise:,.3g} a count, more than half of the records are in cells below twice the noise"
        yield FitWarning(place, f"{len(noisy)} of its tables would be mostly noise ({some}): {said}", less)
    elif noisy:
        part, cells = f"{100 * fit.in_small_cells:.0f} %", "items" if isinstance(task, Items) else "cells"
        said = f"{part} of the records are in {cells} below twice the noise, ± {fit.noise:,.3g}"
        yield FitWarning(place, f"would be mostly noise: {said}", less)
