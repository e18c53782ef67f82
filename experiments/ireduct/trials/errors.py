"""One method on one set of marginals: its noisy tables, and how far they are off by definition 6 of ireduct."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms import Request, registry
from discreet.noise import Noise
from discreet.privacy import Unit, scale_of
from discreet.private.counts import Counts
from discreet.schema import Schema
from discreet.summaries.marginal_tables import MarginalTables
from experiments.ireduct.data.people import People, Sets
from experiments.ireduct.trials.rivals import oracle

METHODS = ("oracle", "ireduct", "two-phase", "iresamp", "equal")
UNIT = Unit(neighbours="replace")
#: the paper's sanity bound is this part of the records
SANITY = Fraction(1, 10_000)

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Case:
    """Marginals whose truth is known: for each set of attributes the exact table, flat, and the same as counts."""

    schema: Schema
    sets: tuple[tuple[str, ...], ...]
    records: int
    tables: list[Integers]
    counts: list[Counts]
    #: the first phase's part of epsilon that the paper takes for these
    share: Fraction

    @classmethod
    def of(cls, people: People, sets: Sets, share: str, tables: list[Integers] | None = None) -> Case:
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


def noisy(
    case: Case, method: str, epsilon: Fraction, sanity: Fraction | None = None, **parameters: Any
) -> MarginalTables:
    """The noisy tables of one run; the number of records is public, as in the paper, so it costs nothing."""
    bound = sanity or case.sanity
    if method == "oracle":
        budget = 1 / scale_of(epsilon, UNIT.sensitivity)
        return MarginalTables(case.schema, case.sets, oracle(case.tables, float(bound), budget, Noise()))
    asked: dict[str, Any] = {"sets": case.sets, **parameters}
    if method != "equal":
        asked |= {"records": case.records, "sanity": bound}
    if method == "two-phase":
        asked.setdefault("share", case.share)
    made = registry()["marginals", method](Request(case.schema, UNIT, epsilon, asked)).measure(case.counts, Noise())
    assert isinstance(made, MarginalTables)
    return made


def timed(case: Case, method: str, epsilon: Fraction) -> tuple[MarginalTables, float]:
    """A run and its processor time, of all threads together: other programs on the machine do not count."""
    start = time.process_time()
    made = noisy(case, method, epsilon)
    return made, time.process_time() - start


def relative(case: Case, values: Iterable[NDArray[Any]], sanity: Fraction | None = None) -> list[NDArray[np.float64]]:
    """The relative error of every cell, table by table."""
    bound = float(sanity or case.sanity)
    pairs = zip(values, case.tables, strict=True)
    return [np.abs(made - true) / np.maximum(true, bound) for made, true in pairs]


def overall(case: Case, values: Iterable[NDArray[Any]], sanity: Fraction | None = None) -> float:
    """Definition 6: the mean over the tables of the mean over their cells."""
    return float(np.mean([errors.mean() for errors in relative(case, values, sanity)]))


def values_of(made: MarginalTables) -> Sequence[NDArray[Any]]:
    return [part.values for part in made.parts]
