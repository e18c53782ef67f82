"""Rows of two ordinal and two nominal attributes of one size, all values alike: the data of privelet, section 8.2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.schema import Nominal, Ordinal, Schema
from experiments.shared.chance import Dice


def four_attributes(cells: int) -> Schema:
    """Each of the fourth root of so many values, rounded; nominal ones in three levels, the root among them."""
    size = round(cells**0.25)
    groups = np.array_split(np.arange(size), round(size**0.5))
    tree = {f"g{place}": [f"v{leaf}" for leaf in part] for place, part in enumerate(groups)}
    line = Ordinal(0, size - 1)
    return Schema({"a": line, "b": line, "c": Nominal(hierarchy=[tree]), "d": Nominal(hierarchy=[tree])})


def uniform_rows(schema: Schema, count: int, seed: int) -> NDArray[np.int64]:
    dice = Dice(seed)
    return np.stack([dice.below(np.full(count, size)) for size in schema.sizes], axis=1)
