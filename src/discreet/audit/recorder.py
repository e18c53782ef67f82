"""Noise that writes down what it is asked for, and noise that gives a second run the same noisy values again.

The second run has the data of a neighbour. Whatever a mechanism decides from noisy values it decides as before, so both
runs make the same requests, and differ only in the exact values that noise went on. A mechanism that looks at exact
values anywhere else makes other requests, or another release: either shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.audit.tape import (
    Added,
    Chance,
    Chose,
    Flipped,
    KeptCells,
    PickedLargest,
    Sparsely,
    TakenDown,
    Tape,
    TapeStep,
    cells_of,
    numbers,
    ranks_of,
    stretch_of,
)
from discreet.errors import DiscreetError
from discreet.noise import (
    BitSource,
    Chosen,
    Contestants,
    Descent,
    Field,
    Noise,
    Paths,
    Redraws,
    Rule,
    SeededSource,
    Stretch,
)
from discreet.noise.count_bounds import check_counts
from discreet.noise.fields import Sample
from discreet.noise.noise import Shape
from discreet.noise.source import Stream
from discreet.numbers.intervals import Real
from discreet.privacy import Alpha, Number, exact

Ints = NDArray[np.int64]
Kind = TypeVar("Kind", bound=TapeStep)

_BITS = 256
_REDRAWS = 6


class Diverged(DiscreetError):
    """The second run asked the noise for something else: what is asked depends on more than noisy values."""


class _Untaped(BitSource):
    """Bits that nobody may have but through a method that is taped."""

    private = False
    name = "taped noise (not private)"

    def stream(self) -> Stream:
        raise Diverged("draws random bits in a way that the audit cannot follow")


class TapedNoise(Noise):
    """Records on `tape`; with `follow`, the tape of a first run, gives what that run was given."""

    private = False

    def __init__(self, seed: int, follow: Tape | None = None, *, heads: bool = True) -> None:
        super().__init__(_Untaped())
        self.tape, self._follow, self._heads = Tape(), follow, heads
        self._noise = Noise(SeededSource(seed))
        #: why the second run cannot be compared with the first
        self.problem: str | None = None

    # noise on exact values

    def add(self, counts: NDArray[Any], scale: Number) -> Ints:
        given, before = check_counts(counts), self._before(Added)
        number = exact(scale, "scale")
        if before is None:
            noisy = self._noise.add(given, scale)
        else:
            self._same("an array of another shape is given noise", before.exact.shape, given.shape)
            self._same("noise has another scale", before.scale, number)
            noisy = before.noisy
        self.tape.steps.append(Added(number, given.copy(), noisy.copy()))
        return noisy.copy()

    def add_blocks(self, blocks: Sequence[Ints], scales: Sequence[Number]) -> list[Ints]:
        return [self.add(block, scale) for block, scale in zip(blocks, scales, strict=True)]

    def add_into(self, table: Ints, scale: Number) -> None:
        table[...] = self.add(table, scale)

    def noisy(self, stretch: Stretch, scale: Number) -> Field:
        given, before = numbers(stretch.occupied), self._before(Sparsely)
        size = stretch.empty + len(given)
        number = exact(scale, "scale")
        if before is None:
            values = self._noise.add(stretch.exact, scale).tolist()
        else:
            self._same("noise has another scale", before.scale, number)
            self._same("another part of the table is given noise", (before.start, before.size), (stretch.start, size))
            values = [before.value(cell) for cell in given]
        exact_values = dict(zip(given, stretch.exact.tolist(), strict=True))
        noisy = dict(zip(given, values, strict=True))
        self.tape.steps.append(Sparsely(number, stretch.start, size, exact_values, noisy))
        return Field(np.array(values, np.int64), stretch.empty, stretch)

    def kept(self, field: Field, rule: Rule, rare: int | None = None) -> Chosen:
        return self._sampled([field], rule, None, lambda: Sample([self._noise.kept(field, rule, rare)], None)).parts[0]

    def prioritised(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> Sample:
        if all(field.stretch is None for field in fields):  # already noisy: pure chance
            asked = (*(field.values for field in fields), *(field.empty for field in fields), rule, count)
            found: Sample = self._chance("prioritised", asked, lambda: self._noise.prioritised(fields, rule, count))
            return found
        return self._sampled(fields, rule, count, lambda: self._noise.prioritised(fields, rule, count, rare))

    def candidates(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> NoReturn:
        self._diverged("candidates of a contest are drawn, which an audit sees as one contest")

    def highest(self, items: Contestants, count: int) -> NoReturn:
        self._diverged("candidates of a contest are merged, which an audit sees as one contest")

    def choose(self, losses: Ints, scale: Number) -> int:
        number, before = exact(scale, "scale"), self._before(Chose)
        if before is None:
            index = self._noise.choose(losses, scale)
        else:
            self._same("a choice is among other candidates", before.losses.shape, losses.shape)
            self._same("a choice has another scale", before.scale, number)
            index = before.index
        self.tape.steps.append(Chose(number, losses.copy(), index))
        return index

    def select(self, counts: Ints, most: int, scale: Number) -> Ints:
        given, number, before = check_counts(counts), exact(scale, "scale"), self._before(PickedLargest)
        if before is None:
            picked = self._noise.select(given, most, scale)
        else:
            self._same("the largest of another number of counts are picked", before.exact.shape, given.shape)
            self._same("what is picked has noise of another scale", before.scale, number)
            self._same("another number of counts is picked", before.picked.size, min(most, given.size))
            picked = before.picked
        self.tape.steps.append(PickedLargest(number, given.copy(), picked.copy()))
        return picked.copy()

    def coin(self, probability: Real, shape: Shape = 1) -> NDArray[np.bool_]:
        chance, before = Fraction(probability.bracket(_BITS).high, 1 << _BITS), self._before(Flipped)
        if before is not None:
            self._same("coins have another chance", before.chance, chance)
        self.tape.steps.append(Flipped(chance))
        return np.full(shape, self._heads)

    def taken_down(self, cells: list[int], noisy: Ints, exact: Ints, descent: Descent) -> Paths:
        before = self._before(TakenDown)
        if before is None:
            paths = self._some_way_down(cells, noisy, exact, descent)
        else:
            self._same("tables go down another path", before.descent, descent)
            self._same("tables of other sizes go down", before.paths.cells, cells)
            paths = self._unread(before)
        step = TakenDown(descent, noisy.copy(), exact.copy(), paths)
        self.tape.steps.append(step)
        return _Watched(paths.cells, paths.start, paths.answer, paths.step, paths.value, step)

    # chance alone

    def salt(self) -> bytes:
        found: bytes = self._chance("salt", (), self._noise.salt)
        return found

    def laplace(self, scale: Number, shape: Shape = 1) -> Ints:
        return np.asarray(self._chance("laplace", (scale, shape), lambda: self._noise.laplace(scale, shape)))

    def geometric(self, ratio: Real, shape: Shape = 1) -> Ints:
        return np.asarray(self._chance("geometric", (ratio, shape), lambda: self._noise.geometric(ratio, shape)))

    def coins(self, weights: Ints, limit: Fraction) -> NDArray[np.bool_]:
        return np.asarray(self._chance("coins", (weights, limit), lambda: self._noise.coins(weights, limit)))

    def positions(self, probability: Real, size: int) -> NDArray[Any]:
        asked = (probability, size)
        return np.asarray(self._chance("positions", asked, lambda: self._noise.positions(probability, size)))

    def survivors(self, rule: Rule, empty: int) -> tuple[NDArray[Any], Ints]:
        found: tuple[Any, Ints] = self._chance("survivors", (rule, empty), lambda: self._noise.survivors(rule, empty))
        return found

    def largest(self, sizes: Ints, count: int) -> Ints:
        return np.asarray(self._chance("largest", (sizes, count), lambda: self._noise.largest(sizes, count)))

    def shuffled(self, values: Ints) -> Ints:
        return np.asarray(self._chance("shuffled", (values,), lambda: self._noise.shuffled(values)))

    def integers(self, size: int, count: int) -> NDArray[Any]:
        return np.asarray(self._chance("integers", (size, count), lambda: self._noise.integers(size, count)))

    def subset(self, size: int, count: int) -> NDArray[Any]:
        return np.asarray(self._chance("subset", (size, count), lambda: self._noise.subset(size, count)))

    def descend(self, noisy: Ints, exact: Ints, descent: Descent) -> Redraws:
        asked = (noisy, exact, descent)
        found: Redraws = self._chance("descend", asked, lambda: self._noise.descend(noisy, exact, descent))
        return found

    # how the second run follows the first

    def _before(self, kind: type[Kind]) -> Kind | None:
        """The step of the first run that this one must repeat; None in the first run."""
        if self._follow is None:
            return None
        place = len(self.tape.steps)
        step = self._follow.steps[place] if place < len(self._follow.steps) else None
        if not isinstance(step, kind):
            self._diverged("other draws are made, or more of them")
        return step

    def _chance(self, call: str, asked: tuple[Any, ...], draw: Callable[[], Any]) -> Any:
        before = self._before(Chance)
        if before is not None and (before.call != call or not _equal(before.asked, asked)):
            self._diverged(f"`{before.call}` is asked about values that depend on the data")
        drawn = draw() if before is None else before.drawn
        self.tape.steps.append(Chance(call, asked, drawn))
        return drawn

    def _sampled(self, fields: Sequence[Field], rule: Rule, count: int | None, draw: Callable[[], Sample]) -> Sample:
        """What a rule, or a contest for `count` places, keeps of noisy stretches; the same cells in the second run."""
        before, places = self._before(KeptCells), [self._place(field, rule) for field in fields]
        stretches = [stretch_of(field) for field in fields]
        if before is None:
            sample = draw()
            cells = [
                self._seen(place, stretch, part)
                for place, stretch, part in zip(places, stretches, sample.parts, strict=True)
            ]
        else:
            asked = before.stretches, before.rule, before.count
            self._same("another rule decides what is kept", asked, (places, rule, count))
            cells = before.cells
            parts = [
                self._again(place, stretch, kept) for place, stretch, kept in zip(places, stretches, cells, strict=True)
            ]
            sample = Sample(parts, before.tau)
        self.tape.steps.append(KeptCells(places, rule, count, cells, sample.tau))
        return sample

    def _seen(self, place: int, stretch: Stretch, part: Chosen) -> set[int]:
        """The cells that the first run keeps of a stretch, noted with the values of those that were empty."""
        here, raised = numbers(stretch.occupied), cells_of(numbers(part.ranks), stretch)
        _sparsely(self.tape, place).raised.update(zip(raised, part.values.tolist(), strict=True))
        return {*(here[i] for i in np.flatnonzero(part.marks).tolist()), *raised}

    def _again(self, place: int, stretch: Stretch, kept: set[int]) -> Chosen:
        """The same cells of a neighbour's stretch, whichever of them are occupied there."""
        assert self._follow is not None
        first, here = _sparsely(self._follow, place), numbers(stretch.occupied)
        new = sorted(kept - set(here))
        values = np.array([first.value(cell) for cell in new], np.int64)
        return Chosen(np.array([cell in kept for cell in here], np.bool_), ranks_of(new, stretch), values)

    def _place(self, field: Field, rule: Rule) -> int:
        """Where on the tape a field was given its noise, which must be that of the rule."""
        stretch = stretch_of(field)
        cells = numbers(stretch.occupied)
        for place, step in enumerate(self.tape.steps):
            if isinstance(step, Sparsely) and step.start == stretch.start and list(step.exact) == cells:
                if rule.alpha != Alpha.of(step.scale):
                    self._diverged("empty cells get other noise than occupied ones")
                return place
        return self._diverged("keeps cells of a table that was given no noise")

    def _some_way_down(self, cells: list[int], noisy: Ints, exact: Ints, descent: Descent) -> Paths:
        """Any redraws will do: the loss is the same along all of them."""
        answer = np.repeat(np.arange(noisy.size), _REDRAWS)
        step = 1 + self._noise.integers(descent.steps, answer.size).astype(np.int64).reshape(noisy.size, _REDRAWS)
        width = max(2, int(descent.at(descent.steps)))
        offsets = self._noise.integers(2 * width, answer.size).astype(np.int64) - width
        values = np.repeat(exact, _REDRAWS) + offsets
        return Paths.of(cells, noisy.copy(), answer, np.sort(step, axis=1).reshape(-1), values)

    def _unread(self, before: TakenDown) -> Paths:
        """The same paths as far as the first run looked at them; whatever it did not look at is different."""
        paths, values = before.paths, before.paths.value.copy()
        depths = np.array(before.reached)
        table = np.searchsorted(np.cumsum(paths.cells), paths.answer, side="right")
        beyond = paths.step > depths[table]
        values[beyond] += 1000 + self._noise.integers(10**6, int(beyond.sum())).astype(np.int64)
        return Paths(paths.cells, paths.start, paths.answer, paths.step, values)

    def _same(self, what: str, first: Any, second: Any) -> None:
        if first != second:
            self._diverged(what)

    def _diverged(self, why: str) -> NoReturn:
        self.problem = self.problem or why
        raise Diverged(why)


@dataclass(frozen=True, eq=False)
class _Watched(Paths):
    """Paths that note how far down they were looked at."""

    noted: TakenDown

    def values_after(self, taken: Ints) -> Ints:
        known = self.noted.depths
        self.noted.depths = taken.copy() if known is None else np.maximum(known, taken)
        return super().values_after(taken)


def _sparsely(tape: Tape, place: int) -> Sparsely:
    step = tape.steps[place]
    assert isinstance(step, Sparsely)
    return step


def _equal(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray):
        return isinstance(second, np.ndarray) and np.array_equal(first, second)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(_equal(a, b) for a, b in zip(first, second, strict=True))
    return bool(first == second)
