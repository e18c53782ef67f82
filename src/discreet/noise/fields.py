"""A sparse table as noise sees it: few occupied cells, very many empty ones, and what is kept of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Marks, Words


@dataclass(frozen=True, eq=False)
class Stretch:
    """Consecutive cells: the first one, how many are empty, and the numbers and exact values of the others."""

    start: int
    empty: int
    occupied: NDArray[Any]
    exact: Ints


@dataclass(frozen=True, eq=False)
class Field:
    """The noisy values of some occupied cells, how many empty ones lie among them, and which cells these are.

    Without a stretch the cells are numbered as they come.
    """

    values: Ints
    empty: int
    stretch: Stretch | None = None


@dataclass(frozen=True, eq=False)
class Chosen:
    """What is kept of a field: a mark for each occupied cell, ranks and values of empty ones."""

    marks: Marks
    ranks: NDArray[Any]
    values: Ints

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.marks)) + self.values.size


@dataclass(frozen=True, eq=False)
class Candidates:
    """What of a field may be in a sample, and what is known of its priorities, which a contest with others decides."""

    chosen: Chosen
    #: the first bits of U for every occupied cell, marked or not, and for the empty ones
    occupied_words: Words
    words: Words
    #: below which level the empty ones' priorities cannot be
    levels: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Sample:
    """A part for each field; tau None: all are in."""

    parts: list[Chosen]
    tau: float | None
