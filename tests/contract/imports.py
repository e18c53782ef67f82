"""Which module of the package imports which, read from the source: also inside functions, also for types only."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import discreet

ROOT = Path(discreet.__file__).parent

Graph = Mapping[str, set[str]]


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module by its dotted name within the package: `release.frame`, `noise` for noise/__init__.py."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def graph(root: Path = ROOT) -> Graph:
    """What each module imports. Importing a module also runs the packages that it lies in."""
    known = modules(root)
    homes = discreet._HOMES
    found = {}
    for name, path in known.items():
        named = set()
        for imported in _named(path):
            parts = imported.split(".")
            if len(parts) == 1 and parts[0] in homes:  # from discreet import Release
                parts = homes[parts[0]].split(".")
            named |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
        # the package's own __init__ names homes for types only, and loads them when they are asked for
        found[name] = (named & known.keys()) - {name} if name else set()
    return found


def _named(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.removeprefix("discreet.") for name in found if name.startswith("discreet.")}


def within(room: str, names: Iterable[str]) -> list[str]:
    """The modules of a room: the module of that name, and all below it."""
    return [name for name in names if name == room or name.startswith(f"{room}.")]


def path_between(found: Graph, start: str, rooms: Iterable[str]) -> list[str] | None:
    """The shortest way from a module to any of the rooms, by imports of imports; None if there is none."""
    wanted = {name for room in rooms for name in within(room, found)}
    ways = {start: [start]}
    waiting = [start]
    for name in waiting:
        for following in sorted(found[name] - ways.keys()):
            ways[following] = [*ways[name], following]
            if following in wanted:
                return ways[following]
            waiting.append(following)
    return None
