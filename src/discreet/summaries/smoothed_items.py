"""Counts of items, and of items and contexts, that were smoothed: group means, or a few Fourier coefficients.

A question that leaves all contexts open is answered from the items' own counts, any other from the edges'. `stderr` is
that of the noise; what smoothing does to a count nobody knows. So an interval uses only what was measured as it is: the
groups that lie in the question wholly are the least that it holds, those that it touches the most, and the sample that
they were found by is another bound, item by item; of Fourier
coefficients the first, which is the total, unless none is cut off. It is as wide as it takes to hold the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.naming import FOURIER_COLUMNS, GROUP_COLUMNS, SAMPLE_COLUMN
from discreet.numbers import written
from discreet.numbers.laws import DiscreteLaplace, half_widths
from discreet.privacy import Alpha, as_text
from discreet.queries import Questions, picked
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, box_sums, cells_asked, per_question
from discreet.summaries.columns import labelled_tables
from discreet.summaries.left_records import LeftRecords
from discreet.summaries.several_tables import SeveralTables
from discreet.summaries.simulation import laplace_sums
from discreet.transforms import Direct, fourier
from discreet.transforms.lines import running_sums

#: how many cells may be transformed to find the exact variance of sums of Fourier counts; beyond it a bound is used
_MOST_TRANSFORMED = 10**8
#: how many coefficients are drawn together
_MOST_DRAWN = 10**7


@dataclass(frozen=True, eq=False)
class OwnSample:
    """Noisy counts of each cell on its own, of few records: what groups were found by.

    They are of so many `records` of each user, chosen at random; of all records of some users if that is None.
    """

    values: NDArray[np.int64]
    scale: Fraction
    records: int | None

    def limits(self, questions: Questions, shape: tuple[int, ...], miss: float) -> tuple[Floats, Floats]:
        running = running_sums([Direct(size) for size in shape], self.values.reshape(shape).astype(np.float64))
        seen = per_question(questions, box_sums(questions, running))
        draws = cells_asked(questions).astype(np.int64)
        half = half_widths(Alpha.of(self.scale), draws, 1 - 2 * miss)
        return seen - half, seen + half

    def facts(self) -> dict[str, Any]:
        return {"sample scale": as_text(self.scale), "sample records": self.records}

    @classmethod
    def read(cls, facts: dict[str, Any], values: NDArray[Any]) -> OwnSample:
        records = facts["sample records"]
        if records is not None:
            records = written.whole(facts, "sample records", 1, 10**300)
        return cls(values.astype(np.int64), written.scale(facts["sample scale"]), records)


@dataclass(frozen=True, eq=False)
class Groups:
    """groups[i] is the group of cell i, sums[g] a group's noisy count; `found` says how the groups were found."""

    groups: NDArray[np.int32]
    sums: NDArray[np.int64]
    scale: Fraction
    found: dict[str, float] = field(default_factory=dict)
    sample: OwnSample | None = None

    @property
    def exact(self) -> bool:
        """Whether nothing is smoothed, so that noise is all there is."""
        return False

    def bounds(
        self, questions: Questions, shape: tuple[int, ...], left: LeftRecords, miss: float
    ) -> tuple[Floats, Floats]:
        """The least and the most of all records, each but for a chance of `miss`: by groups, and by the sample."""
        each = miss if self.sample is None else miss / 2
        low, seen = self.limits(questions, shape, each / left.events)
        high = left.high(seen, each / left.events)
        if self.sample is None:
            return low, high
        of_sample = replace(left, bound=self.sample.records or left.bound)
        own, seen = self.sample.limits(questions, shape, each / of_sample.events)
        if self.sample.records is not None:
            high = np.minimum(high, of_sample.high(seen, each / of_sample.events))
        return np.maximum(low, own), high

    @cached_property
    def members(self) -> NDArray[np.int64]:
        return np.bincount(self.groups, minlength=self.sums.size)

    @cached_property
    def values(self) -> Floats:
        return np.asarray((self.sums / self.members)[self.groups])

    def spread(self, questions: Questions, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Variance and fourth cumulant of the noise in each question's sum."""
        from discreet.kernels.grouping import FOURTHS, SQUARES

        found, law = self._parts(questions, shape), DiscreteLaplace.of(self.scale)
        return found[SQUARES] * law.variance, found[FOURTHS] * law.fourth_cumulant

    def _parts(self, questions: Questions, shape: tuple[int, ...]) -> Floats:
        """What each question has of the groups, a row for each column of the kernel."""
        from discreet.kernels.grouping import group_parts

        found, scratch = np.zeros((questions.count, 6)), np.zeros(self.sums.size, np.int64)
        first, last = (np.ascontiguousarray(ends) for ends in (questions.first, questions.last))
        sizes = np.array(shape, np.int64)
        group_parts(first, last, questions.owner, sizes, self.groups, self.members, self.sums, scratch, found)
        return found.T

    def limits(self, questions: Questions, shape: tuple[int, ...], miss: float) -> tuple[Floats, Floats]:
        """The least and the most that was kept, each but for a chance of `miss`."""
        from discreet.kernels.grouping import INSIDE, INSIDE_SUM, TOUCHED, TOUCHED_SUM

        found, alpha = self._parts(questions, shape), Alpha.of(self.scale)
        inside, touched = (half_widths(alpha, found[i].astype(np.int64), 1 - 2 * miss) for i in (INSIDE, TOUCHED))
        return found[INSIDE_SUM] - inside, found[TOUCHED_SUM] + touched

    def cell_noise(self, cells: NDArray[np.int64], draws: int, random: Any) -> Floats:
        """draws x cells: simulated noise of these cells."""
        groups, where = np.unique(self.groups[cells], return_inverse=True)
        noise = laplace_sums(self.scale, np.ones(groups.size, np.int64), draws, random)
        return np.asarray((noise / self.members[groups])[:, where])

    def columns(self) -> dict[str, Any]:
        """What is stored for each cell besides its count."""
        sample = {} if self.sample is None else {SAMPLE_COLUMN: self.sample.values}
        return {"group": self.groups, "group_count": self.sums[self.groups], **sample}

    def facts(self) -> dict[str, Any]:
        sample = {} if self.sample is None else self.sample.facts()
        return {"scale": as_text(self.scale), "groups": int(self.sums.size), **self.found, **sample}

    @classmethod
    def read(cls, facts: dict[str, Any], columns: dict[str, NDArray[Any]]) -> Groups:
        groups = columns["group"].astype(np.int32)
        sums = np.zeros(written.whole(facts, "groups", 1, max(groups.size, 1)), np.int64)
        if groups.size and not 0 <= int(groups.min()) <= int(groups.max()) < sums.size:
            raise ValueError("a cell names a group that does not exist")
        sums[groups] = columns["group_count"]
        others = ("attributes", "scale", "groups", "sample scale", "sample records")
        found = {name: value for name, value in facts.items() if name not in others}
        sample = OwnSample.read(facts, columns[SAMPLE_COLUMN]) if SAMPLE_COLUMN in columns else None
        return cls(groups, sums, written.scale(facts["scale"]), found, sample)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The first coefficients of the real Fourier basis of `length`, in units of 1 / lattice."""

    noisy: NDArray[np.int64]
    scale: Fraction
    lattice: int
    length: int
    size: int

    @property
    def exact(self) -> bool:
        return self.noisy.size == self.length

    @cached_property
    def values(self) -> Floats:
        return fourier.restored(self.noisy / self.lattice, self.length, self.size)

    def spread(self, questions: Questions, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
        law = DiscreteLaplace.of(self.scale)
        cells = cells_asked(questions)
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

    def bounds(
        self, questions: Questions, shape: tuple[int, ...], left: LeftRecords, miss: float
    ) -> tuple[Floats, Floats]:
        low, seen = self.limits(questions, shape, miss / left.events)
        return low, left.high(seen, miss / left.events)

    def limits(self, questions: Questions, shape: tuple[int, ...], miss: float) -> tuple[Floats, Floats]:
        """The least and the most that was kept: of the first coefficient, which is the total."""
        root = math.sqrt(self.length) / self.lattice
        total = float(self.noisy[0]) * root
        half = (DiscreteLaplace.of(self.scale).half_width(1 - 2 * miss) + 0.5) * root
        every = cells_asked(questions) >= self.size
        return np.where(every, total - half, 0.0), np.full(questions.count, max(total + half, 0.0))

    def _length(self, questions: Questions, question: int, shape: tuple[int, ...]) -> float:
        asked = np.zeros(shape)
        for box in np.flatnonzero(questions.owner == question):
            ends = zip(questions.first[box], questions.last[box], strict=True)
            asked[tuple(slice(first, last + 1) for first, last in ends)] += 1
        return fourier.squared_length(asked.reshape(-1), self.noisy.size, self.length)

    def cell_noise(self, cells: NDArray[np.int64], draws: int, random: Any) -> Floats:
        ones, found = np.ones(self.noisy.size, np.int64), []
        together = max(1, _MOST_DRAWN // ones.size)
        for done in range(0, draws, together):
            noise = laplace_sums(self.scale, ones, min(together, draws - done), random) / self.lattice
            found.append(fourier.restored_at(noise, self.length, self.size, cells))
        return np.concatenate(found)

    def columns(self) -> dict[str, Any]:
        coefficients = np.zeros(self.size, np.int64)
        coefficients[: self.noisy.size] = self.noisy[: self.size]
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
        length = fourier.padded_length(stored.size)
        written.whole(facts, "length", length, length)
        count = written.whole(facts, "coefficients", 1, length)
        noisy = np.concatenate([stored, np.array(facts["beyond"], np.int64)])[:count]
        if noisy.size != count:
            raise ValueError(f"there are {noisy.size} coefficients, not {count}")
        return cls(noisy, written.scale(facts["scale"]), written.whole(facts, "lattice", 1), length, stored.size)


class SmoothedCounts(SeveralTables):
    """One smoothed table for the items, and one for items and contexts if there are any."""

    kind: ClassVar[type[Groups] | type[Frequencies]]
    stored_columns: ClassVar[tuple[str, ...]]

    def __init__(
        self, schema: Schema, sets: Sequence[Sequence[str]], parts: Sequence[Any], *, left: LeftRecords
    ) -> None:
        super().__init__(schema, sets)
        self.parts: list[Groups | Frequencies] = list(parts)
        self.left = left
        self.smallest_scale = float(min(part.scale for part in parts))

    def answer(self, questions: Questions, level: float) -> Answers:
        found, miss = super().answer(questions, level), (1 - level) / 2
        low, high = np.zeros(questions.count), np.zeros(questions.count)
        about_contexts = self.asked(questions)[:, 0]
        for number in range(len(self.parts)):
            chosen = np.flatnonzero(about_contexts == bool(number))
            if chosen.size:
                some = picked(questions, chosen)
                there = _about_items(some) if len(self.shapes[number]) < len(self.schema) else some
                part = self.parts[number]
                if part.exact:
                    noisy = super().answer(some, level if self.left.none else 1 - miss)
                    low[chosen], high[chosen] = noisy.low, self.left.high(noisy.high, miss / 2)
                else:
                    low[chosen], high[chosen] = part.bounds(there, self.shapes[number], self.left, miss)
        return replace(found, low=np.minimum(low, found.value), high=np.maximum(high, found.value))

    def asked(self, questions: Questions) -> NDArray[np.bool_]:
        """In one column, whether each question asks about contexts."""
        return np.asarray(super().asked(questions)[:, 1:].any(axis=1, keepdims=True))

    def moments(self, questions: Questions, asked: list[int]) -> tuple[Floats, Floats, Floats]:
        number = 1 if asked else 0
        part, shape = self.parts[number], self.shapes[number]
        there = _about_items(questions) if len(shape) < len(self.schema) else questions
        sums = box_sums(there, self.running[number])
        single = np.all(there.first == there.last, axis=1)  # as it is, so that items of one group tie exactly
        sums[single] = part.values.reshape(shape)[tuple(there.first[single].T)]
        return per_question(there, sums), *part.spread(there, shape)

    def noise_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """As `ranking.Ranked` asks. Smoothing is no noise: items that share a group share their place, too."""
        if not self.asked(questions).any():
            return self.parts[0].cell_noise(questions.first[:, 0], draws, random)
        cells, owner = _cells_of(questions, self.schema.sizes)
        sums = np.zeros((draws, questions.count))
        np.add.at(sums.T, owner, self.parts[1].cell_noise(cells, draws, random).T)
        return sums

    def to_arrow(self) -> Any:
        columns = [{"count": part.values, **part.columns()} for part in self.parts]
        return labelled_tables(self.schema, self.sets, columns)

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), **self.left.to_dict()}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SmoothedCounts:
        sampled = all("sample scale" in table for table in facts["tables"])
        columns = (*cls.stored_columns, *([SAMPLE_COLUMN] if sampled else []))
        sets, parts = cls.read_parts(cls.kind, schema, facts, parquet, columns)
        return cls(schema, sets, parts, left=LeftRecords.read(facts))


class GroupedCounts(SmoothedCounts):
    shape = "grouped-items"
    kind, stored_columns = Groups, GROUP_COLUMNS


class FourierCounts(SmoothedCounts):
    shape = "fourier-items"
    kind, stored_columns = Frequencies, FOURIER_COLUMNS


def _about_items(questions: Questions) -> Questions:
    """Without contexts; boxes that differ in these only, which a question about items may have, are one."""
    ends = np.unique(np.column_stack([questions.owner, questions.first[:, 0], questions.last[:, 0]]), axis=0)
    return Questions(ends[:, 1:2], ends[:, 2:], questions.count, ends[:, 0])


def _cells_of(questions: Questions, shape: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All cells of all boxes, flat, and whose they are."""
    cells, owners = [], []
    for first, last, owner in zip(questions.first, questions.last, questions.owner, strict=True):
        codes = np.indices(last - first + 1).reshape(len(shape), -1) + first[:, None]
        cells.append(np.ravel_multi_index(tuple(codes), shape))
        owners.append(np.full(cells[-1].size, owner))
    return np.concatenate(cells), np.concatenate(owners)
