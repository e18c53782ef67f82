"""The law of `adaptive`: every outcome of a tiny tree under neighbours, and estimates that are right on average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.audit.replay import replay
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges import range_blocks
from discreet.mechanisms.ranges.adaptive import Adaptive
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.summaries.block_answers import TreeAnswers
from discreet.summaries.block_estimates import TreeLooks
from discreet.transforms.block_rules import LookScales, Stop, thresholds
from discreet.transforms.block_tree import BlockTree, Generation, TreePlan, children, divided
from discreet.transforms.partitions import EvenParts
from tests.conformance.enumerated import law_of
from tests.laplace_law import LaplaceLaw
from tests.rows_in_memory import opened

EPSILON = Fraction(6)
#: three codes in two blocks, of which the first can be divided: at most five looks, the total among them
SCHEMA = discreet.Schema(x=discreet.Ordinal(0, 2))
Pair = tuple[tuple[int, ...], tuple[int, ...]]
PAIRS: list[Pair] = [((0, 0, 1), (1, 0, 1)), ((1, 1, 0), (1, 2, 0)), ((0, 0, 0), (0, 0, 1)), ((2, 0, 0), (1, 0, 0))]


def made(epsilon: Fraction = EPSILON, **parameters: Any) -> Adaptive:
    task = discreet.Ranges("x", method="adaptive", levels=[2, 1], stop=[0, 0], **parameters)
    mechanism = mechanism_for(task, Request.of(task, SCHEMA, Unit(), epsilon))
    assert isinstance(mechanism, Adaptive)
    return mechanism


def outcome(mechanism: Adaptive, counts: tuple[int, ...], noise: Noise) -> str:
    given = Counts.from_arrays(SCHEMA.sizes, np.arange(3)[:, None], np.array(counts))
    summary = mechanism.measure(given, noise)
    return repr((summary.facts(), summary.to_arrow().to_pylist()))


def worst_ratio(mechanism: Adaptive, pairs: Sequence[Pair] = PAIRS) -> tuple[float, set[int]]:
    """The largest |log| of the ratio of an outcome's probabilities; and how many blocks the outcomes have."""

    @cache
    def law(counts: tuple[int, ...]) -> dict[Any, float]:
        return law_of(lambda noise: outcome(mechanism, counts, noise), 1)

    worst, sizes = 0.0, set()
    for pair in pairs:
        first, second = map(law, pair)
        assert first.keys() == second.keys(), "an outcome of one table is impossible for its neighbour"
        worst = max(worst, *(abs(math.log(first[one] / second[one])) for one in first))
        sizes |= {one.count("'look'") for one in first}
    return worst, sizes


def test_no_outcome_tells_more_than_epsilon_and_some_tell_all_of_it() -> None:
    worst, sizes = worst_ratio(made())
    assert worst == pytest.approx(float(EPSILON), abs=1e-9)
    assert sizes == {3, 5}, "the block is divided in some outcomes and not in others"


def test_a_guess_changes_the_plan_and_not_the_guarantee() -> None:
    worst, _ = worst_ratio(made(guess={"rows": 1000}, shares=[1, 3]))
    assert worst == pytest.approx(float(EPSILON), abs=1e-9)


def test_a_plan_for_few_records_follows_from_the_noisy_total() -> None:
    """Shares depend on how many records there are, in units of the noise: only by the total that is published."""
    epsilon = Fraction(1, 4)
    worst, _ = worst_ratio(made(epsilon))
    assert worst == pytest.approx(float(epsilon), abs=1e-9)
    few, many = (made(epsilon).planner.trees(rows)[0].shares for rows in (1.0, 100.0))
    assert few != many


PLACE = discreet.Nominal(hierarchy={"all": {"north": ["a", "b"], "south": ["c"]}}, levels=["country", "region", "town"])


@pytest.mark.parametrize(
    ("schema", "parameters"),
    [
        (discreet.Schema(place=PLACE), {}),
        (discreet.Schema(place=PLACE, x=discreet.Ordinal(0, 3)), {}),
        (discreet.Schema(place=PLACE), {"levels": ["country", "region", "town"], "shares": [1, 1, 2]}),
        (discreet.Schema(x=discreet.Ordinal(0, 3)), {"levels": [4, 2, 1]}),
        (discreet.Schema(x=discreet.Ordinal(0, 3)), {"levels": [4]}),
    ],
)
def test_levels_that_leave_the_table_whole_cost_nothing(schema: discreet.Schema, parameters: dict[str, Any]) -> None:
    """Such as a country above all places: what is drawn loses all of epsilon, by its own record."""
    task = discreet.Ranges(list(schema), method="adaptive", **parameters)
    found = replay(task, Request.of(task, schema, Unit(), "0.3"), opened=opened)
    assert found.problems == []
    assert found.declared == found.worst.epsilon == Fraction(3, 10)


