"""Consistent marginals against least squares with the design matrix written out: values, variances, agreement."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discreet
from discreet.errors import CannotAnswer
from discreet.queries import Questions, bind
from discreet.schema import Nominal, Ordinal, Schema
from discreet.summaries.marginal_tables import MarginalTables, Part

Floats = NDArray[np.float64]

SCHEMA = Schema(
    a=Ordinal(0, 2), b=Nominal(["x", "y"]), c=Ordinal(0, 3), d=Nominal(hierarchy={"p": ["q", "r"], "s": ["t"]})
)
SETS: list[list[tuple[str, ...]]] = [
    [("a", "b"), ("b", "c"), ("a", "c")],
    [("a",), ("b",), ("c",), ("d",)],
    list(itertools.combinations(SCHEMA.names, 2)),
    [("a", "b", "c"), ("c", "d"), ("d",), ("a", "d")],
    [("a", "b", "c", "d"), ("a", "b"), ("d",)],
    [("a", "b")],
]
by_sets = pytest.mark.parametrize("sets", SETS, ids=[str(len(sets)) + "-" + "".join(sets[0]) for sets in SETS])
WHERES = [
    None,
    {"a": 1},
    {"b": "x"},
    {"a": (1, 2), "b": "y"},
    {"c": (1, 3)},
    "c = 0 or c = 2",
    "a = 0 or b = 'x'",
    "a = 0 or a = 2 and b = 'x'",
    {"c": (0, 1), "d": "p"},
    "d = 'q' or c >= 2",
    "a != 1 and not (c = 1 and b = 'y')",
]
dice = random.SystemRandom()


def tables(sets: list[tuple[str, ...]], consistent: bool = True) -> MarginalTables:
    """Noisy tables with a random variance each, some of them averages of several draws."""
    parts = []
    for names in sets:
        cells = math.prod(SCHEMA[name].size for name in names)
        scales = tuple(Fraction(dice.randrange(20, 400), 7) for _ in range(dice.randrange(1, 4)))
        draws = [np.array([dice.randrange(-50, 900) for _ in range(cells)]) for _ in scales]
        parts.append(Part.combined(draws, scales))
    return MarginalTables(SCHEMA, sets, parts, consistent=consistent)


def design(names: tuple[str, ...]) -> Floats:
    """One row for each cell of a table: which cells of the full table it adds up."""
    full = np.array(list(itertools.product(*map(range, SCHEMA.sizes))))
    places = [SCHEMA.names.index(name) for name in names]
    cells = np.array(list(itertools.product(*(range(SCHEMA.sizes[place]) for place in places))))
    return np.asarray(np.all(cells[:, None, :] == full[None, :, places], axis=2), np.float64)


class Fit:
    """Weighted least squares over all cells of the full table; only what the tables determine is used."""

    def __init__(self, sets: list[tuple[str, ...]], summary: MarginalTables) -> None:
        rows = [design(names) / math.sqrt(p.variance) for names, p in zip(sets, summary.parts, strict=True)]
        wanted = [part.values / math.sqrt(part.variance) for part in summary.parts]
        weighted = np.concatenate(rows)
        self.cells = np.linalg.lstsq(weighted, np.concatenate(wanted), rcond=None)[0]
        self.covariance = np.linalg.pinv(weighted.T @ weighted, rcond=1e-10)
        self.span = weighted

    def answers(self, row: Floats) -> tuple[float, float] | None:
        """Value and variance of a sum of cells; None if no tables together determine it."""
        outside = row - row @ np.linalg.pinv(self.span, rcond=1e-10) @ self.span
        if np.abs(outside).max() > 1e-8:
            return None
        return float(row @ self.cells), float(row @ self.covariance @ row)


def one_question(where: Any, schema: Schema = SCHEMA) -> Questions:
    boxes = bind(where, schema).boxes(schema.sizes)
    return Questions(boxes.first, boxes.last, 1, np.zeros(len(boxes.first), np.int64))


def asked(summary: MarginalTables, where: Any) -> tuple[float, float]:
    found = summary.answer(one_question(where, summary.schema), 0.95)
    if found.bounds is not None:
        raise CannotAnswer("no table holds it; there are bounds only")
    return float(found.value[0]), float(found.stderr[0])


def row_of(where: Any) -> Floats:
    row = np.zeros(SCHEMA.sizes)
    boxes = bind(where, SCHEMA).boxes(SCHEMA.sizes)
    for first, last in zip(boxes.first, boxes.last, strict=True):
        row[tuple(slice(f, t + 1) for f, t in zip(first, last, strict=True))] += 1
    assert row.max() <= 1
    return row.reshape(-1)


@by_sets
def test_tables_are_the_least_squares_fit(sets: list[tuple[str, ...]]) -> None:
    summary = tables(sets)
    fit = Fit(sets, summary)
    for number, names in enumerate(sets):
        assert summary._agreed.tables[number] == pytest.approx(design(names) @ fit.cells, rel=1e-7, abs=1e-6)


@by_sets
def test_answers_and_their_variances_are_those_of_the_fit(sets: list[tuple[str, ...]]) -> None:
    summary = tables(sets)
    fit, answered = Fit(sets, summary), 0
    for where in WHERES:
        try:
            value, stderr = asked(summary, where)
        except CannotAnswer:
            continue
        expected = fit.answers(row_of(where))
        assert expected is not None
        answered += 1
        assert value == pytest.approx(expected[0], rel=1e-7, abs=1e-6), where
        assert stderr**2 == pytest.approx(expected[1], rel=1e-7), where
    assert answered >= 2


@by_sets
def test_tables_agree_on_whatever_they_share(sets: list[tuple[str, ...]]) -> None:
    summary = tables(sets)
    shaped = [table.reshape(shape) for shape, table in zip(summary.shapes, summary._agreed.tables, strict=True)]
    raw = [part.values.reshape(shape) for shape, part in zip(summary.shapes, summary.parts, strict=True)]
    differences = []
    for (one, first), (two, second) in itertools.combinations(enumerate(sets), 2):
        common = [name for name in first if name in second]
        for found, apart in ((shaped, False), (raw, True)):
            down = [
                found[number].sum(axis=tuple(i for i, name in enumerate(names) if name not in common))
                for number, names in ((one, first), (two, second))
            ]
            if apart:
                differences.append(np.abs(down[0] - down[1]).max())
            else:
                assert down[0] == pytest.approx(down[1], rel=1e-9, abs=1e-6)
    assert len(sets) == 1 or max(differences) > 1  # the raw tables did not agree


def test_consistency_never_raises_a_variance() -> None:
    for sets in SETS:
        summary = tables(sets)
        plain = MarginalTables(SCHEMA, sets, summary.parts)
        for where in WHERES[:5]:
            try:
                before = asked(plain, where)[1]
            except CannotAnswer:
                continue
            assert asked(summary, where)[1] <= before * (1 + 1e-9)


def test_every_table_gives_the_same_answer() -> None:
    """Whichever table a question is answered from, value and variance are the same."""
    sets = SETS[2]
    summary = tables(sets)
    questions = one_question({"a": (1, 2)})
    holding = [number for number, names in enumerate(sets) if "a" in names]
    found = [[column[0] for column in summary._agreed.answer(questions, [number])] for number in holding]
    assert len(found) == 3
    for other in found[1:]:
        assert other == pytest.approx(found[0])


def test_the_fit_of_a_wrong_variance_is_another() -> None:
    """The comparison notices if one table's variance is doubled."""
    sets = SETS[0]
    summary = tables(sets)
    wrong = [
        Part(p.values, tuple(w * (1 + (i == 0)) for w in p.weights), p.scales) for i, p in enumerate(summary.parts)
    ]
    fit = Fit(sets, MarginalTables(SCHEMA, sets, wrong))
    assert summary._agreed.tables[0] != pytest.approx(design(sets[0]) @ fit.cells, rel=1e-7, abs=1e-6)


