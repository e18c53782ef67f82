"""What questions need of the nodes of several attributes: a product of one list of nodes per attribute and box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.transforms.box_variances import box_variances
from discreet.transforms.node_axis import NodeAxis

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoxSums:
    """Over all nodes that each box needs: their number, and the sums of |w|, w**2 and w**4; the largest |w|.

    `looked_at` counts those as well that lie above them in their trees.
    """

    needed: Floats
    load: Floats
    second: Floats
    fourth: Floats
    largest: Floats
    looked_at: Floats


@dataclass(frozen=True, eq=False)
class Needs:
    """The lists of all axes, one after the other: box b needs on axis i the entries starts[i, b] to ends[i, b] - 1."""

    starts: Integers
    ends: Integers
    nodes: Integers
    weights: Floats
    skips: Integers

    @classmethod
    def of(cls, axes: Sequence[NodeAxis], first: Integers, last: Integers) -> Needs:
        found, offset = [], 0
        for i, axis in enumerate(axes):
            cover = axis.cover(np.ascontiguousarray(first[:, i]), np.ascontiguousarray(last[:, i]) + 1)
            bounds = cover.starts + offset
            found.append((bounds[:-1], bounds[1:], cover.nodes, cover.weights, cover.skips + offset))
            offset += cover.nodes.size
        starts, ends, nodes, weights, skips = zip(*found, strict=True)
        return cls(np.stack(starts), np.stack(ends), *map(np.concatenate, (nodes, weights, skips)))

    def box_sums(self) -> BoxSums:
        """Every list has an entry of non-zero weight, as no box is empty."""
        starts, size = self.starts.reshape(-1), np.abs(self.weights)
        columns = [size > 0, size, size**2, size**4, np.ones_like(size)]
        sums = [np.add.reduceat(column, starts, dtype=np.float64) for column in columns]
        sums.append(np.maximum.reduceat(size, starts))
        per_box = [np.prod(column.reshape(self.starts.shape), axis=0) for column in sums]
        needed, load, second, fourth, looked_at, largest = per_box
        return BoxSums(needed, load, second, fourth, largest, looked_at)

    def seconds_together(self, owner: Integers, count: int) -> Floats:
        """Per question the sum of squared weights; a node that several of its boxes need has the sum of theirs."""
        from discreet.kernels.node_sums import common_load

        lists = np.repeat(np.arange(self.starts.size), (self.ends - self.starts).reshape(-1))
        order = np.lexsort((self.nodes, lists))
        nodes, weights = self.nodes[order], self.weights[order]

        def together(one: Integers, other: Integers) -> Floats:
            found = np.empty(one.size)
            common_load((self.starts, self.ends, nodes, weights), one, other, found)
            return found

        return box_variances(owner, count, together)
