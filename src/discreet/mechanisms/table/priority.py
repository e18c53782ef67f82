"""Keep exactly `size` cells, those of highest priority noisy count / r, r uniform in (0, 1].

Source: priority sampling, section 3.3 of sparse-summaries; tau is the priority just below the sample's.
Guarantee and numerics: see `table_sparse` and `noise/priority_sample`. Bias: none (two-sided).

In slices, each hands over its candidates for the sample, and whoever publishes finds the highest of all: the law is
that of one contest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.table.table_slices import SLICES
from discreet.mechanisms.table.table_sparse import MOST_SURVIVORS, SIDED, SIZE, Sparse, of
from discreet.mechanisms.table.table_stretches import merged
from discreet.noise import Chosen, Contestants, Field, Noise
from discreet.noise.levels import NONE
from discreet.private.cell_slices import CellSlices
from discreet.summaries import Summary


class Priority(Sparse):
    method = "priority"
    parameters = of("cell", SIZE, SIDED, SLICES)
    theta = 1
    merges = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.size = self.size_or_default()
        if self.size > MOST_SURVIVORS:
            raise BadParameter(f"size must be at most {MOST_SURVIVORS:,}, not {self.size:,}")
        if self.slices is not None and self.size * self.cell_slices.many > MOST_SURVIVORS:
            raise BadParameter(
                f"slices: {self.cell_slices.many:,} slices with {self.size:,} candidates each are more than "
                f"{MOST_SURVIVORS:,} in all; give a smaller size, or fewer slices"
            )
        self.likely = self.size

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        sample = noise.prioritised(fields, self.rule(self.theta), self.size, self.rare_theta)
        return sample.parts, self.facts(sample.tau)

    def facts(self, tau: float | None) -> dict[str, Any]:
        return {"theta": self.theta, "tau": tau or 0.0}

    @property
    def drawn_slices(self) -> CellSlices:
        """One: the contest is of all cells."""
        return CellSlices(self.entry_sizes(), 1)

    def slice_of(self, cells: range, occupied: NDArray[Any], exact: NDArray[np.int64], noise: Noise) -> Any:
        """Numbers and noisy values of candidates, with the bits that are known of their priorities."""
        import pyarrow as pa

        stretches, fields = self.noisy_stretches(cells, occupied, exact, noise)
        found = noise.candidates(fields, self.rule(self.theta), self.size, self.rare_theta)
        none = [np.full(field.values.size, NONE, np.int64) for field in fields]

        def column(known: Sequence[NDArray[Any]], raised: Sequence[NDArray[Any]]) -> tuple[Any, NDArray[np.int64]]:
            parts = [replace(one.chosen, values=values) for one, values in zip(found, raised, strict=True)]
            return merged(self.sizes, stretches, known, parts)

        numbers, values = column([field.values for field in fields], [one.chosen.values for one in found])
        words = column(
            [one.occupied_words.view(np.int64) for one in found], [one.words.view(np.int64) for one in found]
        )[1]
        levels = column(none, [one.levels.astype(np.int64) for one in found])[1]
        limbs = numbers[:, None] if numbers.ndim == 1 else numbers
        named = {f"n{place}": limbs[:, place] for place in range(limbs.shape[1])}
        return pa.table({**named, "value": values, "word": words, "level": levels})

    def merged_slices(self, tables: Sequence[Any], noise: Noise) -> Summary:
        import pyarrow as pa

        table = pa.concat_tables(tables)
        columns = {name: table[name].to_numpy() for name in table.column_names}
        values, words, levels = (columns.pop(name) for name in ("value", "word", "level"))
        numbers = np.stack(list(columns.values()), axis=1) if len(columns) > 1 else columns["n0"]
        items = Contestants(np.abs(values), levels.astype(np.int16), words.view(np.uint64))
        cut = noise.highest(items, self.size)
        return self.finished(numbers[cut.chosen], values[cut.chosen], self.facts(cut.tau), noise)
