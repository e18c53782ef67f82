"""How commands are declared: functions whose parameters say what they are. Loads nothing large.

The same declarations are read twice: by `plain_calls`, which understands calls that are plain and right, and by
`typer_app`, which does all else (help, mistakes, completion) and takes as long to load as numpy and Arrow do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., None])


class Argument:
    """A word that has its place."""

    def __init__(self, *, help: str, metavar: str | None = None) -> None:
        self.names: tuple[str, ...] = ()
        self.help, self.metavar = help, metavar


class Option:
    """A word that has a name; `--the-parameter` if none is given."""

    def __init__(self, *names: str, help: str, metavar: str | None = None) -> None:
        self.names, self.help, self.metavar = names, help, metavar


class Commands:
    """Commands by name; some may be commands within, such as `schema`."""

    def __init__(self, help: str) -> None:
        self.help = help
        self.within: dict[str, Callable[..., None] | Commands] = {}

    def command(self, name: str | None = None) -> Callable[[Function], Function]:
        def add(function: Function) -> Function:
            self.within[name or function.__name__.replace("_", "-")] = function
            return function

        return add

    def called(self, words: list[str]) -> tuple[Callable[..., None] | None, list[str]]:
        """The command that the first words name, and the words after it."""
        inner = self.within.get(words[0]) if words else None
        return inner.called(words[1:]) if isinstance(inner, Commands) else (inner, words[1:])

    def functions(self) -> list[Callable[..., Any]]:
        """Every command, those within as well."""
        return [
            function
            for inner in self.within.values()
            for function in (inner.functions() if isinstance(inner, Commands) else [inner])
        ]
