"""Naive Bayes from released marginals: scikit-learn's on exact counts, one of its estimators, and without it."""

from __future__ import annotations

import importlib
import itertools
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import CategoricalNB

import discreet
from discreet.errors import BadParameter, CannotAnswer, DiscreetError
from discreet.noise import ZeroNoise
from discreet.release import Release
from experiments.ireduct.trials.naive_bayes import NaiveBayes

SCHEMA = discreet.Schema(
    kind=discreet.Nominal(["a", "b", "c"]), age=discreet.Ordinal(0, 9), town=discreet.Nominal(["u", "v", "w"])
)
PAIRS = [["kind"], ["kind", "age"], ["kind", "town"]]


def people(rows: int, seed: int = 1) -> pd.DataFrame:
    dice = np.random.default_rng(seed)
    kind = dice.choice(3, rows, p=[0.5, 0.3, 0.2])
    age = np.clip(kind * 3 + dice.integers(0, 5, rows), 0, 9)
    town = np.where(dice.random(rows) < 0.7, kind, dice.integers(0, 3, rows))
    return pd.DataFrame({"kind": np.array(list("abc"))[kind], "age": age, "town": np.array(list("uvw"))[town]})


PEOPLE = people(3000)


def release(sets: Any = PAIRS, *, exact: bool = False, epsilon: str = "1", **parameters: Any) -> Release:
    task = discreet.Marginals(sets, method="equal", **parameters)
    return discreet.open(PEOPLE, SCHEMA).publish(task, epsilon, noise=ZeroNoise() if exact else None)


@pytest.mark.parametrize("smoothing", [1.0, 0.25, 10.0])
def test_without_noise_it_is_the_classifier_of_scikit_learn(smoothing: float) -> None:
    """Counts from tables of two attributes agree with each other, so the prior follows from them as well."""
    model = NaiveBayes(release(exact=True), "kind", smoothing=smoothing).fit()
    codes = np.stack([PEOPLE["age"], PEOPLE["town"].map({"u": 0, "v": 1, "w": 2})], axis=1)
    prior = np.exp(model.prior_)  # ours is smoothed, theirs is not
    theirs = CategoricalNB(alpha=smoothing, min_categories=[10, 3], class_prior=prior).fit(codes, PEOPLE["kind"])
    assert model.classes_.tolist() == theirs.classes_.tolist()
    assert model.predict_proba(PEOPLE) == pytest.approx(theirs.predict_proba(codes), rel=1e-9)
    assert model.predict(PEOPLE).tolist() == theirs.predict(codes).tolist()
    counts = PEOPLE["kind"].value_counts().sort_index().to_numpy() + smoothing
    assert prior == pytest.approx(counts / counts.sum())


def test_a_release_predicts_well_and_pure_noise_does_not() -> None:
    fresh = people(2000, seed=2)
    good = NaiveBayes(release(), "kind").fit()
    assert good.score(fresh[["age", "town"]], fresh["kind"]) > 0.8
    bad = NaiveBayes(release(epsilon="0.0001"), "kind").fit()
    assert bad.predict_proba(fresh).sum(axis=1) == pytest.approx(1)


def test_it_is_an_estimator_of_scikit_learn() -> None:
    made = release()
    model = NaiveBayes(made, "kind", smoothing=2.0)
    assert model.get_params()["smoothing"] == 2.0
    assert clone(model).smoothing == 2.0
    scores = cross_val_score(model, PEOPLE[["age", "town"]], PEOPLE["kind"], cv=3)
    assert scores.shape == (3,)
    assert scores.min() > 0.8
    assert "NaiveBayes" in repr(model)


def test_fit_looks_at_no_data() -> None:
    made = release()
    odd = NaiveBayes(made, "kind").fit(PEOPLE.head(1), ["c"])
    plain = NaiveBayes(made, "kind")
    assert odd.predict_proba(PEOPLE) == pytest.approx(plain.predict_proba(PEOPLE))  # not fitted yet: it fits itself


def test_every_form_of_input() -> None:
    model = NaiveBayes(release(), "kind").fit()
    expected = model.predict_proba(PEOPLE)
    columns = {name: PEOPLE[name].tolist() for name in ("age", "town")}
    assert model.predict_proba(columns) == pytest.approx(expected)
    assert model.feature_names_in_.tolist() == ["age", "town"]
    array = PEOPLE[["age", "town"]].to_numpy(dtype=object)
    assert model.predict_proba(array) == pytest.approx(expected)
    with pytest.raises(BadParameter, match="no column town"):
        model.predict(PEOPLE[["age"]])
    with pytest.raises(BadParameter, match="2 columns: age, town"):
        model.predict(array[:, :1])


