"""On every way down a tree of blocks the same epsilon is spent, and what is measured follows from noisy counts alone.

For schemas of every kind, where the law of `test_adaptive_law` has one attribute of three codes: noisy counts come from
nowhere, each another number that tells which scale it was asked for.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.ranges import range_blocks
from discreet.mechanisms.ranges.adaptive import Adaptive
from discreet.noise import Noise
from discreet.privacy import Number, Unit, exact
from discreet.private.counts import Counts
from discreet.schema import Schema
from discreet.summaries.adaptive_blocks import AdaptiveBlocks
from discreet.summaries.block_estimates import TreeLooks

#: blocks that only the third level cuts, and blocks that are cut at once
RAGGED: dict[str, Any] = {
    "a": {"a1": ["a2", "a3"], "a4": ["a5"]},
    "b": {"b1": ["b2", "b3", "b4"]},
    "c": ["c1", {"c2": ["c3", "c4"]}],
    "d": ["d1"],
}
KINDS: dict[str, Schema] = {
    "a line": Schema(x=discreet.Ordinal(0, 99)),
    "a line with special values": Schema(x=discreet.Ordinal(0, 99, special=[0, 37])),
    "a ragged hierarchy": Schema(place=discreet.Nominal(hierarchy=RAGGED, special=["b3"])),
    "below a country": Schema(place=discreet.Nominal(hierarchy={"all": RAGGED}), x=discreet.Ordinal(0, 9)),
    "several": Schema(
        place=discreet.Nominal(hierarchy=RAGGED),
        x=discreet.Ordinal(0, 29, special=[0]),
        one=discreet.Nominal(["only"]),
        sex=discreet.Nominal(["f", "m"]),
    ),
    "a single cell": Schema(x=discreet.Ordinal(3, 3), y=discreet.Nominal(["only"])),
}


class Numbered(Noise):
    """Far above every threshold or far below, by dice; no number twice."""

    def __init__(self, seed: int) -> None:
        self.dice = np.random.default_rng(seed)
        self.scales: dict[int, Fraction] = {}

    def add(self, counts: Any, scale: Number) -> Any:
        numbers = 10**9 + len(self.scales) + np.arange(counts.size)
        signed = np.where(self.dice.random(counts.size) < 0.5, numbers, -numbers)
        self.scales |= dict.fromkeys(signed.tolist(), exact(scale, "scale"))
        return signed.reshape(counts.shape)


def measured(mechanism: Adaptive, seed: int, rows: int) -> tuple[AdaptiveBlocks, dict[int, Fraction]]:
    dice = np.random.default_rng(rows)
    sizes = mechanism.request.schema.sizes
    noise = Numbered(seed)
    codes = np.stack([dice.integers(0, size, rows) for size in sizes], axis=1)
    return mechanism.measure(Counts.from_arrays(sizes, codes, np.ones(rows, np.int64)), noise), noise.scales


def spent(looks: TreeLooks, scales: dict[int, Fraction]) -> set[Fraction]:
    """1 / scale of all looks on each way down from the root, the total of everything apart."""
    tree, ways = looks.tree, set()
    fanout = np.prod(tree.parts, axis=1)
    paid = [Fraction(0)] * tree.size
    for block in range(tree.size):
        if block:
            paid[block] += 1 / scales[int(looks.first[block])]
        if tree.refined[block]:
            for child in range(tree.child[block], tree.child[block] + fanout[block]):
                paid[child] = paid[block]
        else:
            second = int(looks.second[block])
            ways.add(paid[block] + (1 / scales[second] if second else 0))
    return ways


@pytest.mark.parametrize("most", [range_blocks.MOST_CHILDREN, 6])
@pytest.mark.parametrize("task", [discreet.Ranges, discreet.Table])
@pytest.mark.parametrize("kind", KINDS)
def test_every_way_down_costs_the_same_and_data_decide_nothing(
    kind: str, task: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where blocks would be too many, so that only those of the largest noisy counts are divided."""
    monkeypatch.setattr(range_blocks, "MOST_CHILDREN", most)
    schema = KINDS[kind]
    asked = task(list(schema), method="adaptive")
    mechanism = mechanism_for(asked, Request.of(asked, schema, Unit(), "0.3"))
    assert isinstance(mechanism, Adaptive)
    floors = {0}
    for seed in range(4):
        summary, scales = measured(mechanism, seed, 5)
        ways = [spent(looks, scales) for looks in summary.trees]
        assert [len(way) for way in ways] == [1] * len(ways)
        total = Fraction(1 / summary.trees[0].root_scale) if summary.trees[0].root_scale else Fraction(0)
        assert total + sum((way.pop() for way in ways), Fraction(0)) == Fraction(3, 10)
        other, _ = measured(mechanism, seed, 3000)
        assert other.facts() == summary.facts()
        assert other.to_arrow().equals(summary.to_arrow())
        floors |= {floor for looks in summary.trees for floor in looks.floors}
    if kind == "several":
        assert (max(floors) > 0) == (most == 6)
