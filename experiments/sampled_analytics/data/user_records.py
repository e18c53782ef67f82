"""A data set as the methods take it, in memory, with its true counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.schema import Ordinal, Schema
from experiments.shared.chance import Ints
from experiments.shared.item_histories import ItemHistories


@dataclass(frozen=True, eq=False)
class UserRecords:
    """Record i is one word, for item and contexts, by users[i]."""

    name: str
    schema: Schema
    users: Ints
    words: Ints
    #: records of a user that sra and hpa count, and that the popularity is estimated from: the paper's l and d
    bound: int
    probe: int
    epsilon: Fraction

    @classmethod
    def of(cls, data: ItemHistories, bound: int = 10, probe: int = 1, epsilon: int = 1) -> UserRecords:
        sizes = {"item": data.item_count, **{name: data.context_sizes[name] for name in data.contexts}}
        words = np.asarray(data.items, np.int64)
        for name, codes in data.contexts.items():
            words = words * data.context_sizes[name] + codes
        schema = Schema({name: Ordinal(0, size - 1) for name, size in sizes.items()})
        users = np.asarray(data.users, np.int64)
        return cls(data.name, schema, users, words, bound, probe, Fraction(epsilon))

    @property
    def contexts(self) -> int:
        return int(np.prod(self.schema.sizes[1:]))

    @property
    def has_edges(self) -> bool:
        return len(self.schema) > 1

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("items", "edges") if self.has_edges else ("items",)

    @cached_property
    def per_user(self) -> Ints:
        found = np.bincount(self.users)
        return found[found > 0]

    @property
    def most(self) -> int:
        """The records of the user who has most: public in this experiment, as in the paper."""
        return int(self.per_user.max())

    @cached_property
    def edges(self) -> Ints:
        """The true counts, items x contexts."""
        table = np.bincount(self.words, minlength=self.schema.cells)
        return table.reshape(-1, self.contexts)

    @cached_property
    def items(self) -> Ints:
        return np.asarray(self.edges.sum(axis=1))
