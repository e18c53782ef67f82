"""What `even-shares` loses on neighbours, from the exact numbers that it asks noise for: no more than it is charged.

The noise ignores what it is added to, so both of two neighbours get the same noisy numbers, and with them the same
bounds, lists and heads. What is left is the loss: by how much exact numbers differ, in scales of their noise.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.mechanisms.items import item_sizes
from discreet.mechanisms.items.even_shares import EvenShares
from discreet.privacy import Unit
from tests.law.deaf_noise import Deaf
from tests.law.item_cases import Rows, made

EPSILON = Fraction(3)
TRIED = 60
#: so that there is a list wherever there may be one
LISTS = {"_HIDDEN": -1, "_HIDDEN_TOP": -1, "_SELECTED": 0}
ASKED: dict[str, Callable[[Any], dict[str, Any]]] = {
    "records": lambda dice: {},
    "users": lambda dice: {"count": "users"},
    "top": lambda dice: {"top": int(dice.integers(1, 12))},
}


def user(dice: Any, items: int, most: int) -> list[int]:
    """All in one item, one of each, or any; as many as powers of two, one more, or more than count."""
    many = int(dice.choice([1, 2, 4, 5, 8, 9, 16, 17, most, most + 1]))
    kinds = [int(dice.integers(items))] * many, list(range(min(many, items))), dice.integers(0, items, many).tolist()
    return list(kinds[dice.integers(3)])


def lost(unit: Unit, items: int, users: tuple[Any, Any], seed: int, asked: dict[str, Any]) -> tuple[Fraction, set[str]]:
    """Of two neighbours the loss, and which of all steps there were."""
    found = []
    for rows in users:
        noise = Deaf(seed)
        summary = made("even-shares", (items,), EPSILON, unit, **asked).measure(Rows((items,), rows), noise)
        found.append((noise, summary.facts()))
    (one, facts), (other, same) = found
    assert one.asked == other.asked
    assert facts == same
    loss = Fraction(0)
    for (what, scale, _), before, after in zip(one.asked, one.exact, other.exact, strict=True):
        moved = after.astype(np.int64) - before
        if what == "select":  # by the proof on the card: counts rise or fall by one, or both if a user is replaced
            assert np.abs(moved).max(initial=0) <= 1
            loss += asked["top"] * (int(moved.max() > 0) + int(moved.min() < 0)) / Fraction(scale)
        else:
            loss += int(np.abs(moved).sum()) / Fraction(scale)
    return loss, set(facts)


def losses(kind: str, neighbours: str) -> tuple[list[Fraction], set[str]]:
    dice, found, steps = np.random.default_rng(20_261_118), [], set[str]()
    for seed in range(TRIED):
        items, most = int(dice.choice([12, 40, 160])), int(dice.choice([2, 3, 7, 20, 1000]))
        unit = Unit("who", max_rows=most, neighbours=neighbours)
        others = [user(dice, items, min(most, 40)) for _ in range(int(dice.integers(1, 12)))]
        mine = [user(dice, items, min(most, 40)) for _ in range(2)]
        one = [*others, mine[0]] if neighbours == "replace" else others
        loss, parts = lost(unit, items, (one, [*others, mine[1]]), seed, ASKED[kind](dice))
        found.append(loss)
        steps |= parts
    return found, steps


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("listed", [False, True], ids=["as usual", "with lists"])
def test_no_neighbour_costs_more_than_is_charged(
    kind: str, neighbours: str, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LISTS.items() if listed else ():
        monkeypatch.setattr(item_sizes, name, value)
    found, steps = losses(kind, neighbours)
    assert max(found) <= EPSILON
    assert max(found) > EPSILON / 2
    assert {"listed"} <= steps or kind == "users" or not listed
    assert {"selected"} <= steps or kind != "top"


@pytest.mark.parametrize("kind", ["records", "top"])
def test_a_list_with_the_noise_of_one_record_is_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LISTS.items():
        monkeypatch.setattr(item_sizes, name, value)
    plain = EvenShares._weighed

    def cheap(self: Any, step: str, exact: Any, bound: int, units: int, noise: Any, *part: Any) -> Any:
        found = plain(self, step, exact, bound, units, noise, *part)
        if part == (Fraction(1, 2),):  # a second draw, at a third of the scale
            noise.asked[-1] = (noise.asked[-1][0], found.scale / 3, noise.asked[-1][2])
        return found

    monkeypatch.setattr(EvenShares, "_weighed", cheap)
    assert max(losses(kind, "add-remove")[0]) > EPSILON
