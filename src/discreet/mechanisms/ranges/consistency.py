"""The consistency check for filtered tree nodes: a node whose ancestor is missing goes too, before anything is sampled.

Source: section 5.2 of sparse-summaries. With several attributes an ancestor is any node in which one or more
coordinates are replaced by ancestors of theirs. The check looks at which noisy nodes passed the filter, so it is
post-processing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.sorted_rows import mark_complete
from discreet.left_out import LeftOut
from discreet.mechanisms.ranges.nodes import TreeNodes
from discreet.mechanisms.request import Request
from discreet.noise import Chosen, Field, Noise
from discreet.numbers.cell_numbers import CellNumbers
from discreet.parameters import Flag, Parameter
from discreet.summaries import Summary

CONSISTENCY = Parameter(
    "consistency", Flag(), "Whether a node is dropped if one that it lies in did not pass theta", True
)


class Consistent(TreeNodes):
    """Adds the check to a method that filters; what `reduced` does comes after it."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.consistency = self.value(CONSISTENCY)
        if self.consistency:
            self.check_expected(self.rule(self.theta))

    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], float | None]:
        if self.consistency:
            return self.passing(fields, noise), None
        return super().keep(fields, noise)  # type: ignore[safe-super]  # of the method for cells

    def finished(self, numbers: NDArray[Any], values: NDArray[np.int64], tau: float | None, noise: Noise) -> Summary:
        if self.consistency:
            codes = CellNumbers(self.sizes).decode(numbers)
            complete = have_all_ancestors(codes, [axis.parents for axis in self.axes])
            numbers, values = numbers[complete], values[complete]
            chosen, tau = self.reduced(values, noise)
            numbers, values = numbers[chosen], values[chosen]
        return super().finished(numbers, values, tau, noise)

    @abstractmethod
    def reduced(self, values: NDArray[np.int64], noise: Noise) -> tuple[NDArray[np.int64], float | None]:
        """Which of the nodes that are left are published, rising, and tau."""

    def facts(self, tau: float | None) -> dict[str, Any]:
        return {**super().facts(tau), "consistency": self.consistency}

    def method_leaves_out(self) -> list[LeftOut]:
        return [*super().method_leaves_out(), *([LeftOut("below-missing")] if self.consistency else [])]


def have_all_ancestors(codes: NDArray[np.int64], parents: Any) -> NDArray[np.bool_]:
    """Which nodes, given in their order, have every ancestor in the list; `parents` has a function per axis."""
    above = np.empty_like(codes)
    for axis, find in enumerate(parents):
        above[:, axis] = find(np.ascontiguousarray(codes[:, axis]))
    complete = np.zeros(len(codes), np.bool_)
    mark_complete(codes, above, complete)
    return complete
