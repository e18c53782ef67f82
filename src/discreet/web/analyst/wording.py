"""The same question in Python and on the command line, to be copied."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Wording:
    python: str
    command: str


def wording(folder: str, called: str, arguments: Sequence[str], command: Sequence[str]) -> Wording:
    """`called` is the method of a release; arguments are written as Python has them, the command as a list."""
    text = f"{called}({', '.join(arguments)})"
    python = f"import discreet\n\nrelease = discreet.load({folder!r})\nprint(release.{text})"
    place = f"./{folder}" if folder.startswith("-") else folder
    return Wording(python, shlex.join(["discreet", command[0], place, *command[1:]]))


def named(**arguments: tuple[Any, Any]) -> list[str]:
    """Those arguments that are not what they would be anyway."""
    return [f"{name}={value!r}" for name, (value, default) in arguments.items() if value != default]


def options(**given: tuple[Any, Any]) -> list[str]:
    """The same for the command line."""
    found: list[str] = []
    for name, (value, default) in given.items():
        if value != default:
            found += (
                [f"--{name}"]
                if value is True
                else [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
            )
    return found
