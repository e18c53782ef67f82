"""Several releases of the same data as one: what they say together, and what cannot be put together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.queries import Estimate
from discreet.release import Release

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 7, outside="clamp", null="other"),
    sex=discreet.Nominal(["f", "m"], outside="other", null="other"),
    town=discreet.Nominal(["a", "b", "c"], outside="other", null="other"),
)
CODES = np.array(list(np.ndindex(SCHEMA.sizes)))
COUNTS = np.random.default_rng(11).integers(0, 30, len(CODES))


def opened(schema: discreet.Schema = SCHEMA, dataset: str = "people", **other: Any) -> Any:
    return discreet.from_counts(schema, CODES, COUNTS, dataset=dataset, **other)


@pytest.fixture(scope="module")
def releases() -> list[Release]:
    source = opened()
    return [
        source.publish(discreet.Table(["age", "sex"], method="geometric"), 1, name="cells"),
        source.publish(discreet.Marginals(["age", "sex", "town"], ways=2, method="equal"), 4, name="pairs"),
        source.publish(discreet.Ranges(["sex", "town"], method="adaptive"), "0.5", name="blocks"),
    ]


def test_measurements_are_averaged_by_their_variances(releases: list[Release]) -> None:
    cells, pairs, _ = releases
    both = discreet.combine([cells, pairs])
    a, b, found = (one.count("age < 3") for one in (cells, pairs, both))
    weight = b.stderr**2 / (a.stderr**2 + b.stderr**2)
    assert found.value == pytest.approx(weight * a.value + (1 - weight) * b.value)
    assert found.stderr == pytest.approx(1 / (a.stderr**-2 + b.stderr**-2) ** 0.5)
    assert found.high - found.low < min(a.high - a.low, b.high - b.low)
    assert "from cells (" in found.note
    said = both.opinions("age < 3")
    assert said["release"] == ["cells", "pairs"]
    assert said["weight"] == pytest.approx([weight, 1 - weight])
    assert said["low"] == [a.low, b.low]


def test_only_those_are_asked_who_can_answer(releases: list[Release]) -> None:
    together = discreet.combine(releases)
    for where, names in (
        ("town = 'a'", ["pairs", "blocks"]),
        ("age < 3 and sex = 'f'", ["cells", "pairs"]),
        ("age < 3 and town = 'a'", ["pairs"]),
    ):
        assert together.opinions(where)["release"] == names
    alone, found = releases[1].count("age < 3 and town = 'a'"), together.count("age < 3 and town = 'a'")
    assert (found.value, found.low, found.high) == (alone.value, alone.low, alone.high)
    with pytest.raises(CannotAnswer, match="none of these releases has age, town together"):
        discreet.combine([releases[0], releases[2]]).count("age < 3 and town = 'a'")
    # three attributes were measured by none: an estimate of one of them, with bounds
    assert together.count("age < 3 and town = 'a' and sex = 'f'").ends == "bounds"


def test_it_is_asked_as_one_release_is(releases: list[Release]) -> None:
    together = discreet.combine(releases)
    table = together.table("sex", shares=True)
    assert len(table) == 3
    assert together.ask(opened_frame()).rows()[0][2:] == pytest.approx(
        tuple(getattr(together.count("age <= 2 and sex = 'f'"), name) for name in ("value", "stderr", "low", "high"))
    )
    share = together.share("sex = 'f'", of="town = 'a'")
    assert 0 < share.low < share.value < share.high < 1
    assert 0 < together.mean("age").low < together.mean("age").high < 7
    assert together.quantile("age", 0.5).low in range(8)
    assert together.compare(None, "sex = 'f'").larger == "a"
    assert (together.count() - together.count()).value == 0
    assert together.count() - together.count("sex = 'f'") == together.count({"sex": ["m", "other"]})
    assert "3 releases together: cells, pairs, blocks" in repr(together)
    said, each = together.describe(), [release.describe() for release in releases]
    assert said["protects"].endswith("epsilon 5.5")
    assert said["method"] == "geometric + equal + adaptive (combined)"
    assert all(one["noise"] in said["noise"] for one in each)
    nested = discreet.combine([discreet.combine(releases[:2]), releases[2]])
    assert [voice.name for voice in nested.summary.voices] == ["cells", "pairs", "blocks"]


def opened_frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"age": ["0..2"], "sex": ["f"]})


def test_a_release_and_what_it_is_part_of_share_noise(releases: list[Release]) -> None:
    together = discreet.combine(releases)
    for one, other in ((together, releases[0]), (discreet.combine(releases[:2]), together)):
        with pytest.raises(BadParameter, match="part of the other"):
            one.count() - other.count()
        with pytest.raises(BadParameter, match="part of the other"):
            one.compare(one.count(), other.count(), across=True)


def test_it_has_no_files(releases: list[Release], tmp_path: Path) -> None:
    together = discreet.combine(releases)
    with pytest.raises(BadParameter, match="save each of them"):
        together.save(tmp_path / "both")
    with pytest.raises(CannotAnswer, match="no table of their own"):
        together.to_arrow()


def test_what_cannot_be_put_together(releases: list[Release]) -> None:
    cells = releases[0]
    task = discreet.Table(["age", "sex"], method="geometric")
    other_values = discreet.Schema({**SCHEMA, "sex": discreet.Nominal(["f", "x"], outside="other", null="other")})
    source = opened()
    one = source.publish(task, 1, name="one")
    users = opened(unit=discreet.Unit("who", max_rows=3))
    for given, why in (
        ([cells], "two or more"),
        ("cells", "two or more"),
        ([cells, "pairs"], "two or more"),
        ([cells, cells], "twice"),
        ([cells, opened(dataset="town").publish(task, 1, name="x")], "data set 'people', the other about 'town'"),
        ([cells, one], "different ledgers"),
        ([users.publish(task, epsilon, name=str(epsilon)) for epsilon in (1, 2)], "may count different records"),
        ([one, source.publish(discreet.Items("age"), 1, name="items")], "releases of `Items`"),
    ):
        with pytest.raises(BadParameter, match=why):
            discreet.combine(given)  # type: ignore[arg-type]
    elsewhere = opened(other_values).publish(task, 1, name="x")
    elsewhere.manifest["ledger"] = {**cells.manifest["ledger"], "head": "another"}
    with pytest.raises(BadParameter, match="sex is not declared alike"):
        discreet.combine([cells, elsewhere])
    unit = opened(unit=discreet.Unit("who", max_rows=1)).publish(task, 1, name="x")
    unit.manifest["ledger"] = {**cells.manifest["ledger"], "head": "another"}
    with pytest.raises(BadParameter, match="different units"):
        discreet.combine([cells, unit])


def test_rules_that_drop_rows_count_different_records() -> None:
    schema = discreet.Schema(age=discreet.Ordinal(0, 7), sex=discreet.Nominal(["f", "m"]))
    codes = np.array(list(np.ndindex(schema.sizes)))
    source = discreet.from_counts(schema, codes, np.full(len(codes), 9))
    one = source.publish(discreet.Table(["age", "sex"], method="geometric"), 1, name="one")
    other = source.publish(discreet.Table(["sex"], method="geometric"), 1, name="other")
    with pytest.raises(BadParameter, match=r"no value of age, sex are not counted.*same_records=True"):
        discreet.combine([one, other])
    assert discreet.combine([one, other], same_records=True).opinions("sex = 'f'")["release"] == ["one", "other"]
    turned = source.publish(discreet.Table(["sex", "age"], method="geometric"), 1, name="turned")
    assert discreet.combine([one, turned]).count("age < 3").stderr < one.count("age < 3").stderr


def test_releases_of_one_name_are_told_apart(releases: list[Release]) -> None:
    source = opened()
    task = discreet.Table(["age", "sex"], method="geometric")
    one, two = source.publish(task, 1, name="one"), source.publish(task, 2, name="two")
    two.manifest["id"] = "one"
    assert discreet.combine([one, two]).opinions()["release"] == ["one #1", "one #2"]


def test_what_one_release_knows_all_of_them_say() -> None:
    women = int(COUNTS[CODES[:, 1] == 0].sum())
    known, source = [{"where": "sex = 'f'", "count": women}], opened()
    knows = source.publish(discreet.Table(["age", "sex"], method="geometric", known=known), 1, name="knows")
    measured = source.publish(discreet.Table(["age", "sex"], method="geometric"), 1, name="measured")
    both = discreet.combine([measured, knows])
    found = both.count("sex = 'f'")
    assert (found.value, found.stderr, found.low, found.high, found.ends) == (women, 0, women, women, "known")
    assert both.table("sex", whole=True)["count"][0] == women


def test_rows_that_were_chosen_at_random_are_not_set_against_each_other() -> None:
    frame = {"who": [1, 1, 1, 2, 2, 2], "sex": ["f", "m", "f", "m", "f", "m"]}
    schema, unit = discreet.Schema(sex=discreet.Nominal(["f", "m"])), discreet.Unit("who", max_rows=1)
    data = discreet.open(pa.table(frame), schema, unit=unit)
    one, other = (data.publish(discreet.Table("sex"), 1, name=name) for name in ("one", "other"))
    with pytest.raises(BadParameter, match="chosen at random"):
        one.count() - other.count()
    assert one.difference(one.count(), other.count(), across=True).stderr > 0
    assert (one.count() - one.count()).value == 0


def test_blocks_and_known_laws_are_sharper_together_than_alone() -> None:
    """Also of sums, ratios and means, where the one knows the law of its noise and the other what sums lie between."""
    schema = discreet.Schema(age=discreet.Ordinal(0, 39), sex=discreet.Nominal(["f", "m"]))
    codes = np.array(list(np.ndindex(schema.sizes)))
    source = discreet.from_counts(schema, codes, 300 - 7 * codes[:, 0] % 40, dataset="people")
    alone = [
        source.publish(discreet.Ranges(["age", "sex"], method=method), 1, name=method)
        for method in ("adaptive", "dyadic")
    ]
    both = discreet.combine(alone)
    asks: list[Callable[[Release], Estimate]] = [
        lambda release: release.difference("age < 9", "age > 30"),
        lambda release: release.share("sex = 'f'", of="age >= 20"),
        lambda release: release.ratio("age < 20", "age >= 20"),
        lambda release: release.mean("age", "sex = 'f'"),
        lambda release: release.variance("age"),
        lambda release: release.sum("age"),
        lambda release: release.compare("age = 3", "age = 30").difference,
    ]
    for ask in asks:
        found, others = ask(both), [ask(one) for one in alone]
        assert found.stderr < min(one.stderr for one in others)
        assert found.high - found.low < 1.15 * min(one.high - one.low for one in others)
