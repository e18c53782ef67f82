"""The parser of predicates: what it reads, and how it says no."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.queries.where import MAX_DEPTH, And, Between, Compare, Not, Numeral, OneOf, Or, Predicate, parse


def a(value: object = None) -> Compare:
    return Compare("a", "=", Numeral("1") if value is None else value)


def number(text: str) -> Numeral:
    return Numeral(text)


B, C = Compare("b", ">", Numeral("2")), Compare("c", "!=", "x")

READ: list[tuple[str, Predicate]] = [
    ("a = 1", a()),
    ("a == 1", a()),
    ("  a=1\n", a()),
    ("c != 'x'", C),
    ("c <> 'x'", C),
    ("b<2", Compare("b", "<", number("2"))),
    ("b<=2", Compare("b", "<=", number("2"))),
    ("b>=2", Compare("b", ">=", number("2"))),
    ("age BETWEEN 30 and 39", Between("age", number("30"), number("39"))),
    ("age not between 30 AND 39", Not(Between("age", number("30"), number("39")))),
    ("day between '2024-01-01' and '2024-01-31'", Between("day", "2024-01-01", "2024-01-31")),
    ("c in ('x', 'y',3)", OneOf("c", ("x", "y", number("3")))),
    ("c Not In('x')", Not(OneOf("c", ("x",)))),
    ("a=1 and b>2 and c!='x'", And((a(), B, C))),
    ("a=1 or b>2 and c!='x'", Or((a(), And((B, C))))),
    ("(a=1 or b>2) and c!='x'", And((Or((a(), B)), C))),
    ("not a=1 and b>2", And((Not(a()), B))),
    ("not (a=1 and b>2)", Not(And((a(), B)))),
    ("not not a=1", Not(Not(a()))),
    ("NOT(a=1)OR b>2", Or((Not(a()), B))),
    ("between between 1 and 2 and a=1".replace("between", '"between"', 1), And((
        Between("between", number("1"), number("2")), a()))),
    ("a = 'it''s'", a("it's")),
    ("a = ''", a("")),
    ('a = \'say "hi", (and) or\'', a('say "hi", (and) or')),
    ('"hours per ""week""" = 1', Compare('hours per "week"', "=", number("1"))),
    ("größe_2 = 1", Compare("größe_2", "=", number("1"))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), READ, ids=[text for text, _ in READ])
