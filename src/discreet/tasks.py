"""What a custodian asks for. A task names attributes, a method and the method's own public parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from discreet.errors import BadParameter
from discreet.method_names import refuse_unknown
from discreet.privacy import as_text


class Task:
    """A request: `by` (the attributes), `method` (a name, or "auto") and `parameters` (the method's own).

    `known` are totals that are public anyway, with which answers will agree:
    `[{"where": "county = 'Kent'", "count": 170363}, {"count": 1097379}]`, or a CSV file or data frame of them.
    """

    name: ClassVar[str]
    #: whether it may name no attributes, and so mean all that the schema has
    may_name_none: ClassVar[bool] = False
    #: its arguments but for the method and the method's parameters
    arguments: ClassVar[tuple[str, ...]] = ("by", "known")

    def __init__(self, by: Iterable[str], *, method: str = "auto", known: Any = None, **parameters: Any) -> None:
        self._refuse_set(by)
        names = (by,) if isinstance(by, str) else tuple(by) if isinstance(by, Iterable) else (by,)
        if not (names or self.may_name_none) or not all(isinstance(name, str) for name in names):
            raise BadParameter(f"{type(self).__name__} needs the names of one or more attributes")
        if len(set(names)) != len(names):
            raise BadParameter(f"{type(self).__name__} names an attribute twice: {', '.join(names)}; name each once")
        self.by = names
        self.known = [] if known is None else _entries(known)
        self._ask(method, parameters)
        refuse_unknown(self.name, method, self.parameters, ("method", *self.arguments))

    def _refuse_set(self, *given: Any) -> None:
        """A set of names has another order in the next process, and so would be another request, charged again."""
        if any(isinstance(names, set | frozenset) for names in given):
            raise BadParameter(f"{type(self).__name__} needs names in an order: give a list, not a set")

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> None:
        self.method = method
        self.parameters = {name: _plain(parameters[name], name) for name in sorted(parameters)}

    @property
    def job(self) -> str:
        """What "auto" chooses a method for."""
        return self.name

    def attributes(self, schema: Iterable[str]) -> tuple[str, ...]:
        """The attributes that are counted by, of those a schema declares."""
        return self.by

    def asked(self) -> dict[str, Any]:
        """What the method is given: its own parameters, and what else the task holds."""
        return dict(self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """What is asked, as in release.json."""
        return {"task": self.name, "by": list(self.by), "method": self.method, **self._rest()}

    def _rest(self) -> dict[str, Any]:
        """The parameters, and known totals if there are any."""
        return {**self.parameters, **({"known": self.known} if self.known else {})}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.by, self.method))

    def __repr__(self) -> str:
        fields = {"by": [], **self.to_dict()}
        given = [f"{key}={value!r}" for key, value in fields.items() if key not in ("task", "by")]
        return f"{type(self).__name__}({', '.join([repr(fields['by']), *given])})"


class Table(Task):
    """Any cell or subset of the contingency table over `by`."""

    name = "table"


class Marginals(Task):
    """Many small tables at once: `Marginals(ways=2)`, all of two attributes; `Marginals([["age", "sex"], ["state"]])`.

    With `ways`, `by` may name the attributes to combine; without it they are all that the schema has. With `queries`,
    they are those that the queries are about.
    """

    name = "marginals"
    may_name_none = True

    def __init__(self, by: Iterable[Any] = (), *, method: str = "auto", **parameters: Any) -> None:
        given = list(by) if isinstance(by, Iterable) and not isinstance(by, str) else [by]
        self._refuse_set(by, *given)
        self.sets: tuple[tuple[str, ...], ...] = ()
        if any(not isinstance(part, str) for part in given):
            parts = [
                tuple(part) if isinstance(part, Iterable) and not isinstance(part, str) else (part,) for part in given
            ]
            if not all(part and all(isinstance(name, str) for name in part) for part in parts):
                raise BadParameter('Marginals needs lists of attribute names, such as [["age", "sex"], ["state"]]')
            self.sets = tuple(parts)
            given = list(dict.fromkeys(name for part in self.sets for name in part))
        super().__init__(given, method=method, **parameters)

    def attributes(self, schema: Iterable[str]) -> tuple[str, ...]:
        if self.by:
            return self.by
        every, named = tuple(schema), set(_names(self.parameters.get("queries")))
        if not named or not named <= set(every):  # a name that the schema lacks is refused where the query can be shown
            return every
        return tuple(name for name in every if name in named)

    def asked(self) -> dict[str, Any]:
        return {**self.parameters, **({"sets": [list(part) for part in self.sets]} if self.sets else {})}

    def to_dict(self) -> dict[str, Any]:
        by: list[Any] = [list(part) for part in self.sets] or list(self.by)
        return {"task": self.name, **({"by": by} if by else {}), "method": self.method, **self._rest()}


def _entries(given: Any) -> list[dict[str, Any]]:
    from discreet.queries.known_entries import read_entries

    return read_entries(given)


def _names(queries: Any) -> Iterator[str]:
    """The attributes that predicates are about, as far as these can be read."""
    from discreet.queries.where import names, parse

    for where in queries if isinstance(queries, list | tuple) else ():
        if isinstance(where, Mapping):
            yield from where
        elif isinstance(where, str):
            with suppress(BadParameter):
                yield from names(parse(where))


class Ranges(Task):
    """Products of ranges on ordinal attributes and of hierarchy nodes on nominal ones."""

    name = "ranges"


class Items(Task):
    """Records or users per item, and per item and context, when one user has many rows.

    `Items("movie", context=["day"])`. With the item as its own context, pairs of items that users have in common.
    """

    name = "items"
    arguments = (*Task.arguments, "context")

    def __init__(self, by: Any, *, context: Any = (), method: str = "auto", **parameters: Any) -> None:
        if isinstance(scores := parameters.get("scores"), Mapping):  # items may be numbers
            parameters["scores"] = {str(label): score for label, score in scores.items()}
        super().__init__(by, method=method, **parameters)
        self._refuse_set(context)
        around = (context,) if isinstance(context, str) else tuple(context or ())
        if len(self.by) != 1:
            raise BadParameter("Items needs the name of one attribute, the item; put others in context")
        if not all(isinstance(name, str) for name in around) or len(set(around)) < len(around):
            raise BadParameter("Items: context must be the names of attributes, each once")
        self.item, self.context = self.by[0], around
        if self.item in around and len(around) > 1:
            raise BadParameter("Items: for pairs of items the item must be the only context; leave the others out")

    @property
    def job(self) -> str:
        return "pairs of items" if self.pairs else self.name

    @property
    def pairs(self) -> bool:
        """Whether items are counted two by two."""
        return self.context == (self.item,)

    def attributes(self, schema: Iterable[str]) -> tuple[str, ...]:
        return self.by if self.pairs else self.by + self.context

    def asked(self) -> dict[str, Any]:
        return {**self.parameters, **({"pairs": True} if self.pairs else {})}

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), **({"context": list(self.context)} if self.context else {})}


def _plain(value: Any, name: str) -> Any:
    """A value as JSON and TOML can hold it, so that a release can state what it was made with."""
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
        value = value.item()  # one of numpy's numbers
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Fraction):
        return as_text(value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(inner, name) for key, inner in value.items()}
    if isinstance(value, list | tuple):  # in a predicate a pair is a range and a list is a choice, so they stay apart
        return type(value)(_plain(inner, name) for inner in value)
    kind = type(value).__name__
    raise BadParameter(f"{name}: a value of type {kind} cannot be stored in a release; use numbers, text or lists")


TASKS: dict[str, type[Task]] = {task.name: task for task in (Table, Ranges, Marginals, Items)}


def task_from_dict(fields: Mapping[str, Any]) -> Task:
    """The task that `to_dict` wrote; also how a spec's [releases.NAME] becomes a task.

    Method and parameters are checked where the method is made: another version may have had others, and mistakes in a
    spec are named together, each with its place.
    """
    values = dict(fields)
    name = values.pop("task", None)
    if name not in TASKS:
        raise BadParameter(f"task must be one of {', '.join(sorted(TASKS))}, not {name!r}")
    kind = TASKS[name]
    arguments = {key: values.pop(key) for key in kind.arguments if key in values}
    task = kind(arguments.pop("by", ()), **arguments)
    task._ask(values.pop("method", "auto"), values)
    return task
