"""Nominal attributes: a list of labels, or a hierarchy in which every node is a run of consecutive codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from discreet.errors import BadSpec, CannotAnswer, OutsideDomain
from discreet.naming import OTHER, did_you_mean, rule_problems
from discreet.schema.asked_values import shown_value
from discreet.schema.hierarchy import (
    Entries,
    Node,
    label_text,
    plain_tree,
    prefix_tree,
    read_csv,
    read_labels,
    read_tree,
    walk,
)
from discreet.schema.reading import PART_LABELS, PLAIN, Reading, folded, label_codes, reading_problems
from discreet.schema.special import codes_of_special


@dataclass(frozen=True)
class Nominal:
    """Labels without an order.

    `Nominal(["Male", "Female"])`, or `Nominal(hierarchy={"Americas": ["USA", "Canada"], "Asia": ["Japan"]})`.
    A hierarchy may have any depth, and branches of different depth. `levels` may name the depths, outermost first.
    `prefixes=[5, 11]` makes a hierarchy of a list of codes: those with the same first 5 and then 11 letters are groups.
    `outside` says where a value goes that is not declared, `null` where a missing one goes: "drop", not counted;
    "other", a cell of its own.
    `reading` says how labels are found in the data; for a weekday or a month, `values` may be left out.
    `special` lists labels on which very many records are expected, such as "not applicable"; it is kept in the order of
    their codes, which are in `special_codes`.
    """

    values: Sequence[str | int] | None = None
    hierarchy: Mapping[str, Any] | Sequence[Any] | None = field(default=None, kw_only=True)
    levels: Sequence[str] | None = field(default=None, kw_only=True)
    outside: str = field(default="drop", kw_only=True)
    null: str = field(default="drop", kw_only=True)
    special: Sequence[str | int] | None = field(default=None, kw_only=True)
    reading: Reading = field(default=PLAIN, kw_only=True)
    prefixes: InitVar[Sequence[int] | None] = field(default=None, kw_only=True)
    special_codes: tuple[int, ...] = field(init=False, repr=False, compare=False)
    labels: tuple[str, ...] = field(init=False, repr=False, compare=False)
    depth: int = field(init=False, repr=False, compare=False)
    _tree: Entries = field(init=False, repr=False, compare=False)

    def __post_init__(self, prefixes: Sequence[int] | None) -> None:
        problems = rule_problems(self.outside, self.null, ("drop", OTHER))
        if self.outside == "clamp":
            problems[0] = "outside: labels have no order, so nothing can be clamped; use 'drop' or 'other'"
        problems += reading_problems(self.reading, needs_part=True)
        tree = self._declared(prefixes, problems)
        places = list(walk(tree))
        if self.has_other and any(_name(entry) == OTHER for entry, _ in places):
            problems.append("outside: a label is named 'other', as the cell for other values; rename it or use 'drop'")
        depth = 1 + max((depth for _, depth in places), default=0)
        levels = self._checked_levels(depth, problems)
        if problems:
            raise BadSpec(problems)
        leaves = tuple(entry for entry, _ in places if isinstance(entry, str))
        is_flat = self.hierarchy is None and prefixes is None
        checked = {"values": leaves if is_flat else None, "hierarchy": None if is_flat else tree}
        labels = leaves + (OTHER,) * self.has_other
        for name, value in {**checked, "levels": levels, "labels": labels, "depth": depth, "_tree": tree}.items():
            object.__setattr__(self, name, value)
        if self.reading != PLAIN:
            label_codes(leaves, self.reading, self.code)  # refuses what cannot be read
        codes = codes_of_special(self.special, self.code, self.label)
        object.__setattr__(self, "special_codes", codes)
        object.__setattr__(self, "special", tuple(labels[code] for code in codes))

    def _declared(self, prefixes: Sequence[int] | None, problems: list[str]) -> Entries:
        """The hierarchy, or the flat list of labels, by whichever of the ways to give it was taken."""
        named = None if self.hierarchy is not None else PART_LABELS.get(getattr(self.reading, "part", None) or "")
        values = named if self.values is None else self.values
        if (values is None) == (self.hierarchy is None):
            raise BadSpec([*problems, "values: give either values or hierarchy, one of the two"])
        if self.hierarchy is None:
            labels = _distinct(values, problems)
            return labels if prefixes is None else prefix_tree(labels, prefixes, problems)
        if prefixes is not None:
            problems.append("prefixes: make a hierarchy of values; give either them or a hierarchy")
        return read_tree(self.hierarchy, problems)

    def _checked_levels(self, depth: int, problems: list[str]) -> tuple[str, ...]:
        if self.levels is None:
            return ()
        listed = isinstance(self.levels, Sequence) and not isinstance(self.levels, str)
        if not listed or not all(isinstance(name, str) and name for name in self.levels):
            problems.append('levels: must be a list of names, outermost first, such as ["county", "tract"]')
            return ()
        names = tuple(self.levels)
        if names and (len(names) != depth or len(set(names)) < depth):
            problems.append(f"levels: the hierarchy is {depth} deep, so give {depth} different names, outermost first")
        return names

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        levels: Sequence[str] | None = None,
        *,
        outside: str = "drop",
        null: str = "drop",
        special: Sequence[str | int] | None = None,
        reading: Reading = PLAIN,
    ) -> Nominal:
        """A hierarchy with one row per leaf and one column per level, leaf first: block, tract, county.

        The header names the levels; `levels` picks some of them, outermost first.
        """
        tree, names = read_csv(path, levels)
        return cls(hierarchy=tree, levels=names, outside=outside, null=null, special=special, reading=reading)

    @classmethod
    def from_values_csv(
        cls,
        path: str | Path,
        levels: Sequence[str] | None = None,
        *,
        prefixes: Sequence[int] | None = None,
        outside: str = "drop",
        null: str = "drop",
        special: Sequence[str | int] | None = None,
        reading: Reading = PLAIN,
    ) -> Nominal:
        """The labels in the first column of a CSV with a header, such as a list of all items, even of millions."""
        return cls(
            read_labels(path),
            levels=levels,
            prefixes=prefixes,
            outside=outside,
            null=null,
            special=special,
            reading=reading,
        )

    @property
    def has_other(self) -> bool:
        """Whether values outside of the domain, or missing ones, have a cell of their own."""
        return OTHER in (self.outside, self.null)

    @property
    def size(self) -> int:
        """How many codes there are: labels, and the cell for other values."""
        return len(self.labels)

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @property
    def written(self) -> dict[str, int]:
        """The code of every way in which data may write a label; in small letters, if `reading` ignores case."""
        return label_codes(self.labels[: self.size - self.has_other], self.reading, self.code)

    @cached_property
    def _spelt(self) -> dict[str, str]:
        """Labels and groups by what they are in small letters, for questions, where case is ignored."""
        known = [*self._groups, *self._codes] if self.reading.ignore_case else []
        return {folded(name): name for name in known}

    def _known(self, name: object) -> str:
        text = _as_text(name)
        return text if text in self._codes else self._spelt.get(folded(text), text)

    @cached_property
    def _groups(self) -> dict[str, tuple[int, int]]:
        """First and last code of every inner node."""
        groups: dict[str, tuple[int, int]] = {}

        def visit(tree: Entries, first: int) -> int:
            for entry in tree:
                if isinstance(entry, Node):
                    end = visit(entry.children, first)
                    groups[entry.name] = (first, end - 1)
                    first = end
                else:
                    first += 1
            return first

        visit(self._tree, 0)
        return groups

    @property
    def tree(self) -> Entries:
        """The hierarchy, or the flat list of labels; "other" is a leaf at the top."""
        return (*self._tree, OTHER) if self.has_other else self._tree

    def label(self, code: int) -> str:
        """The label of one code."""
        if not 0 <= code < self.size:
            raise OutsideDomain(f"code {code} is outside 0..{self.size - 1}")
        return self.labels[code]

    def example(self, code: int) -> str | None:
        """A raw value that counts in this cell, as text; None is a missing one."""
        if not self.has_other or code < self.size - 1:
            return self.labels[code]
        return None if self.null == OTHER else max(self.labels, key=len) + "?"

    def code(self, label: object) -> int:
        """The code of one label."""
        text = self._known(label)
        if text in self._codes:
            return self._codes[text]
        if text in self._groups:
            raise OutsideDomain(f"{text!r} is a group of the hierarchy, not a single label")
        raise OutsideDomain(f"{shown_value(text)} is not among the declared labels.{did_you_mean(text, self._codes)}")

    def node(self, name: object) -> tuple[int, int]:
        """First and last code of a label or of a group of the hierarchy."""
        text = self._known(name)
        if text in self._groups:
            return self._groups[text]
        if text in self._codes:
            return self._codes[text], self._codes[text]
        known = [*self._groups, *self._codes]
        hint = did_you_mean(text, known)
        raise OutsideDomain(f"{shown_value(text)} is not among the declared labels and groups.{hint}")

    def level(self, which: str | int) -> list[tuple[str, int, int]]:
        """The roll-up to one depth: name, first and last code of each part, covering every code once.

        0 is the outermost level. A leaf that hangs higher up stands for itself, as does "other".
        """
        wanted = self._level_number(which)
        found = [
            _name(entry)
            for entry, depth in walk(self.tree)
            if depth == wanted or (depth < wanted and isinstance(entry, str))
        ]
        return [(name, *self.node(name)) for name in found]

    def _level_number(self, which: str | int) -> int:
        names = self.levels or ()
        if isinstance(which, str):
            if which in names:
                return list(names).index(which)
            known = f"the levels are {', '.join(names)}" if names else f"give a number from 0 to {self.depth - 1}"
            raise CannotAnswer(f"there is no level {which!r}; {known}.{did_you_mean(which, names)}")
        if isinstance(which, bool) or not 0 <= which < self.depth:
            raise CannotAnswer(f"there is no level {which!r}; give a number from 0 (outermost) to {self.depth - 1}")
        return which

    def to_dict(self) -> dict[str, Any]:
        """What was declared, in plain JSON and TOML types."""
        key = "values" if self.hierarchy is None else "hierarchy"
        levels = {"levels": list(self.levels)} if self.levels else {}
        rules = {"outside": self.outside, "null": self.null}
        special = {"special": list(self.special)} if self.special else {}
        return {"kind": "nominal", key: plain_tree(self._tree), **levels, **rules, **special, **self.reading.to_dict()}


def _distinct(values: object, problems: list[str]) -> tuple[str, ...]:
    if isinstance(values, str | Mapping) or not isinstance(values, Sequence):
        problems.append('values: must be a list of labels such as ["Male", "Female"]')
        return ()
    if not values:
        problems.append("values: is empty; list every label the attribute may take")
    labels: dict[str, None] = {}
    for index, value in enumerate(values):
        label = label_text(value, f"values[{index}]", problems)
        if label in labels:
            problems.append(f"values[{index}]: {label!r} is listed twice; keep one")
        elif label is not None:
            labels[label] = None
    return tuple(labels)


def _name(entry: str | Node) -> str:
    return entry.name if isinstance(entry, Node) else entry


def _as_text(value: object) -> str:
    if value is None:
        raise OutsideDomain("a missing value has no label; where nulls are kept, they are in the cell 'other'")
    return str(value).lower() if isinstance(value, bool) else str(value)
