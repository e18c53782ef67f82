"""Trees over the codes of an attribute, as arrays: the hierarchy of a nominal one, or equal parts of an ordinal one.

Nodes stand level by level, the root first, the children of one node side by side; within a level, groups of children
are in order of their number. Every inner node has at least two children: a node with one child is left out, as it
would only repeat that child's count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet.kernels import tree_shapes
from discreet.schema import Attribute, Nominal
from discreet.schema.hierarchy import Entries, Node
from discreet.transforms.axis import Floats, Integers

#: of 63 bits, and the end
_MOST_LEVELS = 66
#: (first code, end, parts): what a branch covers and what it consists of
_Branch = tuple[int, int, "list[_Branch]"]


@dataclass(frozen=True, eq=False)
class Tree:
    """Node v covers codes first[v] to end[v] - 1; its children are child[v] to child[v] + fanout[v] - 1."""

    first: Integers
    end: Integers
    child: Integers
    fanout: Integers
    #: where each level starts, and the number of nodes
    starts: tuple[int, ...]

    @classmethod
    def of(cls, attribute: Attribute, base: int = 2) -> Tree:
        if isinstance(attribute, Nominal):
            return cls._of_branch(_branch(attribute.tree, 0))
        return cls._of_parts(attribute.size, base)

    @classmethod
    def _of_parts(cls, size: int, base: int) -> Tree:
        """Parts of base**k codes each, k falling by one per level; the last part may be smaller."""
        # every inner node has two children at least; pages that no node lies on are never touched
        first, end, child, fanout = (np.empty(2 * size, np.int64) for _ in range(4))
        starts = np.zeros(_MOST_LEVELS, np.int64)
        first[0], end[0] = 0, size
        levels = tree_shapes.grow(min(base, size + 1), first, end, child, fanout, starts)
        nodes = starts[levels]
        return cls(first[:nodes], end[:nodes], child[:nodes], fanout[:nodes], tuple(starts[: levels + 1].tolist()))

    @classmethod
    def _of_branch(cls, root: _Branch) -> Tree:
        rows: list[tuple[int, int, int, int]] = []
        starts, here = [0], [root]
        while here:
            starts.append(starts[-1] + len(here))
            below, children = starts[-1], {}
            for number in sorted(range(len(here)), key=lambda number: len(here[number][2])):
                children[number] = below
                below += len(here[number][2])
            for number, (first, end, parts) in enumerate(here):
                rows.append((first, end, children[number] if parts else -1, len(parts)))
            here = [part for number in children for part in here[number][2]]
        first, end, child, fanout = np.array(rows, np.int64).T.copy()
        return cls(first, end, child, fanout, tuple(starts))

    @property
    def arrays(self) -> tuple[Integers, Integers, Integers, Integers]:
        """As kernels take them."""
        return self.first, self.end, self.child, self.fanout

    @property
    def nodes(self) -> int:
        return self.first.size

    @property
    def size(self) -> int:
        return int(self.end[0])

    @property
    def depth(self) -> int:
        """Levels below the root."""
        return len(self.starts) - 2

    @cached_property
    def parent(self) -> Integers:
        """The node above each one; the root has none, -1."""
        inner = np.flatnonzero(self.fanout)
        inner = inner[np.argsort(self.child[inner], kind="stable")]  # the order in which their children stand
        return np.concatenate([[-1], np.repeat(inner, self.fanout[inner])])

    @cached_property
    def leaves(self) -> Integers:
        """The node of each code."""
        leaves = np.flatnonzero(self.fanout == 0)
        nodes = np.empty_like(leaves)
        nodes[self.first[leaves]] = leaves
        return nodes

    def to_front(self, lines: Floats) -> None:
        """The entries of the codes to the front of every line, in the order of the codes."""
        lines[: self.size] = lines.take(self.leaves, axis=0)

    @cached_property
    def levels(self) -> tuple[slice, ...]:
        return tuple(slice(start, stop) for start, stop in pairwise(self.starts))


def _branch(entries: Entries, first: int) -> _Branch:
    """A branch over entries; whatever has a single part is that part."""
    parts: list[_Branch] = []
    for entry in entries:
        start = parts[-1][1] if parts else first
        parts.append(_branch(entry.children, start) if isinstance(entry, Node) else (start, start + 1, []))
    return parts[0] if len(parts) == 1 else (first, parts[-1][1], parts)
