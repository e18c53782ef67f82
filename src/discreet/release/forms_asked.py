"""Forms and selections as the boxes that a summary is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.queries import Questions
from discreet.queries.forms import CellWeights, joined
from discreet.queries.selection import Selection
from discreet.summaries import Answers
from discreet.summaries.linear_laws import PairedBoxes, WeightedBoxes

if TYPE_CHECKING:
    from discreet.release.release import Release


def asked_of(selections: Sequence[Selection], sizes: Sequence[int]) -> Questions:
    """One question for each selection."""
    boxes = [selection.boxes(sizes) for selection in selections]
    nothing = np.zeros((0, len(sizes)), np.int64)
    first = np.concatenate([nothing, *(one.first for one in boxes)])
    last = np.concatenate([nothing, *(one.last for one in boxes)])
    owner = np.repeat(np.arange(len(boxes)), [len(one.first) for one in boxes])
    return Questions(first, last, len(boxes), owner)


def boxes_of(form: CellWeights, sizes: Sequence[int]) -> WeightedBoxes:
    """A form as one weighted question."""
    asked = asked_of([selection for _, selection in form.parts], sizes)
    weights = np.array([float(weight) for weight, _ in form.parts])[asked.owner]
    return WeightedBoxes(asked.first, asked.last, 1, np.zeros_like(asked.owner), weights.astype(np.float64))


def paired_boxes(over: CellWeights, under: CellWeights, sizes: Sequence[int]) -> PairedBoxes:
    """Two forms as boxes that have a weight in each."""
    parts = joined(over, under, sizes)
    asked = asked_of([selection for _, _, selection in parts], sizes)
    above = np.array([float(weight) for weight, _, _ in parts])[asked.owner]
    below = np.array([float(weight) for _, weight, _ in parts])[asked.owner]
    return PairedBoxes(asked.first, asked.last, above, below)


def part_answers(release: Release, selections: Sequence[Selection], level: float) -> Answers:
    return release.answers(asked_of(selections, release.schema.sizes), level)
