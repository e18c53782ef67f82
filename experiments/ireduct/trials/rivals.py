"""Oracle and Proportional of ireduct: noise scales from the exact counts. NOT PRIVATE: the scales tell of the data.

They show what could be had by somebody who knew the truth. They are functions, no mechanisms: no registry finds them,
no task names them, and what they give is no release.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.marginals.two_phase import rescaled
from discreet.noise import Noise
from discreet.summaries.marginal_tables import Part

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def oracle(tables: Sequence[Integers], sanity: float, budget: Fraction, noise: Noise) -> list[Part]:
    """Section 5.2: the scales, one per table, of least average relative error. 1 / scale adds up to the budget."""
    needs = [float(np.mean(1 / np.maximum(table, sanity))) for table in tables]
    scales = rescaled(needs, budget, "average")
    noisy = noise.add_blocks(tables, scales)
    return [Part.single(values, scale) for values, scale in zip(noisy, scales, strict=True)]


def proportional(tables: Sequence[Integers], sanity: float, budget: Fraction, noise: Noise) -> list[Floats]:
    """Section 3.1: every cell has a scale in proportion to its count, or to the sanity bound if that is larger.

    What it costs depends on the smallest scale in each table, for a record may be in that cell.
    """
    floors = [np.maximum(table, sanity) for table in tables]
    factor = sum(1 / float(floor.min()) for floor in floors) / float(budget)
    found = []
    for table, floor in zip(tables, floors, strict=True):
        distinct, which = np.unique(floor, return_inverse=True)
        noisy = np.empty(table.size)
        blocks = [np.flatnonzero(which == number) for number in range(distinct.size)]
        drawn = noise.add_blocks([table[block] for block in blocks], [factor * scale for scale in distinct.tolist()])
        for block, values in zip(blocks, drawn, strict=True):
            noisy[block] = values
        found.append(noisy)
    return found
