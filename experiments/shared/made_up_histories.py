"""Users' histories that are made up from a seed, with the sizes that the papers publish. Their items mean nothing."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from discreet.kernels.jit import kernel
from discreet.kernels.reservoirs import mixed
from experiments.shared.chance import Dice, Floats, Ints
from experiments.shared.item_histories import DAYS, ItemHistories

GUIDE = 1 << 20
STRIDE = np.uint64(0x9E3779B97F4A7C15)
#: in which part of their records users come back to an item they had before, where they may
AGAIN = 0.5
#: in which part of its records an item is about its own day
OWN_DAY = 0.25
#: how much more a class of users likes the items that are its own
LIKED = 2.0


@dataclass(frozen=True)
class HistorySizes:
    """Sizes as published: users, items, records in all, the most and the least of one user.

    An item of rank r is wanted in proportion to (r + shift) ** -skew. With `repeats` a user may have an item many
    times. `classes` are contexts that belong to the user. `factor`: so many times fewer users and records are made, and
    with `items_too` items, so that counts stay as large as they are.
    """

    users: int
    items: int
    records: int
    most: int
    skew: float
    least: int = 1
    repeats: bool = False
    days: bool = False
    classes: tuple[tuple[str, int], ...] = ()
    factor: int = 1
    items_too: bool = False
    shift: float = 0.0

    def weights(self, count: int, dice: Dice) -> Floats:
        """How much each of so many items is wanted; which item has which rank is chance."""
        return np.asarray((np.arange(1.0, count + 1)[dice.order(count)] + self.shift) ** -self.skew)


#: records are mean count times columns where a paper gives those
PUBLISHED = {
    "checkin": HistorySizes(196_591, 5_977_758, 6_455_979, 2_175, 0.7, items_too=True),
    # words as in large collections of texts: the rarest are in 10 documents (the vocabulary of Document has words that
    # occur more often than that), the most common one in 0.62 of them (as in docword_kos), and the mean is the paper's
    "document": HistorySizes(8_200_000, 141_043, 729_999_076, 436, 1.87, factor=8, shift=125),
    "netflix": HistorySizes(480_189, 17_770, 100_480_465, 17_000, 0.9),
    "trajectory": HistorySizes(62_956, 14_021, 610_474, 55, 0.5),
    "gowalla": HistorySizes(12_579, 15_200, 739_600, 14_380, 0.7, repeats=True, days=True),
    "foursquare": HistorySizes(45_289, 17_967, 1_276_988, 1_303, 0.7, repeats=True, days=True),
    "netflix-days": HistorySizes(480_189, 17_700, 100_480_507, 17_000, 0.9, days=True, factor=20),
    "movielens": HistorySizes(
        6_040, 3_706, 1_000_209, 2_314, 0.7, least=20, days=True, classes=(("gender", 2), ("age", 3))
    ),
}  # fmt: skip


def synthetic(name: str, seed: int, factor: int | None = None) -> ItemHistories:
    """Histories of the published sizes, with `factor` times fewer users and records (if not said, as in PUBLISHED)."""
    spec, dice = PUBLISHED[name], Dice(seed)
    fewer = spec.factor if factor is None else factor
    count = round(spec.items / fewer) if spec.items_too else spec.items
    numbers = records_per_user(round(spec.users / fewer), round(spec.records / fewer), spec.most, spec.least)
    numbers = numbers[dice.order(numbers.size)]
    owners = np.repeat(np.arange(numbers.size), numbers)
    weights = spec.weights(count, dice)
    contexts, sizes = {}, {}
    likes = np.zeros(count)
    kinds = np.zeros(numbers.size, np.int64)
    for kind, size in spec.classes:
        mine = (dice.uniform(numbers.size) * size).astype(np.int64)
        contexts[kind], sizes[kind] = mine[owners], size
        kinds = kinds * size + mine
        likes = likes * size + (dice.uniform(count) * size).astype(np.int64)
    items = np.empty(owners.size, np.int64)
    for kind in np.unique(kinds):
        chosen = kinds == kind
        own = weights * np.where(likes == kind, LIKED, 1.0)
        draw = _returning if spec.repeats else distinct_items
        items[chosen[owners]] = draw(numbers[chosen], own, dice)
    if spec.days:
        contexts["day"], sizes["day"] = _days(items, count, dice), DAYS
    return ItemHistories(name, owners, items, count, contexts, sizes, True)


def records_per_user(users: int, records: int, most: int, least: int) -> Ints:
    """Quantiles of a lognormal law, rising, of the given sum and maximum: the two settle its two parameters."""
    if not most + least * (users - 1) <= records <= most * users:
        raise ValueError(f"{users} users cannot have {records} records when one has {most} and each has {least}")
    law = NormalDist()
    places = np.array([law.inv_cdf((place + 0.5) / users) for place in range(users)])

    def numbers(spread: float) -> Ints:
        sizes = np.rint(most * np.exp(spread * (places - places[-1])))
        return np.asarray(np.clip(sizes, least, most), np.int64)

    narrow, wide = 0.0, 50.0
    for _ in range(80):
        middle = (narrow + wide) / 2
        narrow, wide = (middle, wide) if numbers(middle).sum() > records else (narrow, middle)
    found = numbers(wide)
    # rounding leaves a few too few; they go to the users below the one who has most
    for place in range(users - 2, -1, -1):
        more = min(records - int(found.sum()), most - int(found[place]), 1 + users // 100)
        if more <= 0:
            break
        found[place] += more
    return found


def distinct_items(numbers: Ints, weights: Floats, dice: Dice) -> Ints:
    """For each user so many different items, each next one in proportion to the weights of those that are left."""
    items = np.empty(int(numbers.sum()), np.int64)
    ends = np.cumsum(weights) / weights.sum()
    guide = np.searchsorted(ends, np.arange(GUIDE) / GUIDE, side="right")
    _draw_distinct(numbers, ends, guide, np.uint64(dice.uniform(1)[0] * 2.0**53), items)
    return items


@kernel
def _draw_distinct(numbers: Ints, ends: Floats, guide: Ints, seed: np.uint64, items: Ints) -> None:
    """Draws of what a user has already are drawn again. `guide` says where to look for each part of chance."""
    owner = np.full(ends.size, -1, np.int64)
    place, tries = 0, np.uint64(0)
    for user in range(numbers.size):
        last = place + numbers[user]
        while place < last:
            tries += np.uint64(1)
            chance = np.float64(mixed(seed + tries * STRIDE) >> np.uint64(11)) * 2.0**-53
            item = guide[int(chance * guide.size)]
            while item < ends.size - 1 and ends[item] <= chance:
                item += 1
            if owner[item] != user:
                owner[item] = user
                items[place] = item
                place += 1


def _returning(numbers: Ints, weights: Floats, dice: Dice) -> Ints:
    """Users draw items by their weights; in part of their records they come back to one of their earlier ones."""
    ends = np.cumsum(weights) / weights.sum()
    starts = np.cumsum(numbers) - numbers
    place = np.arange(int(numbers.sum())) - np.repeat(starts, numbers)
    drawn = np.minimum(np.searchsorted(ends, dice.uniform(place.size), side="right"), weights.size - 1)
    earlier = np.repeat(starts, numbers) + dice.below(place)
    again = (dice.uniform(place.size) < AGAIN) & (place > 0)
    origin = np.where(again, earlier, np.arange(place.size))
    while not np.array_equal(origin[origin], origin):
        origin = origin[origin]
    return np.asarray(drawn[origin], np.int64)


def _days(items: Ints, count: int, dice: Dice) -> Ints:
    """Any day alike, but in part of the records the item's own day."""
    own = (dice.uniform(count) * DAYS).astype(np.int64)
    any_day = (dice.uniform(items.size) * DAYS).astype(np.int64)
    return np.where(dice.uniform(items.size) < OWN_DAY, own[items], any_day)
