"""The experiment of privelet, section 8.1: random predicates over a census table, by coverage and selectivity."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import boxes, covered, predicates
from discreet.privacy import Unit
from discreet.queries import Questions
from discreet.schema import Nominal, Schema
from discreet.summaries.coefficients import Coefficients
from discreet.summaries.shrunk import Shrunk
from experiments.privelet.data.census import INCOME_BINS, INCOME_WIDTH, enlarged
from experiments.privelet.trials.direct import direct
from experiments.privelet.trials.questions import true_answers
from experiments.privelet.trials.splits import Split
from experiments.shared.methods import Method, ready
from experiments.shared.range_errors import LEVEL, Missed, measured, missed
from experiments.shared.records import Json, Runs, line, short
from experiments.shared.tables import Truth

QUESTIONS = 40_000
EPSILONS = tuple(Fraction(text) for text in ("0.5", "0.75", "1", "1.25"))
ENLARGED = 34
PARTS = 5
#: where a selectivity of zero is drawn on a logarithmic axis
NEARLY_ZERO = 1e-6
UNIT = Unit(neighbours="replace")
STAR: Method = ("privelet*", {"direct": "paper"})

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CensusQuestions:
    """All that is asked of one table, with the true answers."""

    questions: Questions
    true: Integers
    split: Split
    split_true: Integers

    @classmethod
    def of(cls, truth: Truth, questions: Questions, split: Split) -> CensusQuestions:
        ends = [
            np.concatenate([getattr(one, end) for one in (questions, split.questions)]) for end in ("first", "last")
        ]
        true = true_answers(truth, boxes(*ends))
        return cls(questions, true[: questions.count], split, true[questions.count :])


def census_experiment(truth: Truth) -> Json:
    """Both tables at every epsilon: figures, how well the stated errors fit, and how errors add up."""
    questions, left = predicates(truth.schema, QUESTIONS, 1), _direct(truth.schema)
    cells = covered(truth.schema, questions)
    split = Split.of(truth.schema, left["paper"], questions, _fifths(cells))
    figures: Json = {}
    stated: list[Json] = []
    added_up: list[Json] = []
    for times in (1, ENLARGED):
        table = enlarged(truth, times)
        asked = CensusQuestions.of(table, questions, split)
        for epsilon in EPSILONS:
            found, added = _all_methods(table, epsilon, asked, whole=times == 1)
            figures |= _figures(table, times, epsilon, found, cells, asked.true)
            stated.append({"times": times, "epsilon": float(epsilon), "methods": _stated(found)})
            added_up.append({"times": times, "epsilon": float(epsilon), "methods": added})
    facts = {
        "people": int(truth.counts.counts.sum()),
        "cells": truth.schema.cells,
        "occupied": truth.occupied,
        "direct": left,
        "questions": QUESTIONS,
        "combinations": split.combinations,
    }
    return {"setting": setting(truth), "facts": facts, "figures": figures, "stated": stated, "added_up": added_up}


def setting(truth: Truth) -> list[str]:
    people, occupation = int(truth.counts.counts.sum()), truth.schema["occupation"]
    assert isinstance(occupation, Nominal)
    groups = [name for name, first, last in occupation.level(0) if first < last]
    sizes = " x ".join(f"{size:,}" for size in truth.schema.sizes)
    return [
        f"Table: {people:,} people of the American Community Survey 2018 in place of the paper's 8 and 10 million, by "
        f"age, sex, occupation and income: {sizes} = {truth.schema.cells:,} cells, of which {truth.occupied:,} are "
        f"occupied. Income is in {INCOME_BINS:,} bins of {INCOME_WIDTH}, the last of which takes all above.",
        f"Occupation: {occupation.size} titles in {len(groups)} groups, so three levels with the root. The file has "
        "titles and no codes; the abbreviation before the dash is the group that a code's leading digits stand for. "
        "A title without one hangs from the root.",
        f"The same table with every person {ENLARGED} times over ({ENLARGED * people:,} people) has the paper's size, "
        "and shows what the size alone does. Its occupied cells are fewer and fuller than those of a true table of "
        "that size.",
        f"{QUESTIONS:,} questions: 1 to {len(truth.schema)} predicates, as many of each, on different attributes; any "
        "interval of an ordinal one, any node but the root of a nominal one, all equally likely. Each is in one fifth "
        "by coverage and in one by selectivity. Relative errors have the paper's floor of 0.1 % of the people.",
        "Neighbours: replace-one, as in the paper, so twice the noise of this library's default.",
        "One noisy table per method and epsilon, as in the paper. privelet+ and privelet* share their noisy "
        "coefficients, for thresholding comes after the noise. Attributes are left untransformed by the paper's rule.",
    ]


def _direct(schema: Schema) -> Json:
    """Which attributes are left untransformed by the paper's rule and by our default."""
    asked: dict[str, dict[str, Any]] = {"paper": {"direct": "paper"}, "default": {}}
    return {name: direct(schema, ("privelet+", given), EPSILONS[0], UNIT) for name, given in asked.items()}


