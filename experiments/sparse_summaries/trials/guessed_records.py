"""Section 3.3: tau from a public guess of the records, where the paper has the private total."""

from __future__ import annotations

from experiments.shared.methods import Method
from experiments.shared.records import Json, Runs, figure, line
from experiments.shared.tables import Truth
from experiments.sparse_summaries.data.made_up import synthetic
from experiments.sparse_summaries.trials.figures import EPSILON, SUBSET
from experiments.sparse_summaries.trials.subset_errors import compare

SIZES = (20_000, 100_000, 200_000)
#: a guess over the true number; without a guess tau is that of an empty table
GUESSES = (0.0, 0.1, 0.5, 1.0, 2.0, 10.0)
#: where no guess is drawn on a logarithmic axis
NO_GUESS = 0.01


def guessed_records(runs: int) -> dict[str, Json]:
    """How many cells are kept, and the error, by the guess: two figures."""

    def methods(truth: Truth) -> dict[str, Method]:
        return {_key(size, guess): _threshold(truth, size, guess) for size in SIZES for guess in GUESSES}

    found = compare(synthetic(runs), methods, [SUBSET], EPSILON)
    places = [guess or NO_GUESS for guess in GUESSES]
    kept, errors = [], []
    for size in SIZES:
        rows = [found[_key(size, guess)] for guess in GUESSES]
        name = f"{size:,} wanted"
        kept.append(line(name, places, [Runs([count / size for count in row.kept.values]) for row in rows]))
        errors.append(line(name, places, [row.relative[SUBSET] for row in rows]))
    x = f"guess of the records / records (no guess at {NO_GUESS:g})"
    title = "3.3 Threshold sampling, tau from a guess of the records"
    return {
        "3.3-size": figure(f"{title}: size", x, "cells kept / cells wanted", kept),
        "3.3-error": figure(f"{title}: error of subsets of {SUBSET:,}", x, "relative error", errors),
    }


def _key(size: int, guess: float) -> str:
    return f"{size} {guess}"


def _threshold(truth: Truth, size: int, guess: float) -> Method:
    rows = round(guess * int(truth.counts.counts.sum()))
    return ("threshold", {"size": size, **({"guess": {"rows": rows}} if rows else {})})
