"""Tables that are made up as in section 4 of the paper."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.shared.tables import Truth, bell, domain

CELLS = 10**6


def synthetic(runs: int, *, deviation: float = 20, density: float = 0.1) -> Iterator[Truth]:
    """Fresh data in every run, as in the paper; the seed is the number of the run."""
    schema = domain(CELLS)
    for run in range(runs):
        yield bell(schema, round(density * CELLS), 100, deviation, run)
