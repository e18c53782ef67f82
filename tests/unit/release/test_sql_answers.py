"""SQL of a release: the answers of the same predicates; everything else is refused in words."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, DiscreetError, OutsideDomain, UnknownAttribute
from discreet.release import Release
from discreet.release.frame import Frame
from tests.statistics import at_least

SCHEMA = discreet.Schema(
    {
        "age": discreet.Ordinal(0, 19, outside="other"),
        "Pay": discreet.Ordinal(0.0, 2.0, 0.5),
        "place": discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c", "it's"]}, levels=["side", "place"]),
        "day": discreet.Ordinal("2024-01-01", "2024-01-03"),
        'odd "name': discreet.Nominal(["x", "other"]),
    }
)
BY = ["age", "place", "Pay"]
#: with those of `test_odd_questions.py` ten thousand; for a longer run by hand
STATEMENTS = int(os.environ.get("DISCREET_SQL_STATEMENTS", "5000"))


def table(names: list[str]) -> tuple[discreet.Schema, Any, Any]:
    schema = SCHEMA.select(names)
    codes = np.array(list(np.ndindex(*schema.sizes)))
    return schema, codes, (np.arange(len(codes)) * 7919) % 101


@pytest.fixture(scope="module")
def release() -> Release:
    return discreet.from_counts(*table(BY)).publish(discreet.Table(BY, method="geometric"), 1)


@pytest.fixture(scope="module")
def days() -> Release:
    names = ["day", 'odd "name']
    return discreet.from_counts(*table(names)).publish(discreet.Table(names, method="geometric"), 1)


WHERES: list[tuple[str, Any]] = [
    ("age >= 18", "age >= 18"),
    ("18 <= AGE", "age >= 18"),
    ("age >= +18 and age <> +19", "age >= 18 and age != 19"),
    ("release.age between 3 and 5 or place = 'it''s'", "age between 3 and 5 or place = 'it''s'"),
    ("not (place in ('north', 'c') or age < 8)", "not (place in ('north', 'c') or age < 8)"),
    ("place.side = 'south' and pay < 1", "place = 'south' and Pay < 1"),
    ("place.side <> 'south'", "place != 'south'"),
    ("place.side in ('north', 'south') and age = 'other'", {"age": "other"}),
    ("age not in (1, 2, 3)", "age not in (1, 2, 3)"),
    ("age = 1 and age = 2", "age = 1 and age = 2"),
    ('age > -5 and "Pay" >= 1.5', "age > -5 and Pay >= 1.5"),
    (" or ".join(f"age = {age}" for age in range(20)), "age <= 19"),
]


@pytest.mark.parametrize(("sql", "where"), WHERES)
def test_counts_are_those_of_the_predicate(release: Release, sql: str, where: Any) -> None:
    frame, wanted = release.sql(f"select count(*) from release where {sql}", level=0.8), release.count(where, level=0.8)
    assert frame.rows() == [(wanted.value, wanted.low, wanted.high)]
    assert list(frame.columns) == ["count", "low", "high"]


@pytest.mark.parametrize(
    ("sql", "asked"),
    [
        ("select age, count(*) from release group by age", {"by": "age"}),
        ("select place.side, sum(count) from release r group by r.place.side", {"by": "place.side"}),
        ("select bins(age, 4), count(*) from release group by 1", {"by": "age", "bins": 4}),
        ("select bins(age, 0, 5) b, count() from release group by B", {"by": "age", "bins": [0, 5]}),
        ("select place, Pay, count(*) from release group by all", {"by": ["place", "Pay"]}),
        ("select place as place, +sum(r.count) from release r group by place", {"by": "place"}),
        ("select age as place, count(*) from release group by 1", {"by": "age"}),
        ("select place, count(*) n from release group by place order by n desc", {"by": "place", "sort": "count"}),
        ("select place, count(*) from release group by 1 order by count(*)", {"sort": "count", "ascending": True}),
        ("select place, count(*) from release group by 1 order by 2 desc limit 2", {"largest": 2}),
    ],
)
def test_groups_are_those_of_the_table(release: Release, sql: str, asked: dict[str, Any]) -> None:
    wanted = release.table(**{"by": "place", **asked})
    columns = [column for name, column in wanted.columns.items() if name != "stderr"]
    assert release.sql(sql).rows() == Frame({str(i): column for i, column in enumerate(columns)}).rows()


def test_dates_and_odd_names(days: Release) -> None:
    sql = 'select "odd ""name" as odd, count(*) from release where day > date \'2024-01-01\' group by odd'
    assert days.sql(sql).rows() == [row[:2] + row[3:] for row in days.table('odd "name', "day > '2024-01-01'").rows()]
    assert days.sql("select bins(day, '2024-01-02'), count(*) from release group by 1")["day"] == [
        "2024-01-01",
        "2024-01-02 to 2024-01-03",
    ]


def test_groups_that_the_condition_rules_out_have_no_row(release: Release) -> None:
    assert release.sql("select age, count(*) from release where age >= 18 group by age")["age"] == [18, 19]
    assert len(release.sql("select age, count(*) from release group by age limit 3 offset 19")) == 2


def test_quantiles_are_those_of_the_release(release: Release) -> None:
    sql = "select place, median(age) m, quantile(age, 0.9) q, percentile_cont(0.1) within group (order by age) p"
    frame = release.sql(f"{sql} from release group by place order by m desc")
    for place, *found in frame.rows():
        single = [release.quantile("age", share, {"place": place}) for share in (0.5, 0.9, 0.1)]
        assert found == [end for one in single for end in (one.value, one.low, one.high)]
    assert frame["m"] == sorted(frame["m"], reverse=True)


def test_shares_are_of_what_they_are_part_of(release: Release) -> None:
    sql = "select place, share() s, 100.0 * count(*) / sum(count(*)) over () as pct, count(*) n from release"
    frame = release.sql(f"{sql} where age < 10 group by place")
    assert np.allclose(frame["s"], frame["n"] / np.sum(frame["n"]))
    assert np.allclose(frame["pct"], 100 * frame["s"])
    assert np.allclose(frame["pct_low"], 100 * frame["s_low"])
    assert np.all((frame["s_low"] <= frame["s"]) & (frame["s"] <= frame["s_high"]))
    parts = release.sql("select place, Pay, share() over (partition by place) s from release group by place, pay")
    assert np.allclose(np.reshape(parts["s"], (4, 4)).sum(axis=1), 1)
    only = release.sql("select place.side, share() filter (where age < 5) over (partition by place.side) s, "
                       "count(*) filter (where age < 5) n, count(*) from release group by 1")  # fmt: skip
    assert np.allclose(only["s"], only["n"] / only["count"])
    assert release.sql("select share() from release").rows() == [(1.0, 1.0, 1.0)]


def test_intervals_hold_the_true_share() -> None:
    schema, codes, counts = table(["age", "place"])
    data = discreet.from_counts(schema, codes, counts)
    sql = "select bins(age, 2), place, share() over (partition by place) s from release group by 1, 2"
    grid = counts.reshape(schema.sizes)
    halves = np.stack([grid[:10].sum(axis=0), grid[10:20].sum(axis=0), grid[20]])
    truth = (halves / halves.sum(axis=0)).reshape(-1)
    held = 0
    for _ in range(60):
        found = data.publish(discreet.Ranges(["age", "place"], method="privelet"), "0.05").sql(sql, level=0.8)
        held += int(np.sum((found["low"] <= truth) & (truth <= found["high"])))
    assert at_least(held, 60 * truth.size, 0.8)


def test_every_way_to_count_rows_counts_them(release: Release) -> None:
    ways = ("count(*)", "count()", "count(1)", "sum(count)")
    found = [release.sql(f"select {way} from release where age < 3").to_dicts() for way in ways]
    assert [list(row.values()) for rows in found for row in rows] == [list(found[0][0].values())] * len(ways)


@pytest.mark.parametrize(
    ("sql", "kind", "words"),
    [
        ("", BadParameter, "select count(*) from release"),
        ("select", BadParameter, "SQL"),
        ("select 1; select 2", BadParameter, "one statement"),
        ("drop table release", BadParameter, "is not a select"),
        ("select * from release", BadParameter, "cannot be answered"),
        ("select age from release group by age", BadParameter, "nothing is counted"),
        ("select age, count(*) from release", BadParameter, "add group by"),
        ("select age, count(*) from release group by place", BadParameter, "age is selected, but not in group by"),
        ("select count(*) from people", BadParameter, "write `from release`"),
        ("select count(*)", BadParameter, "write `from release`"),
        ("select count(*) from release join b using (c)", BadParameter, "joins"),
        ("select count(*) from (select 1)", BadParameter, "from release"),
        ("with a as (select 1) select count(*) from release", BadParameter, "cannot be answered"),
        ("select count(*) from release having count(*) > 3", BadParameter, "HAVING"),
        ("select distinct count(*) from release", BadParameter, "DISTINCT"),
        ("select count(distinct age) from release", BadParameter, "COUNT(DISTINCT age)"),
        ("select avg(age) from release", BadParameter, "`AVG(age)` cannot be answered here; release.mean(\"age\") and"),
        ("select sum(age) from release", BadParameter, "`SUM(age)` cannot be answered here; release.sum(\"age\") can"),
        ("select variance(age) from release", BadParameter, "release.variance(\"age\") can; here possible are"),
        ("select count(*) + 1 from release", BadParameter, "cannot be answered"),
        ("select count(*) / 2 from release", BadParameter, "no share"),
        ("select median(place) from release", CannotAnswer, "place has no order"),
        ("select quantile(age, 2) from release", BadParameter, "0 to 1"),
        ("select quantile(age, 0.9, 3) from release", BadParameter, "quantile(age, 0.9)"),
        ("select count(*), 1, approx_quantile(age, 0.5, 3) from release", BadParameter, "one share"),
        ("select percentile_cont(0.1, 0.9) within group (order by age) from release", BadParameter, "one share"),
        ("select count(*) from release where place = north", BadParameter, "single quotes: 'north'"),
        ("select count(*) from release where place.side = 'a'", OutsideDomain, "'a' is not a group of place.side"),
        ("select count(*) from release where place.side < 'a'", BadParameter, "no order"),
        ("select count(*) from release where place.block = 'a'", CannotAnswer, "there is no level 'block'"),
        ("select count(*) from release where age.side = 'a'", CannotAnswer, "age has no hierarchy"),
        ("select count(*) from release where agee = 3", UnknownAttribute, "Did you mean 'age'?"),
        ("select count(*) from release where age = 30", OutsideDomain, "0 to 19"),
        ("select count(*) from release where age is null", BadParameter, "missing values"),
        ("select count(*) from release where age like '1%'", BadParameter, "is not a condition"),
        ("select count(*) from release where age in (select 1)", BadParameter, "is not a condition"),
        ("select count(*) from release where age = place", BadParameter, "single quotes"),
        ("select count(*) from release where 1 = 1", BadParameter, "does not compare an attribute"),
        ("select count(*) from release where pay < 0.7", CannotAnswer, "cuts a bin"),
        ("select bins(age, 99), count(*) from release group by 1", BadParameter, "20 declared bins"),
        ("select count(*) n from release group by n", BadParameter, "is an answer"),
        ("select place as age, count(*) from release group by age", BadParameter, "group by 1, or give"),
        ("select bins(age, 4) as AGE, count(*) from release group by age", BadParameter, "the name of an attribute"),
        ("select sum(zzz.count) from release", BadParameter, "cannot be answered"),
        ("select sum(a.release.count) from release", BadParameter, "cannot be answered"),
        ("select count(*) from release group by 5", BadParameter, "write 1 to 1"),
        ("select place, count(*) from release group by place order by age", BadParameter, "is not selected"),
        ("select share() over (partition by age) from release group by place", BadParameter, "partition by age"),
        ("select count(*) from release limit 1 + 1", BadParameter, "write limit 10"),
        ("select age, bins(age, 2), count(*) from release group by all", BadParameter, "once only"),
        ("select count(*) from release where " + "not " * 500 + "age = 1", BadParameter, ""),
        ("select count(*) from release where " + "(" * 300 + "age = 1" + ")" * 300, BadParameter, "brackets"),
        ("select count(*) from release where age = " + "9" * 500, BadParameter, "shorter"),
        ("select 'abc", BadParameter, "quotes"),
        ("select count(* from release", BadParameter, "line 1, position"),
        (None, BadParameter, "select count(*) from release"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_says_what_can(release: Release, sql: Any, kind: type[DiscreetError], words: str) -> None:
    with pytest.raises(kind) as caught:
        release.sql(sql)
    assert words.casefold() in str(caught.value).casefold()


def test_refusals_say_where(release: Release) -> None:
    """At the function, or at its attribute: older parsers keep fewer places, and the oldest none."""
    with pytest.raises(BadParameter) as caught:
        release.sql("select avg(age) from release")
    assert re.match(r"SQL(, line 1, position (8|12))?: `AVG", str(caught.value))


def test_the_level_is_checked(release: Release) -> None:
    with pytest.raises(BadParameter, match="level"):
        release.sql("select count(*) from release", level=95)


def test_any_statement_is_answered_or_refused(release: Release) -> None:
    """Made of the grammar's own words, sound and not, then some cut up or with letters put in."""
    dice = random.Random(7)
    answered = 0
    for _ in range(STATEMENTS):
        text = _statement(dice)
        with suppress(DiscreetError):
            release.sql(text).to_dicts()
            answered += 1
    assert answered > STATEMENTS / 20  # most of what is tried is spoilt on purpose


