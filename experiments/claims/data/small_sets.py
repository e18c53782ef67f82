"""Made-up users and items with the counts, bounds and skews of the four sets of grouping-smoothing, but smaller."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from experiments.grouping_smoothing.data.user_items import UserItems
from experiments.shared.chance import Dice
from experiments.shared.made_up_histories import PUBLISHED, HistorySizes, distinct_items, records_per_user

DATA_SEED = 1

#: a tenth of the paper's users and items; where users have many items, also a tenth (netflix: a fifth) of a user's
#: items and of the bound, so that the mean count over the bound stays the paper's. Of documents only the words of
#: each are fewer: with a tenth of all words no word would be rare, and rare words decide which method is best
SETS = {
    "checkin": HistorySizes(9_830, 298_888, 322_799, 2_175, 0.7),
    "document": replace(PUBLISHED["document"], records=72_999_908, most=44),
    "netflix": HistorySizes(96_038, 3_554, 4_019_219, 3_400, 0.9),
    "trajectory": HistorySizes(62_956, 14_021, 610_474, 55, 0.5),
}


@cache
def small_set(name: str) -> UserItems:
    """Users with different items, each drawn in proportion to a power of its rank."""
    sizes, dice = SETS[name], Dice(DATA_SEED)
    numbers = records_per_user(sizes.users, sizes.records, sizes.most, sizes.least)
    items = distinct_items(numbers, sizes.weights(sizes.items, dice), dice)
    starts = np.concatenate([[0], np.cumsum(numbers)])
    counts = np.bincount(items, minlength=sizes.items)
    return UserItems(name, starts, items.astype(np.int32), counts, True)
