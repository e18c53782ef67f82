"""The page of the Python interface, made from docstrings. A public name without one is an error."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

_TOP = """# The Python interface

Made by `python -m discreet.cli.reference` from the docstrings, which `help(...)` shows too. What begins with
`discreet.` is found in `discreet` itself; `Data`, `Plan` and the like are what its functions return. Methods of the
four tasks, with their parameters, are in [methods](methods.md).
"""
_PARTS = {
    "Say what the data is": ("Schema", "Ordinal", "Nominal", "Reading", "Periods", "Unit", "load_spec"),
    "Say what to publish": ("Table", "Ranges", "Marginals", "Items"),
    "Publish": ("open", "from_counts", "private.publish:Data", "private.fit_report:DataFit", "plan:Plan"),
    "Ask": ("load", "Release", "Estimate", "release.comparing:Comparison", "release.frame:Frame"),
    "Several releases": ("combine", "release.combined:CombinedRelease"),
    "Check": ("audit:audited", "audit:published"),
    "Errors": ("DiscreetError", "errors:"),
}


def python_page() -> str:
    """The whole page, as Markdown; LookupError if a public name says nothing of itself."""
    if silent := undocumented():
        raise LookupError(f"without a docstring: {', '.join(silent)}")
    parts = [_TOP]
    for title, places in _PARTS.items():
        parts.append(f"## {title}\n")
        parts += [_described(name, thing) for place in places for name, thing in _found(place)]
    return "\n".join(parts)


def undocumented() -> list[str]:
    """Public names that the page has, and that say nothing of themselves."""
    found = []
    for name, thing in (one for places in _PARTS.values() for place in places for one in _found(place)):
        found += [] if _words(thing) else [name]
        if inspect.isclass(thing):
            found += [f"{name}.{member}" for member, value in _members(thing) if not _words(value)]
    return found


def _found(place: str) -> Iterator[tuple[str, Any]]:
    """What a place names: something of `discreet`, of a module of ours, or all errors of that module."""
    module, _, name = place.rpartition(":")
    home: Any = importlib.import_module(f"discreet.{module}" if module else "discreet")
    if name:
        yield (f"discreet.{name}" if module in ("", "audit") else name), getattr(home, name)
        return
    for kind in vars(home).values():
        if inspect.isclass(kind) and issubclass(kind, home.DiscreetError) and kind is not home.DiscreetError:
            yield f"errors.{kind.__name__}", kind


def _described(name: str, thing: Any) -> str:
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return f"- **`{name}`**: {_words(thing)}"
    lines = [f"### `{name}`", "", _words(thing), "", f"`{name.rsplit('.', 1)[-1]}{_signature(thing)}`", ""]
    if inspect.isclass(thing):
        lines += [
            f"- `{member}{_signature(value) if callable(value) else ''}`: {_words(value)}"
            for member, value in _members(thing)
        ]
    return "\n".join([*lines, ""])


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties that are our own, in the order of their names; fields stand in the signature.

    What puts releases together has all that a release has, and only what differs is said again.
    """
    from discreet.release import Release

    for name in sorted(vars(kind) if Release in kind.__bases__ else dir(kind)):
        held = inspect.getattr_static(kind, name)
        if name.startswith("_") or not isinstance(
            held, property | cached_property | classmethod | staticmethod | type(_words)
        ):
            continue
        value = held if isinstance(held, property | cached_property) else getattr(kind, name)
        maker = held.fget if isinstance(held, property) else getattr(held, "func", value)
        if getattr(maker, "__module__", "").startswith("discreet."):
            yield name, value


def _words(thing: Any) -> str:
    """Its docstring in one paragraph; for tasks without the list of methods, which has its own page."""
    said = inspect.getdoc(thing) or ""
    if inspect.isclass(thing) and said.startswith(f"{thing.__name__}("):  # dataclasses make their own
        return ""
    said = re.split(r"(?m)^method: ", said)[0]
    return " ".join(said.split())


def _signature(thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)"
    text = re.sub(r"<function .*? at 0x[0-9a-f]+>", "...", text).replace("'", '"')
    text = re.sub(r': "([^"]*)"', r": \1", text)
    text = re.sub(r'-> "([^"]*)"', r"-> \1", text)
    return re.sub(r"\((self|cls)(, )?", "(", text)
