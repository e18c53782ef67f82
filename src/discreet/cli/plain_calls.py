"""Calls of a command that are plain and right are read here, at once. All others are left to typer.

Whatever leaves a doubt is left: abbreviations, `--name=value`, values that begin with a dash, numbers that are not
written plainly, an option given twice, too many words or too few. So all mistakes are typer's to explain, and
`tests/unit/cli/test_plain_calls.py` compares what both read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from discreet.cli.declared import Argument, Commands, Option

_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
#: what typer replaces on Windows, where shells do not
_REPLACED = set("*?[~$%") if os.name == "nt" else set[str]()


class _NotPlain(Exception):
    """Something is left to typer."""


def plain_call(commands: Commands, words: list[str]) -> Callable[[], None] | None:
    """The command with all that it is given, to be called; None if typer has to see to it."""
    if any(name.startswith("_") and name.endswith("_COMPLETE") for name in os.environ):
        return None
    if any(not word or _REPLACED & set(word) for word in words):
        return None
    command, rest = commands.called(words)
    try:
        return None if command is None else partial(command, **_given(command, rest))
    except _NotPlain:
        return None


def _given(command: Callable[..., None], words: list[str]) -> dict[str, Any]:
    """Every parameter of a command, by name."""
    parameters = _Parameters(command)
    values = dict(parameters.defaults)
    seen, places = set(), []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            places.append(word)
            continue
        name = parameters.options.get(word)
        if name is None or (name in seen and name not in parameters.several):
            raise _NotPlain
        if parameters.kinds[name] is bool:
            values[name] = True
        else:
            value = _read(parameters.kinds[name], next(rest, "-"))
            values[name] = [*(values[name] if name in seen else []), value] if name in parameters.several else value
        seen.add(name)
    for name in parameters.places:
        if not places:
            break
        taken = places if name in parameters.several else places[:1]
        read = [_read(parameters.kinds[name], word) for word in taken]
        values[name] = read if name in parameters.several else read[0]
        places = places[len(taken) :]
    if places or values.keys() != parameters.kinds.keys():
        raise _NotPlain
    return values


class _Parameters:
    """What a command declares: kinds of values, names of options, places of arguments."""

    def __init__(self, command: Callable[..., None]) -> None:
        self.kinds: dict[str, Any] = {}
        self.options: dict[str, str] = {}
        self.places: list[str] = []
        self.several: set[str] = set()
        for name, hint in get_type_hints(command, include_extras=True).items():
            if name == "return":
                continue
            kind, declared = get_args(hint)
            (kind,) = [one for one in get_args(kind) or [kind] if one is not NoneType] if _optional(kind) else [kind]
            if getattr(kind, "__origin__", None) is list:
                self.several.add(name)
                (kind,) = get_args(kind)
            self.kinds[name] = kind
            if isinstance(declared, Argument):
                self.places.append(name)
            elif isinstance(declared, Option):
                for option in declared.names or [f"--{name.replace('_', '-')}"]:
                    self.options[option] = name
        self.defaults = defaults_of(command)


def defaults_of(command: Callable[..., None]) -> dict[str, Any]:
    """What parameters are if they are left out."""
    code, defaults = command.__code__, command.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def _optional(kind: Any) -> bool:
    return NoneType in get_args(kind)


def _read(kind: Any, word: str) -> Any:
    if word.startswith("-"):
        raise _NotPlain
    if kind is int and _WHOLE.fullmatch(word):
        return int(word)
    if kind is float and _DECIMAL.fullmatch(word):
        return float(word)
    if kind is str or kind is Path:
        return kind(word)
    raise _NotPlain
