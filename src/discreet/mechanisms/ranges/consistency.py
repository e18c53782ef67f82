"""The consistency check for filtered tree nodes: a node whose ancestor is missing goes too, before anything is sampled.

Source: section 5.2 of sparse-summaries. With several attributes an ancestor is any node in which one or more
coordinates are replaced by ancestors of theirs. The check looks at which noisy nodes passed the filter, so it is
post-processing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.ranges.nodes import TreeNodes
from discreet.numbers.cell_numbers import CellNumbers

if TYPE_CHECKING:
    from discreet.noise import Chosen, Field, Noise
    from discreet.summaries import Summary

CONSISTENCY = "true (default): a node is dropped if one that it lies in did not pass theta; false: it stays"


class Consistent(TreeNodes):
    """Adds the check to a method that filters; what `reduced` does comes after it."""

    def __init__(self, request: Request) -> None:
        given = request.parameters.get("consistency", True)
        if not isinstance(given, bool):
            raise BadParameter(f"consistency must be true or false, not {given!r}")
        self.consistency = given
        super().__init__(request)
        self.note_choice("consistency", given, "given" if "consistency" in request.parameters else "default")
        if given:
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

    def bias(self) -> list[str]:
        if not self.consistency:
            return super().bias()
        said = "nodes below a missing one count as zero too; `bias` bounds what they hide by what the missing one may"
        return [*super().bias(), said]


def have_all_ancestors(codes: NDArray[np.int64], parents: Any) -> NDArray[np.bool_]:
    """Which nodes, given in their order, have every ancestor in the list; `parents` has a function per axis."""
    from discreet.kernels.sorted_rows import mark_complete

    above = np.empty_like(codes)
    for axis, find in enumerate(parents):
        above[:, axis] = find(np.ascontiguousarray(codes[:, axis]))
    complete = np.zeros(len(codes), np.bool_)
    mark_complete(codes, above, complete)
    return complete
