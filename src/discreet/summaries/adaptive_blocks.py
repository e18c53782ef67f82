"""Trees of blocks that were divided where noisy counts were large: over all attributes together, and over single ones.

A question is put to every tree that has all attributes it is about; their answers are put together, the better one
weighing more. The truth of a block that a question cuts lies between nothing and the whole block, so an interval
reaches from what is surely inside to what may be, with the noise of either; see the card of `adaptive`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from discreet.numbers.corridors import Mixed, half_widths
from discreet.privacy import LARGEST_SCALE, as_text
from discreet.queries import Boxes, Questions
from discreet.schema import Ordinal, Schema
from discreet.summaries.base import Answers, Summary
from discreet.summaries.block_answers import Found, Margin, TreeAnswers
from discreet.summaries.block_columns import from_file, to_columns
from discreet.summaries.block_estimates import TreeLooks
from discreet.summaries.block_sums import forest_sides
from discreet.summaries.columns import arrow_table
from discreet.summaries.linear_laws import PairedBoxes, ValueRanges
from discreet.summaries.mass_boxes import MassBoxes
from discreet.transforms.block_rules import LookScales, Stop
from discreet.transforms.block_tree import BlockTree, TreePlan
from discreet.transforms.partitions import partition_of


class AdaptiveBlocks(Summary):
    """The looks at the blocks of one or more trees; the first one has all attributes."""

    shape = "blocks"
    widths_follow_errors = True
    has_sides = True

    def __init__(
        self, schema: Schema, trees: Sequence[TreeLooks], *, smooth: bool = True, holding: bool = True
    ) -> None:
        """`smooth` is the rule for numbers, `holding` says that intervals in the table hold the number of their block;
        releases of before these were there keep the rules that they had, and so the bytes of their table."""
        self.schema = schema
        self.trees = tuple(trees)
        self._smooth = smooth
        self._holding = holding

    @cached_property
    def _answering(self) -> list[TreeAnswers]:
        """Trees of single attributes first, for they say how records lie inside the blocks of others."""
        margins: list[Margin | None] = [None] * len(self.schema)
        found: dict[int, TreeAnswers] = {}
        attributes = list(self.schema.values())
        for number, drawn in sorted(enumerate(self.trees), key=lambda one: len(one[1].tree.plan.places)):
            places = drawn.tree.plan.places
            known = [margins[place] for place in places] if len(places) > 1 else [None]
            ordinal = [isinstance(attributes[place], Ordinal) for place in places] if self._smooth else None
            found[number] = TreeAnswers(drawn, known, ordinal)
            if len(places) == 1:
                margins[places[0]] = found[number].margin()
        return [found[number] for number in range(len(self.trees))]

    def answer(self, questions: Questions, level: float) -> Answers:
        found = self._found(questions)
        low = found.low - half_widths(found.low_variance, level)
        high = found.high + half_widths(found.high_variance, level)
        low, high = np.minimum(low, found.plain), np.maximum(high, found.plain)
        stderr = np.sqrt(found.variance + found.spread)
        cut = {"blocks that the question cuts": found.high - found.low}
        return Answers(found.shown, stderr, low, high, plain=found.plain, parts=cut)

    def sides(self, asked: PairedBoxes) -> Mixed:
        return forest_sides(self._answering, self.schema.sizes, asked)

    def value_sides(self, selected: Boxes, attribute: int, ranges: ValueRanges) -> Mixed:
        ones = np.ones(len(selected.first))
        asked = PairedBoxes(selected.first, selected.last, ones, ones)
        return forest_sides(self._answering, self.schema.sizes, asked, attribute, ranges)

    def _found(self, questions: Questions) -> Found:
        bounds = np.searchsorted(questions.owner, np.arange(questions.count + 1))
        sizes = np.array(self.schema.sizes)
        whole = (questions.first == 0) & (questions.last == sizes - 1)
        found: Found | None = None
        for tree in self._answering:
            others = [place for place in range(sizes.size) if place not in tree.plan.places]
            able = np.ones(questions.count, np.bool_)
            if others:
                cut = ~np.all(whole[:, others], axis=1)
                able[questions.owner[cut]] = False
            if not able.any():
                continue
            mine = able[questions.owner]
            boxes = [
                np.ascontiguousarray(ends[mine][:, list(tree.plan.places)])
                for ends in (questions.first, questions.last)
            ]
            counts = np.diff(bounds)[able]
            said = tree.answer(boxes[0], boxes[1], np.concatenate([[0], np.cumsum(counts)]))
            found = said if found is None else found.joined(said, able)
        assert found is not None
        return found

    def fitted_boxes(self, rows: int) -> MassBoxes:
        """The blocks of all attributes that were not divided; trees of single ones say how records lie inside."""
        whole = self._answering[0]
        tree, places = whole.drawn.tree, np.argsort(whole.plan.places)
        leaves = np.flatnonzero(~tree.refined)
        single = [tree for tree in self._answering if len(tree.plan.places) == 1]
        spreads = {tree.plan.places[0]: tree.margin() for tree in single if tree is not whole}
        first, last = (side[leaves][:, places] for side in (tree.blocks.first, tree.blocks.last))
        return MassBoxes(first, last, whole.estimates.shown[leaves], spreads)

    def facts(self) -> dict[str, Any]:
        rules = {name: True for name, kept in (("smooth", self._smooth), ("holding", self._holding)) if kept}
        return {"shape": self.shape, **rules, "trees": [_said(drawn, self.schema) for drawn in self.trees]}

    def to_arrow(self) -> Any:
        return arrow_table(to_columns(self.schema, self._answering, self.answer, holding=self._holding))

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> AdaptiveBlocks:
        trees, used = [], 0
        refined, first, second = from_file(parquet)
        for said in facts["trees"]:
            plan = _plan(schema, said)
            rows = slice(used, used + int(said["blocks"]))
            tree = BlockTree.regrown(plan, refined[rows])
            used = rows.stop
            looks = LookScales(plan, _scale(said["scale"]))
            stop = Stop(*map(float, said["stop"]))
            if not (0 <= stop.children < np.inf and 0 <= stop.own < np.inf):
                raise ValueError("no block is divided by such a rule")
            root = None if said["root_scale"] is None else _scale(said["root_scale"])
            floors = tuple(map(int, said["floors"]))
            if len(floors) != len(tree.starts) - 1 or min(floors) < 0:
                raise ValueError("the rule of a generation is missing")
            trees.append(TreeLooks(tree, looks, stop, floors, root, first[rows], second[rows]))
        if used != refined.size or not trees or set(trees[0].tree.plan.places) != set(range(len(schema))):
            raise ValueError("the table has rows of no tree, or no tree of all attributes")
        smooth, holding = (facts.get(rule, False) is True for rule in ("smooth", "holding"))
        return cls(schema, trees, smooth=smooth, holding=holding)


def _said(drawn: TreeLooks, schema: Schema) -> dict[str, Any]:
    plan = drawn.tree.plan
    return {
        "by": [schema.names[place] for place in plan.places],
        "levels": [[partition.to_dict() for partition in level] for level in plan.levels],
        "shares": [as_text(share) for share in plan.shares],
        "scale": as_text(drawn.looks.unit),
        "root_scale": None if drawn.root_scale is None else as_text(drawn.root_scale),
        "stop": [drawn.stop.children, drawn.stop.own],
        "floors": list(drawn.floors),
        "blocks": drawn.tree.size,
    }


def _scale(said: Any) -> Fraction:
    scale = Fraction(said)
    if not 0 < scale <= LARGEST_SCALE:
        raise ValueError("a scale is not one that noise can have")
    return scale


def _plan(schema: Schema, said: dict[str, Any]) -> TreePlan:
    places = tuple(schema.names.index(name) for name in said["by"])
    attributes = [schema[name] for name in said["by"]]
    levels = tuple(
        tuple(partition_of(attribute, one) for attribute, one in zip(attributes, level, strict=True))
        for level in said["levels"]
    )
    shares = tuple(map(Fraction, said["shares"]))
    if len(shares) != len(levels) or any(share <= 0 for share in shares) or sum(shares) > 1:
        raise ValueError("the shares of the levels do not fit them")
    return TreePlan(places, tuple(attribute.size for attribute in attributes), levels, shares)
