"""The top of the list, and how sure it is: against the noise that releases really have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import discreet
from discreet.cli.typer_app import typer_app as app
from discreet.errors import BadParameter, CannotAnswer
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.numbers.laws import DiscreteLaplace
from discreet.privacy import exact
from discreet.queries import bind, picked
from discreet.release import Release
from discreet.release.ranking import item_questions
from discreet.summaries import simulation
from tests.statistics import at_least

SCHEMA = discreet.Schema(item=discreet.Nominal([f"i{k}" for k in range(8)]), day=discreet.Ordinal(0, 2))


def visits() -> Any:
    """Item k has 40 * (8 - k) records, a user has four, all on days that go round."""
    items = np.repeat(np.arange(8), 40 * np.arange(8, 0, -1))
    frame = pd.DataFrame({"item": [f"i{k}" for k in items], "day": np.arange(items.size) % 3})
    frame["who"] = np.random.default_rng(1).permutation(items.size) // 4
    return discreet.open(frame, SCHEMA, unit=discreet.Unit("who", max_rows=4))


def release(method: str, context: Any = ("day",), epsilon: Any = 1, seed: int | None = 3, **more: Any) -> Release:
    noise = ZeroNoise() if seed is None else Noise(SeededSource(seed))
    made: Release = visits().publish(
        discreet.Items("item", context=context, method=method, **more), epsilon, noise=noise
    )
    return made


def test_without_noise_the_top_is_the_true_one() -> None:
    top = release("lpa", seed=None).top(3)
    assert top["item"] == ["i0", "i1", "i2"]
    assert top["count"] == pytest.approx([320, 280, 240])
    assert top["rank"] == [1, 2, 3]
    within = release("lpa", seed=None).top(2, "item in ('i5', 'i6', 'i7') and day = 1")
    assert within["item"] == ["i5", "i6"]
    assert within["count"] == pytest.approx([40, 27], abs=1)


@pytest.mark.parametrize("method", ["lpa", "even-shares"])
def test_intervals_of_a_list_hold_though_noise_chose_it(method: str) -> None:
    """All items are alike, so the largest are those of the luckiest noise: 10 of 400, in 60 lists."""
    schema = discreet.Schema(item=discreet.Ordinal(0, 399))
    frame = pd.DataFrame({"item": np.arange(4000) % 400, "who": np.arange(4000) // 4})
    source = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=8))
    lists = [source.publish(discreet.Items("item", method=method), "0.5") for _ in range(60)]
    held = 0.0
    for one in lists:
        top = one.top(10, level=0.8)
        held += float(np.mean((np.array(top["low"]) <= 10) & (np.array(top["high"]) >= 10)))
    assert at_least(held, len(lists), 0.8)
    if method == "lpa":  # without a second look, intervals for items named beforehand would miss
        alone = [found.table("item", level=0.8).to_pandas().nlargest(10, "count") for found in lists]
        assert not at_least(sum(float((one.low <= 10).mean()) for one in alone), len(lists), 0.8)


@pytest.mark.parametrize("more", [{}, {"context": ["day"]}, {"top": 4}], ids=["items", "contexts", "top"])
def test_a_list_of_all_that_is_asked_for_has_no_luck_to_allow_for(more: dict[str, Any]) -> None:
    """Each is among the largest for sure, with the interval of a question about it alone."""
    rows = [(who, item, who % 3) for who in range(300) for item in range(400 if who % 9 == 0 else 6)]
    frame = pd.DataFrame(rows, columns=["who", "item", "day"])
    schema = discreet.Schema(item=discreet.Ordinal(0, 399), day=discreet.Ordinal(0, 2))
    source = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=400))
    made = source.publish(discreet.Items("item", **more), 1)
    every = made.top(3)
    asked = " or ".join(f"item = {item}" for item in every["item"])
    listed = made.top(3, asked)
    for place, item in enumerate(listed["item"]):
        alone = made.count({"item": item})
        assert (listed["low"][place], listed["high"][place]) == (alone.low, alone.high)
    if made.manifest["summary"]["shape"] != "selected-counts":
        assert listed["certainty"] == [1, 1, 1]


def test_what_is_kept_has_the_noise_that_made_the_list_though_counts_were_measured_again() -> None:
    schema = discreet.Schema(item=discreet.Ordinal(0, 399))
    frame = pd.DataFrame({"item": np.arange(4000) % 400, "who": np.arange(4000) // 4})
    source = discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=8))
    made = source.publish(discreet.Items("item"), 1, noise=Noise(SeededSource(3)))
    top = made.top(10)
    heads = made.manifest["summary"]["head"]["items"]
    assert set(heads) & set(top["item"])
    for item, low, high in zip(top["item"], top["kept_low"], top["kept_high"], strict=True):
        kept = made.count({"item": item}, level=1 - 0.05 * 10 / 400).besides
        assert kept is not None
        assert (kept.low, kept.high) == pytest.approx((low, high))
    said = made.describe()["beyond the bound"]
    share = made.manifest["summary"]["share of records beyond the bound"]
    assert said.startswith(f"{100 * share['low']:.0f} to {100 * share['high']:.0f} % of all records")


def test_a_list_for_each_context() -> None:
    top = release("lpa", seed=None).top(2, per="day")
    assert top["day"] == [0, 0, 1, 1, 2, 2]
    assert top["item"] == ["i0", "i1"] * 3
    with pytest.raises(BadParameter, match="not item itself"):
        release("lpa").top(2, per="item")


@pytest.mark.parametrize("method", ["lpa", "gs-r", "fpa"])
@pytest.mark.parametrize("where", [None, "day = 1", "day <= 1"])
def test_simulated_noise_has_the_stated_spread(method: str, where: Any) -> None:
    """Of every kind of release, for items and for items in contexts."""
    more = {"coefficients": 3} if method == "fpa" else {"group": 2} if method == "gs-r" else {}
    found = release(method, **more)
    questions, _ = item_questions(bind(where, found.schema, ()).boxes(found.schema.sizes), {})
    drawn = found.summary.noise_draws(questions, 4000, simulation.generator())  # type: ignore[attr-defined]
    stated = found.summary.answer(questions, 0.9).stderr
    assert drawn.std(axis=0) == pytest.approx(stated, rel=0.12)


def test_sums_of_simulated_draws() -> None:
    scale = exact("2.5", "scale")
    drawn = simulation.laplace_sums(scale, np.array([0, 1, 5]), 20_000, simulation.generator())
    variance = DiscreteLaplace.of(scale).variance
    assert np.all(drawn[:, 0] == 0)
    assert drawn.var(axis=0)[1:] == pytest.approx([variance, 5 * variance], rel=0.08)
    assert np.array_equal(drawn, np.rint(drawn))


def test_a_list_says_what_its_certainty_does_not_know() -> None:
    assert "noise alone" in release("sra", context=(), bound=2).top(3).notes[-1]
    assert not any("noise alone" in note for note in release("even-shares", context=()).top(3).notes)


def test_certainty_follows_the_noise() -> None:
    sure, unsure = release("lpa", epsilon=50).top(3), release("lpa", epsilon="0.01").top(3)
    assert sure["certainty"] == [1.0, 1.0, 1.0]
    assert sum(unsure["certainty"]) < 2.7
    assert release("lpa").top(8)["certainty"] == [1.0] * 8  # all of them
    again = release("lpa")
    assert again.top(3)["certainty"] == again.top(3)["certainty"]


def test_certainties_are_about_right() -> None:
    """Of the items that are listed, as many belong to the true top as their certainties say together, or so."""
    true, said, right = {"i0", "i1", "i2"}, 0.0, 0
    for seed in range(60):
        top = release("lpa", context=(), epsilon="0.15", seed=seed).top(3)
        said += sum(top["certainty"])
        right += len(true & set(top["item"]))
    assert 0.75 < said / right < 1.25
    assert 60 < right < 175  # neither hopeless nor certain


@pytest.mark.parametrize("method", ["lpa", "even-shares", "hpa"])
def test_a_list_of_some_contexts_has_what_they_leave(method: str) -> None:
    found = release(method)
    apart = found.top(3, "day in (0, 2)")
    assert [found.count({"item": [item], "day": [0, 2]}).value for item in apart["item"]] == apart["count"]
    each = found.top(2, "day in (0, 2)", per="day")
    assert [(day, rank) for day, rank in zip(each["day"], each["rank"], strict=True)] == [
        (0, 1),
        (0, 2),
        (2, 1),
        (2, 2),
    ]
    odd = found.top(3, "item = 'i1' and day = 0 or item in ('i0', 'i2') and day = 1", per="day")
    assert sorted(zip(odd["day"], odd["item"], strict=True)) == [(0, "i1"), (1, "i0"), (1, "i2")]
    assert len(found.top(3, "day = 0 and day = 1", per="day")) == 0


def test_picked_questions() -> None:
    found = release("lpa")
    questions, _ = item_questions(bind("day = 0 or day = 2", found.schema, ()).boxes(found.schema.sizes), {})
    which = np.array([5, 0, 5])
    some, whole = found.summary.answer(picked(questions, which), 0.9), found.summary.answer(questions, 0.9)
    assert np.array_equal(some.value, whole.value[which])


def test_pairs_are_ranked_by_the_other_item() -> None:
    top = release("lpa", context="item", seed=None, count="users").top(3, {"also_item": "i0"})
    frame_top = release("lpa", context="item", seed=None, count="users").table("item", {"also_item": "i0"})
    assert top["count"][0] == max(frame_top["count"])
    assert "i0" not in top["item"]


def test_what_top_refuses() -> None:
    plain = discreet.open(pd.DataFrame({"day": [0, 1]}), discreet.Schema(day=discreet.Ordinal(0, 2)))
    with pytest.raises(CannotAnswer, match="Items"):
        plain.publish(discreet.Table("day"), 1).top(1)
    for k in (0, True, "3"):
        with pytest.raises(BadParameter, match="k must be"):
            release("lpa").top(k)  # type: ignore[arg-type]


def test_the_command(tmp_path: Path) -> None:
    folder = release("hpa").save(tmp_path / "out")
    found = CliRunner().invoke(app, ["top", str(folder), "-k", "2", "--where", "day = 1", "--json"])
    assert [row["rank"] for row in json.loads(found.stdout)] == [1, 2]
    shown = CliRunner().invoke(app, ["top", str(folder), "-k", "2", "--per", "day"])
    assert "certainty" in shown.stdout
    written = CliRunner().invoke(app, ["top", str(folder), "-o", str(tmp_path / "top.csv")])
    assert "8 rows" in written.stdout
    assert (tmp_path / "top.csv").read_text().startswith("rank,item,count")
