"""Methods that draw cell by cell, and so can draw one slice of the table apart from the others, wherever that is.

Cells are noised independently of each other, so slices are as well, and the law is that of the table as a whole. Most
methods also keep cells independently: one function draws a slice, and without slices the table as a single one. Where
all cells compete, slices give candidates, among which the process that publishes decides.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.noise_scales import OneScale
from discreet.noise import Noise
from discreet.numbers.cell_numbers import CellNumbers
from discreet.parameters import Parameter, Whole
from discreet.private.cell_slices import CellSlices
from discreet.private.counts import Counts
from discreet.summaries import Summary

MOST_SLICES = 10_000

SLICES = Parameter(
    "slices",
    Whole(1, MOST_SLICES),
    "In how many slices Spark's executors draw and write the release, each a file of its own",
    otherwise="none: it is drawn by the process that publishes",
)


class Sliceable(OneScale):
    """Says how one slice is drawn, and how it is written."""

    #: how many slices were asked for; None: the table is drawn as a whole, where the release is published
    slices: int | None = None
    #: whether slices are not what is published, but what it is made of where the release is published
    merges = False

    def entry_sizes(self) -> tuple[int, ...]:
        """How many entries each attribute has."""
        return self.request.schema.sizes

    @cached_property
    def cell_slices(self) -> CellSlices:
        return CellSlices(self.entry_sizes(), self.slices or 1)

    def occupied(self, counts: Counts) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The numbers (rising) and the exact values of the entries that may be other than zero."""
        return CellNumbers(self.entry_sizes()).encode(counts.codes), counts.counts

    @abstractmethod
    def drawn(self, cells: range, occupied: NDArray[Any], exact: NDArray[np.int64], noise: Noise) -> Any:
        """The noisy cells of a slice, from the numbers (rising) and exact counts of its occupied ones."""

    def slice_of(self, cells: range, occupied: NDArray[Any], exact: NDArray[np.int64], noise: Noise) -> Any:
        """What an executor writes of a slice, as an Arrow table."""
        return self.slice_table(cells, self.drawn(cells, occupied, exact, noise))

    @abstractmethod
    def slice_table(self, cells: range, drawn: Any) -> Any:
        """What `drawn` gave as an Arrow table, as a release has it."""

    def merged_slices(self, tables: Sequence[Any], noise: Noise) -> Summary:
        """What is published of all that `slice_of` gave, in order, if that `merges`."""
        raise TypeError(f"{self.method} publishes its slices as they are")

    @abstractmethod
    def slice_facts(self) -> dict[str, Any]:
        """What release.json says of the summary whose table the slices make up."""
