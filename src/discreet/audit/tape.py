"""What a mechanism asked of the noise, draw by draw: the exact values that noise went on, and what came out.

Private, because it holds exact values: a tape is made of invented tables only, and is never written anywhere.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Descent, Field, Paths, Rule, Stretch, to_integers, to_limbs

Ints = NDArray[np.int64]


@dataclass(eq=False)
class TapeStep:
    """One request to the noise."""


@dataclass(eq=False)
class Added(TapeStep):
    """Noise of one scale on every number of an array."""

    scale: Fraction
    exact: Ints
    noisy: Ints


@dataclass(eq=False)
class Sparsely(TapeStep):
    """Noise of one scale on every cell of a stretch, of which only the occupied ones are written down."""

    scale: Fraction
    start: int
    size: int
    exact: dict[int, int]
    noisy: dict[int, int]
    #: what later steps kept of the empty cells
    raised: dict[int, int] = field(default_factory=dict)

    def value(self, cell: int) -> int:
        """The noisy value of a cell as far as anyone can know it: what nobody kept might as well have been zero."""
        return self.noisy[cell] if cell in self.noisy else self.raised.get(cell, 0)


@dataclass(eq=False)
class KeptCells(TapeStep):
    """Which cells of noisy stretches a rule, or a priority sample, keeps; the stretches by their place on the tape."""

    stretches: list[int]
    rule: Rule
    count: int | None
    cells: list[set[int]]
    tau: float | None = None


@dataclass(eq=False)
class Chose(TapeStep):
    """An index by the exponential mechanism."""

    scale: Fraction
    losses: Ints
    index: int


@dataclass(eq=False)
class PickedLargest(TapeStep):
    """The indices of the largest counts, each with one-sided noise, largest first."""

    scale: Fraction
    exact: Ints
    picked: Ints


@dataclass(eq=False)
class Flipped(TapeStep):
    """A coin for every unit: they all fall the same way, and the law is put in when losses are added up."""

    #: never below the true chance of heads
    chance: Fraction


@dataclass(eq=False)
class TakenDown(TapeStep):
    """Tables that go down a path of scales; `depths` is how far down each was looked at."""

    descent: Descent
    noisy: Ints
    exact: Ints
    paths: Paths
    depths: Ints | None = None

    @property
    def reached(self) -> list[int]:
        """How many steps each table was taken down: all there are, unless it was read through the paths."""
        return [self.descent.steps] * len(self.paths.cells) if self.depths is None else self.depths.tolist()


@dataclass(eq=False)
class Chance(TapeStep):
    """A draw that is asked for with noisy or public values only, and so is the same for both neighbours."""

    call: str
    asked: tuple[Any, ...]
    drawn: Any


@dataclass(eq=False)
class Tape:
    steps: list[TapeStep] = field(default_factory=list)


def numbers(cells: NDArray[Any]) -> list[int]:
    """Cell numbers, however wide, as Python integers."""
    found: list[int] = (to_integers(cells) if cells.ndim == 2 else cells).tolist()
    return found


def cells_of(ranks: Sequence[int], stretch: Stretch) -> list[int]:
    """The cells that have these ranks (rising) among the empty ones of a stretch."""
    occupied, found, passed = numbers(stretch.occupied), [], 0
    for rank in ranks:
        while passed < len(occupied) and occupied[passed] - stretch.start - passed <= rank:
            passed += 1
        found.append(stretch.start + rank + passed)
    return found


def ranks_of(cells: Sequence[int], stretch: Stretch) -> NDArray[Any]:
    """The other way round, in the form in which the noise gives ranks."""
    occupied = numbers(stretch.occupied)
    ranks = [cell - stretch.start - bisect.bisect_left(occupied, cell) for cell in cells]
    if stretch.empty < 1 << 62:
        return np.array(ranks, np.int64)
    return to_limbs(ranks, 2 * -(-stretch.empty.bit_length() // 64))


def stretch_of(given: Field) -> Stretch:
    """The cells of a field; without a stretch, as they come."""
    assert given.stretch is not None
    return given.stretch
