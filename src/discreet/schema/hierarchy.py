"""Hierarchies of nominal values: nested names, from a spec or from a CSV with one row per leaf.

A hierarchy is a tuple of entries; an entry is a leaf (its label) or a `Node` with entries of its own. Every
name is used once, so a name alone says what is meant, and a declaration that loops cannot be written.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from discreet.errors import BadParameter, BadSpec
from discreet.naming import usable_path

Entries = tuple["str | Node", ...]

MOST_PROBLEMS = 20
DEEPEST = 100


class Node(NamedTuple):
    """An inner node: a group of leaves and further groups."""

    name: str
    children: Entries


def label_text(value: object, key: str, problems: list[str]) -> str | None:
    """A label as text; whole numbers are taken as their digits. On a mistake None."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        problems.append(f'{key}: {value!r} is not text; write labels in quotes, such as "{str(value).lower()}"')
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        problems.append(f"{key}: {value!r} holds half a character and cannot be written as UTF-8")
        return None
    return str(value)


def read_tree(declared: object, problems: list[str]) -> Entries:
    """The tree that nested mappings and lists declare; mistakes are added to `problems`."""
    seen: dict[str, str] = {}

    def entries(part: object, path: tuple[str, ...]) -> Entries:
        where = _where(path)
        if isinstance(part, str) or not isinstance(part, Mapping | Sequence):
            problems.append(f"{where}: {part!r} must be a list of labels or a table of groups, such as [{part!r}]")
            return ()
        if not part:
            problems.append(f"{where}: has no children; list some, or make it a leaf by naming it in a list")
        found: list[str | Node] = []
        for item in [part] if isinstance(part, Mapping | Node) else part:
            if isinstance(item, Mapping | Node):
                groups = {item.name: item.children} if isinstance(item, Node) else item
                found += [node for name, below in groups.items() for node in group(name, below, path)]
            elif (label := label_text(item, where, problems)) is not None and fresh(label, "leaf", path):
                found.append(label)
        return tuple(found)

    def group(name: object, below: object, path: tuple[str, ...]) -> list[Node]:
        where = _where(path)
        label = label_text(name, where, problems)
        if label is None or not fresh(label, "group", path):
            return []
        if len(path) == DEEPEST:
            problems.append(f"{where}: is nested more than {DEEPEST} deep; leave out levels nobody asks for")
            return []
        return [Node(label, entries(below, (*path, label)))]

    def fresh(name: str, role: str, path: tuple[str, ...]) -> bool:
        """Whether a name is new. A used one is not followed, so a loop of Python objects ends here too."""
        if name not in seen:
            seen[name] = role
            return True
        where = _where(path)
        if role == seen[name] == "leaf":
            problems.append(f"{where}: {name!r} is listed twice, so it would have two parents; keep one")
        elif name in path:
            problems.append(f"{where}: {name!r} lies inside itself, a cycle; rename one of the two")
        else:
            problems.append(f"{where}: {name!r} is already a {seen[name]} elsewhere; rename one of the two")
        return False

    return entries(declared, ())


def prefix_tree(values: tuple[str, ...], prefixes: object, problems: list[str]) -> Entries:
    """Codes, such as those of places, as a hierarchy: codes with the same first letters are a group."""
    listed = isinstance(prefixes, Sequence) and not isinstance(prefixes, str)
    lengths: list[Any] = list(prefixes) if listed and isinstance(prefixes, Sequence) else []
    whole = bool(lengths) and all(type(length) is int and length > 0 for length in lengths)
    if not whole or lengths != sorted(set(lengths)):
        problems.append("prefixes: must be ascending numbers of letters, such as [5, 11, 12] for codes of 15")
        return values
    if short := [value for value in values if len(value) <= lengths[-1]]:
        problems.append(f"prefixes: {short[0]!r} has no more than {lengths[-1]} letters; give smaller numbers")
        return values
    tree: dict[str, Any] = {}
    for value in values:
        below = tree
        for length in lengths[:-1]:
            below = below.setdefault(value[:length], {})
        below.setdefault(value[: lengths[-1]], []).append(value)
    return read_tree(tree, problems)


def _where(path: tuple[str, ...]) -> str:
    return " > ".join(("hierarchy", *path))


def plain_tree(tree: Entries) -> list[Any]:
    """Lists and one-key tables: unlike one table of many keys, these keep their order in every tool."""
    return [{entry.name: plain_tree(entry.children)} if isinstance(entry, Node) else entry for entry in tree]


def walk(tree: Entries, depth: int = 0) -> Iterator[tuple[str | Node, int]]:
    """Every entry with its depth, parents before children, in the order of the codes."""
    for entry in tree:
        yield entry, depth
        if isinstance(entry, Node):
            yield from walk(entry.children, depth + 1)