def test_reads(text: str, tree: Predicate) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-7", -7), ("+7", 7), ("007", 7), ("2.5", 2.5), ("-.5", -0.5), ("3.", 3.0), ("1e3", 1000.0),
     ("-1.5E-2", -0.015), ("9" * 30, int("9" * 30))],
)  # fmt: skip
def test_numbers_keep_their_text_and_have_a_value(text: str, value: float) -> None:
    found = parse(f"a = {text}")
    assert found == a(Numeral(text))
    assert Numeral(text).value == value
    assert type(Numeral(text).value) is type(value)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 1, "empty"),
        ("  ", 3, "empty"),
        ("a", 2, "found the end, expected a comparison"),
        ("a =", 4, "found the end, expected a number or a text"),
        ("a = and", 5, "found 'and', expected a number or a text"),
        ("a = b", 5, "text values go in single quotes: 'b'"),
        ('a = "b"', 5, "text values go in single quotes: 'b'"),
        ("a = 1 b = 2", 7, "found 'b', expected 'and', 'or' or the end"),
        ("a = 1)", 6, "found ')'"),
        ("(a = 1", 7, "expected 'and', 'or' or ')'"),
        ("a = 1 and", 10, "expected an attribute's name"),
        ("and = 1", 1, "expected an attribute's name"),
        ("1 = a", 1, "expected an attribute's name"),
        ("a in 1", 6, "expected '('"),
        ("a in ()", 7, "found ')'"),
        ("a in (1,)", 9, "found ')'"),
        ("a in (1 2)", 9, "expected ',' or ')'"),
        ("a not = 1", 7, "expected 'in' or 'between' after 'not'"),
        ("a between 1 or 2", 13, "upper end"),
        ("a = 'x", 5, "never closed"),
        ("a = 'x''", 5, "never closed"),
        ('"a = 1', 1, "never closed"),
        ("a = 12abc", 5, "not a number"),
        ("a = 1.2.3", 5, "not a number"),
        ("a = --1", 5, "not a number"),
        ("a-b = 1", 1, 'go in double quotes: "a-b"'),
        ("x > 1 and hours-per-week > 40", 11, 'go in double quotes: "hours-per-week"'),
        ("capital.gain > 0", 1, 'go in double quotes: "capital.gain"'),
        ("home.tract = '1'", 1, "a group of a hierarchy goes by its label alone: home = 'LABEL'"),
        ("hours per week > 40", 7, "names of several words go in double quotes"),
        ("a = 1e999", 5, "too long or too large"),
        ("a = " + "1" * 5000, 5, "too long or too large"),
        ("a > 2024-01-31", 5, "dates are written in single quotes: '2024-01-31'"),
        ("a = 1; drop table x", 6, "unexpected ';'"),
        ("a = \x00", 5, "unexpected"),
        ("__import__('os')", 11, "expected a comparison"),
    ],
)
def test_mistakes_show_the_place(text: str, position: int, message: str) -> None:
    with pytest.raises(BadParameter) as caught:
        parse(text)
    headline, line, caret = str(caught.value).split("\n")
    assert message in headline
    assert f"position {position}:" in headline
    shown = line.removeprefix("  ")
    assert len(text) > 50 or shown == text.replace("\x00", " ")
    assert caret == " " * (position + 1) + "^"


def test_the_line_of_a_mistake_is_shown_alone_and_cut_to_size() -> None:
    with pytest.raises(BadParameter, match=r"line 2, position 9: .*\n   or b = \n          \^$"):
        parse("a = 1\n or b = ")
    with pytest.raises(BadParameter) as caught:
        parse(" and ".join(["a = 1"] * 100) + " and ! and " + " and ".join(["a = 1"] * 100))
    _, line, caret = str(caught.value).split("\n")
    assert len(line) < 100
    assert line[caret.index("^")] == "!"


def test_a_comparison_by_hand_must_be_one() -> None:
    with pytest.raises(BadParameter, match="'~' is not a comparison"):
        Compare("a", "~", 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("opening", ["(", "not ", "not(", "(a = 1 or b = 1 and "])
def test_depth_is_bounded_well_before_the_stack(opening: str) -> None:
    fits = MAX_DEPTH // (2 if opening == "not(" else 1)
    for depth, fine in ((fits, True), (fits + 1, False), (100_000, False)):
        text = opening * depth + "a = 1" + ")" * (opening.count("(") * depth)
        if fine:
            parse(text)
        else:
            with pytest.raises(BadParameter, match=f"over {MAX_DEPTH}"):
                parse(text)


def test_long_chains_are_no_depth() -> None:
    count = sys.getrecursionlimit() * 3
    found = parse(" or ".join(["a = 1 and b > 2"] * count))
    assert isinstance(found, Or)
    assert len(found.parts) == count


SOUP = st.lists(
    st.sampled_from(
        ["a", '"b c"', "and", "OR", "not", "in", "between", "(", ")", ",", "=", "<>", "<", "'x'", "''", "'", '"',
         "1", "-2.5e3", ".", "-", "2024-01-01", "\n", "\x00", "é", "²", "٣", "\ud800", "1e999"]
    ),
    max_size=25,
)  # fmt: skip


@given(st.one_of(st.text(), SOUP.map(" ".join), SOUP.map("".join)))
def test_whatever_the_text_only_bad_parameter_is_raised(text: str) -> None:
    try:
        parse(text)
    except BadParameter as error:
        message = str(error)
        assert message.endswith("^")
        assert message.count("\n") == 2
        message.encode()