def test_dividing_by_exact_counts_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the first block is divided tells its count; and looks that have the shares of those before them."""
    exact: list[Any] = []
    drawn, above = range_blocks._drawn, range_blocks._above

    def remembering(looks: LookScales, totals: Any, *rest: Any) -> Any:
        exact[:] = [totals]
        return drawn(looks, totals, *rest)

    monkeypatch.setattr(range_blocks, "_drawn", remembering)
    monkeypatch.setattr(range_blocks, "_above", lambda looks, stop, blocks, first: above(looks, stop, blocks, exact[0]))
    with pytest.raises(AssertionError, match="impossible"):
        worst_ratio(made(), PAIRS[3:4])
    monkeypatch.undo()
    monkeypatch.setattr(
        range_blocks, "_drawn", lambda looks, totals, begin, end, noise: drawn(looks, totals, 0 * begin, end, noise)
    )
    assert worst_ratio(made(), PAIRS[3:4])[0] > float(EPSILON) + 1


# --- estimates that are right on average although a look decided


def tree_with(plan: TreePlan, refined: bool) -> BlockTree:
    """The first of the blocks of level 1 divided or not, the others not."""
    root = Generation.root(plan)
    first = children(plan, root, divided(plan, root))
    marks = np.zeros(first.size, np.bool_)
    marks[0] = refined
    generations, all_marks = [root, first], [np.ones(1, np.bool_), marks]
    if refined:
        last = children(plan, first.chosen(marks), divided(plan, first.chosen(marks)))
        generations.append(last)
        all_marks.append(np.zeros(last.size, np.bool_))
    return BlockTree.of(plan, generations, all_marks)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(2)])
@pytest.mark.parametrize("count", [-3, -1, 0, 1, 4])
@pytest.mark.parametrize("raised", [0, 3])
def test_the_mean_of_a_block_s_estimate_is_its_count(epsilon: Fraction, count: int, raised: int) -> None:
    """For counts around the threshold, that of the rule or one `raised` since blocks would be too many: over all first
    looks with their probabilities, other looks without noise. And of the part that has all records, or none, the ends
    are on average not inside of the truth."""
    sizes, shares = (8,), (Fraction(2, 5), Fraction(3, 5))
    plan = TreePlan((0,), sizes, ((EvenParts(8, 4),), (EvenParts(8, 1),)), shares)
    looks, stop = LookScales(plan, 1 / epsilon), Stop(1.0, 1.0)
    root = Generation.root(plan)
    blocks = children(plan, root, divided(plan, root))
    limit = int(thresholds(looks, stop, blocks, np.full(2, 4.0), looks.first(blocks))[0])
    floor = limit + raised if raised else 0
    limit = max(limit, floor)
    truth = limit + int(count * float(1 / epsilon))
    law = LaplaceLaw.of(looks.scale(0, 1))
    trees = {refined: tree_with(plan, refined) for refined in (True, False)}
    reach, mean, uncorrected = math.ceil(45 * float(looks.scale(0, 1))), 0.0, 0.0
    starts, stops, ends = np.array([[0], [1]]), np.array([[0], [3]]), np.zeros((2, 2))
    for noise in range(-reach, reach + 1):
        refined = truth + noise > limit
        tree = trees[refined]
        first = np.zeros(tree.size, np.int64)
        first[1] = truth + noise
        first[3:4] = truth  # all of it is in the first cell
        second = np.array([0, truth, *([0] * (tree.size - 2))])
        floors = (0, floor, 0)[: len(tree.starts) - 1]
        answers = TreeAnswers(TreeLooks(tree, looks, stop, floors, None, first, second), [None])
        found, said = answers.estimates, answers.answer(starts, stops, np.arange(3))
        ends += float(law.pmf(noise)) * np.array([said.low, said.high])
        mean += float(law.pmf(noise)) * float(found.estimate[1])
        weight = found.child_variance[1] / (found.child_variance[1] + found.own_variance[1]) if refined else 1.0
        uncorrected += float(law.pmf(noise)) * (truth + weight * noise if refined else truth)
    assert mean == pytest.approx(truth, abs=1e-6 * float(1 / epsilon))
    assert abs(uncorrected - truth) > 1e-3 * float(1 / epsilon), "without the correction it would not be"
    assert np.all(ends[0] <= [truth + 1e-6, 1e-6])
    assert np.all(ends[1] >= [truth - 1e-6, -1e-6])
