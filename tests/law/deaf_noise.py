"""Noise that ignores what it is added to: noisy answers that are the same for all data, and what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise import Descent, Noise, Redraws, SeededSource
from discreet.noise.source import BitSource, Stream
from discreet.privacy import Number

Ints = NDArray[np.int64]


class StreamOfItsOwn(BitSource):
    """Every stream has the bits of its number, however many the ones before it gave."""

    private = False
    name = "numbered (for tests)"

    def __init__(self) -> None:
        self.opened = 0

    def stream(self) -> Stream:
        self.opened += 1
        return SeededSource(self.opened).stream()


class Deaf(Noise):
    """Noisy answers that do not depend on the exact ones, but on `seed`; notes what was asked for."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(StreamOfItsOwn())
        self.seed = seed
        self.asked: list[Any] = []
        #: the exact numbers that noise was asked for
        self.exact: list[NDArray[Any]] = []

    def answers(self, what: str, scale: Any, exact: NDArray[Any], *more: int) -> Ints:
        self.asked.append((what, scale, exact.shape))
        self.exact.append(exact.copy())
        shape = (*more, *exact.shape)
        return np.random.default_rng([self.seed, len(self.asked)]).integers(-9, 90, shape)

    def add(self, counts: NDArray[Any], scale: Number) -> Ints:
        return self.answers("add", scale, np.asarray(counts))

    def add_into(self, table: Ints, scale: Number) -> None:
        table[...] = self.answers("add into", scale, table)

    def add_blocks(self, blocks: Sequence[Ints], scales: Sequence[Number]) -> list[Ints]:
        return [self.answers("block", scale, block) for block, scale in zip(blocks, scales, strict=True)]

    def choose(self, losses: Ints, scale: Number) -> int:
        return int(self.answers("choose", scale, losses)[0] % losses.size)

    def select(self, counts: Ints, most: int, scale: Number) -> Ints:
        return np.argsort(-self.answers("select", scale, counts), kind="stable")[:most]

    def descend(self, noisy: Ints, exact: Ints, descent: Descent) -> Redraws:
        values = self.answers("descend", descent, exact, 3)
        step = np.sort(1 + np.abs(values) * descent.steps // 100, axis=0)
        answer = np.tile(np.arange(noisy.size), 3)
        return Redraws(answer, step.reshape(-1), values.reshape(-1) - exact[answer])
