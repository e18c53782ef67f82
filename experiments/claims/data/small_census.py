"""A small census: people by age, sex, occupation and income."""

from __future__ import annotations

import numpy as np

from discreet.private.counts import Counts
from discreet.schema import Nominal, Ordinal, Schema
from experiments.shared.chance import Dice
from experiments.shared.tables import Truth

PEOPLE = 50_000


def tree(leaves: int, groups: int) -> Nominal:
    """A hierarchy of three levels, the root among them; groups of about equal size."""
    parts = np.array_split(np.arange(leaves), groups)
    return Nominal(hierarchy=[{f"g{place}": [f"v{leaf}" for leaf in part] for place, part in enumerate(parts)}])


CENSUS = Schema(
    {"age": Ordinal(0, 3), "sex": Nominal(["m", "f"]), "occupation": tree(64, 8), "income": Ordinal(0, 1023)}
)


def people(seed: int) -> Truth:
    """Incomes with a long tail, higher for older people and for some occupations, which are unequally common."""
    dice = Dice(seed)
    age = (dice.uniform(PEOPLE) ** 1.3 * 4).astype(np.int64)
    sex = (dice.uniform(PEOPLE) < 0.5).astype(np.int64)
    weights = np.cumsum(np.arange(1, 65) ** -0.8)
    occupation = dice.order(64)[np.searchsorted(weights / weights[-1], dice.uniform(PEOPLE), side="right")]
    # the sum of four uniform numbers is nearly normal
    bell = sum((dice.uniform(PEOPLE) for _ in range(4)), np.zeros(PEOPLE)) - 2
    income = np.exp(3.5 + 0.25 * age + 0.02 * (occupation % 32) + 1.2 * bell)
    codes = np.stack([age, sex, occupation, np.minimum(income.astype(np.int64), 1023)], axis=1)
    return Truth(CENSUS, Counts.from_arrays(CENSUS.sizes, codes, np.ones(PEOPLE, np.int64)))
