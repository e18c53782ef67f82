"""The spec: one TOML file that says what the data is, whom to protect, and what to publish."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, BadSpec
from discreet.privacy import Unit
from discreet.schema import Schema
from discreet.spec.check import DRAFT_MARK, Checker, read_document
from discreet.tasks import Task


@dataclass(frozen=True)
class ReleaseSpec:
    """A release that the spec plans: the task and what it may cost."""

    name: str
    task: Task
    epsilon: Fraction


@dataclass(frozen=True)
class Spec:
    """Everything a spec file says. Relative paths in it are meant from `base`, the folder of the file."""

    schema: Schema
    unit: Unit = field(default_factory=Unit)
    source: str | list[str] | None = None
    budget: Fraction | None = None
    ledger: str | None = None
    releases: dict[str, ReleaseSpec] = field(default_factory=dict)
    drafted: bool = False
    base: Path = Path()
    dataset: str = "data"
    delimiter: str | None = None
    encoding: str | None = None

    def resolve(self, path: str) -> str:
        """A path of the spec as seen from here; database addresses stay as they are."""
        return path if "://" in path else str(self.base / path)


def load_spec(path: str | Path) -> Spec:
    """The spec of a file; BadSpec lists every mistake at once."""
    spec, problems = _read(Path(path))
    if spec is None:
        raise BadSpec(problems)
    return spec


def check_spec(path: str | Path, methods: Mapping[str, Collection[str]] | None = None) -> list[str]:
    """Every mistake of a spec file, each with file, key and fix; empty when there is none.

    `methods` says which methods each task has, so that a wrong one is found along with the rest.
    """
    return _read(Path(path), methods)[1]


def _read(path: Path, methods: Mapping[str, Collection[str]] | None = None) -> tuple[Spec | None, list[str]]:
    try:
        document = read_document(path)
    except BadSpec as error:
        return None, error.problems
    check = Checker(document, path.parent, methods)
    drafted = check.drafted()
    source, dataset, delimiter, encoding = check.data()
    unit, budget = check.unit(), check.budget()
    ledger = check.ledger(budget)
    schema = check.schema()
    releases = [ReleaseSpec(*release) for release in check.releases(budget)]
    if check.problems or schema is None or unit is None:
        return None, [f"{path}: {problem}" for problem in check.problems]
    spec = Spec(
        schema=schema,
        unit=unit,
        source=source,
        budget=budget,
        ledger=ledger,
        releases={release.name: release for release in releases},
        drafted=drafted,
        base=path.parent,
        dataset=dataset or path.stem,
        delimiter=delimiter,
        encoding=encoding,
    )
    return spec, []


def dump_spec(spec: Spec) -> str:
    """The TOML text of a spec; `load_spec` gives the same spec back."""
    privacy = {**spec.unit.to_dict(), "budget": spec.budget, "ledger": spec.ledger}
    tables: dict[str, Mapping[str, Any]] = {
        "data": {"source": spec.source, "name": spec.dataset, "delimiter": spec.delimiter, "encoding": spec.encoding},
        "privacy": privacy,
    }
    for name, fields in spec.schema.to_dict().items():
        tables[f"attributes.{toml_key(name)}"] = fields
    for release in spec.releases.values():
        fields = release.task.to_dict()
        tables[f"releases.{toml_key(release.name)}"] = {**fields, "epsilon": release.epsilon}
    mark = [f"{DRAFT_MARK} = true\n"] if spec.drafted else []
    return "\n".join(mark + [toml_table(name, fields) for name, fields in tables.items()])


def toml_table(name: str, fields: Mapping[str, Any]) -> str:
    """A table with one key per line; keys without a value are left out."""
    lines = [f"{toml_key(key)} = {toml_value(value)}\n" for key, value in fields.items() if value is not None]
    return f"[{name}]\n{''.join(lines)}"


def toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_value(value: object) -> str:
    """A value as TOML that reads back as the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are all TOML's too; TOML wants DEL escaped besides
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Fraction):
        return _decimal_text(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        items = [toml_value(item) for item in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(key)} = {toml_value(item)}' for key, item in value.items())} }}"
    raise BadParameter(f"a value of type {type(value).__name__} cannot be written to a spec: {value!r}")


def _decimal_text(number: Fraction) -> str:
    """All digits of a fraction where they end, else the fraction itself in quotes."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
        if places > 60:
            return f'"{number}"'
    digits = str(int(number * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits
