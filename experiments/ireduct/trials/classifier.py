"""Figures 10 and 11 of ireduct: a naive Bayes classifier from nine noisy marginals, by tenfold cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discreet.queries import Boxes, cut_questions
from discreet.release.frame import Frame
from discreet.summaries.marginal_tables import MarginalTables, Part
from experiments.ireduct.data.marginals import KnownMarginals, without_folds
from experiments.ireduct.data.people import TARGET, People
from experiments.ireduct.trials.errors import METHODS, noisy, overall, values_of
from experiments.ireduct.trials.figures import epsilons
from experiments.ireduct.trials.naive_bayes import NaiveBayes
from experiments.shared.records import Json, Runs, figure, line

#: a fold may hold a million people; so many tell its accuracy to a third of a percent
JUDGED = 20_000


class TablesAsRelease:
    """What a classifier asks of a release, answered from noisy tables in the same way. It is none: oracle's is not."""

    def __init__(self, made: MarginalTables) -> None:
        self.made, self.schema = made, made.schema

    def table(self, by: str | Sequence[str]) -> Frame:
        names = [by] if isinstance(by, str) else list(by)
        places = [self.schema.names.index(name) for name in names]
        codes = np.indices([self.schema[name].size for name in names]).reshape(len(names), -1)
        whole = np.zeros((1, len(self.schema)), np.int64)
        everything = Boxes(whole, np.array([self.schema.sizes]) - 1)
        ends = {place: np.stack([code, code], axis=1) for place, code in zip(places, codes, strict=True)}
        return Frame({"count": self.made.answer(cut_questions(everything, ends), 0.95).value})


def exactly(case: KnownMarginals) -> MarginalTables:
    """The tables without noise, in the same form."""
    return MarginalTables(case.schema, case.sets, [Part.single(table, Fraction(1)) for table in case.tables])


def accuracy(made: MarginalTables, people: People, rows: NDArray[np.int64]) -> float:
    """How often the classifier from these tables is right about these people."""
    model = NaiveBayes(cast(Any, TablesAsRelease(made)), TARGET).fit()
    features = {name: people.columns[name][rows].tolist() for name in people.schema if name != TARGET}
    return float(np.mean(model.predict(features) == people.columns[TARGET][rows]))


def classifier(people: People) -> Json:
    """10 and 11: error of the tables and accuracy of the classifier, by epsilon."""
    given = epsilons("classifier", people.rows)
    errors = {method: [Runs() for _ in given] for method in METHODS}
    right = {method: [Runs() for _ in given] for method in METHODS}
    noiseless, commonest = Runs(), Runs()
    for case, left_out in without_folds(people):
        rows = left_out[:JUDGED]
        noiseless.values.append(accuracy(exactly(case), people, rows))
        commonest.values.append(float(np.mean(people.columns[TARGET][rows] == case.tables[0].argmax())))
        for place, epsilon in enumerate(given):
            for method in METHODS:
                made = noisy(case, method, epsilon)
                errors[method][place].values.append(overall(case, values_of(made)))
                right[method][place].values.append(accuracy(made, people, rows))
    across = [float(epsilon) for epsilon in given]
    others = {"noiseless": noiseless, "commonest class": commonest}
    flat = [line(name, across, [runs] * len(given)) for name, runs in others.items()]
    wrong = [line(method, across, errors[method]) for method in METHODS]
    hits = [line(method, across, right[method]) for method in METHODS]
    return {
        "10": figure("10 Marginals for the classifier by epsilon", "epsilon", "overall error", wrong, log_x=False),
        "11": figure("11 Accuracy of the classifier", "epsilon", "accuracy", [*hits, *flat], log_x=False, log_y=False),
    }
