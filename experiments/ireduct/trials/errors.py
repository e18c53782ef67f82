"""One method on one set of marginals: its noisy tables, and how far they are off by definition 6 of ireduct."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Noise
from discreet.privacy import Unit, scale_of
from discreet.summaries.marginal_tables import MarginalTables
from experiments.ireduct.data.marginals import KnownMarginals
from experiments.ireduct.trials.rivals import oracle
from experiments.shared.bounded import OnlyTables
from experiments.shared.methods import ready

METHODS = ("oracle", "ireduct", "two-phase", "iresamp", "equal")
UNIT = Unit(neighbours="replace")


def noisy(
    case: KnownMarginals,
    method: str,
    epsilon: Fraction,
    sanity: Fraction | None = None,
    noise: Noise | None = None,
    **parameters: Any,
) -> MarginalTables:
    """The noisy tables of one run; the number of records is public, as in the paper, so it costs nothing."""
    bound, drawn = sanity or case.sanity, Noise() if noise is None else noise
    if method == "oracle":
        budget = 1 / scale_of(epsilon, UNIT.sensitivity)
        return MarginalTables(case.schema, case.sets, oracle(case.tables, float(bound), budget, drawn))
    asked: dict[str, Any] = {"sets": case.sets, **parameters}
    if method != "equal":
        asked |= {"records": case.records, "sanity": bound}
    if method == "two-phase":
        asked.setdefault("share", case.share)
    made = ready("marginals", case.schema, (method, asked), epsilon, UNIT).measure(OnlyTables(case.counts), drawn)
    assert isinstance(made, MarginalTables)
    return made


def timed(case: KnownMarginals, method: str, epsilon: Fraction) -> tuple[MarginalTables, float]:
    """A run and its processor time, of all threads together: other programs on the machine do not count."""
    start = time.process_time()
    made = noisy(case, method, epsilon)
    return made, time.process_time() - start


def relative(
    case: KnownMarginals, values: Iterable[NDArray[Any]], sanity: Fraction | None = None
) -> list[NDArray[np.float64]]:
    """The relative error of every cell, table by table."""
    bound = float(sanity or case.sanity)
    pairs = zip(values, case.tables, strict=True)
    return [np.abs(made - true) / np.maximum(true, bound) for made, true in pairs]


def overall(case: KnownMarginals, values: Iterable[NDArray[Any]], sanity: Fraction | None = None) -> float:
    """Definition 6: the mean over the tables of the mean over their cells."""
    return float(np.mean([errors.mean() for errors in relative(case, values, sanity)]))


def values_of(made: MarginalTables) -> Sequence[NDArray[Any]]:
    return [part.values for part in made.parts]