def _all_methods(
    truth: Truth, epsilon: Fraction, asked: CensusQuestions, *, whole: bool
) -> tuple[dict[str, Missed], Json]:
    """The errors of every method, and how they add up; `privelet` without untransformed attributes only if `whole`."""
    found, added = {}, {}
    for name in ("geometric", "privelet") if whole else ("geometric",):
        summary, _ = measured(truth, ready("ranges", truth.schema, (name, {}), epsilon, UNIT))
        found[name] = missed(summary, asked.questions, asked.true)
        del summary  # before the next table is made: they are large
    star, _ = measured(truth, ready("ranges", truth.schema, STAR, epsilon, UNIT))
    assert isinstance(star, Shrunk)
    for name in ("privelet+", "privelet*"):
        plus = Coefficients(star.schema, star.axes, star.values, star.scale)
        summary = plus if name == "privelet+" else star
        found[name] = missed(summary, asked.questions, asked.true)
        added[name] = asked.split.added_up(missed(summary, asked.split.questions, asked.split_true).off)
    return found, added


def _figures(
    truth: Truth, times: int, epsilon: Fraction, found: dict[str, Missed], cells: Floats, true: Integers
) -> Json:
    people = int(truth.counts.counts.sum())
    absolute = {name: np.abs(answers.off) for name, answers in found.items()}
    relative = {name: off / np.maximum(true, people / 1000) for name, off in absolute.items()}
    where = f"{people:,} people, epsilon {float(epsilon):g}"
    drawn = f"mean selectivity (zero drawn at {NEARLY_ZERO:g})"
    coverage = {"title": f"Error by coverage: {where}", "x": "mean coverage", "y": "mean absolute error"}
    selectivity = {"title": f"Error by selectivity: {where}", "x": drawn, "y": "mean relative error"}
    return {
        f"coverage-{times}-{float(epsilon):g}": coverage | _by_fifth(cells, absolute),
        f"selectivity-{times}-{float(epsilon):g}": selectivity | _by_fifth(true / people, relative),
    }


def _by_fifth(order_by: Floats, errors: dict[str, Floats]) -> Json:
    parts = _fifths(order_by)
    drawn = [short(max(float(order_by[part].mean()), NEARLY_ZERO)) for part in parts]
    lines = [line(name, drawn, [Runs([float(off[part].mean())]) for part in parts]) for name, off in errors.items()]
    overall = {name: short(float(off.mean())) for name, off in errors.items()}
    return {"log_x": True, "log_y": True, "lines": lines, "overall": overall}


def _fifths(order_by: Floats) -> list[Integers]:
    return np.array_split(np.argsort(order_by, kind="stable"), PARTS)


def _stated(found: dict[str, Missed]) -> Json:
    """How often the intervals hold the truth, and the root mean square error over that of the standard errors."""
    return {
        name: {
            "level": LEVEL,
            "covered": round(answers.covered, 4),
            "ratio": round(answers.root_mean_square / float(np.sqrt(np.mean(answers.stderr**2))), 3),
        }
        for name, answers in found.items()
    }
