"""Noise on the counts of all nodes of a tree per attribute, made consistent by least squares or answered node by node.

Source: dyadic ranges, section 5.2 of sparse-summaries, with all log m + 1 levels charged (errata). Guarantee and
numerics: see `transformed`. Bias: none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.ranges.transformed import WRITE, Transformed
from discreet.schema import Attribute, Nominal
from discreet.transforms import AgreeingTree, Axis, Tree

if TYPE_CHECKING:
    from discreet.summaries.coefficients import Coefficients

BASE = "how many parts a node of an ordinal attribute has (default 2); nominal attributes have their hierarchy"


class Dyadic(Transformed):
    tasks = ("ranges",)
    method = "dyadic"
    parameters = {  # noqa: RUF012
        "base": BASE,
        "consistency": "true (default): the estimates of all nodes agree, by least squares; false: each stands alone",
        "write": WRITE,
    }

    def choose_axes(self) -> list[Axis]:
        base = self.request.parameters.get("base", 2)
        if isinstance(base, bool) or not isinstance(base, int) or not 2 <= base <= 1 << 20:
            raise BadParameter(f"base must be a whole number from 2 to {1 << 20}, not {base!r}")
        self.note_choice("base", base, "given" if "base" in self.request.parameters else "default")
        self.consistent = self.request.parameters.get("consistency", True)
        if not isinstance(self.consistent, bool):
            raise BadParameter(f"consistency must be true or false, not {self.consistent!r}")
        if not self.consistent and self.write == "cells":
            raise BadParameter("without consistency there are no common cells to write; leave `write` out")
        origin = "given" if "consistency" in self.request.parameters else "default"
        self.note_choice("consistency", self.consistent, origin)
        attributes = self.request.schema.values()
        self.check_length(math.prod(_full_parts(attribute, base) for attribute in attributes))
        return [AgreeingTree(Tree.of(attribute, base), base) for attribute in attributes]

    def summary(self, values: NDArray[np.int64]) -> Coefficients:
        from discreet.summaries.coefficients import TreeCounts

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
