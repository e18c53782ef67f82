"""Questions about ranges of the papers' experiments, and their true answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.evaluate.named_workloads import boxes
from discreet.kernels.prefix import box_sums, prefix_sums
from discreet.noise import Noise, SeededSource
from discreet.queries import Questions
from experiments.shared.tables import Truth

Integers = NDArray[np.int64]


def prefixes(size: int) -> Questions:
    """All ranges that start at the first cell."""
    last = np.arange(size, dtype=np.int64)[:, None]
    return boxes(np.zeros_like(last), last)


def ranges_of(size: int, cells: int, count: int, seed: int) -> Questions:
    """Ranges of one size, anywhere in a domain of one attribute."""
    first = Noise(SeededSource(seed)).integers(cells - size + 1, count)[:, None]
    return boxes(first, first + size - 1)


def true_answers(truth: Truth, questions: Questions) -> Integers:
    prefix = prefix_sums(truth.counts.dense())
    strides = np.array(prefix.strides, np.int64) // prefix.itemsize
    return box_sums(prefix.reshape(-1), strides, questions.first, questions.last)
