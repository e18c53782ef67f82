"""Random questions about ranges, repeatable by their seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Noise, SeededSource
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal, Schema

Integers = NDArray[np.int64]


def boxes(first: Integers, last: Integers) -> Questions:
    """One question per box."""
    return Questions(first, last, len(first), np.arange(len(first)))


def predicates(schema: Schema, count: int, seed: int) -> Questions:
    """Privelet's workload: 1 to all attributes restricted, equally often; which ones, and to what, is random."""
    dice = Noise(SeededSource(seed))
    attributes = len(schema)
    restricted = 1 + dice.integers(attributes, count)
    order = np.argsort(dice.integers(1 << 62, count * attributes).reshape(count, attributes), axis=1)
    rank = np.argsort(order, axis=1)
    first = np.zeros((count, attributes), np.int64)
    last = np.broadcast_to(np.array(schema.sizes, np.int64) - 1, first.shape).copy()
    for place, attribute in enumerate(schema.values()):
        asked = rank[:, place] < restricted
        low, high = _parts(attribute, count, dice)
        first[asked, place], last[asked, place] = low[asked], high[asked]
    return boxes(first, last)


def _parts(attribute: Attribute, count: int, dice: Noise) -> tuple[Integers, Integers]:
    if isinstance(attribute, Nominal):
        nodes = [ends for depth in range(attribute.depth) for _, *ends in attribute.level(depth)]
        distinct = np.unique(np.array(nodes, np.int64), axis=0)
        chosen = distinct[dice.integers(len(distinct), count)]
        return chosen[:, 0], chosen[:, 1]
    return intervals(attribute.size, count, dice)


def intervals(size: int, count: int, dice: Noise) -> tuple[Integers, Integers]:
    """First and last codes of intervals, all equally likely: two different cuts of size + 1."""
    one = dice.integers(size + 1, count)
    other = dice.integers(size, count)
    other = other + (other >= one)
    return np.minimum(one, other), np.maximum(one, other) - 1


def random_boxes(schema: Schema, count: int, seed: int) -> Questions:
    """A random interval on every attribute."""
    dice = Noise(SeededSource(seed))
    parts = [intervals(size, count, dice) for size in schema.sizes]
    return boxes(np.stack([low for low, _ in parts], axis=1), np.stack([high for _, high in parts], axis=1))


def covered(schema: Schema, questions: Questions) -> NDArray[np.float64]:
    """The share of all cells that each question covers."""
    widths = (questions.last - questions.first + 1) / np.array(schema.sizes, np.float64)
    return np.asarray(widths.prod(axis=1))
