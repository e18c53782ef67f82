"""Sets of marginals whose truth is known: those of the paper, and those of people outside a fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from discreet.private.counts import Counts
from discreet.schema import Schema
from experiments.ireduct.data.people import FOLDS, TARGET, Integers, People, Sets

#: the paper's sanity bound is this part of the records
SANITY = Fraction(1, 10_000)
#: the first phase's part of epsilon that the paper takes for each set of marginals
PAPER_SHARES = {"1-way": "0.07", "2-way": "0.025", "classifier": "0.03"}


@dataclass(frozen=True, eq=False)
class KnownMarginals:
    """Marginals whose truth is known: for each set of attributes the exact table, flat, and the same as counts."""

    schema: Schema
    sets: tuple[tuple[str, ...], ...]
    records: int
    tables: list[Integers]
    counts: list[Counts]
    #: the first phase's part of epsilon that the paper takes for these
    share: Fraction

    @classmethod
    def of(cls, people: People, sets: Sets, share: str, tables: list[Integers] | None = None) -> KnownMarginals:
        """All people, or those that `tables` count."""
        found = people.tables(sets) if tables is None else tables
        records = int(found[0].sum())
        named = tuple(tuple(names) for names in sets)
        return cls(people.schema, named, records, found, people.counts(sets, found), Fraction(share))

    @property
    def cells(self) -> int:
        return sum(table.size for table in self.tables)

    @property
    def sanity(self) -> Fraction:
        return self.records * SANITY

    @property
    def below(self) -> int:
        """How many cells are below the sanity bound."""
        return sum(int((table < float(self.sanity)).sum()) for table in self.tables)


def pairs_with_target(people: People) -> Sets:
    """What a naive Bayes classifier needs: the target alone, and with each other attribute."""
    names = list(people.schema)
    pairs = [tuple(name for name in names if name in (TARGET, other)) for other in names if other != TARGET]
    return [(TARGET,), *pairs]


def cases(people: People) -> dict[str, KnownMarginals]:
    """The paper's three sets of marginals, with the shares of two-phase that it takes for them."""
    return {
        "1-way": KnownMarginals.of(people, list(combinations(people.schema, 1)), PAPER_SHARES["1-way"]),
        "2-way": KnownMarginals.of(people, list(combinations(people.schema, 2)), PAPER_SHARES["2-way"]),
        "classifier": KnownMarginals.of(people, pairs_with_target(people), PAPER_SHARES["classifier"]),
    }


def without_folds(people: People, folds: int = FOLDS) -> Iterator[tuple[KnownMarginals, Integers]]:
    """For each of the first folds the classifier's marginals of all other people, and the rows that are left out."""
    sets = pairs_with_target(people)
    whole, parts = people.tables(sets), people.tables_by_fold(sets)
    for fold in range(folds):
        tables = [table - part[fold] for table, part in zip(whole, parts, strict=True)]
        yield KnownMarginals.of(people, sets, PAPER_SHARES["classifier"], tables), np.flatnonzero(people.fold == fold)
