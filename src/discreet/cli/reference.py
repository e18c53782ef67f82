"""docs/cli.md, made from the commands themselves: `python -m discreet.cli.reference > docs/cli.md`."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from typing import Any


def reference() -> str:
    """Every command with its help, its arguments and its options, as Markdown."""
    import typer.main

    from discreet.cli.app import app

    parts = [
        "# Commands\n\nMade by `python -m discreet.cli.reference > docs/cli.md`. Exit codes: 0 done, 1 a check said "
        "no, 2 bad input, 3 budget exceeded, 4 failed after the charge, 130 stopped. `discreet --version` says "
        "which version this is.\n"
    ]
    for path, command in _commands("discreet", typer.main.get_command(app)):
        parameters = [f"- {_names(parameter)}: {_help(parameter)}" for parameter in command.params]
        lines = [f"## `{path}`", "", _text(command.callback.__doc__ or ""), "", *parameters, ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _text(said: str) -> str:
    return cleandoc(said).replace("\b\n", "")  # the mark that keeps a terminal from joining lines


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = (parameter.metavar or parameter.name).strip("[]").upper()
        return f"`{name}`" if parameter.required else f"`[{name}]`"
    return ", ".join(f"`{option}`" for option in parameter.opts)


def _help(parameter: Any) -> str:
    default = parameter.default
    shown = "" if default is None or isinstance(default, bool) or parameter.required else f" (default: {default})"
    return f"{parameter.help}{shown}"


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in sorted(command.commands.items()):
        yield from _commands(f"{path} {name}", inner)


if __name__ == "__main__":
    print(reference(), end="")
