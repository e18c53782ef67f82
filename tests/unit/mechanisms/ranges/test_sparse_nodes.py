"""Sparse summaries of nodes: which entries the counts have, what they cost, the consistency check, answers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet
from discreet.errors import CannotAnswer
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges.range_node_counts import node_counts
from discreet.mechanisms.ranges.range_sparse import Nodes, have_all_ancestors
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.numbers.cell_numbers import CellNumbers
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Nominal, Schema
from discreet.summaries.sparse_nodes import SparseNodes
from discreet.transforms import tree_axis, wavelet_axis
from discreet.transforms.node_axis import NodeAxis
from discreet.transforms.tree_nodes import TreeAxis
from tests.unit.transforms.node_maps import product
from tests.unit.transforms.shapes import bases, schemas

CHECKED = settings(max_examples=60)
UNITS = [Unit(), Unit(neighbours="replace"), Unit("who", max_rows=3)]
#: each keeps every entry that is not zero
COMPLETE: dict[str, dict[str, Any]] = {
    "dyadic-filter": {"theta": 1},
    "dyadic-threshold": {"tau": 1},
    "dyadic-priority": {"size": 10**6},
    "dyadic-filter-priority": {"theta": 1, "size": 10**6},
    "wavelet-filter": {"theta": 1},
    "wavelet-priority": {"size": 10**6},
    "wavelet-filter-priority": {"theta": 1, "size": 10**6},
}


def made(schema: Schema, method: str, epsilon: Fraction = Fraction(1), unit: Unit | None = None, **more: Any) -> Nodes:
    task = discreet.Ranges(list(schema), method=method, **more)
    mechanism = mechanism_for(task, Request(schema, unit or Unit(), epsilon, dict(task.parameters)))
    assert isinstance(mechanism, Nodes)
    return mechanism


def some_counts(schema: Schema, seed: int, share: float = 0.3) -> tuple[Counts, NDArray[np.int64]]:
    dice = np.random.default_rng(seed)
    dense = dice.integers(1, 9, schema.sizes) * (dice.random(schema.sizes) < share)
    codes = np.argwhere(dense)
    return Counts.from_arrays(schema.sizes, codes, dense[tuple(codes.T)]), dense


def some_boxes(schema: Schema, seed: int, count: int, boxes: int) -> tuple[Questions, list[Any]]:
    """Questions of several disjoint boxes: single cells and ranges on the first attribute, cut into pieces."""
    dice = np.random.default_rng(seed)
    first, last, owner, masks = [], [], [], []
    for question in range(count):
        ends = np.sort(dice.integers(0, schema.sizes, (2, len(schema))), axis=0)
        mask = np.zeros(schema.sizes, bool)
        cuts = np.unique(dice.integers(0, schema.sizes[0] + 1, 2 * boxes))
        for a, b in zip(cuts[:-1:2], cuts[1::2], strict=False):
            low, high = ends.copy()
            low[0], high[0] = a, b - 1
            first.append(low)
            last.append(high)
            owner.append(question)
            mask[tuple(slice(x, y + 1) for x, y in zip(low, high, strict=True))] = True
        masks.append(mask)
    shape = (-1, len(schema))
    return Questions(np.reshape(first, shape), np.reshape(last, shape), count, np.array(owner, np.int64)), masks


def axes_of(schema: Schema, kind: str, base: int) -> list[NodeAxis]:
    return [tree_axis(each, base) if kind == "tree" else wavelet_axis(each) for each in schema.values()]


kinds = st.sampled_from(["tree", "wavelet"])


# --- entries and cost


#: the smaller group of leaves is numbered before the larger one, which has the lower codes
UNEVEN = Schema(place=Nominal(hierarchy={"north": ["a", "b", "c"], "south": ["d", "e"]}))


@CHECKED
@example(schema=UNEVEN, kind="tree", base=2, seed=2)
@given(schema=schemas, kind=kinds, base=bases, seed=st.integers(0, 10**6))
def test_entries_are_those_of_the_whole_map(schema: Schema, kind: str, base: int, seed: int) -> None:
    counts, dense = some_counts(schema, seed)
    axes = axes_of(schema, kind, base)
    numbers, values = node_counts(counts, axes)
    whole = product(axes) @ dense.reshape(-1)
    assert np.all(np.diff(numbers) > 0)
    assert np.array_equal(values, whole[numbers])
    assert set(np.flatnonzero(whole)) <= set(numbers.tolist()), "whatever is left out is zero"


def test_entries_of_a_domain_beyond_64_bits() -> None:
    schema = Schema({f"a{i}": discreet.Ordinal(0, 10**5 - 1) for i in range(4)})
    axes = axes_of(schema, "tree", 10)
    numbers, values = node_counts(Counts.from_arrays(schema.sizes, [[99_999, 0, 12_345, 7]], [3]), axes)
    codes = CellNumbers(tuple(axis.length for axis in axes)).decode(numbers)
    assert len(codes) == math.prod(axis.weight for axis in axes)
    assert np.all(values == 3)
    ends = [axis.ends(codes[:, i]) for i, axis in enumerate(axes)]
    for (first, last), code in zip(ends, (99_999, 0, 12_345, 7), strict=True):
        assert np.all((first <= code) & (code <= last))
    assert np.array_equal(np.lexsort(codes.T[::-1]), np.arange(len(codes)))


@CHECKED
@given(schema=schemas, method=st.sampled_from(sorted(COMPLETE)), base=bases, unit=st.sampled_from(UNITS))
def test_the_cost_is_what_the_heaviest_cell_weighs(schema: Schema, method: str, base: int, unit: Unit) -> None:
    more = {"base": base} if method.startswith("dyadic") else {}
    mechanism = made(schema, method, Fraction(3, 10), unit, **COMPLETE[method], **more)
    heaviest = int(np.abs(product(mechanism.axes)).sum(axis=0).max())
    assert mechanism.cost == Fraction(3, 10) == unit.sensitivity * heaviest / mechanism.scale
    assert mechanism.cells == len(product(mechanism.axes))


def test_a_level_that_is_not_charged_is_told_apart() -> None:
    """With log m levels instead of log m + 1 the loss of one record is above epsilon."""
    mechanism = made(Schema(x=discreet.Ordinal(0, 15)), "dyadic-filter")
    heaviest = int(np.abs(product(mechanism.axes)).sum(axis=0).max())
    too_small = mechanism.scale * Fraction(mechanism.axes[0].depth, mechanism.axes[0].weight)
    assert heaviest / mechanism.scale == 1
    assert heaviest / too_small > 1


# --- the consistency check


def complete_by_hand(nodes: set[tuple[int, ...]], axes: list[TreeAxis]) -> set[tuple[int, ...]]:
    def chain(axis: TreeAxis, node: int) -> list[int]:
        above = [node]
        while (parent := int(axis.parents(np.array([above[-1]]))[0])) >= 0:
            above.append(parent)
        return above

    lines = {node: [chain(axis, i) for axis, i in zip(axes, node, strict=True)] for node in nodes}
    return {node for node in nodes if all(other in nodes for other in itertools.product(*lines[node]))}


@CHECKED
@given(schema=schemas, base=bases, seed=st.integers(0, 10**6), share=st.sampled_from([0.3, 0.7, 0.9, 1.0]))
def test_a_node_stays_if_all_its_ancestors_do(schema: Schema, base: int, seed: int, share: float) -> None:
    axes = [tree_axis(attribute, base) for attribute in schema.values()]
    every = np.array(list(itertools.product(*(range(axis.length) for axis in axes))), np.int64)
    codes = every[np.random.default_rng(seed).random(len(every)) < share][:400]
    stays = have_all_ancestors(codes, [axis.parents for axis in axes])
    assert set(map(tuple, codes[stays].tolist())) == complete_by_hand(set(map(tuple, codes.tolist())), axes)


def test_the_check_comes_before_the_cut_and_the_sample() -> None:
    """A root that is missing takes everything with it; a leaf that is cut away takes nothing."""
    schema = Schema(x=discreet.Ordinal(0, 3))
    numbers, values = np.arange(7), np.array([9, 8, 8, 7, 7, 7, 7])
    facts = {"theta": 5, "tau": 0.0}
    cut = made(schema, "dyadic-filter", theta=5, size=6)
    assert cut.finished(numbers, values, facts, Noise(SeededSource(1))).codes[:3, 0].tolist() == [0, 1, 2]  # type: ignore[attr-defined]
    for method in ("dyadic-filter", "dyadic-filter-priority"):
        mechanism = made(schema, method, theta=5, size=6)
        assert mechanism.finished(numbers[1:], values[1:], facts, Noise(SeededSource(1))).values.size == 0  # type: ignore[attr-defined]
        loose = made(schema, method, theta=5, size=6, consistency=False)
        assert loose.finished(numbers[1:], values[1:], facts, Noise(SeededSource(1))).values.size == 6  # type: ignore[attr-defined]


# --- answers


@settings(max_examples=40)
@given(schema=schemas, method=st.sampled_from(sorted(COMPLETE)), seed=st.integers(0, 10**6), boxes=st.integers(1, 3))
def test_without_noise_answers_are_exact(schema: Schema, method: str, seed: int, boxes: int) -> None:
    counts, dense = some_counts(schema, seed)
    mechanism = made(schema, method, **COMPLETE[method])
    questions, masks = some_boxes(schema, seed, 12, boxes)
    found = mechanism.measure(counts, ZeroNoise()).answer(questions, 0.95)
    assert found.value.tolist() == [dense[mask].sum() for mask in masks]


def summary_of(schema: Schema, kind: str, base: int, seed: int, **rule: Any) -> SparseNodes:
    """Some of all entries, with values that a rule may have left."""
    axes = axes_of(schema, kind, base)
    every = np.array(list(itertools.product(*(range(axis.length) for axis in axes))), np.int64)
    dice = np.random.default_rng(seed)
    codes = every[dice.random(len(every)) < 0.6]
    values = dice.integers(rule.get("theta", 1), 60, len(codes)) * dice.choice([-1, 1], len(codes))
    alpha = made(schema, "dyadic-filter", theta=1).alpha.numerator
    return SparseNodes(schema, axes, codes, values, {"alpha": str(alpha), "two_sided": True, "theta": 1, **rule})


@settings(max_examples=40)
@given(schema=schemas, kind=kinds, base=bases, seed=st.integers(0, 10**6), boxes=st.integers(1, 3))
def test_sums_over_kept_nodes_against_the_weights_of_all(
    schema: Schema, kind: str, base: int, seed: int, boxes: int
) -> None:
    """All weights of a question from the inverse of the map, a box at a time; the kernels look only at what is kept."""
    summary = summary_of(schema, kind, base, seed, tau=25.0)
    questions, _ = some_boxes(schema, seed, 6, boxes)
    sums, _ = summary._sums(questions)
    number = CellNumbers(tuple(axis.length for axis in summary.axes))
    rows = {int(n): i for i, n in enumerate(number.encode(summary.codes))}
    chance = np.minimum(np.abs(summary.values) / 25.0, 1.0)
    for question in range(questions.count):
        loads, needed = np.zeros(number.cells), 0
        for box in np.flatnonzero(questions.owner == question):
            lists = []
            for i, axis in enumerate(summary.axes):
                cover = axis.cover(questions.first[box, i : i + 1].copy(), questions.last[box, i : i + 1] + 1)
                line = np.zeros(axis.length)
                np.add.at(line, cover.nodes, cover.weights)
                lists.append(line)
            whole = reduce(lambda left, right: np.asarray(np.kron(left, right), np.float64), lists)
            loads += whole
            needed += int(np.count_nonzero(whole))
        kept = np.array([n in rows for n in range(number.cells)])
        order = np.array([rows[n] for n in np.flatnonzero(kept).tolist()], np.int64)
        w, v, p = loads[kept], summary.values[order], chance[order]
        assert sums.value[question] == pytest.approx(w @ v, abs=1e-9)
        assert sums.weighted[question] == pytest.approx((w * v / p).sum(), abs=1e-9)
        assert sums.up[question] == pytest.approx((w**2 * (1 - p))[w * v > 0].sum(), abs=1e-9)
        assert sums.down[question] == pytest.approx((w**2 * (1 - p))[w * v < 0].sum(), abs=1e-9)
        assert sums.passed.second[question] == pytest.approx((w**2 / p).sum(), abs=1e-9)
        assert sums.held_load[question] == pytest.approx(np.abs(w).sum(), abs=1e-9)
        assert sums.spread.second[question] == pytest.approx((loads**2).sum(), abs=1e-9), "exact, also for unions"
        assert sums.load[question] >= np.abs(loads).sum() - 1e-9
        assert sums.spread.fourth[question] >= (loads**4).sum() - 1e-9
        assert sums.needed[question] == needed
        assert sums.largest[question] >= np.abs(loads).max() - 1e-9


def test_too_many_boxes_whose_errors_depend_on_each_other_are_refused() -> None:
    schema = Schema(x=discreet.Ordinal(0, 9999))
    summary = made(schema, "wavelet-filter", theta=1).measure(Counts.from_arrays((10_000,), [], []), ZeroNoise())
    cells = np.arange(0, 9999, 2)[:, None]
    with pytest.raises(CannotAnswer, match="boxes of cells whose errors depend"):
        summary.answer(Questions(cells, cells, 1, np.zeros(len(cells), np.int64)), 0.95)


def test_the_way_from_the_root_stops_at_a_missing_node() -> None:
    """Codes 0 to 7 in a binary tree; of 1..6 the nodes [1], [2,3], [4,5], [6] are needed."""
    schema = Schema(x=discreet.Ordinal(0, 7))
    axis = tree_axis(schema["x"], 2)

    def reached(*kept: tuple[int, int]) -> list[float]:
        first, last = np.array(sorted(kept), np.int64).T
        numbers = np.sort(axis.numbers(first, last))
        rule = {"alpha": str(1 << 62), "two_sided": True, "theta": 10}
        summary = SparseNodes(schema, [axis], numbers[:, None], 100 + numbers, rule)
        found = summary._sums(Questions(np.array([[1]]), np.array([[6]]), 1, np.zeros(1, np.int64)))[1]
        assert found is not None
        assert found.candidates[0] == 9, "root, two halves, [0,1], [6,7] and the four that are needed"
        return [float(part[0]) for part in (found.value, found.looked_for, found.missing)]

    number = {ends: 100 + int(axis.numbers(np.array([ends[0]]), np.array([ends[1]]))[0]) for ends in [(2, 3), (6, 6)]}
    assert reached((2, 3)) == [0, 0, 1], "no root: all below it is one stop"
    assert reached((0, 7), (0, 3), (2, 3)) == [number[2, 3], 1, 2], "stops at [0,1] and at [4,7]"
    assert reached((0, 7), (0, 3), (4, 7), (6, 7), (6, 6)) == [number[6, 6], 3, 3]
