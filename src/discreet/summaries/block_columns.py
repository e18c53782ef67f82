"""Blocks as columns that anyone can read: a row for each, with the range of every attribute, and back.

`look` and `second_look` are what was measured. `count`, `low` and `high` are what follows from all looks together; of
the blocks of one tree that are not divided, the counts add up to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of, array_with_gaps, with_gaps
from discreet.queries import Questions
from discreet.schema import Schema
from discreet.summaries.base import Answers
from discreet.summaries.block_answers import TreeAnswers
from discreet.summaries.columns import checked_counts, opened
from discreet.summaries.labels import labels_of
from discreet.summaries.node_columns import column_names
from discreet.transforms.axis import Integers
from discreet.transforms.block_tree import BlockTree

LEVEL = 0.95
#: columns besides those of attributes; an attribute of such a name is refused
BLOCK_COLUMNS = ("tree", "divided", "look", "second_look")


def to_columns(
    schema: Schema, trees: Sequence[TreeAnswers], answer: Callable[[Questions, float], Answers], *, holding: bool
) -> dict[str, Any]:
    """Arrow arrays by name. Counts are those of their own tree, so that they add up, while intervals are of all trees
    together: with `holding` they are as wide as it takes to hold the count beside them."""
    import pyarrow as pa

    names, columns = column_names(schema), {}
    sizes = [tree.drawn.tree.size for tree in trees]
    columns["tree"] = pa.concat_arrays(
        [
            pa.repeat(" x ".join(schema.names[place] for place in tree.plan.places), size)
            for tree, size in zip(trees, sizes, strict=True)
        ]
    )
    ends = np.zeros((2, sum(sizes), len(schema)), np.int64)
    ends[1] = np.array(schema.sizes) - 1
    known = np.zeros((sum(sizes), len(schema)), np.bool_)
    begin = 0
    for tree, size in zip(trees, sizes, strict=True):
        rows, blocks = slice(begin, begin + size), tree.drawn.tree.blocks
        for axis, place in enumerate(tree.plan.places):
            ends[0, rows, place], ends[1, rows, place] = blocks.first[:, axis], blocks.last[:, axis]
            known[rows, place] = True
        begin += size
    for place, name in enumerate(schema):
        first, _, last = names[name]
        for end, column in ((0, first), (1, last)):
            columns[column] = with_gaps(labels_of(schema[name], ends[end, :, place]), known[:, place])
    divided, look, second = (
        np.concatenate(parts)
        for parts in zip(*((t.drawn.tree.refined, t.drawn.first, t.drawn.second) for t in trees), strict=True)
    )
    unseen = np.zeros(look.size, np.bool_)
    starts = np.cumsum([0, *sizes[:-1]])
    unseen[starts] = [tree.drawn.root_scale is None for tree in trees]
    had = np.concatenate([_looked_twice(tree.drawn.tree) for tree in trees])
    columns["divided"], columns["look"] = pa.array(divided), with_gaps(pa.array(look), ~unseen)
    columns["second_look"] = with_gaps(pa.array(second), had)
    asked = Questions(ends[0], ends[1], sum(sizes), np.arange(sum(sizes)))
    found = answer(asked, LEVEL).of_counts()
    shown = np.concatenate([tree.estimates.shown for tree in trees])
    low, high = found.low, found.high
    if holding:
        low, high = np.minimum(low, shown), np.maximum(high, shown)
    columns["count"], columns["low"], columns["high"] = map(pa.array, (shown, low, high))
    return columns


def _looked_twice(tree: BlockTree) -> NDArray[np.bool_]:
    again = ~tree.refined & (tree.blocks.end < tree.plan.depth)
    again[0] = not tree.refined[0]
    return np.asarray(again)


def from_file(parquet: Any) -> tuple[NDArray[np.bool_], Integers, Integers]:
    """Which blocks are divided, and both looks; one that there was not is 0."""
    with opened(parquet) as file:
        table = file.read(columns=["divided", "look", "second_look"])
    divided = array_of(table["divided"])
    look, second = (array_with_gaps(table[name])[0] for name in ("look", "second_look"))
    if divided.dtype != np.bool_ or look.dtype != np.int64 or second.dtype != np.int64:
        raise ValueError("the table's columns are not of the types that were published")
    return divided, checked_counts(look), checked_counts(second)
