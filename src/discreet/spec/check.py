"""Reads a spec file and names every mistake in it at once, each with its key and its fix."""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.errors import BadParameter, BadSpec
from discreet.naming import did_you_mean, reserved_problem, unknown_keys
from discreet.privacy import Unit, exact
from discreet.schema import Attribute, Schema, attribute_from_dict
from discreet.tasks import TASKS, Task, task_from_dict

DRAFT_MARK = "drafted_from_private_data"
LARGEST_EPSILON = 10**6

_TABLES = ("data", "privacy", "attributes", "releases")
_DATA_KEYS = ("source", "name", "delimiter", "encoding")
_UNIT_KEYS = ("unit", "max_rows", "max_rows_per_cell", "neighbours")
_RELEASE_KEYS = ("task", "by", "epsilon", "method")


def read_document(path: Path) -> dict[str, Any]:
    """The TOML of a file. Decimals stay exact: 0.1 is one tenth."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text, parse_float=_decimal)
    except FileNotFoundError:
        raise BadSpec([f"{path}: there is no such file; correct the path"]) from None
    except OSError as error:
        raise BadSpec([f"{path}: cannot be read ({error.strerror}); correct the path or its permissions"]) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadSpec([f"{path}: line {line} is not UTF-8 text; save the file with that encoding"]) from None
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise BadSpec([f"{path}: is not valid TOML: {reason}"]) from None


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(f"the number {text} is too large or too small") from None


class Checker:
    """One pass over a document. Whatever is wrong goes to `problems`; what is right is kept."""

    def __init__(
        self, document: Mapping[str, Any], base: Path, methods: Mapping[str, Collection[str]] | None = None
    ) -> None:
        self.base = base
        self.methods = methods or {}
        self.problems = unknown_keys(document, (*_TABLES, DRAFT_MARK))
        self._document = document
        self._tables = {name: self._table(name) for name in _TABLES}

    def drafted(self) -> bool:
        mark = self._document.get(DRAFT_MARK, False)
        if not isinstance(mark, bool):
            self.problems.append(f"{DRAFT_MARK}: must be true; remove the line once every domain is reviewed")
        return bool(mark)

    def data(self) -> tuple[str | list[str] | None, str | None, str | None, str | None]:
        """Source, name of the data set, delimiter and encoding."""
        table = self._tables["data"]
        self._say("data", unknown_keys(table, _DATA_KEYS))
        source = table.get("source")
        paths = source if isinstance(source, list) else [source]
        if "source" in table and not (paths and all(isinstance(path, str) and path for path in paths)):
            self._say("data", ['source: must be a path such as "people.parquet", or a list of paths'])
        delimiter = self._text("data", "delimiter")
        if delimiter is not None and len(delimiter) != 1:
            self._say("data", [f'delimiter: must be one character such as ";" or "\\t", not {delimiter!r}'])
        encoding = self._text("data", "encoding")
        try:
            codecs.lookup(encoding or "utf-8")
        except (LookupError, ValueError):
            self._say("data", [f'encoding: {encoding!r} is unknown; use a name such as "utf-8" or "latin-1"'])
        return source, self._text("data", "name"), delimiter, encoding

    def unit(self) -> Unit | None:
        table = _floats(self._tables["privacy"])
        self._say("privacy", unknown_keys(table, (*_UNIT_KEYS, "budget", "ledger")))
        given = {key: table[key] for key in _UNIT_KEYS if key in table}
        found = []
        for key, value in given.items():  # each key alone first, so that one mistake does not hide the next
            try:
                if (key, value) != ("unit", "row"):
                    Unit.from_dict({"unit": "user", "max_rows": 1, key: value})
            except BadParameter as error:
                found.append(f"{key}: {error}")
        self._say("privacy", found)
        if found:
            return None
        try:
            return Unit.from_dict(given)
        except BadParameter as error:
            self._say("privacy", [f"unit: {error}"])
            return None

    def budget(self) -> Fraction | None:
        return self._epsilon("privacy", self._tables["privacy"], "budget")

    def ledger(self, budget: Fraction | None) -> str | None:
        if budget is not None and "ledger" not in self._tables["privacy"]:
            fix = 'add ledger = "NAME.ledger", the file that remembers what was spent, or remove the budget'
            self._say("privacy", [f"budget: nothing keeps it from one run to the next; {fix}"])
        return self._text("privacy", "ledger")

    def schema(self) -> Schema | None:
        attributes: dict[str, Attribute] = {}
        before = len(self.problems)
        for name, declared in self._tables["attributes"].items():
            if (problem := reserved_problem(name)) is not None:
                self._say(f"attributes.{name}", [problem])
            try:
                attributes[name] = attribute_from_dict(_floats(declared), self.base)
            except BadSpec as error:
                self._say(f"attributes.{name}", error.problems)
        if len(self.problems) > before:
            return None
        try:
            return Schema(attributes)
        except BadSpec as error:
            self.problems += error.problems
            return None

    def releases(self, budget: Fraction | None) -> list[tuple[str, Task, Fraction]]:
        found = []
        for name, declared in self._tables["releases"].items():
            place = f"releases.{name}"
            if not isinstance(declared, Mapping):
                self._say(place, ["must be a table with task, by and epsilon"])
                continue
            if not re.fullmatch(r"\w[\w.-]{0,99}", name):
                self._say(place, ["the name must be letters, digits, '-', '_' and '.': it becomes a folder's name"])
            task = self._task(place, declared)
            if "epsilon" not in declared:
                self._say(place, ["epsilon: missing; say what this release may cost, such as epsilon = 0.5"])
            epsilon = self._epsilon(place, declared, "epsilon")
            if epsilon is not None and budget is not None and epsilon > budget:
                self._say(place, [f"epsilon: {float(epsilon):g} is above the whole budget of {float(budget):g}"])
            if task is not None and epsilon is not None:
                found.append((name, task, epsilon))
        return found

    def _task(self, place: str, declared: Mapping[str, Any]) -> Task | None:
        fields = {key: value for key, value in _floats(declared).items() if key != "epsilon"}
        problems = []
        task, by, method = fields.get("task"), fields.get("by", []), fields.get("method", "auto")
        if not isinstance(task, str) or task not in TASKS:
            given = "missing" if task is None else f"{task!r} is unknown"
            problems.append(f"task: {given}; use one of {', '.join(sorted(TASKS))}.{did_you_mean(task, TASKS)}")
        if not isinstance(method, str):
            problems.append(f"method: {method!r} is no name; write it in quotes")
        elif isinstance(task, str) and task in self.methods and method not in ("auto", *self.methods[task]):
            known = ", ".join(self.methods[task])
            hint = did_you_mean(method, self.methods[task])
            problems.append(f"method: task {task!r} has no method {method!r}.{hint} Known: {known}")
        if not isinstance(by, str | list):
            problems.append("by: must be a list of attribute names")
        declared_names = self._tables["attributes"]
        problems += [
            f"by: {name!r} is not declared as an attribute.{did_you_mean(name, declared_names)}"
            for name in _names(by)
            if name not in declared_names
        ]
        for key, value in fields.items():
            # other keys belong to the method, which checks them itself
            if key not in _RELEASE_KEYS and (hint := did_you_mean(key, _RELEASE_KEYS)):
                problems.append(f"{key}: unknown key.{hint}")
            if isinstance(value, float) and value - value != 0:
                problems.append(f"{key}: {value} is not finite; give a number")
        if not problems:
            try:
                return task_from_dict(fields)
            except (BadParameter, TypeError) as error:
                problems.append(f"by: {error}")
        self._say(place, problems)
        return None

    def _epsilon(self, place: str, table: Mapping[str, Any], key: str) -> Fraction | None:
        value = table.get(key)
        if value is None:
            return None
        try:
            if isinstance(value, str | Decimal):
                value = _written(value, key)
            number = exact(value, f"{key}: the value")
        except BadParameter as error:
            self._say(place, [f"{error}"])
            return None
        if number > LARGEST_EPSILON:
            self._say(place, [f"{key}: {value} protects nobody and is surely a mistake; usual values are 0.1 to 10"])
            return None
        return number

    def _text(self, table: str, key: str) -> str | None:
        value = self._tables[table].get(key)
        if value is not None and not (isinstance(value, str) and value):
            self._say(table, [f"{key}: must be text in quotes, not {_floats(value)!r}"])
            return None
        return value

    def _table(self, name: str) -> Mapping[str, Any]:
        value = self._document.get(name, {})
        if not isinstance(value, Mapping):
            self.problems.append(f"[{name}] must be a table; write its keys under a line [{name}]")
            return {}
        return value

    def _say(self, place: str, problems: list[str]) -> None:
        self.problems += [f"[{place}] {problem}" for problem in problems]


def _written(value: str | Decimal, key: str) -> str:
    """The text of a number, unless its exponent would fill the memory once written out as a fraction."""
    text = str(value)
    try:
        exponent = Decimal(text).adjusted()
    except ArithmeticError:
        exponent = 0  # '1/3', or no number at all: for `exact` to say
    if abs(exponent) > 100 or len(text) > 200:
        raise BadParameter(f"{key}: the value {text[:40]} is far too large or too small; usual values are 0.1 to 10")
    return text


def _names(by: object) -> list[str]:
    """All names in `by`, which may be one, a list, or a list of lists."""
    if isinstance(by, list):
        return [name for part in by for name in _names(part)]
    return [by] if isinstance(by, str) else []


def _floats(value: Any) -> Any:
    """The same structure with floats for decimals, as attributes and methods take them."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {key: _floats(item) for key, item in value.items()}
    return [_floats(item) for item in value] if isinstance(value, list) else value