def test_values_outside_the_domain_say_nothing() -> None:
    model = NaiveBayes(release(), "kind").fit()
    known, none = model.predict_proba({"age": [4], "town": ["u"]}), model.predict_proba({"age": [99], "town": ["x"]})
    assert none[0] == pytest.approx(np.exp(model.prior_))
    partly = model.predict_proba({"age": [99], "town": ["u"]})
    alone = NaiveBayes(model.release, "kind", features=["town"]).fit().predict_proba({"town": ["u"]})
    assert partly == pytest.approx(alone)
    assert known != pytest.approx(alone)
    missing = model.predict_proba(pd.DataFrame({"age": [np.nan, 4.0], "town": [None, "u"]}))
    assert missing[0] == pytest.approx(np.exp(model.prior_))
    assert missing[1] == pytest.approx(known[0])


def test_negative_counts_count_as_zero() -> None:
    """With so much noise that many counts are negative, every likelihood is still a probability above zero."""
    model = NaiveBayes(release(epsilon="0.001"), "kind", smoothing=0.5).fit()
    tables = [model.release.table(["kind", name], measured=True)["count"] for name in ("age", "town")]
    assert min(np.min(table) for table in tables) < 0
    for likelihood in model.likelihoods_.values():
        assert np.exp(likelihood).sum(axis=1) == pytest.approx(1)
        assert np.isfinite(likelihood).all()


def test_features_are_those_the_release_holds_with_the_target() -> None:
    made = release([["kind", "age"], ["age", "town"]])
    assert NaiveBayes(made, "kind").fit().feature_names_in_.tolist() == ["age"]
    assert NaiveBayes(made, "age").fit().feature_names_in_.tolist() == ["kind", "town"]
    with pytest.raises(CannotAnswer, match="holds kind together with town"):
        NaiveBayes(made, "kind", features=["town"]).fit()
    with pytest.raises(CannotAnswer, match="nothing predicts it"):
        NaiveBayes(release([["kind"], ["age", "town"]]), "kind").fit()
    with pytest.raises(DiscreetError, match="colour"):
        NaiveBayes(made, "colour").fit()


@pytest.mark.parametrize("smoothing", [0, -1, float("nan")])
def test_smoothing_must_be_above_zero(smoothing: float) -> None:
    with pytest.raises(BadParameter, match="smoothing"):
        NaiveBayes(release(exact=True), "kind", smoothing=smoothing).fit()


def test_other_releases_will_do(tmp_path: Any) -> None:
    """A table of all attributes holds all pairs; so does a release that was saved and loaded."""
    cells = discreet.Table(["kind", "age", "town"], method="geometric")
    table = discreet.open(PEOPLE, SCHEMA).publish(cells, 1, noise=ZeroNoise())
    expected = NaiveBayes(release(exact=True), "kind").predict_proba(PEOPLE)
    assert NaiveBayes(table, "kind").predict_proba(PEOPLE) == pytest.approx(expected)
    loaded = discreet.load(release(exact=True).save(tmp_path / "r"))
    assert NaiveBayes(loaded, "kind").predict_proba(PEOPLE) == pytest.approx(expected)


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module read again where scikit-learn cannot be imported: the same predictions."""
    made = release()
    expected = NaiveBayes(made, "kind").fit().predict_proba(PEOPLE)
    names = [name for name in sys.modules if name == "sklearn" or name.startswith("sklearn.")]
    for name in [*names, "sklearn.base"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "experiments.ireduct.trials.naive_bayes")
    bare = importlib.import_module("experiments.ireduct.trials.naive_bayes").NaiveBayes(made, "kind")
    assert type(bare).__mro__[2].__module__ == "experiments.ireduct.trials.naive_bayes"
    assert bare.fit().predict_proba(PEOPLE) == pytest.approx(expected)
    assert not any(hasattr(bare, name) for name in ("get_params", "score"))


def test_by_hand() -> None:
    schema = discreet.Schema(y=discreet.Nominal(["n", "p"]), x=discreet.Nominal(["0", "1"]))
    codes = np.array(list(itertools.product(range(2), range(2))))
    data = discreet.from_counts(schema, codes, [7, 1, 1, 3])
    made = data.publish(discreet.Marginals([["y", "x"]], method="equal"), 1, noise=ZeroNoise())
    found = NaiveBayes(made, "y").predict_proba({"x": ["1"]})[0]
    negative, positive = 9 / 14 * 2 / 10, 5 / 14 * 4 / 6
    assert found == pytest.approx([negative / (negative + positive), positive / (negative + positive)])
