"""Reads a spec file and names every mistake in it at once, each with its key and its fix."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.about import about_problems, read_about
from discreet.errors import BadParameter, BadSpec
from discreet.method_names import unknown_method, unknown_parameters
from discreet.naming import did_you_mean, reserved_problem, unknown_keys, usable_path
from discreet.privacy import LARGEST_EPSILON, USUAL_EPSILON, Unit, as_text, exact
from discreet.queries.known_entries import read_entries
from discreet.queries.reliability import read_thresholds
from discreet.schema import Attribute, Periods, Schema, attribute_from_dict
from discreet.schema.periods import KNOWN_OF_ALL_ROWS
from discreet.spec.goals import PLANNING_KEYS, read_goals
from discreet.spec.periodic import KEY, declared_periods, is_about_all_rows, times_charged, without_period
from discreet.spec.problem import Problem
from discreet.spec.spec import ReleaseSpec, Spec
from discreet.spec.toml import read_document
from discreet.tasks import TASKS, Task, task_from_dict

DRAFT_MARK = "drafted_from_private_data"

_TABLES = ("data", "privacy", "attributes", "releases", "about")
_DATA_KEYS = ("source", "table", "name", "delimiter", "encoding", "remote")
_UNIT_KEYS = ("unit", "max_rows", "max_rows_per_cell", "neighbours")
_KNOWN_KEYS = ("known", "known_csv")
_RELEASE_KEYS = ("task", "by", "epsilon", "method", "reliable", KEY, *_KNOWN_KEYS, *PLANNING_KEYS)

Methods = Mapping[str, Collection[str]]
Further = Callable[[Spec], list[str]]


def load_spec(path: str | Path) -> Spec:
    """The spec of a file; BadSpec lists every mistake at once."""
    file = usable_path(path, "a spec")
    checker = _Checker(read_document(file), file, {})
    spec = checker.spec()
    if spec is None or checker.problems:
        raise BadSpec([Problem.of(file, problem) for problem in checker.problems])
    return spec


def check_spec(path: str | Path, methods: Methods | None = None, further: Further = lambda _: []) -> list[Problem]:
    """Every mistake in a spec file, each with file, key and fix; empty when there is none.

    `methods` says which methods each task has, so that a wrong one is found along with the rest. `further` looks for
    other mistakes in those parts of the spec that are right by themselves.
    """
    file = usable_path(path, "a spec")
    try:
        document = read_document(file)
    except BadSpec as error:
        return [Problem.of(file, problem) for problem in error.problems]
    checker = _Checker(document, file, methods or {})
    sound = checker.spec()
    others = [*checker.overspent(), *([] if sound is None else further(sound))]
    others += [problem for problem in checker.misnamed if problem not in others]
    return [Problem.of(file, problem) for problem in checker.problems + others]


class _Checker:
    """One pass over a document. Whatever is wrong goes to `problems`; what is right is kept."""

    def __init__(self, document: Mapping[str, Any], path: Path, methods: Methods) -> None:
        self.path = path
        self.methods = methods
        self.problems = unknown_keys(document, (*_TABLES, DRAFT_MARK))
        self.misnamed: list[str] = []
        self._document = document
        self._tables = {name: self._table(name) for name in _TABLES}
        self._budget: Fraction | None = None
        self._asked = Fraction(0)
        self._periods: Periods | None = None
        self._moving = False

    def spec(self) -> Spec | None:
        """What the document says, without the attributes and releases that are wrong; None if nothing is left."""
        drafted = self._document.get(DRAFT_MARK, False)
        if not isinstance(drafted, bool):
            self.problems.append(f"{DRAFT_MARK}: must be true; remove the line once every domain is reviewed")
        source, delimiter, encoding, name = self._data()
        unit = self._unit()
        self._budget = budget = self._epsilon("privacy", self._tables["privacy"], "budget")
        if budget is not None and "ledger" not in self._tables["privacy"]:
            fix = 'add ledger = "NAME.ledger", the file that remembers what was spent, or remove the budget'
            self._say("privacy", f"budget: nothing keeps it from one run to the next; {fix}")
        ledger = self._text("privacy", "ledger")
        schema = self._schema()
        releases = self._releases(budget, unit)
        if schema is None:
            return None
        for name_of, release in list(releases.items()):
            if unit is None or not {*release.task.attributes(self._tables["attributes"])} <= {*schema}:
                del releases[name_of]
        base, dataset, unit = self.path.parent, name or self.path.stem, unit or Unit()
        data = (dataset, delimiter, encoding, self._periods, self._about(), self._remote())
        return Spec(schema, unit, source, budget, ledger, releases, drafted, base, *data)

    def overspent(self) -> list[str]:
        """Whether all releases together cost too much, though each of them can be made while the budget lasts."""
        if self._budget is None or self._asked <= self._budget:
            return []
        both = f"{as_text(self._asked)}, more than the budget of {as_text(self._budget)}"
        of_one = "" if self._periods is None else f" of one {self._periods.every}"
        twice = ", since a row that is replaced may move to another period, so each counts twice" * self._moving
        return [f"[releases] epsilon: all releases{of_one} together cost {both}{twice}; lower some, or leave some out"]

    def _remote(self) -> bool:
        remote = self._tables["data"].get("remote", False)
        if not isinstance(remote, bool):
            self._say("data", f"remote: must be true or false, without quotes, not {_floats(remote)!r}")
        return remote is True

    def _data(self) -> tuple[str | list[str] | None, str | None, str | None, str | None]:
        """Source, delimiter, encoding and name of the data set."""
        table = self._tables["data"]
        self._say("data", *unknown_keys(table, _DATA_KEYS))
        source = table.get("source")
        paths = source if isinstance(source, list) else [source]
        if "source" in table and not (paths and all(isinstance(path, str) and path for path in paths)):
            self._say("data", 'source: must be a path such as "people.parquet", or a list of paths')
        if (inside := self._text("data", "table")) is not None:
            if isinstance(source, str) and "::" not in source.rpartition("/")[2]:
                source = f"{source}::{inside}"
            else:
                self._say("data", 'table: belongs to one database, such as source = "postgresql://host/db"')
        delimiter, encoding = self._text("data", "delimiter"), self._text("data", "encoding")
        if delimiter is not None and len(delimiter) != 1:
            self._say("data", f'delimiter: must be one character such as ";" or "\\t", not {delimiter!r}')
        try:
            codecs.lookup(encoding or "utf-8")
        except (LookupError, ValueError):
            self._say("data", f'encoding: {encoding!r} is unknown; use a name such as "utf-8" or "latin-1"')
        return source, delimiter, encoding, self._text("data", "name")

    def _about(self) -> dict[str, str]:
        table = self._tables["about"]
        found = about_problems(table) if table else []
        self._say("about", *found)
        return {} if found or not table else read_about(table)

    def _unit(self) -> Unit | None:
        table = _floats(self._tables["privacy"])
        self._say("privacy", *unknown_keys(table, (*_UNIT_KEYS, "budget", "ledger")))
        given = {key: table[key] for key in _UNIT_KEYS if key in table}
        before = len(self.problems)
        for key, value in given.items():  # each key alone first, so that one mistake does not hide the next
            if (key, value) != ("unit", "row"):
                with self._mistakes("privacy", key):
                    Unit.from_dict({"unit": "user", "max_rows": 1, key: value})
        if len(self.problems) == before:
            with self._mistakes("privacy", "unit"):
                return Unit.from_dict(given)
        return None

    def _schema(self) -> Schema | None:
        fields = self._tables["attributes"]
        sound: dict[str, Attribute] = {}
        for name, declared in fields.items():
            place = f"attributes.{name}"
            problems = [reserved_problem(name), _dot_problem(place, declared, "kind")]
            self._say(place, *filter(None, problems))
            if problems[1] is None:
                try:
                    sound[name] = attribute_from_dict(_floats(without_period(declared)), self.path.parent)
                except BadSpec as error:
                    self._say(place, *error.problems)
        self._periods = declared_periods(fields, sound, self.problems)
        try:
            return Schema(sound) if sound or not fields else None
        except BadSpec as error:
            self.problems += error.problems
            return None

    def _releases(self, budget: Fraction | None, unit: Unit | None) -> dict[str, ReleaseSpec]:
        found = {}
        for name, declared in self._tables["releases"].items():
            place = f"releases.{name}"
            if not isinstance(declared, Mapping):
                self._say(place, "must be a table with task, by and epsilon")
                continue
            if (problem := _dot_problem(place, declared, "task")) is not None:
                self._say(place, problem)
                continue
            if not re.fullmatch(r"\w[\w.-]{0,99}", name):
                self._say(place, "the name must be letters, digits, '-', '_' and '.': it becomes a folder's name")
            task = self._task(place, declared)
            if "epsilon" not in declared:
                self._say(place, "epsilon: missing; say what this release may cost, such as epsilon = 0.5")
            epsilon = self._epsilon(place, declared, "epsilon")
            if epsilon is not None and budget is not None and epsilon > budget:
                over = f"{float(epsilon):g} is above the whole budget of {float(budget):g}"
                self._say(place, f"epsilon: {over}; lower it, or raise the budget")
            else:
                times = 1 if declared.get(KEY) else times_charged(self._periods, unit)
                self._moving |= times > 1
                self._asked += times * (epsilon or 0)
            if task is not None and epsilon is not None:
                like = declared.get("like")
                if like is not None and not (isinstance(like, str) and like):
                    self._say(place, 'like: must be the path of a public file, such as "last-year.csv"')
                reliable = None
                with self._mistakes(place):
                    reliable = read_thresholds(_floats(declared.get("reliable")))
                with self._mistakes(place, "within"):
                    within = read_goals(_floats(declared.get("within")))
                    with self._mistakes(place, KEY):
                        all_rows = is_about_all_rows(declared, self._tables["attributes"])
                        if task.known and not all_rows:
                            self._say(place, KNOWN_OF_ALL_ROWS)
                        found[name] = ReleaseSpec(name, task, epsilon, like, within, all_rows, reliable)
        return found

    def _task(self, place: str, declared: Mapping[str, Any]) -> Task | None:
        left_out = ("epsilon", "reliable", KEY, *_KNOWN_KEYS, *PLANNING_KEYS)
        fields = {key: value for key, value in _floats(declared).items() if key not in left_out}
        problems = []
        task, by, method = fields.get("task"), fields.get("by", []), fields.get("method", "auto")
        if not isinstance(task, str) or task not in TASKS:
            given = "missing" if task is None else f"{task!r} is unknown"
            problems.append(f"task: {given}; use one of {', '.join(sorted(TASKS))}.{did_you_mean(task, TASKS)}")
        if not isinstance(method, str):
            problems.append(f"method: must be a name in quotes, not {method!r}")
        elif isinstance(task, str) and task in self.methods and method not in ("auto", *self.methods[task]):
            problems.append(f"method: {unknown_method(task, method, self.methods[task])}")
        else:
            self._note_misnamed(place, fields)
        if not isinstance(by, str | list):
            problems.append("by: must be a list of attribute names")
        attributes = self._tables["attributes"]
        problems += [
            f"by: {name!r} is not declared as an attribute.{did_you_mean(name, attributes)} {_list_of(attributes)}"
            for name in _names(by)
            if name not in attributes
        ]
        for key, value in fields.items():
            # other keys belong to the method, which checks them itself
            if key not in _RELEASE_KEYS and (hint := did_you_mean(key, _RELEASE_KEYS)):
                problems.append(f"{key}: unknown key.{hint}")
            if isinstance(value, float) and value - value != 0:
                problems.append(f"{key}: {value} is not finite; give a number")
        totals: list[dict[str, Any]] = []
        try:
            totals = read_entries(self._known(declared))
        except BadParameter as error:
            problems.append(str(error))
        if not problems:
            try:
                return task_from_dict({**fields, **({"known": totals} if totals else {})})
            except (BadParameter, TypeError) as error:
                problems.append(f"by: {error}")
        self._say(place, *problems)
        return None

    def _note_misnamed(self, place: str, fields: Mapping[str, Any]) -> None:
        """Notes parameters by names that the method lacks: it says so itself only where all else is right."""
        task, method = fields.get("task"), fields.get("method", "auto")
        if isinstance(task, str) and task in self.methods:
            own = (*_RELEASE_KEYS, *TASKS[task].arguments)
            given = [key for key in fields if key not in own and not did_you_mean(key, _RELEASE_KEYS)]
            self.misnamed += [f"[{place}] {said}" for said in unknown_parameters(task, method, given, own)]

    def _known(self, declared: Mapping[str, Any]) -> Any:
        """Known totals as they are given, or the file that has them."""
        if "known_csv" not in declared:
            return declared.get("known")
        path = declared["known_csv"]
        if "known" in declared:
            raise BadParameter("known: is given twice; keep either `known` or `known_csv`")
        if not isinstance(path, str) or not path:
            raise BadParameter(f'known_csv: must be the path of a file such as "totals.csv", not {path!r}')
        return str(self.path.parent / path)

    def _epsilon(self, place: str, table: Mapping[str, Any], key: str) -> Fraction | None:
        value = table.get(key)
        if value is None:
            return None
        with self._mistakes(place, key):
            if isinstance(value, str | Decimal):
                _refuse_extremes(str(value))
            number = exact(value, "the value")
            if number <= LARGEST_EPSILON:
                return number
            raise BadParameter(f"{value} protects nobody and is surely a mistake; {USUAL_EPSILON}")
        return None

    def _text(self, table: str, key: str) -> str | None:
        value: str | None = self._tables[table].get(key)
        if value is None or (isinstance(value, str) and value):
            return value
        self._say(table, f"{key}: must be text in quotes, not {_floats(value)!r}")
        return None

    def _table(self, name: str) -> Mapping[str, Any]:
        value = self._document.get(name, {})
        if isinstance(value, Mapping):
            return value
        self.problems.append(f"[{name}] must be a table; write its keys under a line [{name}]")
        return {}

    @contextmanager
    def _mistakes(self, place: str, key: str = "") -> Iterator[None]:
        """Notes a mistake that is raised inside, with its place and key, unless it names this itself."""
        try:
            yield
        except BadParameter as error:
            self._say(place, f"{key}: {error}" if key else str(error))

    def _say(self, place: str, *problems: str) -> None:
        self.problems += [f"[{place}] {problem}" for problem in problems]


def _dot_problem(place: str, declared: object, key: str) -> str | None:
    """Whether a table is there only because a dot in a name was taken for a step into it."""
    if not isinstance(declared, Mapping) or key in declared:
        return None
    inner = [name for name, value in declared.items() if isinstance(value, Mapping) and key in value]
    if not inner:
        return None
    table, name = place.split(".", 1)
    return f'{inner[0]!r} lies inside of it; a name with a dot goes in quotes: [{table}."{name}.{inner[0]}"]'


def _refuse_extremes(text: str) -> None:
    """Refuses a number that would fill the memory once it is written out as a fraction."""
    try:
        exponent = Decimal(text).adjusted()
    except ArithmeticError:
        exponent = 0  # '1/3', or not a number, which `exact` will say
    if abs(exponent) > 100 or len(text) > 200:
        raise BadParameter(f"the value {text[:40]} is far too large or too small; {USUAL_EPSILON}")


def _list_of(attributes: Collection[str]) -> str:
    return f"Declared: {', '.join(attributes)}" if attributes else "Declare it in a table [attributes.NAME]"


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
