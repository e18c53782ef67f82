"""How many users items can have that were not selected: what may be missed, by the law of all noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
from discreet.summaries.selected_counts import SelectedCounts, UsersByItems
from discreet.summaries.share_steps import Weighed
from tests.laplace_law import LaplaceLaw, exceeds

ITEMS = 60
SCHEMA = Schema(item=Ordinal(0, ITEMS - 1))
#: so little noise that it is none
NONE = Fraction(1, 100)


def highest(made: SelectedCounts, first: int, last: int, level: float) -> int:
    return int(made.answer(Questions(np.array([[first]]), np.array([[last]]), 1, np.array([0])), level).high[0])


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_all_items_that_lost_are_below_the_end_at_once(level: float) -> None:
    """An item lost to the last that was selected, which need not have the least count, and to its luck."""
    codes, values, scale = np.array([7, 3, 50]), np.array([900, 400, 700]), Fraction(9)
    users = UsersByItems(Weighed(np.full(7, 10**6), NONE), ITEMS)
    scales = [(NONE, scale), (scale, NONE)]  # of the count of the last one, and of what selected it
    luck, own = (highest(SelectedCounts(SCHEMA, codes, values, *each, users), 9, 9, level) - 700 for each in scales)
    assert min(luck, own) > 0
    lucky = 1 - (1 - float(LaplaceLaw.of(scale).alpha.fraction) ** (luck + 1)) ** ITEMS
    assert (1 - level) / 12 < lucky + exceeds(scale, 1, own) <= (1 - level) / 2


def test_together_they_have_no_more_than_users_do_and_no_less() -> None:
    """Ten users of four items each: all may have two of the selected items and two others."""
    users = UsersByItems(Weighed(np.array([0, 0, 10, 0, 0, 0, 0]), NONE), ITEMS)
    made = SelectedCounts(SCHEMA, np.array([0, 1]), np.array([10, 10]), NONE, NONE, users)
    assert highest(made, 0, 3, 0.95) == 40
    assert highest(made, 0, 30, 0.95) == 40
    assert highest(made, 2, 3, 0.95) in range(20, 23)  # by as much as luck may be, at least one
