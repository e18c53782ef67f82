"""One attribute's part of a linear map: integer coefficients of its codes, and what their noise does to sums of codes.

A map of several attributes is the product of their axes, applied one after the other. The noise on coefficient
(k1, k2, ...) has scale `scale * factor1[k1] * factor2[k2] * ...`, so one record weighs in at
weight1 * weight2 * ... / scale. What an axis says of its coefficients is public: it follows from the schema.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Axis(ABC):
    """Coefficients along one attribute. `lines` are arrays (length, lines) that are worked on in place."""

    kind: ClassVar[str]

    #: how many codes, and how many coefficients
    size: int
    length: int
    #: the most that one record weighs: the maximum over codes of the sum over coefficients of |coefficient| / factor
    weight: int
    #: neighbouring coefficients that share a relative noise scale, in order, covering all of them
    runs: tuple[tuple[slice, int], ...]
    #: the coefficients of each level; the first level is what a total is made of
    levels: tuple[slice, ...]

    @cached_property
    def factors(self) -> tuple[int, ...]:
        """The different relative noise scales, rising."""
        return tuple(sorted({factor for _, factor in self.runs}))

    def places(self, codes: Integers) -> Integers:
        """Where the count of each code stands before the transform."""
        return codes

    @abstractmethod
    def forward(self, lines: Integers) -> None:
        """Counts at their places (zero elsewhere) to coefficients."""

    @abstractmethod
    def restore(self, lines: Floats) -> None:
        """Noisy coefficients to estimates of the codes, in lines[:size]."""

    @abstractmethod
    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        """Of the noise in the sums over codes below `one` and below `other`, if the coefficients' noise had variance 1.

        One row per pair, one column for each of `factors`: the part that coefficients of that factor contribute.
        """

    @abstractmethod
    def fourth(self, first: Integers, end: Integers) -> Floats:
        """The sum of the fourth powers of coefficients' weights in the sum over first <= code < end, per factor."""

    def covariance(self, one: tuple[Integers, Integers], other: tuple[Integers, Integers]) -> Floats:
        """Of the noise in two sums over codes, each from its first code to before its end."""
        (a, b), (c, d) = one, other
        gamma = self.prefix_covariance
        return gamma(b, d) - gamma(b, c) - gamma(a, d) + gamma(a, c)

    def to_dict(self) -> dict[str, Any]:
        """What, besides the attribute, is needed to make the axis again."""
        return {"kind": self.kind}


class Direct(Axis):
    """Codes as they are, every count its own coefficient: best for attributes of few codes."""

    kind = "direct"

    def __init__(self, size: int) -> None:
        self.size = self.length = size
        self.weight = 1
        self.runs = ((slice(0, size), 1),)
        self.levels = (slice(0, size),)

    def forward(self, lines: Integers) -> None:
        """Nothing to do."""

    def restore(self, lines: Floats) -> None:
        """Nothing to do."""

    def prefix_covariance(self, one: Integers, other: Integers) -> Floats:
        return np.minimum(one, other).astype(np.float64)[:, None]

    def fourth(self, first: Integers, end: Integers) -> Floats:
        return (end - first).astype(np.float64)[:, None]
