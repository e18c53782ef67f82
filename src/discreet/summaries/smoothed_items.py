"""Counts of items, and of items and contexts, that were smoothed: group means, or a few Fourier coefficients.

A question that leaves all contexts open is answered from the items' own counts, any other from the edges'. Errors are
those of the noise; what smoothing does to a count is left out.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.naming import FOURIER_COLUMNS, GROUP_COLUMNS
from discreet.numbers import spreads
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import as_text, exact
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers, Summary, per_question, running_sums
from discreet.summaries.labels import labelled
from discreet.summaries.simulation import laplace_sums

Floats = NDArray[np.float64]

#: how many cells may be transformed to find the exact variance of sums of Fourier counts; beyond it a bound is used
_MOST_TRANSFORMED = 10**8
#: how many coefficients are drawn together
_MOST_DRAWN = 10**7


class Smoothed(ABC):
    """One smoothed table, flat: `values`, and the variance of the noise in sums of them."""

    scale: Fraction

    @property
    @abstractmethod
    def values(self) -> Floats: ...

    @abstractmethod
    def spread(self, questions: Questions, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of the noise in each question's sum."""

    @abstractmethod
    def cell_noise(self, cells: NDArray[np.int64], draws: int, random: Any) -> Floats:
        """draws x cells: simulated noise of these cells."""

    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """What is stored for each cell besides its count."""

    @abstractmethod
    def facts(self) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class Groups(Smoothed):
    """groups[i] is the group of cell i, sums[g] a group's noisy count; `found` says how the groups were found."""

    groups: NDArray[np.int32]
    sums: NDArray[np.int64]
    scale: Fraction
    found: dict[str, float] = field(default_factory=dict)

    @cached_property
    def members(self) -> NDArray[np.int64]:
        return np.bincount(self.groups, minlength=self.sums.size)

    @cached_property
    def values(self) -> Floats:
        return np.asarray((self.sums / self.members)[self.groups])

    def spread(self, questions: Questions, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        from discreet.kernels.grouping import group_squares

        squares, fourths = np.zeros(questions.count), np.zeros(questions.count)
        scratch = np.zeros(self.sums.size, np.int64)
        sizes = np.array(shape, np.int64)
        first, last = (np.ascontiguousarray(ends) for ends in (questions.first, questions.last))
        group_squares(first, last, questions.owner, sizes, self.groups, self.members, scratch, squares, fourths)
        law = DiscreteLaplace.of(self.scale)
        return squares * law.variance, fourths * law.fourth_cumulant

    def cell_noise(self, cells: NDArray[np.int64], draws: int, random: Any) -> Floats:
        groups, where = np.unique(self.groups[cells], return_inverse=True)
        noise = laplace_sums(self.scale, np.ones(groups.size, np.int64), draws, random)
        return np.asarray((noise / self.members[groups])[:, where])

    def columns(self) -> dict[str, Any]:
        return {"group": self.groups, "group_count": self.sums[self.groups]}

    def facts(self) -> dict[str, Any]:
        return {"scale": as_text(self.scale), "groups": int(self.sums.size), **self.found}

    @classmethod
    def read(cls, facts: dict[str, Any], columns: dict[str, NDArray[Any]]) -> Groups:
        groups = columns["group"].astype(np.int32)
        sums = np.zeros(int(facts["groups"]), np.int64)
        if groups.size and not 0 <= int(groups.min()) <= int(groups.max()) < sums.size:
            raise ValueError("a cell names a group that does not exist")
        sums[groups] = columns["group_count"]
        found = {name: value for name, value in facts.items() if name not in ("attributes", "scale", "groups")}
        return cls(groups, sums, exact(facts["scale"], "scale"), found)


@dataclass(frozen=True, eq=False)
class Frequencies(Smoothed):
    """The first coefficients of the real Fourier basis of `length`, in units of 1 / lattice."""

    noisy: NDArray[np.int64]
    scale: Fraction
    lattice: int
    length: int
    size: int

    @cached_property
    def values(self) -> Floats:
        from discreet.transforms.fourier import restored

        return restored(self.noisy / self.lattice, self.length, self.size)

    def spread(self, questions: Questions, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        law = DiscreteLaplace.of(self.scale)
        cells = per_question(questions, np.prod(questions.last - questions.first + 1.0, axis=1))
        # the part of a cell that the kept coefficients see has this squared length; sums have at most the square of it
        share = self.noisy.size / self.length
        lengths = np.minimum(cells**2 * share, cells)
        several = np.flatnonzero(cells > 1)
        if several.size * self.size <= _MOST_TRANSFORMED:
            for question in several:
                lengths[question] = self._length(questions, int(question), shape)
        variance = lengths * law.variance / self.lattice**2
        # no weighted sum has more kurtosis than one draw
        return variance, law.fourth_cumulant / law.variance**2 * variance**2

    def _length(self, questions: Questions, question: int, shape: tuple[int, ...]) -> float:
        from discreet.transforms.fourier import squared_length

        asked = np.zeros(shape)
        for box in np.flatnonzero(questions.owner == question):
            ends = zip(questions.first[box], questions.last[box], strict=True)
            asked[tuple(slice(first, last + 1) for first, last in ends)] += 1
        return squared_length(asked.reshape(-1), self.noisy.size, self.length)

    def cell_noise(self, cells: NDArray[np.int64], draws: int, random: Any) -> Floats:
        from discreet.transforms.fourier import restored_at

        ones, found = np.ones(self.noisy.size, np.int64), []
        together = max(1, _MOST_DRAWN // ones.size)
        for done in range(0, draws, together):
            noise = laplace_sums(self.scale, ones, min(together, draws - done), random) / self.lattice
            found.append(restored_at(noise, self.length, self.size, cells))
        return np.concatenate(found)

    def columns(self) -> dict[str, Any]:
        coefficients = np.zeros(self.size, np.int64)
        kept = min(self.noisy.size, self.size)
        coefficients[:kept] = self.noisy[:kept]
        return {"coefficient": coefficients}

    def facts(self) -> dict[str, Any]:
        return {
            "scale": as_text(self.scale),
            "lattice": self.lattice,
            "length": self.length,
            "coefficients": int(self.noisy.size),
            "beyond": self.noisy[self.size :].tolist(),  # padding has room for a few more than there are cells
        }

    @classmethod
    def read(cls, facts: dict[str, Any], columns: dict[str, NDArray[Any]]) -> Frequencies:
        stored = columns["coefficient"].astype(np.int64)
        count = int(facts["coefficients"])
        noisy = np.concatenate([stored, np.array(facts["beyond"], np.int64)])[:count]
        if noisy.size != count:
            raise ValueError(f"there are {noisy.size} coefficients, not {count}")
        return cls(noisy, exact(facts["scale"], "scale"), int(facts["lattice"]), int(facts["length"]), stored.size)


class SmoothedCounts(Summary):
    """One smoothed table for the items, and one for items and contexts if there are any."""

    kind: ClassVar[type[Groups] | type[Frequencies]]

    def __init__(self, schema: Schema, sets: Sequence[Sequence[str]], views: Sequence[Any], *, bound: int) -> None:
        self.schema, self.bound = schema, bound
        self.sets = [tuple(names) for names in sets]
        self.views: list[Smoothed] = list(views)

    def answer(self, questions: Questions, level: float) -> Answers:
        value, variance, fourth = (np.zeros(questions.count) for _ in range(3))
        narrowed = (questions.first > 0) | (questions.last < np.array(self.schema.sizes) - 1)
        asks_context = np.zeros(questions.count, np.bool_)
        np.logical_or.at(asks_context, questions.owner, narrowed[:, 1:].any(axis=1))
        for number in range(len(self.views)):
            chosen = np.flatnonzero(asks_context == bool(number))
            if not chosen.size:
                continue
            boxes = np.flatnonzero(asks_context[questions.owner] == bool(number))
            width = len(self.sets[number])
            owner = np.searchsorted(chosen, questions.owner[boxes])
            some = Questions(questions.first[boxes, :width], questions.last[boxes, :width], chosen.size, owner)
            some = _merged(some) if width < len(self.schema) else some
            value[chosen] = self._sums(some, number)
            variance[chosen], fourth[chosen] = self.views[number].spread(some, self._shape(number))
        smallest = float(min(view.scale for view in self.views))
        half = spreads.half_widths(variance, fourth, smallest, level)
        return Answers(value, np.sqrt(variance), value - half, value + half, np.zeros(questions.count))

    def noise_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """As `ranking.Ranked` asks. Smoothing is no noise: items that share a group share their place, too."""
        sizes = np.array(self.schema.sizes)
        narrowed = ((questions.first > 0) | (questions.last < sizes - 1))[:, 1:].any(axis=1)
        view = self.views[1] if narrowed.any() else self.views[0]
        if not narrowed.any():
            return view.cell_noise(questions.first[:, 0], draws, random)
        cells, owner = _cells_of(questions, self.schema.sizes)
        noise = view.cell_noise(cells, draws, random)
        sums = np.zeros((draws, questions.count))
        np.add.at(sums.T, owner, noise.T)
        return sums

    def _sums(self, questions: Questions, number: int) -> Floats:
        from discreet.kernels.prefix import running_box_sums

        running = self._running[number]
        strides, parts = np.array(running.strides, np.int64) // running.itemsize, np.empty(len(questions.first))
        first, last = (np.ascontiguousarray(ends) for ends in (questions.first, questions.last))
        running_box_sums(running.reshape(-1), strides, first, last, parts)
        single = np.all(first == last, axis=1)  # as it is, so that items of one group tie exactly
        parts[single] = self.views[number].values.reshape(running.shape)[tuple(first[single].T)]
        return per_question(questions, parts)

    @cached_property
    def _running(self) -> list[Floats]:
        return [running_sums(self._shape(number), view.values) for number, view in enumerate(self.views)]

    def _shape(self, number: int) -> tuple[int, ...]:
        return tuple(self.schema[name].size for name in self.sets[number])

    def to_arrow(self) -> Any:
        columns = [{"count": view.values, **view.columns()} for view in self.views]
        return labelled(self.schema, self.sets, columns)

    def facts(self) -> dict[str, Any]:
        tables = [
            {"attributes": list(names), **view.facts()} for names, view in zip(self.sets, self.views, strict=True)
        ]
        return {"tables": tables, "bound": self.bound}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SmoothedCounts:
        import pyarrow.parquet as pq

        names = [name for name in pq.read_schema(parquet).names if name in (*GROUP_COLUMNS, *FOURIER_COLUMNS)]
        table = pq.read_table(parquet, columns=names)
        columns = {name: table[name].to_numpy() for name in names}
        sets = [entry["attributes"] for entry in facts["tables"]]
        cells = [math.prod(schema[name].size for name in one) for one in sets]
        if table.num_rows != sum(cells):
            raise ValueError(f"the table has {table.num_rows} rows where there are {sum(cells)} cells")
        views, start = [], 0
        for entry, count in zip(facts["tables"], cells, strict=True):
            mine = {name: column[start : start + count] for name, column in columns.items()}
            views.append(cls.kind.read(entry, mine))
            start += count
        return cls(schema, sets, views, bound=int(facts["bound"]))


class GroupedCounts(SmoothedCounts):
    shape = "grouped-items"
    kind = Groups


class FourierCounts(SmoothedCounts):
    shape = "fourier-items"
    kind = Frequencies


def _merged(questions: Questions) -> Questions:
    """Without boxes that differ in contexts only, which a question about items has once each."""
    ends = np.column_stack([questions.owner, questions.first, questions.last])
    ends = np.unique(ends, axis=0)
    width = questions.first.shape[1]
    return Questions(ends[:, 1 : 1 + width], ends[:, 1 + width :], questions.count, ends[:, 0])


def _cells_of(questions: Questions, shape: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All cells of all boxes, flat, and whose they are."""
    cells, owners = [], []
    for first, last, owner in zip(questions.first, questions.last, questions.owner, strict=True):
        codes = np.meshgrid(*(np.arange(low, high + 1) for low, high in zip(first, last, strict=True)), indexing="ij")
        cells.append(np.ravel_multi_index([code.reshape(-1) for code in codes], shape))
        owners.append(np.full(cells[-1].size, owner))
    return np.concatenate(cells), np.concatenate(owners)
