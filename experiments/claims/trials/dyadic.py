"""Sparse-summaries, section 5: ranges over dyadic trees and their summaries, at the paper's own size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from experiments.claims.rules import Setting, Trial, derived, noise_of
from experiments.privelet.data.dyadic import CELLS, skewed, uniform
from experiments.privelet.trials.dyadic import CHECKED, EPSILON, UNIT, methods
from experiments.privelet.trials.questions import ranges_of, true_answers
from experiments.shared.methods import ready
from experiments.shared.range_errors import missed
from experiments.shared.tables import Truth

SMALL, ONE_PERCENT, LARGE = 1000, 10_000, 100_000
SIZES = (SMALL, ONE_PERCENT, LARGE)
QUESTIONS = 400
SUMMARIES = ("dyadic-filter", "dyadic-filter-priority")


def _measure(table: Callable[[int], Truth], names: Sequence[str]) -> Callable[[int], Trial]:
    """The mean absolute error of random ranges, for each method and size."""

    def measure(seed: int) -> Trial:
        truth, known = table(derived(seed, "data")), methods()
        found = {}
        asked = {size: ranges_of(size, CELLS, QUESTIONS, derived(seed, "ranges", size)) for size in SIZES}
        true = {size: true_answers(truth, questions) for size, questions in asked.items()}
        for name in names:
            made = ready("ranges", truth.schema, known[name], EPSILON, UNIT).measure(truth.counts, noise_of(seed, name))
            for size, questions in asked.items():
                found[f"{name} {size}"] = float(np.abs(missed(made, questions, true[size]).off).mean())
        return found

    return measure


_BASE = (
    "1 million cells, 100,000 occupied with N(100, 20), epsilon 0.1, summaries of 100,000, ranges of 1,000 to 100,000"
)
UNIFORM = Setting(
    "dyadic uniform",
    f"{_BASE}, occupied cells anywhere",
    _measure(uniform, ("geometric", "dyadic", "dyadic-filter", "dyadic-priority", "dyadic-filter-priority")),
    10,
)
CLUSTERED = Setting(
    "dyadic clustered",
    f"{_BASE}, occupied cells in 100 runs",
    _measure(skewed, ("dyadic", *SUMMARIES, *(name + CHECKED for name in SUMMARIES))),
    10,
)
