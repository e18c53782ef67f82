"""Parameters of methods: every kind takes and refuses what it says, and every mistake is told at once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from discreet.errors import BadParameter
from discreet.mechanisms import registry
from discreet.parameters import (
    Choice,
    Flag,
    Form,
    Kind,
    Parameter,
    Positive,
    Share,
    Whole,
    ZeroToOne,
    as_given,
    choice,
    problems,
)

#: kind, its words, values with what is read, values that are refused
KINDS: list[tuple[Kind[Any], str, dict[Any, Any], list[Any]]] = [
    (Whole(), "a whole number of at least 1", {1: 1, 10**30: 10**30}, [0, -1, 1.0, "1", True, None, [1]]),
    (Whole(2, 1 << 20), "a whole number from 2 to 2**20", {2: 2, 1 << 20: 1 << 20}, [1, (1 << 20) + 1, 2.5]),
    (Whole(1, (1 << 60) - 1), "a whole number from 1 to 2**60 - 1", {(1 << 60) - 1: (1 << 60) - 1}, [1 << 60]),
    (
        Positive(),
        "a number above 0",
        {"0.1": Fraction(1, 10), 0.1: Fraction(1, 10), "1/3": Fraction(1, 3), 7: Fraction(7)},
        [0, -1, "nan", "inf", "abc", True, None, [1]],
    ),
    (
        Positive(Fraction(1, 10**9), Fraction(2**61)),
        "a number from 1e-9 to 2**61",
        {"1e-9": Fraction(1, 10**9), 2**61: Fraction(2**61)},
        ["1e-10", 2**61 + 1],
    ),
    (Positive(Fraction(1, 10**100), Fraction(10**100)), "a number from 1e-100 to 1e100", {"1e100": 10**100}, ["2e100"]),
    (Positive(Fraction(1)), "a number of at least 1", {1: Fraction(1)}, ["0.9"]),
    (Positive(most=Fraction(2**52)), "a number above 0 and at most 2**52", {2**52: Fraction(2**52)}, [2**52 + 1, 0]),
    (Share(), "a number above 0 and below 1", {"0.05": Fraction(1, 20), 0.999: Fraction(999, 1000)}, [0, 1, 2, "x"]),
    (
        ZeroToOne(),
        "a number from 0 to 1",
        {0: Fraction(0), "0": Fraction(0), "1/6": Fraction(1, 6), 1: 1},
        [2, -1, True],
    ),
    (Choice(("two", "one")), "'two' or 'one'", {"two": "two", "one": "one"}, ["Two", "", 2, None, ["two"]]),
    (Choice(("a", "b", "c")), "'a', 'b' or 'c'", {"c": "c"}, ["d"]),
    (Flag(), "true or false", {True: True, False: False}, [1, 0, "true", None]),
    (Form("a list of numbers"), "a list of numbers", {"anything": "anything", 5: 5}, []),
]


@pytest.mark.parametrize(("kind", "words", "taken", "refused"), KINDS, ids=[words for _, words, _, _ in KINDS])
def test_a_kind_takes_and_refuses_what_it_says(
    kind: Kind[Any], words: str, taken: dict[Any, Any], refused: list[Any]
) -> None:
    assert str(kind) == words
    parameter = Parameter("size", kind, "What it does", advice="use another")
    for given, value in taken.items():
        read = parameter.read(given)
        assert read == value
        assert isinstance(read, bool) == isinstance(value, bool)
    for given in refused:
        with pytest.raises(BadParameter, match="size must be"):
            parameter.read(given)


def test_every_kind_is_tried_and_used() -> None:
    used = {type(parameter.kind) for method in registry().values() for parameter in method.parameters}
    assert used == set(Kind.__subclasses__()) == {type(kind) for kind, *_ in KINDS}


def test_a_refusal_says_what_to_do() -> None:
    theta = Parameter("theta", Whole(1, 9), "The least count", advice="to keep every cell use method 'geometric'")
    with pytest.raises(BadParameter) as caught:
        theta.read(0)
    said = "theta must be a whole number from 1 to 9, not 0; to keep every cell use method 'geometric'"
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (Parameter("a", Whole(), "How many", 100_000), "a whole number of at least 1. How many. Default: 100,000."),
        (Parameter("a", Flag(), "Whether", False), "true or false. Whether. Default: false."),
        (choice("a", ("x", "y"), "Which"), "'x' or 'y'. Which. Default: 'x'."),
        (Parameter("a", Share(), "Part", Fraction(1, 20)), "a number above 0 and below 1. Part. Default: 0.05."),
        (Parameter("a", Positive(), "Size", otherwise="all"), "a number above 0. Size. Default: all."),
        (Parameter("a", Whole(), "Ways"), "a whole number of at least 1. Ways."),
    ],
)
def test_a_parameter_in_words(parameter: Parameter[Any], text: str) -> None:
    assert str(parameter) == text


def test_all_mistakes_are_found_at_once() -> None:
    taken = (Parameter("size", Whole(), "How many"), Parameter("sided", Choice(("two", "one")), "Which"))
    assert problems("filter", taken, {"size": 5, "sided": "one"}) == []
    assert problems("filter", taken, {"sizes": 5, "size": 0, "sided": "three"}) == [
        "method 'filter' has no parameter 'sizes'. Did you mean 'size'? It takes size, sided",
        "size must be a whole number of at least 1, not 0",
        "sided must be 'two' or 'one', not 'three'",
    ]
    assert problems("geometric", (), {"size": 1}) == ["method 'geometric' has no parameter 'size'. It takes none"]


def test_values_as_a_release_writes_them() -> None:
    values = {Fraction(1, 20): "0.05", Fraction(1, 3): "1/3", 5: 5, "two": "two"}
    assert [as_given(value) for value in values] == list(values.values())


def test_every_parameter_of_a_method_has_its_words() -> None:
    """Each meaning is one sentence; names are unique; a default is of its kind."""
    for method, kind in registry().items():
        names = [parameter.name for parameter in kind.parameters]
        assert len(set(names)) == len(names), method
        for parameter in kind.parameters:
            assert parameter.meaning[0].isupper() or parameter.meaning[0] == "'", (method, parameter.name)
            assert not parameter.meaning.endswith("."), (method, parameter.name)
            if parameter.default is not None:
                assert parameter.read(parameter.default) == parameter.default, (method, parameter.name)