def test_published_tables_agree_and_raw_ones_are_kept(tmp_path: Path) -> None:
    codes = np.array(list(itertools.product(*map(range, SCHEMA.sizes))))
    account = discreet.from_counts(SCHEMA, codes, np.arange(len(codes)) * 3)
    release = account.publish(discreet.Marginals(ways=2, method="ireduct", consistency=True), 1)
    again = discreet.load(release.save(tmp_path / "r"))
    for one in (release, again):
        total = one.count().value
        assert sum(one.table("a")["count"]) == pytest.approx(total)
        assert sum(one.table(["a", "c"])["count"]) == pytest.approx(total)
        assert one.table(["a", "b"], where={"a": 1})["count"][2:4] == pytest.approx(one.table(["a", "b"])["count"][2:4])
        rows = one.to_arrow().to_pandas()
        assert rows.groupby("marginal")["consistent_count"].sum().to_numpy() == pytest.approx(total)
        assert rows.groupby("marginal")["count"].sum().nunique() > 1


def test_too_many_boxes_that_depend_on_each_other() -> None:
    schema = Schema(n=Ordinal(0, 5000), b=Nominal(["x", "y"]))
    part = [Part.single(np.zeros(5001, np.int64), Fraction(9)), Part.single(np.zeros(2, np.int64), Fraction(9))]
    summary = MarginalTables(schema, [("n",), ("b",)], part, consistent=True)
    assert asked(summary, {"n": list(range(0, 1000, 2))})[1] > 0
    with pytest.raises(CannotAnswer, match="2,501 boxes"):
        asked(summary, {"n": list(range(0, 5001, 2))})


def test_the_fourth_cumulant_is_not_understated_at_small_scales() -> None:
    """A single table is its own least-squares estimate, so one cell has the very law of its draw."""
    schema = discreet.Schema(x=discreet.Ordinal(0, 3))
    part = Part.single(np.zeros(4, np.int64), Fraction(2, 5))
    summary = MarginalTables(schema, [["x"]], [part], consistent=True)
    cell = Questions(np.array([[1]]), np.array([[1]]), 1, np.array([0]))
    _, variance, fourth = summary._agreed.answer(cell, [0])
    assert variance[0] == pytest.approx(part.variance)
    assert fourth[0] >= part.fourth * (1 - 1e-9)
    assert part.fourth > 3.5 * part.variance**2
