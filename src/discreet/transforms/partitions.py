"""Partitions of the codes of one attribute into blocks of consecutive codes, each finer than the one before it.

A block is known by its rank, its place in the order of codes. Equal parts need arithmetic only, so that 2**60 codes
take no memory; the levels of a hierarchy are listed. Special values of the attribute are blocks of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from discreet.schema import Attribute, Nominal
from discreet.schema.hierarchy import Entries, Node
from discreet.transforms.axis import Integers


class Partition(ABC):
    """Blocks by rank: block r has the codes start(r) to start(r + 1) - 1."""

    size: int

    @abstractmethod
    def rank(self, codes: Integers) -> Integers:
        """The rank of the block that each code lies in."""

    @abstractmethod
    def start(self, ranks: Integers) -> Integers:
        """The first code of each block; of the rank after the last one, the number of codes."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """What `partition_of` needs, besides the attribute, to make it again."""

    @property
    def blocks(self) -> int:
        return int(self.rank(np.array([self.size - 1]))[0]) + 1


class EvenParts(Partition):
    """Parts of `width` codes, the last of which may be shorter, cut once more around special codes."""

    def __init__(self, size: int, width: int, special: tuple[int, ...] = ()) -> None:
        self.size, self.width = size, min(width, size)
        cuts = sorted({edge for code in special for edge in (code, code + 1) if 0 < edge < size and edge % self.width})
        self._cuts = np.array(cuts, np.int64)
        #: the rank of the block that begins at each cut
        self._ranks = self._cuts // self.width + np.arange(1, len(cuts) + 1)

    def rank(self, codes: Integers) -> Integers:
        found: Integers = codes // self.width
        return found + np.searchsorted(self._cuts, codes, side="right") if self._cuts.size else found

    def start(self, ranks: Integers) -> Integers:
        if not self._cuts.size:
            return np.minimum(ranks * self.width, self.size)
        before = np.searchsorted(self._ranks, ranks, side="right")
        at_a_cut = self._ranks[before - 1] == ranks
        return np.minimum(np.where(at_a_cut, self._cuts[before - 1], (ranks - before) * self.width), self.size)

    def to_dict(self) -> dict[str, Any]:
        return {"width": self.width, **({"special": True} if self._cuts.size else {})}


class HierarchyParts(Partition):
    """The nodes of a hierarchy at one depth, or runs of so many of them that have the same parent."""

    def __init__(self, attribute: Nominal, depth: int, together: int = 1, special: tuple[int, ...] = ()) -> None:
        self.size, self.depth, self.together = attribute.size, depth, together
        starts = _starts(attribute.tree, depth, together, 0)
        edges = {edge for code in special for edge in (code, code + 1) if edge < self.size}
        self._special = bool(special)
        self._starts = np.array(sorted({*starts, *edges}), np.int64)
        self._after = np.append(self._starts, self.size)

    def rank(self, codes: Integers) -> Integers:
        return np.searchsorted(self._starts, codes, side="right") - 1

    def start(self, ranks: Integers) -> Integers:
        return self._after[ranks]

    def to_dict(self) -> dict[str, Any]:
        return {"depth": self.depth, "together": self.together, **({"special": True} if self._special else {})}


def partition_of(attribute: Attribute, said: dict[str, Any]) -> Partition:
    """The partition that `to_dict` described; a ValueError or LookupError if there is none such."""
    special = attribute.special_codes if said.get("special") else ()  # a level may leave the attribute whole
    if "width" in said:
        if not int(said["width"]) > 0:
            raise ValueError("a part has no codes")
        return EvenParts(attribute.size, int(said["width"]), special)
    if not isinstance(attribute, Nominal):
        raise ValueError("an ordinal attribute has no hierarchy")
    return HierarchyParts(attribute, int(said["depth"]), int(said["together"]), special)


def _starts(entries: Entries, depth: int, together: int, first: int) -> list[int]:
    """Where the nodes at this depth begin, every `together`-th among siblings; a label further up is a node too."""
    found: list[int] = []
    for number, entry in enumerate(entries):
        if depth == 1 or not isinstance(entry, Node):
            if depth > 1 or number % together == 0:
                found.append(first)
        else:
            found += _starts(entry.children, depth - 1, together, first)
        first += _leaves(entry)
    return found


def _leaves(entry: str | Node) -> int:
    return sum(_leaves(child) for child in entry.children) if isinstance(entry, Node) else 1
