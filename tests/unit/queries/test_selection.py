"""The algebra of selections at its limits; that it is right is tested through predicates, in test_queries."""

from __future__ import annotations

import pytest

from discreet.errors import CannotAnswer
from discreet.queries.binding import bind
from discreet.queries.selection import MOST_PRODUCTS, Selection, complement, intersection, union
from discreet.schema import Nominal, Ordinal, Schema
from tests.unit.queries.selected_cells import cells_of


def test_many_attributes_are_no_depth() -> None:
    wide = Schema({f"a{i}": Nominal(["x", "y"]) for i in range(1500)})
    where = " and ".join(f"a{i} = 'x'" for i in range(1500))
    assert cells_of(bind(where, wide), wide.sizes) == 1
    assert cells_of(bind(f"not ({where})", wide), wide.sizes) == 2**1500 - 1


def test_a_predicate_that_falls_into_too_many_pieces_is_refused() -> None:
    wide = Schema({f"a{i}": Nominal(["x", "y"]) for i in range(40)})
    pairs = [f"(a{i} = 'x' or a{i + 1} = 'x')" for i in range(0, 40, 2)]
    with pytest.raises(CannotAnswer, match=rf"at most {MOST_PRODUCTS:,} disjoint pieces\); ask for parts"):
        bind(" and ".join(pairs), wide)
    with pytest.raises(CannotAnswer, match="ask for parts"):
        bind("not (" + " or ".join(pairs).replace(" or a", " and a") + ")", wide)


def test_more_boxes_than_a_question_may_have_are_refused() -> None:
    big = Schema(a=Ordinal(0, 999), b=Ordinal(0, 999))
    odd = bind({"a": list(range(0, 999, 2)), "b": list(range(0, 999, 2))}, big)
    assert cells_of(odd, big.sizes) == 250_000
    with pytest.raises(CannotAnswer, match="10,000 boxes"):
        odd.boxes(big.sizes)


def test_the_algebra_limits_its_work() -> None:
    sizes = (10**6, 10**6)
    nested = [Selection(({0: ((i, 10**5 - i),), 1: ((5000 - i, 5000 + i),)},)) for i in range(5000)]
    with pytest.raises(CannotAnswer):
        union(nested, sizes)
    with pytest.raises(CannotAnswer):
        complement(Selection(tuple(product for one in nested for product in one.products)), sizes)
    points = Selection(tuple({0: ((i, i),), 1: ((i, i),)} for i in range(5000)))
    with pytest.raises(CannotAnswer):
        intersection([points, points], sizes)


def test_cells_of_a_table_beyond_64_bits() -> None:
    huge = Schema({f"a{i}": Ordinal(0, 99_999) for i in range(10)})
    assert cells_of(bind({"a3": (0, 9)}, huge), huge.sizes) == 10**46
