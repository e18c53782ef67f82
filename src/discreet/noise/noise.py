"""`Noise`, which everything random is asked of, and its double without noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.kernels.cores import Item, Result, cores, side_by_side
from discreet.kernels.inversion import add_within
from discreet.kernels.jit import Ints, Marks
from discreet.noise.coins import coin, coins
from discreet.noise.count_bounds import LARGEST_COUNT, check_counts, paired
from discreet.noise.descents import Descent, Redraws, descend
from discreet.noise.draw import CHUNK, Drawer
from discreet.noise.fields import Candidates, Chosen, Field, Sample, Stretch
from discreet.noise.geometric import NARROW_DIGITS, few, geometric_digits, laplace_digits
from discreet.noise.levels import NONE
from discreet.noise.paths import Paths
from discreet.noise.priorities import Contestants, Cut, highest
from discreet.noise.priority_sample import candidates, priority_sample
from discreet.noise.skips import positions
from discreet.noise.source import BitSource, KeystreamSource, words
from discreet.noise.subsets import integers, rising, subset
from discreet.noise.survivor_values import survivor_values
from discreet.noise.survivors import KeptProbability, Rule
from discreet.numbers.intervals import Rational, Real
from discreet.privacy import Alpha, Number, exact

#: how much of a table is noised at a time
PIECE = CHUNK
#: blocks up to this size are drawn without a table: making one takes longer. At other scales floats prove too little
FEW = 1 << 17
FEW_SCALES = (Fraction(1, 16), Fraction(1 << 24))

Shape = int | tuple[int, ...]


class Noise:
    """Everything random, from one source of bits. Each call opens a stream of its own and drops it."""

    def __init__(self, source: BitSource | None = None) -> None:
        self.source = source or KeystreamSource()

    @property
    def private(self) -> bool:
        """Whether what this noise makes may be published."""
        return self.source.private

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def cores(self) -> int:
        """How many calls may draw at the same time and still be repeatable where the source is."""
        return cores() if self.source.separate else 1

    def side_by_side(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """The work on each item, on all cores if the source may: calls of this noise from several threads."""
        return side_by_side(work, items) if self.cores > 1 else [work(item) for item in items]

    def salt(self) -> bytes:
        """16 random bytes, to choose by where the choice need not be secret."""
        return words(2, self.source.stream()).tobytes()

    def laplace(self, scale: Number, shape: Shape = 1) -> Ints:
        """Discrete Laplace noise: Pr[x] proportional to alpha**|x|, alpha just above exp(-1/scale)."""
        out = np.empty(shape, np.int64)
        self._laplace_into(scale, out.reshape(-1))
        return out

    def add_blocks(self, blocks: Sequence[Ints], scales: Sequence[Number]) -> list[Ints]:
        """`add` for several arrays, each with a scale of its own."""
        if len(scales) != len(blocks):
            raise BadParameter("noise in blocks needs one scale for each block")
        counts = [check_counts(block) for block in blocks]
        noisy = [np.empty(block.size, np.int64) for block in counts]
        for scale, given, out in zip(scales, counts, noisy, strict=True):
            self._laplace_into(scale, out, block=True)
            np.clip(given + out, -LARGEST_COUNT, LARGEST_COUNT, out=out)
        return noisy

    def _laplace_into(self, scale: Number, out: Ints, *, block: bool = False) -> None:
        number = exact(scale, "scale")
        if block and out.size <= FEW and FEW_SCALES[0] <= number <= FEW_SCALES[1]:
            out[:] = few(number, out.size, self.source.stream())
        else:
            laplace_digits(Alpha.of(scale)).fill(self._drawer(out.size), out)

    def add(self, counts: NDArray[Any], scale: Number) -> Ints:
        """counts + noise, clamped to +-LARGEST_COUNT.

        The clamp is post-processing: a draw that stuck (at 2**62 or above, with its sign) lies beyond it whatever the
        count, so the result is that of unbounded noise.
        """
        integers_ = check_counts(counts)
        noisy = np.empty(integers_.shape, np.int64)
        flat, given = noisy.reshape(-1), integers_.reshape(-1)
        for start in range(0, flat.size, PIECE):  # which stays in the cache
            piece = flat[start : start + PIECE]
            self._laplace_into(scale, piece)
            add_within(LARGEST_COUNT, given[start : start + PIECE], piece)
        return noisy

    def add_into(self, table: Ints, scale: Number) -> None:
        """`add` in place, for a table of any layout: in little extra memory, on all cores if the source may."""
        Alpha.of(scale)  # refused before anything is changed

        def noised(piece: Ints) -> None:
            piece[...] = self.add(piece, scale)

        parts = list(_pieces(table))
        noised(parts[0])  # tables are made and kernels compiled once
        self.side_by_side(noised, parts[1:])

    def geometric(self, ratio: Real, shape: Shape = 1) -> Ints:
        """Pr[k] = (1 - ratio) ratio**k for k = 0, 1, 2, ...; the mean at most 2**48, so that 64 bits hold it."""
        out = np.empty(shape, np.int64)
        digits = geometric_digits(ratio)
        if len(digits.digits) > NARROW_DIGITS:
            raise BadParameter("this geometric law is too wide for 64 bits: use positions() for such gaps")
        digits.fill(self._drawer(out.size), out.reshape(-1))
        return out

    def coin(self, probability: Real, shape: Shape = 1) -> Marks:
        """True with a probability that is known to any number of bits."""
        if probability.bracket(64).low > 1 << 64:
            raise BadParameter("a coin needs a probability of at most 1")
        size = int(np.prod(shape))
        return coin(probability, size, self._drawer(size)).reshape(shape)

    def coins(self, weights: Ints, limit: Fraction) -> Marks:
        """True with probability min(|weight| / limit, 1), each element on its own."""
        checked = check_counts(weights)
        return coins(checked.reshape(-1), limit, self.source.stream()).reshape(weights.shape)

    def positions(self, probability: Real, size: int) -> NDArray[Any]:
        """The chosen ones of range(size), each with the same probability: int64, or limbs beyond 2**62.

        `to_integers` turns limbs into Python integers.
        """
        return positions(probability, size, self._drawer(CHUNK))

    def survivors(self, rule: Rule, empty: int) -> tuple[NDArray[Any], Ints]:
        """Which of `empty` empty cells a summary keeps, by rank among them, and their noisy values."""
        drawer = self._drawer(CHUNK)
        ranks = positions(KeptProbability(rule), empty, drawer)
        return ranks, survivor_values(rule, len(ranks), drawer)

    def noisy(self, stretch: Stretch, scale: Number) -> Field:
        """Noise on the occupied cells of a stretch; the empty ones are drawn when it is known what is kept."""
        return Field(self.add(stretch.exact, scale), stretch.empty, stretch)

    def kept(self, field: Field, rule: Rule, rare: int | None = None) -> Chosen:
        """What the rule keeps of a noisy field: the law is that of noise on every cell, and then the rule.

        A filter that hardly any empty cell passes, above `rare`, is drawn as a lower one, of which the rest is dropped:
        the law is the same, and no gap between two survivors is far longer than the table.
        """
        marks = field.values >= rule.theta
        if rule.two_sided:
            marks |= field.values <= -rule.theta
        if rule.limit is not None:
            marks &= self.coins(field.values, rule.limit)
        if rare is None or rule.theta <= rare:
            return Chosen(marks, *self.survivors(rule, field.empty))
        ranks, values = self.survivors(replace(rule, theta=rare), field.empty)
        passing = np.abs(values) >= rule.theta
        return Chosen(marks, ranks[passing], values[passing])

    def prioritised(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> Sample:
        """A priority sample of size `count` from all cells of these fields.

        `rule` filters; it has no limit, for that is found here. If hardly any empty cell passes it (`rare`), those few
        compete as if they were occupied.
        """
        if rare is None or rule.theta <= rare:
            return priority_sample(fields, rule, count, [self._drawer(CHUNK) for _ in fields], self.side_by_side)
        passed = [self.kept(field, rule, rare) for field in fields]
        pairs = list(zip(fields, passed, strict=True))
        sample = self.prioritised(
            [Field(np.concatenate([field.values, part.values]), 0) for field, part in pairs], rule, count
        )
        parts = []
        for (field, part), chosen in zip(pairs, sample.parts, strict=True):
            old, new = np.split(chosen.marks, [field.values.size])
            parts.append(Chosen(old, part.ranks[new], part.values[new]))
        return Sample(parts, sample.tau)

    def candidates(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> list[Candidates]:
        """Of these fields, the cells that may be in a priority sample of size `count` from them and others; as there.

        `highest` of the candidates of all fields gives the sample.
        """
        if rare is None or rule.theta <= rare:
            return candidates(fields, rule, count, [self._drawer(CHUNK) for _ in fields], self.side_by_side)
        pairs = [(field, self.kept(field, rule, rare)) for field in fields]
        entered = [Field(np.concatenate([field.values, part.values]), 0) for field, part in pairs]
        found = []
        for (field, part), one in zip(pairs, self.candidates(entered, rule, count), strict=True):
            known = field.values.size
            old, new = one.chosen.marks[:known], one.chosen.marks[known:]
            words, more = one.occupied_words[:known], one.occupied_words[known:]
            levels = np.full(int(new.sum()), NONE, np.int16)
            found.append(Candidates(Chosen(old, part.ranks[new], part.values[new]), words, more[new], levels))
        return found

    def highest(self, items: Contestants, count: int) -> Cut:
        """The `count` items of highest priority, by as many further bits as it takes."""
        cut = highest(items, count, self.source.stream())
        assert cut is not None  # as without bounds
        return cut

    def largest(self, sizes: Ints, count: int) -> Ints:
        """The indices of the `count` largest, rising; which of equal ones are among them is chance."""
        if count >= sizes.size:
            return np.arange(sizes.size)
        edge = np.partition(sizes, sizes.size - count)[sizes.size - count]
        above, equal = np.flatnonzero(sizes > edge), np.flatnonzero(sizes == edge)
        return np.sort(np.concatenate([above, equal[self.subset(equal.size, count - above.size)]]))

    def shuffled(self, values: Ints) -> Ints:
        """Indices that put the values in rising order, ties at random."""
        return rising(values, self.source.stream())

    def choose(self, losses: Ints, scale: Number) -> int:
        """The exponential mechanism: an index, with probability in proportion to alpha**loss (`Alpha.of(scale)`).

        An index drawn at random is taken with probability alpha**(its loss beyond the least one); if not, again. The
        chance that a geometric variable of ratio alpha reaches n is alpha**n.
        """
        excess, ratio = losses - losses.min(), Rational(Alpha.of(scale).fraction)
        while True:
            tried = self.integers(losses.size, 1024)
            taken = np.flatnonzero(self.geometric(ratio, 1024) >= excess[tried])
            if taken.size:
                return int(tried[taken[0]])

    def select(self, counts: Ints, most: int, scale: Number) -> Ints:
        """The indices of the `most` largest of counts + one-sided noise, largest first, equal ones in their order.

        Pr[x] is proportional to alpha**x for x = 0, 1, 2, ... (`Alpha.of(scale)`); the noisy numbers are not given.
        """
        noisy = check_counts(counts) + self.geometric(Rational(Alpha.of(scale).fraction), counts.size)
        return np.argsort(-noisy, kind="stable")[:most]

    def integers(self, size: int, count: int) -> NDArray[Any]:
        """Uniform draws from range(size)."""
        return integers(int(size), int(count), self.source.stream())

    def subset(self, size: int, count: int) -> NDArray[Any]:
        """A uniform `count` of range(size), rising."""
        return subset(int(size), int(count), self.source.stream())

    def descend(self, noisy: Ints, exact: Ints, descent: Descent) -> Redraws:
        """All redraws of answers that are taken down the steps of a descent; `noisy` is at its first scale."""
        noisy, exact = paired(noisy.reshape(-1), exact.reshape(-1))
        offsets = noisy - exact
        parts = np.array_split(np.arange(offsets.size), self.cores)
        found = self.side_by_side(lambda part: descend(offsets[part], descent, self.source.stream()), parts)
        return Redraws(
            np.concatenate([part[redraws.answer] for part, redraws in zip(parts, found, strict=True)]),
            np.concatenate([redraws.step for redraws in found]),
            np.concatenate([redraws.offset for redraws in found]),
        )

    def taken_down(self, cells: list[int], noisy: Ints, exact: Ints, descent: Descent) -> Paths:
        """The same for tables of so many cells each, laid end to end: what may be seen of each at every scale."""
        redraws = self.descend(noisy, exact, descent)
        return Paths.of(cells, noisy, redraws.answer, redraws.step, exact[redraws.answer] + redraws.offset)

    def _drawer(self, size: int) -> Drawer:
        return Drawer(self.source.stream(), size)


class ZeroNoise(Noise):
    """The double for tests of structure: all noise is zero, as if every scale were. Never publishable."""

    private = False
    name = "zero noise (not private)"

    def _laplace_into(self, scale: Number, out: Ints, *, block: bool = False) -> None:
        Alpha.of(scale)
        out[:] = 0

    def geometric(self, ratio: Real, shape: Shape = 1) -> Ints:
        return np.zeros(shape, np.int64)

    def choose(self, losses: Ints, scale: Number) -> int:
        return int(np.argmin(losses))

    def positions(self, probability: Real, size: int) -> NDArray[Any]:
        """None: without noise no empty cell is ever raised."""
        return super().positions(probability, 0)

    def survivors(self, rule: Rule, empty: int) -> tuple[NDArray[Any], Ints]:
        return super().survivors(rule, 0)

    def prioritised(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> Sample:
        return super().prioritised([Field(field.values, 0) for field in fields], rule, count, rare)

    def candidates(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> list[Candidates]:
        return super().candidates([Field(field.values, 0) for field in fields], rule, count, rare)

    def descend(self, noisy: Ints, exact: Ints, descent: Descent) -> Redraws:
        none = np.empty(0, np.int64)
        return Redraws(none, none, none)


def _pieces(table: Ints) -> Iterator[Ints]:
    """Views that make up the table, none of more than a few chunks."""
    if table.size <= PIECE:
        yield table
    elif table.shape[0] == 1:
        yield from _pieces(table[0])
    else:
        rows = max(1, PIECE * table.shape[0] // table.size)
        for start in range(0, table.shape[0], rows):
            yield from _pieces(table[start : start + rows])
