"""Noise on the counts of all nodes of a tree per attribute, made consistent by least squares or answered node by node.

Source: dyadic ranges, section 5.2 of sparse-summaries, with all log m + 1 levels charged (errata). Guarantee and
numerics: see `range_dense`. Bias: none.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.ranges.range_dense import WRITE, Transformed
from discreet.mechanisms.ranges.range_sparse import BASE
from discreet.parameters import Flag, Parameter
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal
from discreet.summaries import Answers
from discreet.summaries.coefficients import Coefficients, TreeCounts
from discreet.transforms import AgreeingTree, Axis, Tree

CONSISTENCY = Parameter(
    "consistency",
    Flag(),
    "Whether the estimates of all nodes are made to agree, by least squares; otherwise each is used as it is",
    True,
)


class Dyadic(Transformed):
    method = "dyadic"
    parameters = (BASE, CONSISTENCY, WRITE)

    def choose_axes(self) -> list[Axis]:
        base, self.consistent = self.value(BASE), self.value(CONSISTENCY)
        if not self.consistent and self.write == "cells":
            raise BadParameter("write: cells need consistency; leave `write` out, or set consistency to true")
        attributes = self.request.schema.values()
        self.check_length(math.prod(_full_parts(attribute, base) for attribute in attributes))
        return [AgreeingTree(Tree.of(attribute, base), base) for attribute in attributes]

    def noise_alone(self, questions: Questions, level: float) -> Answers:
        return super().noise_alone(questions, level) if self.consistent else self.noise_written_out(questions, level)

    def summary(self, values: NDArray[np.int64]) -> Coefficients:
        if self.consistent:
            return super().summary(values)
        return TreeCounts(self.request.schema, self.axes, values, self.scale)


def _full_parts(attribute: Attribute, base: int) -> int:
    """No more than the nodes of its tree, but known without building it."""
    if isinstance(attribute, Nominal):
        return attribute.size
    parts, width = 0, 1
    while width <= attribute.size:
        parts, width = parts + attribute.size // width, width * base
    return parts