def read_csv(path: str | Path, levels: Sequence[str] | None = None) -> tuple[Entries, tuple[str, ...]]:
    """The tree and its level names, outermost first, from a CSV whose columns run from leaf to root.

    `levels` picks columns, outermost first. Empty cells right after a leaf make the hierarchy ragged: the
    leaf hangs higher up.
    """
    rows = _rows(Path(path))
    header = next(rows)[1]
    columns = _columns(header, levels, str(path))
    problems: list[str] = []
    parents: dict[str, str | None] = {}
    children: dict[str | None, list[str]] = {None: []}
    leaves: dict[str, int] = {}
    deepest = 0
    for line, row in rows:
        where = f"{path}, line {line}"
        if len(row) != len(header):
            problems.append(f"{where}: has {len(row)} cells, the header {len(header)}; quote labels that hold commas")
            continue
        leaf, *above = (row[column] for column in columns)
        chain = [leaf, *(ancestor for ancestor in above if ancestor)]
        if not leaf or "" in above[len(above) - len(chain) + 1 :]:
            problems.append(f"{where}: only cells right after the leaf may be empty; fill in the others")
        elif leaf in leaves:
            problems.append(f"{where}: leaf {leaf!r} is already in line {leaves[leaf]}{_other_parent(chain, parents)}")
        else:
            leaves[leaf] = line
            deepest = max(deepest, len(chain))
            problems += [f"{where}: {problem}" for problem in _hang(chain, parents, children)]
    problems += [
        f"{path}, line {line}: {leaf!r} is both a leaf and a group; rename one of the two"
        for leaf, line in leaves.items()
        if leaf in children
    ]
    if not problems and not leaves:
        problems.append(f"{path}: has a header but no rows; add one row per leaf")
    elif not problems and deepest < len(columns):
        problems.append(f"{path}: column {header[columns[1]]!r} is empty in every row; leave it out")
    if problems:
        more = len(problems) - MOST_PROBLEMS
        raise BadSpec(problems[:MOST_PROBLEMS] + ([f"{path}: and {more} more mistakes"] if more > 0 else []))

    def below(parent: str | None) -> Entries:
        return tuple(Node(child, below(child)) if child in children else child for child in children[parent])

    return below(None), tuple(header[column] for column in reversed(columns))


def read_labels(path: str | Path) -> list[str]:
    """The labels in the first column of a CSV, below its header; other columns, such as titles, are ignored."""
    rows = _rows(Path(path))
    next(rows)
    labels, problems = [], []
    for line, row in rows:
        labels.append(row[0])
        if not row[0]:
            problems.append(f"{path}, line {line}: the first column is empty; give a label or remove the line")
    if problems or not labels:
        raise BadSpec(problems[:MOST_PROBLEMS] or [f"{path}: has a header but no rows; add one row per label"])
    return labels


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of the header and of every row that is not blank."""
    try:
        usable_path(path, "a CSV file")
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header = next(reader, None)
            if not header:
                raise BadSpec([f"{path}: is empty; give a header and one row per leaf"])
            yield 1, [cell.strip() for cell in header]
            for row in reader:
                if row:
                    yield reader.line_num, row
    except BadParameter as error:
        raise BadSpec([str(error)]) from None
    except OSError as error:
        raise BadSpec([f"{path}: cannot be read ({error.strerror}); correct the path"]) from None
    except UnicodeDecodeError:
        raise BadSpec([f"{path}: is not UTF-8 text; save it with that encoding"]) from None
    except csv.Error as error:
        raise BadSpec([f"{path}, line {reader.line_num}: is not valid CSV ({error}); check its quotes"]) from None


def _columns(header: list[str], levels: Sequence[str] | None, name: str) -> list[int]:
    """Where the wanted levels are, leaf first."""
    problems = []
    if len(set(header)) < len(header):
        problems.append(f"{name}: two columns have the same name; rename one")
    if levels is None:
        columns = list(range(len(header)))
    else:
        missing = [level for level in levels if level not in header]
        problems += [f"{name}: has no column {level!r}; it has {', '.join(header)}" for level in missing]
        columns = [header.index(level) for level in reversed(levels) if level in header]
    if not problems and not 2 <= len(columns) <= DEEPEST:
        problems.append(f"{name}: has {len(columns)} columns; give 2 to {DEEPEST}, leaf first, separated by commas")
    if problems:
        raise BadSpec(problems)
    return columns


def _hang(chain: list[str], parents: dict[str, str | None], children: dict[str | None, list[str]]) -> list[str]:
    """Put a leaf and its ancestors into the tree; problems where they contradict what is there."""
    if len(set(chain)) < len(chain):
        return [f"{' > '.join(reversed(chain))} is a cycle; rename the group or leaf that repeats"]
    problems = []
    for child, parent in zip(chain, [*chain[1:], None], strict=True):
        if child not in parents:
            parents[child] = parent
            children.setdefault(parent, []).append(child)
        elif parents[child] != parent and child in _ancestors(parent, parents):
            problems.append(f"{child!r} would lie inside itself through {parent!r}, a cycle; correct one of the rows")
        elif parents[child] != parent:
            both = " and ".join("the top" if one is None else repr(one) for one in (parents[child], parent))
            problems.append(f"{child!r} has two parents, {both}; correct one, or make the names of groups unique")
    return problems


def _ancestors(name: str | None, parents: Mapping[str, str | None]) -> Iterator[str]:
    while name is not None:
        yield name
        name = parents.get(name)


def _other_parent(chain: list[str], parents: Mapping[str, str | None]) -> str:
    before, now = parents.get(chain[0]), chain[1] if len(chain) > 1 else None
    return "; keep one" if before == now else f", so it has two parents, {before!r} and {now!r}; keep one"
