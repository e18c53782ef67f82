"""What no table of a release holds: an estimate between bounds, in every way of asking, also after loading."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.cli.asking import QueryWords, Wanted, run
from discreet.errors import BadParameter, CannotAnswer
from discreet.noise import ZeroNoise
from discreet.queries import bind
from discreet.release import Release, load
from discreet.summaries import joint_answers

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 5),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}),
    pay=discreet.Ordinal(0, 3),
)
CODES = np.array(list(itertools.product(*map(range, SCHEMA.sizes))))
KINDS = {
    "nobody": np.zeros(len(CODES), np.int64),
    "one cell": np.where(np.arange(len(CODES)) == 77, 90_000, 0),
    "skewed": (2000 / (1 + (np.arange(len(CODES)) * 11) % len(CODES))).astype(np.int64),
    "linked": np.where(CODES[:, 0] // 2 == CODES[:, 3], 40, 1),
}
METHODS = ("equal", "two-phase", "iresamp", "ireduct")
#: so near to one that a miss is a fault
SURE = 1 - 1e-12
WHERES: list[Any] = [
    {"age": (1, 3), "sex": "f", "place": "north"},
    {"age": 2, "sex": "m", "place": "a", "pay": (0, 1)},
    "age < 2 or sex = 'f' or place = 'c'",
    "(age = 1 or age = 4) and place != 'b' and pay > 0",
    "age = 1 and sex = 'f' or place = 'c' and pay = 3",
    "not (age > 1 and sex = 'f' and pay = 2)",
]


def published(kind: str = "linked", sets: Any = None, **parameters: Any) -> Release:
    wanted = {"sets": sets} if sets else {"ways": 2}
    account = discreet.from_counts(SCHEMA, CODES, KINDS[kind])
    return account.publish(discreet.Marginals(**{"method": "equal", **wanted, **parameters}), 1)


def truth(where: Any, kind: str = "linked") -> Any:
    boxes = bind(where, SCHEMA).boxes(SCHEMA.sizes)
    pairs = zip(boxes.first, boxes.last, strict=True)
    return sum(KINDS[kind][np.all((first <= CODES) & (last >= CODES), axis=1)].sum() for first, last in pairs)


@pytest.mark.parametrize("consistency", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_lies_in_the_bounds(kind: str, method: str, consistency: bool) -> None:
    release = published(kind, method=method, consistency=consistency)
    for where in WHERES:
        answer = release.count(where, level=SURE)
        assert answer.ends == "bounds"
        assert answer.low <= truth(where, kind) <= answer.high, where
        assert 0 <= answer.low <= answer.value <= answer.high


@pytest.mark.parametrize("sets", [[["age", "sex"], ["sex", "pay"], ["place"]], [["age", "sex", "place"], ["pay"]]])
def test_any_tables(sets: Any) -> None:
    release = published(sets=sets)
    for where in WHERES:
        answer = release.count(where, level=SURE)
        assert answer.low <= truth(where) <= answer.high, where


def test_an_estimate_says_what_it_is() -> None:
    answer = published().count(WHERES[0])
    assert math.isnan(answer.stderr)
    assert answer.measured is None
    assert "bounds at 95 %" in str(answer)
    assert "±" not in str(answer)
    assert "not an interval" in answer.note
    said = answer.to_dict()
    assert (said["ends"], said["stderr"], said["details"]) == ("bounds", None, {})
    json.dumps(said, allow_nan=False)


def test_what_a_table_holds_is_answered_as_before() -> None:
    release = published()
    alone = release.count({"age": 1, "sex": "f"})
    assert (alone.ends, alone.measured is None) == ("interval", False)
    both = release.ask(_frame([{"age": "1", "sex": "f", "place": ""}, {"age": "1", "sex": "f", "place": "a"}]))
    assert list(both["ends"]) == ["interval", "bounds"]
    assert (both["count"][0], both["low"][0], both["high"][0]) == (alone.value, alone.low, alone.high)
    assert both["stderr"][0] == alone.stderr
    assert "ends" not in release.table(["age", "sex"]).columns


def _frame(rows: list[dict[str, str]]) -> Any:
    import pandas as pd

    return pd.DataFrame(rows)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_after_loading_are_the_same(method: str, tmp_path: Path) -> None:
    release = published(method=method)
    again = load(release.save(tmp_path / "saved"))
    for where in WHERES:
        assert again.count(where) == release.count(where)


def test_tables_of_three_attributes() -> None:
    release = published("skewed")
    table = release.table(["age", "sex", "place"], level=SURE)
    true = KINDS["skewed"].reshape(SCHEMA.sizes).sum(axis=3).reshape(-1)
    assert np.all((table["low"] <= true) & (true <= table["high"]))
    assert set(table["ends"]) == {"bounds"}
    assert "not an interval" in table.notes[0]
    assert "none" in repr(table)
    assert table.to_dicts()[0]["stderr"] is None
    assert ",bounds\r\n" in table.to_csv()
    assert table.to_pandas()["ends"].eq("bounds").all()
    assert table.to_arrow()["ends"].to_pylist() == ["bounds"] * len(table)
    for columns in (["age", "sex"], ["place", "sex"]):  # estimates add up to tables that agree
        sums = table.to_pandas().groupby(columns, sort=False)["count"].sum()
        assert sums.sum() == pytest.approx(sum(table["count"]))


def test_whole_numbers_add_up() -> None:
    release = published("skewed")
    table = release.table(["age", "sex", "place"], {"pay": (1, 2)}, whole=True)
    assert sum(table["count"]) == release.count({"pay": (1, 2)}, whole=True).value
    assert min(table["count"]) >= 0
    assert isinstance(release.count(WHERES[0], whole=True).value, int)


def test_prefixes_and_quantiles() -> None:
    release = published("skewed")
    within = {"sex": "f", "place": "north"}
    prefix = release.prefix("age", within, level=SURE)
    assert np.all(np.diff(prefix["count"][:-1]) >= -1e-6)
    true = [truth({**within, "age": (0, age)}, "skewed") for age in range(6)]
    assert all(low <= count <= high for low, count, high in zip(prefix["low"], true, prefix["high"], strict=True))
    median = release.quantile("age", 0.5, within, level=SURE)
    assert "bounds" in str(median)
    assert "bounds" in median.to_dict()["note"]
    at = next(age for age, count in enumerate(true) if 2 * count >= true[-1])
    assert median.low <= at <= median.high
    assert release.quantile("age", 0.5, {"sex": "f"}).note == ""


def test_nothing_was_measured() -> None:
    release = published()
    with pytest.raises(CannotAnswer, match="no measured table holds"):
        release.count(WHERES[0], measured=True)
    with pytest.raises(CannotAnswer, match="leave out `measured`"):
        release.table(["age", "sex", "place"], measured=True)


def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    release = published()
    monkeypatch.setattr(joint_answers, "MOST_QUESTIONS", 35)
    with pytest.raises(CannotAnswer, match=r"holds age, sex, place together, .* not 36; ask about fewer attributes"):
        release.table(["age", "sex", "place"])
    assert len(release.table(["age", "sex"])) == 12


def test_without_noise_pairs_that_follow_from_two_tables_are_exact() -> None:
    """Attributes that are independent given the one that both tables have."""
    counts = np.array([5, 3])[CODES[:, 1]] * (1 + CODES[:, 0]) * (1 + CODES[:, 3])
    account = discreet.from_counts(SCHEMA, CODES, counts)
    asked = discreet.Marginals(sets=[["age", "sex"], ["sex", "pay"], ["place"]], method="equal")
    release = account.publish(asked, 1, noise=ZeroNoise())
    table = release.table(["age", "pay"])
    assert table["count"] == pytest.approx(counts.reshape(SCHEMA.sizes).sum(axis=(1, 2)).reshape(-1), rel=1e-5)


def test_the_command_line_says_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = published().save(tmp_path / "saved")
    wanted = Wanted(0.95)
    run(folder, QueryWords("age = 1 and sex = 'f' and place = 'a'"), wanted, None, False)
    assert "bounds at 95 %" in capsys.readouterr().out
    run(folder, QueryWords(by="age,sex,place"), wanted, None, False)
    said = capsys.readouterr().out
    assert "not an interval" in " ".join(said.split())
    assert "nan" not in said
    run(folder, QueryWords(by="age,sex,place"), wanted, None, True)
    assert json.loads(capsys.readouterr().out)[0]["ends"] == "bounds"
    run(folder, QueryWords(by="age,sex,place"), wanted, tmp_path / "table.csv", False)
    assert (tmp_path / "table.csv").read_text(encoding="utf-8").startswith("age,sex,place,count,stderr,low,high,ends")


def test_an_attribute_cannot_be_called_like_the_column() -> None:
    schema = discreet.Schema(ends=discreet.Ordinal(0, 1), b=discreet.Ordinal(0, 1))
    account = discreet.from_counts(schema, np.zeros((1, 2), np.int64), np.ones(1, np.int64))
    with pytest.raises(BadParameter, match="'ends' is the name of a column"):
        account.publish(discreet.Marginals(ways=1, method="equal"), 1)
