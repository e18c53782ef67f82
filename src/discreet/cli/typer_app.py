"""All commands as typer shows and reads them: help, mistakes, completion, and every way to write a call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import typer

from discreet.cli.app import app
from discreet.cli.declared import Commands, Option


def built(commands: Commands, **settings: Any) -> typer.Typer:
    made = typer.Typer(help=commands.help, no_args_is_help=True, rich_markup_mode=None, **settings)
    for name, inner in commands.within.items():
        if isinstance(inner, Commands):
            made.add_typer(built(inner), name=name)
        else:
            made.command(name)(_as_typer_reads_it(inner))
    return made


def _as_typer_reads_it(function: Callable[..., None]) -> Callable[..., None]:
    """The same function, its parameters declared in typer's own words."""

    @functools.wraps(function)
    def command(**given: Any) -> None:
        function(**given)

    hints = get_type_hints(function, include_extras=True)
    command.__annotations__ = {name: _in_typers_words(hint) for name, hint in hints.items() if name != "return"}
    written = inspect.signature(function)
    parameters = [one.replace(annotation=command.__annotations__[one.name]) for one in written.parameters.values()]
    command.__signature__ = written.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


def _in_typers_words(hint: Any) -> Any:
    kind, declared = get_args(hint)
    made = typer.Option if isinstance(declared, Option) else typer.Argument
    return Annotated[kind, made(*declared.names, help=declared.help, metavar=declared.metavar)]


def _say_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"discreet {version('discreet')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Print the version and stop.")
]


def every(version: Version = False) -> None:
    """What holds for every command."""


def whole_app(commands: Commands) -> typer.Typer:
    """`discreet` itself."""
    shown: dict[str, Any] = {"context_settings": {"help_option_names": ["-h", "--help"]}}
    made = built(commands, name="discreet", pretty_exceptions_enable=False, **shown)
    made.callback()(every)
    return made


typer_app = whole_app(app)