def test_random_conditions_count_what_predicates_count(release: Release) -> None:
    """Both have the same words for the simplest of them."""
    dice = random.Random(11)
    answered = 0
    for _ in range(300):
        where = _condition(dice)
        try:
            wanted = release.count(where)
        except DiscreetError as error:
            with pytest.raises(type(error)):
                release.sql(f"select count(*) from release where {where}")
            continue
        answered += 1
        found = release.sql(f"select count(*) from release where {where}").rows()
        assert found == [(wanted.value, wanted.low, wanted.high)], where
    assert answered > 100


def _condition(dice: random.Random, depth: int = 0) -> str:
    if depth < 4 and dice.random() < 0.5:
        parts = dice.choice([" and ", " or "]).join(_condition(dice, depth + 1) for _ in range(dice.randint(1, 3)))
        return f"{dice.choice(['', 'not '])}({parts})"
    age, other = dice.randint(-1, 21), dice.randint(0, 19)
    operator, label = (
        dice.choice(["=", "!=", "<>", "<", "<=", ">", ">="]),
        dice.choice(["a", "it''s", "north", "south"]),
    )
    return dice.choice(
        [
            f"age {operator} {age}",
            f"age {dice.choice(['', 'not '])}between {age} and {other}",
            f"age not in ({other}, 3)",
            f"place {dice.choice(['=', '!='])} '{label}'",
            f"place in ('{label}', 'c')",
            f'"Pay" {operator} {dice.choice(["0.5", "1", "2"])}',
        ]
    )


