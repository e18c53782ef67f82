"""The pages that are made from the code itself: `python -m discreet.cli.reference` writes them into docs/."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

_COMMANDS = """# Commands

Made by `python -m discreet.cli.reference`. Exit codes: 0 done, 1 a check said no, 2 bad input, 3 budget exceeded,
4 failed after the charge, 130 stopped. `discreet --version` says which version this is.

`discreet --install-completion` lets the Tab key complete commands, options and files from the next terminal on, in
bash, zsh, fish and PowerShell: it adds a line to your shell's start-up file. `discreet --show-completion` prints what
it would install, for those who put it in place themselves. It was tried in bash, in
zsh 5.9, where the first Tab of a terminal only loads it, and in fish 3.6.
"""
_METHODS = """# Methods and their parameters

Made by `python -m discreet.cli.reference`. In a spec file the parameters of a release stand beside its `method`; in
Python they are arguments of the task, and `help(discreet.Table)` says the same as this page.
"""


def pages(docs: Path) -> dict[Path, str]:
    """Every page, or page with a part, that is made from the code, as it should be."""
    from discreet import report
    from discreet.cli.python_reference import python_page
    from discreet.mechanisms import registry
    from discreet.method_names import FILE
    from discreet.report.exactness import CARDS

    found = {docs / "cli.md": commands(), docs / "methods.md": methods(), docs / "python.md": python_page()}
    for (_, method), kind in registry().items():
        card = docs / "mechanisms" / f"{stem(method)}.md"
        found[card] = _with_parameters(card.read_text(encoding="utf-8"), _parameters(kind))
    cards = {method: found[docs / "mechanisms" / f"{stem(method)}.md"] for _, method in registry()}
    found[Path(report.__file__).parent / CARDS] = _claims(cards)
    found[FILE] = _names_and_examples(cards)
    return found


def _claims(cards: dict[str, str]) -> str:
    """Claim and proof sketch of every card, as the package carries them for reports."""
    parts = {}
    for method, card in sorted(cards.items()):
        sections = dict(re.findall(r"^## (.+?)\n\n(.*?)(?=\n## |\Z)", card, re.DOTALL | re.MULTILINE))
        parts[method] = {"claim": sections["Claim"].strip(), "proof": sections["Proof sketch"].strip()}
    return json.dumps(parts, indent=1, ensure_ascii=False) + "\n"


def _names_and_examples(cards: dict[str, str]) -> str:
    """Where each method of a task is, what it can be told, by name, and its first example for that task."""
    from discreet.mechanisms import registry
    from discreet.tasks import TASKS

    found: dict[str, dict[str, Any]] = {}
    for (task, method), kind in registry().items():
        asked = re.search(rf"^discreet\.{TASKS[task].__name__}\(.*\)$", cards[method], re.MULTILINE)
        if asked is None:
            raise ValueError(f"the card of {method} has no example of task {task!r}")
        names = [parameter.name for parameter in kind.parameters]
        module = kind.__module__.removeprefix("discreet.mechanisms.")
        found.setdefault(task, {})[method] = {"module": module, "parameters": names, "example": asked[0]}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def stem(method: str) -> str:
    """A method's name as a file may be called on every system."""
    return method.replace("+", "-plus").replace("*", "-star")


def commands() -> str:
    """Every command with its help, its arguments and its options, as Markdown."""
    import typer.main

    from discreet.cli.typer_app import typer_app

    parts = [_COMMANDS]
    for path, command in _commands("discreet", typer.main.get_command(typer_app)):
        parameters = [f"- {_names(parameter)}: {_help(parameter)}" for parameter in command.params]
        said = cleandoc(command.callback.__doc__ or "").replace("\b\n", "")  # which keeps a terminal from joining lines
        parts.append("\n".join([f"## `{path}`", "", said, "", *parameters, ""]))
    return "\n".join(parts)


def methods() -> str:
    """Every method of every task with its parameters, as Markdown."""
    from discreet.mechanisms import AUTO, registry

    parts = [_METHODS]
    for job, chosen in AUTO.items():
        parts += [f"## {job}", _auto(chosen)]
        for (name, method), kind in registry().items():
            if name == job:
                parts += [f"### [{method}](mechanisms/{stem(method)}.md)", _parameters(kind)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _auto(chosen: Sequence[tuple[str, float]]) -> str:
    *small, (last, _) = chosen
    few = "".join(f"{method} for tables of at most {int(most):,} cells, else " for method, most in small)
    return f"`auto` is {few}{last}."


def _parameters(kind: Any) -> str:
    lines = [f"- `{parameter.name}`: {parameter}" for parameter in kind.parameters]
    return "\n".join(lines) or "None."


def _with_parameters(card: str, said: str) -> str:
    """The card with its section on parameters, which comes before its examples."""
    without = re.sub(r"## Parameters\n.*?(?=## )", "", card, flags=re.DOTALL)
    return without.replace("## Examples", f"## Parameters\n\n{said}\n\n## Examples", 1)


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
    for path, text in pages(Path("docs")).items():
        path.write_text(text, encoding="utf-8")
