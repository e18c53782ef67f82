"""Tables made of noisy looks that agree, none below zero.

Least squares over all looks comes first (`effects`): unbiased, with known variances. One-way tables are projected to
numbers of at least zero that add up to the total. A pair starts from the product of its margins; what was seen beyond
that is shrunk (`interactions`), and the whole is projected to numbers of at least zero with these margins. They stay
as they are, so all pairs agree. A pair that was not looked at follows along the strongest pairs that were. Tables of
more attributes start from the likeliest table with the pairs, and so on: these agree with all one-way tables, and
with the table of all but their last attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.schema import Schema
from discreet.transforms.axis import Floats
from discreet.transforms.effects import Attributes, Effects, effect
from discreet.transforms.forests import along, strongest_forest, way
from discreet.transforms.interactions import NoisyInteractions, shrunk_interactions, usual_laws
from discreet.transforms.margins import extended, independent, onto_margins, onto_total

if TYPE_CHECKING:
    from discreet.summaries.marginal_tables import Part


class AgreedEstimates:
    """`looks`: noisy tables by the places of their attributes; every attribute is in one of them at least."""

    def __init__(self, schema: Schema, looks: Iterable[tuple[Attributes, Part]]) -> None:
        self.names, self.sizes = schema.names, schema.sizes
        tables = (
            (places, part.values.reshape([self.sizes[place] for place in places]).astype(np.float64), part.variance)
            for places, part in looks
        )
        self.effects = Effects(self.sizes, tables)
        self.total = max(float(self.effects.values[()]), 0.0)
        self._tables: dict[Attributes, Floats] = {(): np.array(self.total)}

    @classmethod
    def of(cls, schema: Schema, looks: Mapping[tuple[str, ...], Part]) -> AgreedEstimates:
        return cls(schema, ((tuple(schema.names.index(name) for name in names), part) for names, part in looks.items()))

    def product_of(self, names: Sequence[str]) -> Floats:
        return self.product(tuple(self.names.index(name) for name in names))

    def product(self, places: Attributes) -> Floats:
        """As if these attributes had nothing to do with each other."""
        return independent([self.table((place,)) for place in places], self.total)

    def table(self, places: Attributes) -> Floats:
        """The final numbers."""
        if places not in self._tables:
            self._tables[places] = self._made(places)
        return self._tables[places]

    def _made(self, places: Attributes) -> Floats:
        if len(places) == 1:
            return onto_total(self.effects.table(places), self.effects.cell_variance(places), self.total)
        known = self.effects.knows(places)
        if len(places) == 2 and not known:
            return self._followed(places)
        start = self._start(places)
        if known:
            start = start + shrunk_interactions(self._interactions(places, start), self._usual)
        shorter = self.table(places[:-1])
        found = onto_margins(start.reshape(shorter.size, -1), shorter.reshape(-1), self.table(places[-1:]))
        return found.reshape(start.shape)

    def _start(self, places: Attributes) -> Floats:
        """What smaller tables say."""
        product = self.product(places)
        if len(places) == 2:
            return product
        axes = list(combinations(range(len(places)), len(places) - 1))
        return extended(product, [(some, self.table(tuple(places[axis] for axis in some))) for some in axes])

    def _interactions(self, places: Attributes, start: Floats) -> NoisyInteractions:
        seen = self.effects.values[places] - effect(start, places, places)
        return NoisyInteractions(seen, start, self.effects.own_variance(places))

    @cached_property
    def _pairs(self) -> list[Attributes]:
        return [places for places in self.effects.values if len(places) == 2]

    @cached_property
    def _usual(self) -> Floats:
        return usual_laws([self._interactions(pair, self.product(pair)) for pair in self._pairs])

    @cached_property
    def _forest(self) -> dict[int, list[int]]:
        strengths = {
            (pair[0], pair[1]): float(np.abs(self.table(pair) - self.product(pair)).sum()) for pair in self._pairs
        }
        return strongest_forest(strengths)

    def _followed(self, places: Attributes) -> Floats:
        """Along the forest; without a way, as if they had nothing to do with each other."""
        found = way(self._forest, *places)
        return along(found, self._between, lambda place: self.table((place,))) if found else self.product(places)

    def _between(self, one: int, other: int) -> Floats:
        return self.table((one, other)) if one < other else self.table((other, one)).T