def _statement(dice: random.Random) -> str:
    def some(*choices: Any) -> str:
        choice: str | Callable[[], str] = dice.choice(choices)
        return choice if isinstance(choice, str) else choice()

    def several(make: Callable[[], str], most: int, joint: str = ", ") -> str:
        return joint.join(make() for _ in range(dice.randint(1, most)))

    def value() -> str:
        return some(
            "0", "5", "18", "-1", "+5", "0.5", "1e999", "'a'", "'north'", "'it''s'", "null", "date '2024-01-01'", "x"
        )

    def condition(depth: int = 0) -> str:
        column = some("age", "AGE", '"Pay"', "place", "place.side", "release.age", "nothing", "age.side", "1")
        simple = [
            f"{column} {some('=', '<>', '<', '<=', '>', '>=', '!=', 'like', 'is')} {value()}",
            f"{column} {some('', 'not')} between {value()} and {value()}",
            f"{column} {some('', 'not')} in ({several(value, 3)})",
            some("age >= 5", "place = 'a'", "pay < 1", "place.side = 'north'", "exists (select 1)", "true"),
        ]
        if depth > 3 or dice.random() < 0.6:
            return dice.choice(simple)
        joined = several(lambda: condition(depth + 1), 3, some(" and ", " or "))
        return f"{some('', 'not')} ({joined})"

    def place() -> str:
        wrong = some("age + 1", "bins(place, 2)", "bins(age, 'x')", "floor(age / 10)", "*", "nothing")
        return some("age", "place", "place.side", "pay", "bins(age, 4)", "bins(age, 5, 10)", "bins(age, 3)", wrong)

    def item() -> str:
        over = some("over ()", "over (partition by place)", f"over (partition by {place()} order by age)")
        wrong = some("avg(age)", "count(age)", "1", "count(*) + 1", "row_number() over ()", "case when 1 then 2 end")
        answer = some(
            "count(*)", "sum(count)", "sum(r.count)", "sum(z.count)", "share()",
            f"share() {over}", f"count(*) * 1.0 / sum(count(*)) {over}",
            "median(age)", f"quantile(age, {value()})", "percentile_cont(0.3) within group (order by pay)",
            f"count(*) filter (where {condition(2)})", wrong,
        )  # fmt: skip
        return answer + some("", "", " as n", " as place", ' "odd ""name"', " low")

    places = several(place, 2) if dice.random() < 0.6 else ""
    text = f"select {places + ', ' if places else ''}{several(item, 3)} from {some('release', 'release', 'release r')}"
    if dice.random() < 0.5:
        text += f" where {condition()}"
    if places:
        text += f" group by {places if dice.random() < 0.8 else some('all', '1', '1, 2', 'n', 'rollup (age)')}"
    if dice.random() < 0.3:
        text += f" order by {several(lambda: some('1', '2', 'n', 'count(*)', 'age', '9') + some('', ' desc'), 2)}"
    if dice.random() < 0.2:
        text += some(
            " limit 3", " limit 0", " limit 2 offset 1", " limit -1", " limit all", " having 1", " union select 1"
        )
    spoil = dice.random()
    if spoil < 0.05:
        text = text[: dice.randrange(len(text))]
    elif spoil < 0.15:
        at = dice.randrange(len(text))
        text = (
            text[:at]
            + some("(", ")", "'", '"', ";", "--", "/*", "\x00", "é", "::", "$1", "?", "[", "{{", "\n")
            + text[at:]
        )
    elif spoil < 0.2:
        words = re.split(r"(\s+)", text)
        dice.shuffle(words)
        text = "".join(words)
    return text


@pytest.mark.parametrize("text", ["select count(*) from release limit 50%", "select count(*) from release r(sex, age)"])
def test_what_would_mean_something_else_is_refused(text: str) -> None:
    data = discreet.from_counts(discreet.Schema(sex=discreet.Nominal(["f", "m"])), [[0], [1]], [5, 7])
    said = r"is not a number of rows|is not about the release|cannot be read near `50`"  # the last by older parsers
    with pytest.raises(BadParameter, match=said):
        data.publish(discreet.Table("sex", method="geometric"), 1).sql(text)
