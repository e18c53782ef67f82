"""What the dense transforms share: counts to coefficients, noise on every coefficient, nothing else.

Guarantee: pure epsilon. The map is the product of the attributes' axes, the scale of coefficient (k1, k2, ...) is
`scale` times its factors, and scale = sensitivity * (product of the axes' weights) / epsilon, the generalised
sensitivity of privelet. Numerics: all coefficients are whole numbers, the noise is exact.
"""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CountOverflow
from discreet.mechanisms.base import Request
from discreet.mechanisms.noise_scales import OneScale
from discreet.parameters import choice
from discreet.privacy import LARGEST_SCALE, as_text
from discreet.private.bounded import Bounded
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.summaries import Answers, Summary
from discreet.summaries.coefficients import Coefficients
from discreet.transforms import Axis
from discreet.transforms.lines import through
from discreet.transforms.noise_moments import NoiseMoments

if TYPE_CHECKING:
    from discreet.noise import Noise

#: the most coefficients that are held one by one
MOST_COEFFICIENTS = 2**28
LARGEST_GAIN = 2**20

WRITE = choice(
    "write",
    ("coefficients", "cells"),
    "What the release holds: the whole numbers that were measured, or the cells computed from them",
)


class Transformed(OneScale):
    """A method of `Ranges` that gives every coefficient of a product of axes its own noise."""

    tasks = ("ranges",)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.write = self.value(WRITE)
        self.check_length(request.schema.cells)  # no axis has fewer coefficients than codes
        self.axes = self.choose_axes()
        self.check_length(math.prod(axis.length for axis in self.axes))
        self.set_scale(math.prod(axis.weight for axis in self.axes))
        #: how far a coefficient may exceed the counts that it is made of
        self.gain = math.prod(max(axis.factors) for axis in self.axes)
        if self.gain > LARGEST_GAIN or self.scale * self.gain > LARGEST_SCALE:
            raise BadParameter(
                f"{self.method}: the hierarchies have so many children per node that 64-bit numbers may not hold the "
                "coefficients; leave some of these attributes untransformed (privelet+ with direct), or use dyadic"
            )

    @abstractmethod
    def choose_axes(self) -> list[Axis]:
        """One axis per attribute, from public facts."""

    def check_length(self, length: int) -> None:
        """Refuses so many coefficients, or more."""
        if length > MOST_COEFFICIENTS:
            raise BadParameter(
                f"{self.method}: the table has {length:,} coefficients, too many to hold (at most "
                f"{MOST_COEFFICIENTS:,}). Use adaptive, fewer attributes, or wider bins"
            )

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        summary = self.summary(self.measured(data.table(), noise))
        return summary if self.write == "coefficients" else summary.as_cells()

    def measured(self, counts: Counts, noise: Noise) -> NDArray[np.int64]:
        """The noisy coefficients: the only use of the counts."""
        if int(counts.counts.sum()) * self.gain >= 1 << 61:
            raise CountOverflow("the counts are too large for 64-bit coefficients")
        table = np.zeros([axis.length for axis in self.axes], np.int64)
        places = tuple(axis.places(counts.codes[:, i]) for i, axis in enumerate(self.axes))
        table[places] = counts.counts
        for place, axis in enumerate(self.axes):
            through(table, place, axis.forward)
        for runs in itertools.product(*(axis.runs for axis in self.axes)):
            block = tuple(part for part, _ in runs)
            noise.add_into(table[block], self.scale * math.prod(factor for _, factor in runs))
        return table

    def noise_alone(self, questions: Questions, level: float) -> Answers:
        moments = NoiseMoments(self.axes, self.scale).of(questions)
        return Answers.of_moments(np.zeros(questions.count), *moments, float(self.scale), level)

    def summary(self, values: NDArray[np.int64]) -> Coefficients:
        """What is published of the noisy coefficients: post-processing."""
        return Coefficients(self.request.schema, self.axes, values, self.scale)

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s), independent in every coefficient; s is "
            "`scale` times the factors of the coefficient along each attribute",
            "scale": as_text(self.scale),
            "factors": {name: list(axis.factors) for name, axis in zip(self.request.schema, self.axes, strict=True)},
        }
