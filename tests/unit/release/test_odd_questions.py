"""SQL and predicates as odd as anybody may write them: an answer or a refusal in words, never a raw error."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

import discreet
from discreet.errors import DiscreetError
from discreet.release import Release
from tests.unit.release.test_sql_answers import table

#: with those of `test_sql_answers.py` ten thousand statements; for a longer run by hand
STATEMENTS = int(os.environ.get("DISCREET_SQL_STATEMENTS", "5000"))
#: how often a part of a statement is one of the odd ones
ODD = 0.06
SIGNS = "\x00\x01\t\n\"'();\\`\x7f\xa0\xad​‮\ud800﻿￿😀٠−"
NUMBERS = (
    ["0", "1", "5", "18", "0.5"],
    [
        "- -1",
        "+-+3",
        "1e308",
        "1e-400",
        "1e99999",
        "0x1F",
        "1_000",
        "١٢",
        "9" * 400,
        ".",
        "NaN",
        "-inf",
        "NULL",
        "true",
        "b'1'",
        "x'1F'",
        "1::int",
        "cast(1 as text)",
        "interval '1' day",
        "?",
        ":a",
        "$1",
        "@v",
        "array[1]",
        "(1, 2)",
        "()",
    ],
)
TEXTS = (
    ["'a'", "'north'", "'it''s'", "'2024-01-02'"],
    [
        "'\\''",
        "E'\\n'",
        "N'a'",
        "$$a$$",
        "'a' 'b'",
        "''",
        "'😀'",
        "'\x00'",
        "'" + "z" * 3000 + "'",
        "date '2024-13-45'",
        "current_date",
        '"a"',
        "`a`",
        "[a]",
    ],
)
COLUMNS = (
    ["age", "AGE", '"age"', "place", "place.side", "pay", "r.age", "release.place.side"],
    [
        '"AGE"',
        "`age`",
        "[age]",
        '"place.side"',
        "a.b.c.d.e",
        '"odd ""name"',
        "ａｇｅ",
        '""',
        "count",
        "*",
        "r.*",
        "a" * 3000,
        "age​",
        "age.side",
        "'age'",
        "null",
        "((age))",
        "age::int",
        "-age",
        "age[0]",
        "lower(place)",
        "coalesce(age, 1)",
    ],
)
PLACES = (
    ["age", "place", "place.side", "pay", "bins(age, 4)", "bins(age, 0, 5, 10)", "1"],
    [
        "bins(age)",
        "bins()",
        "bins(age, null)",
        "bins(age, 1e9)",
        "bins(age, -1)",
        "bins(age, 3.5)",
        "bins(age, '5')",
        "bins(age, 5, 4)",
        f"bins(age, {', '.join(map(str, range(300)))})",
        "bins(bins(age, 2), 2)",
        "0",
        "1.5",
        "9" * 30,
        "rollup(age)",
        "cube(age, place)",
        "grouping sets ((age))",
        "()",
        "null",
        "floor(age / 10)",
        "age % 2",
    ],
)
ANSWERS = (
    [
        "count(*)",
        "COUNT( * )",
        "sum(count)",
        "share()",
        "median(age)",
        "quantile(age, .5)",
        "((count(*)))",
        "percentile_cont(.5) within group (order by age)",
        "100.0 * count(*) / sum(count(*)) over (partition by place)",
    ],
    [
        "count(distinct age)",
        "count(null)",
        "share(age)",
        "median()",
        "median(age, place)",
        "quantile(.5, age)",
        "percentile_disc(.5) within group (order by age desc)",
        "percentile_cont(array[.1]) within group (order by age)",
        "count(*) / sum(count(*)) over () * 1e400",
        "-count(*) / sum(count(*)) over ()",
        "count(*) / 0",
        "count(*)::int",
        "count(*) * 1e308 * 1e308 / sum(count(*)) over ()",
        "lag(count(*)) over (order by age)",
        "release.*",
        "count(*) over w",
        "(select count(*) from release)",
        "share() over (partition by nothing)",
        "case when 1 then 2 end",
    ],
)
STARTS = (
    ["select "],
    [
        "select distinct ",
        "select top 3 ",
        "with r as (select 1) select ",
        "explain select ",
        "(select ",
        "insert into x select ",
        "create table x as select ",
        "values (1); select ",
        "select distinct on (age) ",
    ],
)
SOURCES = (
    [" from release r", " FROM RELEASE r", ' from "release" as r'],
    [
        " from a.b.release",
        " from release, release",
        " from release join release b on 1 = 1",
        " from release natural join x",
        " from (select * from release) r",
        " from release tablesample (10)",
        " from 'release'",
        " from release r(a, b)",
        "",
        " from release pivot (count(*) for age in (1))",
        " from release for update",
        " from lateral (select 1)",
    ],
)
ENDS = (
    ["", "", " order by 1", " order by 2 desc limit 3", " limit 2 offset 1"],
    [
        " having count(*) > 3",
        " qualify 1 = 1",
        " window w as (partition by place)",
        " order by random()",
        " limit 1e3",
        " order by 1 nulls last",
        " limit null",
        " limit 99999999999999999999999",
        " limit 2 offset 1e400",
        " limit 3, 4",
        " fetch first 50 percent rows only",
        " limit 1 by age",
        " union all select 1",
        "; drop table x",
        ";;",
        " -- done",
        " /* open",
        " limit 3 limit 4",
        " fetch first 2 rows with ties",
        ' order by place collate "C"',
    ],
)
NAMES = (["", "", " as n"], [" as low", ' as ""', " as 'x'", " as select", ' as "=1+1"', ' as "😀"', " as age"])


class Writer:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def one(self, kinds: tuple[list[str], list[str]]) -> str:
        return self.dice.choice(kinds[self.dice.random() < ODD])

    def condition(self, depth: int = 0) -> str:
        dice, column = self.dice, self.one(COLUMNS)
        if depth > 3 or dice.random() < 0.5:
            value = self.one(TEXTS) if column.casefold().endswith(("place", "side")) else self.one(NUMBERS)
            sound = [f"{column} = {value}", f"{column} in ({value}, {value})", f"not {column} = {value}", "age >= 5"]
            odd = [
                f"{column} {sign} {value}"
                for sign in ("like", "is", "~", "<=>", "=any", "||", "is distinct from", "@>", "->>")
            ]
            odd += [
                "age between symmetric 1 and 2",
                "age in ()",
                f"{column} is null",
                f"({column}, age) = (1, 2)",
                column,
            ]
            odd += ["0 < age < 5", "exists (select 1)", "age between 1 and 2 and 3", "age >= any (select 1)", "true"]
            return self.one((sound, odd))
        joint = self.one(([" and ", " or ", " AND\n"], [" xor ", " && ", ", "]))
        inner = joint.join(self.condition(depth + 1) for _ in range(dice.randint(1, 3)))
        deep = dice.choice([1, 1, 2, 30])
        return "(" * deep + inner + ")" * (deep if dice.random() > ODD else 1)

    def statement(self) -> str:
        places = [self.one(PLACES) for _ in range(self.dice.randint(0, 2))]
        answers = [self.one(ANSWERS) + self.one(NAMES) for _ in range(self.dice.randint(1, 2))]
        text = self.one(STARTS) + ", ".join([*places, *answers]) + self.one(SOURCES)
        if self.dice.random() < 0.5:
            text += f" where {self.condition()}"
        if places:
            text += f" group by {', '.join(places)}"
        return text + self.one(ENDS)

    def spoilt(self, text: str) -> str:
        """Now and then a sign or a comment where nobody expects it, or an end that is missing."""
        at, how = self.dice.randrange(len(text) + 1), self.dice.random()
        if how < ODD:
            return text[:at] + self.dice.choice(SIGNS) + text[at:]
        if how < 2 * ODD:
            return (
                text[:at] + self.dice.choice(["-- x\n", "/* x */", "/* /* n */ */", "#x\n", "*/", "{{x}}"]) + text[at:]
            )
        return text[:at] if how < 2.5 * ODD else text


@pytest.fixture(scope="module")
def releases() -> list[Release]:
    made = []
    for names, task in (
        (["age", "place", "Pay"], discreet.Table(["age", "place", "Pay"], method="geometric")),
        (["age", "place"], discreet.Ranges(["age", "place"], method="adaptive")),
        (["age", "place", "Pay"], discreet.Marginals(["age", "place", "Pay"], ways=2, method="agreed")),
    ):
        made.append(discreet.from_counts(*table(names)).publish(task, 1))
    return made


def answered(ask: Callable[[str], Any], text: str) -> bool:
    """Refusals are short, and can be printed."""
    refused = ""
    try:
        assert str(ask(text))
    except DiscreetError as error:
        refused = str(error)
    assert len(refused.encode()) < 2000, text[:200]
    return not refused


def test_odd_statements_are_answered_or_refused(releases: list[Release]) -> None:
    writer = Writer(3)
    many = sum(answered(writer.dice.choice(releases).sql, writer.spoilt(writer.statement())) for _ in range(STATEMENTS))
    assert STATEMENTS / 20 < many < STATEMENTS


def test_odd_predicates_are_answered_or_refused(releases: list[Release]) -> None:
    writer, many = Writer(4), 0
    for number in range(STATEMENTS // 2):
        text, release = writer.spoilt(writer.condition()), writer.dice.choice(releases)
        many += answered(release.count, text)
        if number % 8 == 0:
            answered(release.share, text)
            answered(partial(release.table, "place"), text)
            answered(partial(release.mean, "age"), text)
    assert STATEMENTS / 40 < many < STATEMENTS / 2


MANY = 10_000
DEEP = [
    *("(" * many + "age = 1" + ")" * many for many in (100, 1000, MANY)),
    "not " * MANY + "age = 1",
    " and ".join(["age >= 1"] * MANY),
    " or ".join(f"age = {i % 20}" for i in range(MANY)),
    f"age in ({', '.join(['1'] * MANY)})",
    "age = " + "-" * MANY + "1",
    "age = 1 and (" * 2000 + "age = 1" + ")" * 2000,
    "place = '" + "é" * MANY + "'",
    "'" * (MANY + 1),
    "[" * MANY,
    "a." * MANY,
    "f(" * MANY,
    "case when 1 then " * MANY,
    "(select * from " * MANY,
]


@pytest.mark.parametrize("where", DEEP, ids=range(len(DEEP)))
def test_deep_and_long_ones_too(releases: list[Release], where: str) -> None:
    answered(releases[0].count, where)
    answered(releases[0].sql, f"select count(*) from release where {where}")
    answered(releases[0].sql, f"select {where} from release")


@pytest.mark.parametrize(
    "what", [b"select 1", 5, 1.5, object(), ["select 1"]], ids=["bytes", "int", "float", "object", "list"]
)
def test_what_is_no_text_is_refused(releases: list[Release], what: Any) -> None:
    with pytest.raises(DiscreetError):
        releases[0].sql(what)
    with suppress(DiscreetError):
        releases[0].count(what)
