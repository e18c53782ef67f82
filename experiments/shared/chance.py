"""Chance from seeds, the same on every machine. None of it is the noise of a release."""

from __future__ import annotations

from hashlib import sha256
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discreet.noise import SeededSource

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def seed_of(text: str, order: Literal["big", "little"] = "big") -> int:
    """A seed from words."""
    return int.from_bytes(sha256(text.encode()).digest()[:8], order)


def shuffled(count: int, seed: int) -> Ints:
    """0 to count - 1 in random order; any r in a row are a random subset."""
    words = np.empty(count, np.uint64)
    SeededSource(seed).stream().fill(words)
    return np.argsort(words, kind="stable")


class Dice:
    """Chance from a seed."""

    def __init__(self, seed: int) -> None:
        self._stream = SeededSource(seed).stream()

    def uniform(self, count: int) -> Floats:
        """Numbers from 0 up to, but not, 1."""
        words = np.empty(count, np.uint64)
        self._stream.fill(words)
        return np.asarray((words >> np.uint64(11)) * 2.0**-53)

    def below(self, ends: Ints) -> Ints:
        """For each end a whole number from 0 to below it."""
        return (self.uniform(ends.size) * ends).astype(np.int64)

    def order(self, count: int) -> Ints:
        return np.argsort(self.uniform(count), kind="stable")
