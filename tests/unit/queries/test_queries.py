"""Predicates bound to a schema: against brute force over all cells, and every way to ask wrongly."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import BadParameter, CannotAnswer, OutsideDomain, UnknownAttribute
from discreet.queries import Selection, bind
from discreet.queries.where import MAX_DEPTH, And, Between, Compare, Not, Numeral, OneOf, Or, Predicate
from discreet.schema import Attribute, Nominal, Ordinal, Schema
from tests.unit.queries.selected_cells import cells_of

DAY = date(2024, 1, 1)
RAGGED = {"Americas": ["USA", "Canada"], "Europe": {"West": ["France"], "East": ["Poland"]}}
NODES = {"Americas": (0, 1), "Europe": (2, 3), "West": (2, 2), "East": (3, 3)}

# a leaf predicate together with the codes it must mean, found without the binder
Value = int | float | date
Leaf = tuple[Predicate, frozenset[int]]


def codes(first: int, last: int) -> frozenset[int]:
    return frozenset(range(first, last + 1))


@st.composite
def ordinals(draw: st.DrawFn, name: str) -> tuple[Attribute, st.SearchStrategy[Leaf]]:
    """An ordinal of some kind, and leaves whose ends are edges of its bins."""
    bins, width = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    other = draw(st.booleans())
    rule: dict[str, Any] = {"outside": "other"} if other else {}
    kind = draw(st.sampled_from(["integer", "real", "date"]))
    attribute: Ordinal
    start: Callable[[int], Value]
    end: Callable[[int], Value]
    if kind == "integer":
        low = draw(st.integers(-5, 5))
        attribute = Ordinal(low, low + bins * width - 1, width, **rule)
        start, end = (lambda c: low + c * width), (lambda c: low + (c + 1) * width - 1)
    elif kind == "real":
        attribute = Ordinal(0.0, bins * width / 10, width / 10, **rule)
        start, end = (lambda c: c * width / 10), (lambda c: (c + 1) * width / 10)
    else:
        attribute = Ordinal(DAY, DAY + timedelta(bins * width - 1), width, **rule)
        start = lambda c: DAY + timedelta(c * width)  # noqa: E731
        end = lambda c: DAY + timedelta((c + 1) * width - 1)  # noqa: E731
    every, last = codes(0, attribute.size - 1), bins - 1

    @st.composite
    def leaves(draw: st.DrawFn) -> Leaf:
        first, final = sorted([draw(st.integers(0, last)), draw(st.integers(0, last))])
        choices: list[Leaf] = [
            (Compare(name, ">=", start(first)), codes(first, last)),
            (Compare(name, "<=", end(last)), codes(0, last)),
            (Between(name, start(first), end(last)), codes(first, last)),
            (Compare(name, "=", str(attribute.labels[first])), frozenset({first})),
            (Compare(name, "!=", str(attribute.labels[first])), every - {first}),
        ]
        if first > 0:
            choices.append((Compare(name, "<", start(first)), codes(0, first - 1)))
        if kind != "real":  # a bin of reals does not hold its upper edge
            choices += [
                (Between(name, start(first), end(final)), codes(first, final)),
                (
                    OneOf(name, ((start(first), end(first)), (start(final), end(final)))),
                    frozenset({first, final}),
                ),
                (Compare(name, "<=", end(final)), codes(0, final)),
            ]
            if first > 0:
                choices.append((Compare(name, ">", end(first - 1)), codes(first, last)))
        if other:
            choices.append((Compare(name, "=", "other"), frozenset({bins})))
        return draw(st.sampled_from(choices))

    return attribute, leaves()


@st.composite
def nominals(draw: st.DrawFn, name: str) -> tuple[Attribute, st.SearchStrategy[Leaf]]:
    if draw(st.booleans()):
        attribute = Nominal(hierarchy=RAGGED, null="other")
        ranges = {**NODES, **{label: (code, code) for code, label in enumerate(attribute.labels)}}
    else:
        attribute = Nominal(["it's", "a|b", "02139", ""][: draw(st.integers(1, 4))])
        ranges = {label: (code, code) for code, label in enumerate(attribute.labels)}
    every = codes(0, attribute.size - 1)

    def one(label: str) -> list[Leaf]:
        found = codes(*ranges[label])
        return [(Compare(name, "=", label), found), (Compare(name, "!=", label), every - found)]

    def several(labels: list[str]) -> Leaf:
        return OneOf(name, tuple(labels)), frozenset().union(*(codes(*ranges[label]) for label in labels))

    label = st.sampled_from(sorted(ranges))
    return attribute, st.one_of(
        label.flatmap(lambda x: st.sampled_from(one(x))), st.lists(label, min_size=1).map(several)
    )


# a predicate and the function that brute force applies to every cell
Asked = tuple[Predicate, Callable[[tuple[int, ...]], bool]]


def asked_of(index: int) -> Callable[[Leaf], Asked]:
    return lambda leaf: (leaf[0], lambda cell: cell[index] in leaf[1])


@st.composite
def asked(draw: st.DrawFn) -> tuple[Schema, Asked]:
    attributes, leaves = {}, []
    for index in range(draw(st.integers(1, 3))):
        name = ["age", "two words", 'in "quotes"'][index]
        attributes[name], strategy = draw(st.one_of(ordinals(name), nominals(name)))
        leaves.append(strategy.map(asked_of(index)))

    def chain(kind: type[And | Or], holds: Callable[..., bool]) -> Callable[[list[Asked]], Asked]:
        def join(parts: list[Asked]) -> Asked:
            return kind(tuple(p for p, _ in parts)), lambda cell: holds(true(cell) for _, true in parts)

        return join

    def grow(inner: st.SearchStrategy[Asked]) -> st.SearchStrategy[Asked]:
        parts = st.lists(inner, min_size=2, max_size=4)
        negated = inner.map(lambda part: (Not(part[0]), lambda cell: not part[1](cell)))
        return st.one_of(parts.map(chain(And, all)), parts.map(chain(Or, any)), negated)

    return Schema(attributes), draw(st.recursive(st.one_of(leaves), grow, max_leaves=12))


def spelled(node: Predicate) -> str:
    """The predicate as text."""

    def value(thing: Any) -> str:
        if isinstance(thing, int | float):
            return repr(thing)
        return "'" + str(thing).replace("'", "''") + "'"

    if isinstance(node, And | Or):
        return "(" + f" {type(node).__name__} ".join(map(spelled, node.parts)) + ")"
    if isinstance(node, Not):
        return "not " + spelled(node.part)
    name = '"' + node.name.replace('"', '""') + '"'
    if isinstance(node, Between):
        return f"{name} between {value(node.low)} and {value(node.high)}"
    if isinstance(node, Compare):
        return f"{name} {node.operator} {value(node.value)}"
    if any(isinstance(one, tuple) for one in node.values):
        return "(" + " or ".join(spelled(Between(node.name, *one)) for one in node.values) + ")"
    return f"{name} in ({', '.join(map(value, node.values))})"


def coverage(selection: Selection, sizes: tuple[int, ...]) -> np.ndarray:
    """How often each cell is covered."""
    times = np.zeros(sizes, dtype=int)
    boxes = selection.boxes(sizes)
    for first, last in zip(boxes.first, boxes.last, strict=True):
        times[tuple(slice(f, t + 1) for f, t in zip(first, last, strict=True))] += 1
    return times


@settings(max_examples=300)
@given(asked())
def test_equals_brute_force_over_all_cells(question: tuple[Schema, Asked]) -> None:
    schema, (predicate, holds) = question
    wanted = np.zeros(schema.sizes, dtype=int)
    for cell in itertools.product(*map(range, schema.sizes)):
        wanted[cell] = holds(cell)
    selection = bind(predicate, schema)
    assert (coverage(selection, schema.sizes) == wanted).all()  # equal to 0 and 1: the products are disjoint
    assert cells_of(selection, schema.sizes) == wanted.sum()
    for product in selection.products:
        for attribute, intervals in product.items():
            assert intervals[0][0] >= 0
            assert intervals[-1][1] < schema.sizes[attribute]
            assert all(first <= last for first, last in intervals)
            assert all(one[1] + 1 < other[0] for one, other in itertools.pairwise(intervals))
            assert intervals != ((0, schema.sizes[attribute] - 1),)
    assert (coverage(bind(spelled(predicate), schema), schema.sizes) == wanted).all()


AGE = Ordinal(17, 90)
SCHEMA = Schema(
    age=AGE,
    decade=Ordinal(0, 99, 10, outside="other"),
    price=Ordinal(0.0, 10.0, 0.5),
    month=Ordinal(DAY, date(2024, 12, 31), "month"),
    country=Nominal(hierarchy=RAGGED),
    code=Nominal(["02139", "1.10", "1.1", "5"]),
)


def products(where: Any) -> tuple[Any, ...]:
    return bind(where, SCHEMA).products


@pytest.mark.parametrize(
    ("where", "product"),
    [
        (None, {}),
        ({}, {}),
        ({"age": (30, 39)}, {0: ((13, 22),)}),
        ({"age": (30, None)}, {0: ((13, 73),)}),
        ({"age": (None, 30)}, {0: ((0, 13),)}),
        ({"age": (None, None)}, {}),
        ({"age": (0, 200)}, {}),
        ({"age": 30}, {0: ((13, 13),)}),
        ({"age": 30.0}, {0: ((13, 13),)}),
        ({"age": "30"}, {0: ((13, 13),)}),
        ({"age": np.int64(30)}, {0: ((13, 13),)}),
        ({"age": [(17, 20), 31, 30, (19, 22)]}, {0: ((0, 5), (13, 14))}),
        ({"age": {17, 18}}, {0: ((0, 1),)}),
        ({"age": range(20, 30)}, {0: ((3, 12),)}),
        ({"age": np.array([20, 21])}, {0: ((3, 4),)}),
        ({"decade": "20-29"}, {1: ((2, 2),)}),
        ({"decade": "other"}, {1: ((10, 10),)}),
        ({"decade": (None, None)}, {1: ((0, 9),)}),
        ("decade != 'other'", {1: ((0, 9),)}),
        ("not decade < 30", {1: ((3, 10),)}),
        ({"price": (1, 10)}, {2: ((2, 19),)}),
        ("price >= 1 and price < 2.5", {2: ((2, 4),)}),
        ("price < 2.5", {2: ((0, 4),)}),
        ("price >= 2.5", {2: ((5, 19),)}),
        ("price <= 10", {}),
        ("price < 11 and price > -1", {}),
        ({"month": (DAY, date(2024, 2, 29))}, {3: ((0, 1),)}),
        ("month < '2024-03-01'", {3: ((0, 1),)}),
        ("month > '2024-02-29'", {3: ((2, 11),)}),
        ("age < 30", {0: ((0, 12),)}),
        ("age < 29.5", {0: ((0, 12),)}),
        ("age > 29.5", {0: ((13, 73),)}),
        ("age < 200 and age > -5", {}),
        ({"country": "Europe", "age": 17}, {0: ((0, 0),), 4: ((2, 3),)}),
        ({"country": ["USA", "East"]}, {4: ((0, 0), (3, 3))}),
        ("code = 02139", {5: ((0, 0),)}),
        ("code = 1.10", {5: ((1, 1),)}),
        ({"code": 5}, {5: ((3, 3),)}),
    ],
    ids=str,
)
def test_what_people_write(where: Any, product: dict[int, Any]) -> None:
    assert products(where) == (product,)


def test_nothing_is_an_answer_too() -> None:
    nothing = bind("age = 30 and age = 31", SCHEMA)
    assert nothing.products == ()
    assert cells_of(nothing, SCHEMA.sizes) == 0
    assert nothing.boxes(SCHEMA.sizes).first.shape == (0, len(SCHEMA))
    assert bind(Not(And(())), SCHEMA) == bind(Or(()), SCHEMA) == nothing


@pytest.mark.parametrize(
    ("where", "error", "message"),
    [
        ("age = ", BadParameter, "position 7"),
        ("agee = 3", UnknownAttribute, "no attribute 'agee'. Did you mean 'age'?"),
        ({"Age": 3}, UnknownAttribute, "Did you mean 'age'?"),
        ("sex = 'x'", UnknownAttribute, "this release does not count by 'sex'"),
        ("age > 90", OutsideDomain, "age: no value above 90"),
        ("age < 17", OutsideDomain, "age: no value below 17"),
        ("age = 16", OutsideDomain, "age: .*17 to 90"),
        ("age between 39 and 30", OutsideDomain, "age: .*swapped"),
        ("age < 'old'", OutsideDomain, "age: 'old'"),
        ({"age": float("nan")}, OutsideDomain, "age: nan"),
        ({"age": True}, OutsideDomain, "age: True"),
        ("age = 29.5", CannotAnswer, "age: "),
        ("decade = 23", CannotAnswer, "decade: 23 cuts a bin; .* 20-29"),
        ("decade < 25", CannotAnswer, "decade: 25 cuts a bin; .* 20-29"),
        ({"decade": (20, 34)}, CannotAnswer, "decade: 34 cuts a bin; .* 30-39"),
        ("price <= 3.3", CannotAnswer, r"price: 3.3 cuts a bin; .* \[3, 3.5\)"),
        ("price = 1", CannotAnswer, "price: "),
        ("price <= 2.5", CannotAnswer, r"price: 2.5 is in the bin \[2.5, 3\), .* write < 2.5 .* or < 3 to"),
        ("price > 2.5", CannotAnswer, r"price: 2.5 is in the bin \[2.5, 3\), .* write >= 2.5"),
        ("price between 0 and 2.5", CannotAnswer, "price: 2.5 is in the bin"),
        ({"price": (0, 2.5)}, CannotAnswer, "price: 2.5 is in the bin"),
        ("not price <= 2.5", CannotAnswer, "price: 2.5 is in the bin"),
        ("price < 10", CannotAnswer, r"price: 10 is in the bin \[9.5, 10\], .* write <= 10"),
        ("month >= '2024-02-01 12:00'", CannotAnswer, "month: .* has a time of day, .* write the day, '2024-02-01'"),
        ("month >= '2024-02-15'", CannotAnswer, "month: '2024-02-15' cuts a bin"),
        ("month >= 5", OutsideDomain, "month: 5 is not a date"),
        ("country < 'USA'", BadParameter, "country: labels have no order, so '<'"),
        ("country between 'A' and 'B'", BadParameter, "country: labels have no order"),
        ({"country": ("USA", "France")}, BadParameter, "country: labels have no order"),
        ("country = 'Frnce'", OutsideDomain, "country: 'Frnce' .* Did you mean 'France'?"),
        ({"age": (1, 2, 3)}, BadParameter, r"age: a range is a tuple \(low, high\)"),
        ({"age": []}, BadParameter, "age: the list of values is empty"),
        ({"age": None}, BadParameter, "age: None is not a single value"),
        ({"age": [None]}, BadParameter, "age: None is not a single value"),
        ({"age": [[1]]}, BadParameter, r"age: \[1\] is not a single value"),
        ({"age": {"low": 1}}, BadParameter, "age: {'low': 1} is not a single value"),
        (Compare("age", ">", None), BadParameter, "age: None is not a single value"),
        ({3: 4}, BadParameter, "names of attributes, not 3"),
        (5, BadParameter, "a predicate is a text"),
        (Not("age"), BadParameter, "a predicate is a text"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_bad_questions(where: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bind(where, SCHEMA, known=["age", "sex"])


def test_every_depth_that_parses_binds_and_deeper_trees_are_refused() -> None:
    text = "(age = 30 or age = 31 and " * MAX_DEPTH + "age not in (40)" + ")" * MAX_DEPTH
    assert products(f"age = 20 or age = 21 and {text}")
    tree: Predicate = Compare("age", "=", 30)
    for _ in range(3000):
        tree = Not(tree)
    with pytest.raises(BadParameter, match="nested more than"):
        bind(tree, SCHEMA)


def test_many_values_of_one_attribute_stay_one_product() -> None:
    where = " or ".join(f"age = {age}" for age in range(17, 91, 2))
    (product,) = products(where)
    assert len(product[0]) == 37


def test_a_number_is_what_was_written() -> None:
    assert products(Compare("code", "=", Numeral("1.10"))) == ({5: ((1, 1),)},)
    assert products(Compare("age", "=", Numeral("3e1"))) == ({0: ((13, 13),)},)
