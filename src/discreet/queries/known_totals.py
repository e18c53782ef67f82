"""Publicly known totals bound to a schema: disjoint groups of cells whose counts are known, and what a question asks.

Totals of groups that lie in each other say as much as those of the differences: what is left of a group without the
known groups in it. So every set of totals that are disjoint or nested becomes one of disjoint groups, `parts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, DiscreetError
from discreet.queries.binding import attribute_index, bind
from discreet.queries.box_cuts import Codes, chosen_rows, meeting, shared_part, summed, volumes
from discreet.queries.known_entries import Entry, shown
from discreet.queries.known_parts import KnownParts
from discreet.queries.questions import Questions, cell_reader
from discreet.queries.selection import Boxes, Intervals, Selection, complement, intersection, union
from discreet.schema import Schema


@dataclass(frozen=True, eq=False)
class KnownTotals:
    """Disjoint `parts` of the cells: part i has `counts[i]` records; the last one is all else, of which -1 is known."""

    sizes: tuple[int, ...]
    parts: Boxes
    #: of each box the part that it belongs to, in rising order
    part_of: Codes
    counts: Codes
    #: how many totals were given
    given: int

    @classmethod
    def of(cls, entries: Sequence[Entry], schema: Schema) -> KnownTotals:
        """Refuses what is not in the schema, what overlaps, and what contradicts itself."""
        groups = _bound(entries, schema)
        counts, inside = _nested(groups, entries, schema)
        parts, left = [], []
        for number, group in enumerate(groups):
            if counts[number] is None:  # said twice
                continue
            within = [inner for inner, outer in inside.items() if outer == number]
            rest = counts[number] - sum(counts[inner] for inner in within)
            some = _less(group, [groups[inner] for inner in within], schema)
            _refuse_contradiction(entries[number], rest, not some.products, bool(within))
            if some.products:
                parts.append(some)
                left.append(rest)
        outermost = [
            group for number, group in enumerate(groups) if counts[number] is not None and number not in inside
        ]
        every = [*parts, _less(Selection.everything(), outermost, schema)]
        boxes = [one.boxes(schema.sizes) for one in every]
        owner = np.repeat(np.arange(len(boxes)), [len(one.first) for one in boxes])
        first, last = (np.concatenate([getattr(one, end) for one in boxes]) for end in ("first", "last"))
        return cls(tuple(schema.sizes), Boxes(first, last), owner, np.array([*left, -1], np.int64), len(entries))

    def groups(self) -> Questions:
        """One question for each part with a known count."""
        mine = self.part_of < self.counts.size - 1
        boxes = Boxes(self.parts.first[mine], self.parts.last[mine])
        return Questions(boxes.first, boxes.last, self.counts.size - 1, self.part_of[mine])

    @property
    def everything(self) -> int | None:
        """How many records there are, if that is known."""
        return None if self.counts.size - 1 in self.part_of else int(self.counts[:-1].sum())

    def having(self, counts: NDArray[Any]) -> KnownTotals:
        """The same parts with these counts, such as those that invented data have there."""
        return replace(self, counts=np.append(np.round(counts).astype(np.int64), -1))

    def cut(self, questions: Questions) -> KnownParts:
        """What of each question is known, and what is not."""
        mine, theirs = meeting(questions, self.parts)
        met = shared_part(chosen_rows(questions, mine), chosen_rows(self.parts, theirs))
        asked, part = questions.owner[mine], self.part_of[theirs]
        keys, place = np.unique(asked * self.counts.size + part, return_inverse=True)
        cells = summed(place, volumes(met, self.sizes), keys.size)
        of, which = keys // self.counts.size, keys % self.counts.size
        whole = summed(self.part_of, volumes(self.parts, self.sizes), self.counts.size)
        known, full = self.counts[which] >= 0, np.asarray(cells == whole[which], np.bool_)
        return KnownParts(self, questions, met, asked, place, of, which, cells, known & full, known & ~full)


def given_groups(entries: Sequence[Entry], schema: Schema) -> Questions:
    """One question for each total, as it was given."""
    ends = [group.ends(schema.sizes) for group in _bound(entries, schema)]
    boxes = Boxes.of(np.concatenate(ends))
    return Questions(boxes.first, boxes.last, len(ends), np.repeat(np.arange(len(ends)), [len(one) for one in ends]))


def _bound(entries: Sequence[Entry], schema: Schema) -> list[Selection]:
    """The cells of each group; errors name its number and what it says."""
    readers: dict[str, Any] = {}
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            group = _row(entry["at"], schema, readers) if "at" in entry else bind(entry.get("where"), schema)
            _ = group.ends(schema.sizes)
        except DiscreetError as error:
            raise BadParameter(f"known: total {number} ({shown(entry)}): {error}") from None
        if not group.products:
            raise BadParameter(f"known: total {number} ({shown(entry)}): holds no cell; leave it out, or correct it")
        found.append(group)
    return found


def _row(cells: Mapping[str, str], schema: Schema, readers: dict[str, Any]) -> Selection:
    product: dict[int, Intervals] = {}
    for name, text in cells.items():
        index = attribute_index(name, schema)
        reader = readers.setdefault(name, cell_reader(schema[name]))
        if (codes := reader(text)) != ((0, schema[name].size - 1),):
            product[index] = codes
    return Selection((product,))


def _nested(groups: Sequence[Selection], entries: Sequence[Entry], schema: Schema) -> tuple[list[Any], dict[int, int]]:
    """The count of each group (None if an earlier one is the same), and of each that lies in others the nearest."""
    counts: list[Any] = [entry["count"] for entry in entries]
    boxes = [group.boxes(schema.sizes) for group in groups]
    owner = np.repeat(np.arange(len(boxes)), [len(one.first) for one in boxes])
    every = Boxes(*(np.concatenate([getattr(one, end) for one in boxes]) for end in ("first", "last")))
    size = summed(owner, volumes(every, schema.sizes), len(groups))
    mine, theirs = meeting(every, every)
    keys, place = np.unique(owner[mine] * len(groups) + owner[theirs], return_inverse=True)
    common = summed(
        place, volumes(shared_part(chosen_rows(every, mine), chosen_rows(every, theirs)), schema.sizes), keys.size
    )
    inside: dict[int, int] = {}
    for key, cells in zip(keys.tolist(), common.tolist(), strict=True):
        one, other = divmod(key, len(groups))
        if one >= other:
            continue
        said = f"known: {_name(entries, one)} and {_name(entries, other)}"
        if cells < min(size[one], size[other]):
            raise BadParameter(f"{said} overlap; known totals must be of groups apart from each other, or nested")
        if size[one] == size[other]:
            if entries[one]["count"] != entries[other]["count"]:
                raise BadParameter(f"{said} are the same group with different counts; keep one of them")
            counts[other] = None
    for key, cells in zip(keys.tolist(), common.tolist(), strict=True):
        one, other = divmod(key, len(groups))
        if None in (counts[one], counts[other]) or size[one] >= size[other] or cells < size[one]:
            continue
        if one not in inside or size[other] < size[inside[one]]:
            inside[one] = other
    return counts, inside


def _name(entries: Sequence[Entry], number: int) -> str:
    return f"total {number + 1} ({shown(entries[number])})"


def _less(group: Selection, taken: Iterable[Selection], schema: Schema) -> Selection:
    """A group without others."""
    others = list(taken)
    if not others:
        return group
    return intersection([group, complement(union(others, schema.sizes), schema.sizes)], schema.sizes)


def _refuse_contradiction(entry: Entry, rest: int, filled: bool, divided: bool) -> None:
    if rest < 0:
        raise BadParameter(
            f"known: the totals inside of {shown(entry)} add up to {-rest:,} more than it has; correct them"
        )
    if divided and filled and rest:
        raise BadParameter(
            f"known: the totals that make up {shown(entry)} add up to {rest:,} less than it has; correct them"
        )
