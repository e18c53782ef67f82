"""Least squares over nested levels against dense linear algebra: estimates, covariances and the fourth cumulant."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.numbers.laws import DiscreteLaplace
from discreet.queries import Questions
from discreet.transforms.level_fit import LevelFit
from discreet.transforms.nested_levels import Cuts, NestedLevels
from discreet.transforms.noise_moments import MOST_PARTS

Floats = NDArray[np.float64]

DEEP = discreet.Nominal(
    hierarchy={
        "p": {"u": ["a", "b", "c"], "v": ["d"]},
        "q": ["e", "f"],
        "r": {"w": ["g", "h", "i", "j", "k"], "z": ["l", "m"]},
    }
)
RAGGED = discreet.Nominal(hierarchy={"p": ["a", "b", "c"], "q": ["d"]})
EVEN = discreet.Nominal(hierarchy={"p": ["a", "b"], "q": ["c", "d"], "r": ["e", "f"]})

#: name -> (schema, levels): padded, ragged, several of each
CASES: dict[str, tuple[discreet.Schema, list[Cuts]]] = {
    "cells alone": (discreet.Schema(x=discreet.Ordinal(0, 6)), [{"x": 1}]),
    "padded": (discreet.Schema(x=discreet.Ordinal(0, 29)), [{"x": 8}, {"x": 2}, {"x": 1}]),
    "with a total": (discreet.Schema(x=discreet.Ordinal(0, 29)), [{}, {"x": 8}, {"x": 4}, {"x": 1}]),
    "squares": (
        discreet.Schema(x=discreet.Ordinal(0, 12), y=discreet.Ordinal(0, 9)),
        [{"x": 4}, {"x": 4, "y": 4}, {"x": 1, "y": 1}],
    ),
    "even groups": (
        discreet.Schema(e=EVEN, x=discreet.Ordinal(0, 5)),
        [{"e": 0}, {"e": 0, "x": 3}, {"e": 1, "x": 1}],
    ),
    "hierarchy": (discreet.Schema(r=DEEP), [{}, {"r": 0}, {"r": 1}, {"r": 2}]),
    "hierarchy and ordinal": (
        discreet.Schema(r=DEEP, x=discreet.Ordinal(0, 6)),
        [{"r": 0}, {"r": 1, "x": 2}, {"r": 2, "x": 1}],
    ),
    "two hierarchies": (
        discreet.Schema(r=DEEP, x=discreet.Ordinal(0, 4), s=RAGGED),
        [{"r": 0}, {"r": 0, "s": 0}, {"r": 1, "x": 2, "s": 0}, {"r": 2, "x": 1, "s": 1}],
    ),
}
each = pytest.mark.parametrize("name", CASES)
SCALES = [Fraction(7), Fraction(3, 2), Fraction(4), Fraction(1, 2)]


class Dense:
    """The same by matrices: a row for each block, a column for each cell, padding included."""

    def __init__(self, name: str) -> None:
        self.schema, cuts = CASES[name]
        self.levels = NestedLevels(self.schema, cuts)
        self.laws = [DiscreteLaplace.of(scale) for scale in SCALES[-len(cuts) :]]
        self.fit = LevelFit(self.levels, self.laws)
        self.cells = self.levels.shapes[-1]
        self.map = np.concatenate([self._rows(level) for level in range(len(cuts))])
        pairs = list(zip(self.laws, self.levels.lengths, strict=True))
        self.variances = np.concatenate([np.full(length, law.variance) for law, length in pairs])
        self.fourths = np.concatenate([np.full(length, law.fourth_cumulant) for law, length in pairs])
        self.covariance = np.linalg.inv(self.map.T @ (self.map / self.variances[:, None]))

    def _rows(self, level: int) -> Floats:
        edges = [split.edges for split in self.levels.splits[level]]
        rows = []
        for block in np.ndindex(*self.levels.shapes[level]):
            row = np.zeros(self.cells)
            row[tuple(slice(edge[part], edge[part + 1]) for edge, part in zip(edges, block, strict=True))] = 1
            rows.append(row.reshape(-1))
        return np.array(rows)

    def indicator(self, questions: Questions) -> Floats:
        found = np.zeros((questions.count, *self.cells))
        for first, last, owner in zip(questions.first, questions.last, questions.owner, strict=True):
            found[(owner, *(slice(a, b + 1) for a, b in zip(first, last, strict=True)))] += 1
        return found.reshape(questions.count, -1)

    def weights(self, questions: Questions) -> Floats:
        """Of every count in every answer."""
        return np.asarray((self.map @ self.covariance @ self.indicator(questions).T) / self.variances[:, None])


def random_boxes(schema: discreet.Schema, count: int) -> Questions:
    bits = np.random.default_rng(3)
    ends = np.sort(np.stack([bits.integers(0, schema.sizes, (count, len(schema))) for _ in range(2)]), axis=0)
    return Questions(ends[0], ends[1], count, np.arange(count))


def halves(schema: discreet.Schema) -> Questions:
    """Questions of two boxes: every other code of the first attribute that a part may have, apart from each other."""
    size = schema.sizes[0]
    firsts = [(start, stop) for start in range(size - 2) for stop in range(start + 2, size)]
    first = np.zeros((2 * len(firsts), len(schema)), np.int64)
    last = np.broadcast_to(np.array(schema.sizes) - 1, first.shape).copy()
    first[:, 0] = last[:, 0] = np.array(firsts).reshape(-1)
    return Questions(first, last, len(firsts), np.repeat(np.arange(len(firsts)), 2))


@each
def test_estimates_are_those_of_least_squares(name: str) -> None:
    dense = Dense(name)
    values = np.random.default_rng(1).integers(-50, 50, len(dense.map))
    tables = np.split(values, np.cumsum(dense.levels.lengths)[:-1])
    measured = [table.reshape(shape) for table, shape in zip(tables, dense.levels.shapes, strict=True)]
    roots = np.sqrt(dense.variances)
    expected = np.linalg.lstsq(dense.map / roots[:, None], values / roots, rcond=None)[0].reshape(dense.cells)
    inside = tuple(slice(size) for size in dense.schema.sizes)
    np.testing.assert_allclose(dense.fit.cells(measured), expected[inside], atol=1e-9)


@each
@pytest.mark.parametrize("several", [False, True])
def test_variances_are_those_of_the_covariance_matrix(name: str, several: bool) -> None:
    dense = Dense(name)
    questions = halves(dense.schema) if several else random_boxes(dense.schema, 150)
    variance, fourth = dense.fit.moments(questions)
    asked = dense.indicator(questions)
    np.testing.assert_allclose(variance, np.einsum("qi,ij,qj->q", asked, dense.covariance, asked), rtol=1e-9)
    weights = dense.weights(questions)
    assert np.all(fourth >= dense.fourths @ weights**4 * (1 - 1e-9)), "an upper bound"
    assert np.all(fourth <= variance**2 * max(law.fourth_cumulant / law.variance**2 for law in dense.laws) * (1 + 1e-9))


def test_the_bound_on_the_fourth_cumulant_falls_for_questions_of_many_blocks() -> None:
    dense = Dense("padded")
    wide = Questions(np.array([[1]]), np.array([[28]]), 1, np.arange(1))
    variance, fourth = dense.fit.moments(wide)
    largest = max(law.fourth_cumulant / law.variance**2 for law in dense.laws)
    assert fourth[0] < largest * variance[0] ** 2 / 2


@pytest.mark.parametrize(
    ("schema", "cuts"),
    [
        (discreet.Schema(x=discreet.Ordinal(0, 31)), [{}, {"x": 8}, {"x": 1}]),
        (discreet.Schema(r=DEEP, x=discreet.Ordinal(0, 6), s=RAGGED), [{}, {"r": 1, "s": 0}, {"r": 2, "x": 1, "s": 1}]),
    ],
)
def test_a_total_that_is_all_but_exact_keeps_its_variance(schema: discreet.Schema, cuts: list[Cuts]) -> None:
    """It is 10^19 times smaller than that of the cells: what rounding leaves of theirs would be more, or nothing."""
    laws = [DiscreteLaplace.of(Fraction(1, 40)), *(DiscreteLaplace.of(Fraction(9)) for _ in cuts[1:])]
    everything = Questions(np.zeros((1, len(schema)), np.int64), np.array([schema.sizes]) - 1, 1, np.arange(1))
    variance, _ = LevelFit(NestedLevels(schema, cuts), laws).moments(everything)
    assert variance[0] == pytest.approx(laws[0].variance, rel=1e-9)


def test_too_many_boxes_of_one_question_are_refused() -> None:
    schema = discreet.Schema(x=discreet.Ordinal(0, 2 * MOST_PARTS + 1))
    fit = LevelFit(NestedLevels(schema, [{"x": 1}]), [DiscreteLaplace.of(1)])
    codes = np.arange(0, schema.cells, 2)[:, None]
    with pytest.raises(CannotAnswer, match="boxes"):
        fit.moments(Questions(codes, codes, 1, np.zeros(len(codes), np.int64)))


@pytest.mark.parametrize(
    ("cuts", "said"),
    [
        ([], "there must be 1 to 64"),
        ([{"x": 4, "r": 0}], "single cells"),
        ([{"x": 4}, {"x": 3, "r": 2}, {"x": 1, "r": 2}], "divide"),
        ([{"x": 4}, {"r": 2}, {"x": 1, "r": 2}], "divide"),
        ([{"x": 0}, {"x": 1, "r": 2}], "1 to 7 codes"),
        ([{"x": 8}, {"x": 1, "r": 2}], "1 to 7 codes"),
        ([{"x": True}, {"x": 1, "r": 2}], "whole number"),
        ([{"x": "wide"}, {"x": 1, "r": 2}], "whole number"),
        ([{"r": 3}, {"x": 1, "r": 2}], "levels 0 to 2"),
        ([{"r": 1}, {"r": 0}, {"x": 1, "r": 2}], "outermost"),
        ([{"r": 1}, {"r": 1}, {"x": 1, "r": 2}], "leave one of them out"),
    ],
)
def test_levels_that_do_not_lie_in_each_other_are_refused(cuts: list[Cuts], said: str) -> None:
    schema = discreet.Schema(x=discreet.Ordinal(0, 6), r=DEEP)
    with pytest.raises(BadParameter, match=said):
        NestedLevels(schema, cuts)
