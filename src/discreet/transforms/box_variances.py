"""Variances of answers that are made of several boxes, from the covariances of pairs of boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer

Integers = NDArray[Any]
Floats = NDArray[np.float64]

MOST_PARTS = 2000


def box_variances(owner: Integers, count: int, covariance: Callable[[Integers, Integers], Floats]) -> Floats:
    """Of each of `count` questions, box i belonging to owner[i]; `covariance` takes two equally long lists of boxes."""
    boxes = np.bincount(owner, minlength=count)
    if boxes.max(initial=0) > MOST_PARTS:
        raise CannotAnswer(
            f"a question consists of {boxes.max():,} boxes of cells whose errors depend on each other; "
            f"at most {MOST_PARTS:,} can be put together. Ask for parts, or for fewer cells"
        )
    variance = np.zeros(count)
    alone = np.flatnonzero(boxes[owner] == 1)
    variance[owner[alone]] = covariance(alone, alone)
    for question in np.flatnonzero(boxes > 1):
        mine = np.flatnonzero(owner == question)
        one, other = np.triu_indices(mine.size)
        variance[question] = covariance(mine[one], mine[other]) @ np.where(one == other, 1.0, 2.0)
    return np.maximum(variance, 0.0)
