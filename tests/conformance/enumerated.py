"""The exact law of a release on a tiny table: every way that its draws can fall, with its probability.

What is beyond a window is one outcome on each side, with the probability of the whole tail. So the law is that of the
release seen through the window, which is post-processing: it can hide a loss but not make one up.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Chosen, Descent, Field, Noise, Paths, Rule, Stretch
from discreet.noise.fields import Sample
from discreet.privacy import Alpha, Number
from tests.laplace_law import LaplaceLaw
from tests.law.test_sparse_enumeration import Paths as Ways

Ints = NDArray[np.int64]

MOST_NUMBERS = 5
MOST_WAYS = 3200


class NotEnumerable(Exception):
    """A kind of draw whose outcomes are too many: the method needs a law test of its own."""


class EnumeratedNoise(Noise):
    """Noise whose every draw is a choice among all its outcomes."""

    def __init__(self, ways: Ways, window: int) -> None:
        self.ways, self.window, self.left = ways, window, MOST_NUMBERS

    @property
    def cores(self) -> int:
        return 1

    def add(self, counts: NDArray[Any], scale: Number) -> Ints:
        alpha = Alpha.of(scale)
        self.left -= counts.size
        if self.left < 0:
            raise NotEnumerable(f"noise on more than {MOST_NUMBERS} numbers")
        return np.array([self._noisy(int(x), alpha) for x in counts.reshape(-1)], np.int64).reshape(counts.shape)

    def add_blocks(self, blocks: Sequence[Ints], scales: Sequence[Number]) -> list[Ints]:
        return [self.add(block, scale) for block, scale in zip(blocks, scales, strict=True)]

    def add_into(self, table: Ints, scale: Number) -> None:
        table[...] = self.add(table, scale)

    def noisy(self, stretch: Stretch, scale: Number) -> Field:
        return Field(self.add(stretch.exact, scale), stretch.empty, stretch)

    def kept(self, field: Field, rule: Rule, rare: int | None = None) -> Chosen:
        values = [self._noisy(0, rule.alpha) for _ in range(field.empty)]
        raised = [rank for rank, value in enumerate(values) if self._keeps(value, rule)]
        marks = np.array([self._keeps(int(value), rule) for value in field.values], np.bool_)
        return Chosen(marks, np.array(raised, np.int64), np.array([values[rank] for rank in raised], np.int64))

    def choose(self, losses: Ints, scale: Number) -> int:
        alpha = float(Alpha.of(scale).fraction)
        weights = [alpha ** float(loss - losses.min()) for loss in losses]
        return int(self.ways.choose([(i, weight / sum(weights)) for i, weight in enumerate(weights)]))

    def coin(self, probability: Any, shape: Any = 1) -> NDArray[np.bool_]:
        chance = probability.bracket(64).low / 2**64
        return np.array([self._falls(chance) for _ in range(int(np.prod(shape)))], np.bool_).reshape(shape)

    def shuffled(self, values: Ints) -> Ints:
        orders = [o for o in itertools.permutations(range(values.size)) if np.all(np.diff(values[list(o)]) >= 0)]
        return np.array(self.ways.choose([(order, 1 / len(orders)) for order in orders]), np.int64)

    def largest(self, sizes: Ints, count: int) -> Ints:
        return np.sort(self.shuffled(sizes)[-count:] if count else np.empty(0, np.int64))

    def salt(self) -> bytes:
        """What is public chance may be anything, as long as it is the same."""
        return bytes(16)

    def integers(self, size: int, count: int) -> NDArray[Any]:
        return np.arange(1, count + 1) % size

    def prioritised(self, fields: Sequence[Field], rule: Rule, count: int, rare: int | None = None) -> Sample:
        if count < sum(field.values.size + field.empty for field in fields):
            raise NotEnumerable("a priority sample of some cells")
        return Sample([self.kept(field, rule) for field in fields], None)

    def taken_down(self, cells: list[int], noisy: Ints, exact: Ints, descent: Descent) -> Paths:
        raise NotEnumerable("noise that is taken down")

    def _noisy(self, x: int, alpha: Alpha) -> int:
        return int(self.ways.choose(_outcomes(x, alpha, self.window)))

    def _keeps(self, value: int, rule: Rule) -> bool:
        strength = abs(value) if rule.two_sided else value
        if strength < rule.theta:
            return False
        return rule.limit is None or self._falls(min(strength / float(rule.limit), 1.0))

    def _falls(self, chance: float) -> bool:
        return bool(self.ways.choose([(True, chance), (False, 1 - chance)]))


@cache
def _outcomes(x: int, alpha: Alpha, w: int) -> list[tuple[int, float]]:
    """What a noisy count may be, with the probability of each; asked for in every run of an enumeration."""
    law = LaplaceLaw(alpha)
    inner = [(y, float(law.pmf(y - x))) for y in range(-w, w + 1)]
    return [(-w - 1, float(law.tail(w + 1 + x))), *inner, (w + 1, float(law.tail(w + 1 - x)))]


def law_of(measured: Callable[[Noise], Any], window: int) -> dict[Any, float]:
    """The probability of every outcome of something that draws noise."""
    ways, runs = Ways(), itertools.count()

    def run() -> Any:
        if next(runs) == MOST_WAYS:
            raise NotEnumerable(f"more than {MOST_WAYS} ways")
        return measured(EnumeratedNoise(ways, window))

    law = {one: float(chance) for one, chance in ways.law(run).items()}
    assert abs(sum(law.values()) - 1) < 1e-9
    return law
