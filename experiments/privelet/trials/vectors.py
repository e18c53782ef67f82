"""Ranges over the vectors of the DPBench study: prefixes and random ranges in one dimension, random boxes in two."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import random_boxes
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.coefficients import Coefficients
from discreet.summaries.shrunk import Shrunk
from experiments.privelet.trials.direct import direct
from experiments.privelet.trials.questions import prefixes, true_answers
from experiments.shared.methods import Method, ready
from experiments.shared.range_errors import Missed, measured, missed
from experiments.shared.records import Json, Runs, short
from experiments.shared.tables import Truth

EPSILON = Fraction(1, 10)
QUESTIONS = 2000
UNIT = Unit()
STAR: Method = ("privelet*", {})
RULE: Method = ("privelet+", {"direct": "paper"})


def vectors_experiment(tables: dict[str, Truth], trials: int) -> Json:
    """For every vector and workload the scaled error of every method: root mean square over the questions, over n."""
    rows, covered = [], dict[str, Runs]()
    for name, truth in tables.items():
        for workload, questions in _workloads(truth).items():
            errors = _errors(truth, questions, trials, covered)
            size = int(truth.counts.counts.sum())
            scaled = {method: [short(runs.mean / size), short(runs.error / size)] for method, runs in errors.items()}
            rows.append({"vector": name, "records": size, "workload": workload, "errors": scaled})
    schema = next(iter(tables.values())).schema
    left = {"privelet+ and privelet*": _direct(schema, STAR), "the paper's rule": _direct(schema, RULE)}
    intervals = {name: round(runs.mean, 4) for name, runs in covered.items()}
    return {"rows": rows, "intervals": intervals, "direct": left, "sizes": list(schema.sizes)}


def setting(trials: int) -> list[str]:
    return [
        f"The vectors as they are, epsilon {float(EPSILON):g}, neighbours by adding or removing a record; {trials} "
        "trials, ± is one standard error.",
        f"Prefixes: all of them. Random ranges and boxes: {QUESTIONS:,}, any interval on every attribute being equally "
        "likely.",
        "Scaled error: the root of the mean squared error over the questions, over the number of records. DPBench "
        "divides by the root of the number of questions as well.",
        "`dyadic 2` and `dyadic 16` are trees of that base, made to agree by least squares. `privelet+` and "
        "`privelet*` leave untransformed what their default says: the least mean variance over questions of which some "
        "restrict one attribute and some several. Where that is nothing, privelet+ is privelet. `privelet+ paper` "
        "follows the paper's rule, where that differs. What `privelet*` thresholds, softly or hard, are the "
        "coefficients of the column before dyadic.",
    ]


def _direct(schema: Schema, method: Method) -> list[str]:
    return direct(schema, method, EPSILON, UNIT)


def _workloads(truth: Truth) -> dict[str, Questions]:
    if len(truth.schema) > 1:
        return {"random boxes": random_boxes(truth.schema, QUESTIONS, 1)}
    return {"prefixes": prefixes(truth.schema.cells), "random ranges": random_boxes(truth.schema, QUESTIONS, 1)}


def _errors(truth: Truth, questions: Questions, trials: int, covered: dict[str, Runs]) -> dict[str, Runs]:
    true: NDArray[np.int64] = true_answers(truth, questions)
    errors: dict[str, Runs] = {}
    for _ in range(trials):
        for name, found in _trial(truth, questions, true):
            errors.setdefault(name, Runs()).values.append(found.root_mean_square)
            covered.setdefault(name, Runs()).values.append(found.covered)
    return errors


def _trial(truth: Truth, questions: Questions, true: NDArray[np.int64]) -> Iterator[tuple[str, Missed]]:
    def alone(method: Method) -> Missed:
        return missed(measured(truth, ready("ranges", truth.schema, method, EPSILON, UNIT))[0], questions, true)

    schema = truth.schema
    yield "geometric", alone(("geometric", {}))
    left = _direct(schema, STAR)
    if left:
        yield "privelet", alone(("privelet", {}))
    if _direct(schema, RULE) != left:
        yield "privelet+ paper", alone(RULE)
    star, _ = measured(truth, ready("ranges", schema, STAR, EPSILON, UNIT))
    assert isinstance(star, Shrunk)
    plus = Coefficients(schema, star.axes, star.values, star.scale)
    yield "privelet+" if left else "privelet", missed(plus, questions, true)
    yield "dyadic 2", alone(("dyadic", {"base": 2}))
    yield "dyadic 16", alone(("dyadic", {"base": 16}))
    yield "privelet*", missed(star, questions, true)
    hard = Shrunk(schema, star.axes, star.values, star.scale, soft=False)
    yield "privelet* hard", missed(hard, questions, true)
