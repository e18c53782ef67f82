"""What a mechanism is made from (public facts only), and what it says of itself: cost, noise, what is left out."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet.errors import BadParameter
from discreet.left_out import LeftOut, by_the_schema, by_the_unit
from discreet.naming import ENDS_COLUMNS, refuse_columns, reserved_problem
from discreet.parameters import Parameter, Parameters, Value, as_given, problems
from discreet.privacy import LARGEST_EPSILON, USUAL_EPSILON, Number, Unit, as_text, exact
from discreet.queries.known_totals import KnownTotals
from discreet.schema import Schema
from discreet.tasks import Task

if TYPE_CHECKING:
    from discreet.noise import Noise
    from discreet.private.bounded import Bounded
    from discreet.queries import Questions
    from discreet.summaries import Answers, Summary

#: larger tables are not written out before there is data
MOST_WRITTEN_OUT = 10**7


@dataclass(frozen=True)
class Request:
    """The attributes to count by, whom to protect, for how much, and the method's parameters. No data."""

    schema: Schema
    unit: Unit
    epsilon: Fraction
    parameters: dict[str, Any] = field(default_factory=dict)
    #: the name of the task, for methods of several
    task: str = ""
    #: totals that are public anyway
    known: KnownTotals | None = None

    @classmethod
    def of(cls, task: Task, schema: Schema, unit: Unit, epsilon: Number) -> Request:
        """What a task asks of data with this schema; refuses what no method could do."""
        if not isinstance(task, Task):
            raise BadParameter(f'the task must be one such as Table(["age"]), not {task!r}')
        exact_epsilon = exact(epsilon, "epsilon")
        if exact_epsilon > LARGEST_EPSILON:
            raise BadParameter(f"epsilon {as_text(exact_epsilon)} protects nobody; {USUAL_EPSILON}")
        wanted = schema.select(task.attributes(schema))
        for name in wanted:
            if (problem := reserved_problem(name)) is not None:
                raise BadParameter(f"attribute {problem}")
        return cls(wanted, unit, exact_epsilon, task.asked(), task.name, known_totals(task, wanted))


def known_totals(task: Task, schema: Schema) -> KnownTotals | None:
    """The totals that a task says are known, bound to the attributes that it counts by."""
    if not task.known:
        return None
    if task.name == "items" or "queries" in task.parameters:
        what = "a list of queries" if "queries" in task.parameters else "items"
        raise BadParameter(f"known: answers about {what} cannot be made to agree with known totals; leave `known` out")
    refuse_columns(schema, ENDS_COLUMNS, "any method with known totals")
    return KnownTotals.of(task.known, schema)


class Mechanism(ABC):
    """Made from a request, before anything is charged; then it measures once.

    Subclasses are found by their `tasks` and `method`; `parameters` are what a user can set.
    """

    tasks: ClassVar[tuple[str, ...]]
    method: ClassVar[str]
    parameters: ClassVar[Parameters] = ()
    #: what errors on an empty table tell about real ones: "exact", the same; "empty", a start; "none", nothing
    rehearsal: str = "exact"
    #: with more noisy numbers it takes too long to be rehearsed for a plan
    most_rehearsed: ClassVar[float] = math.inf
    #: whether it chooses among the records of each user, so that ready counts are not enough
    needs_rows: bool = False
    #: whether some neighbours lose all that is charged, to the last digit; if not, at least half of it
    spends_all: bool = True
    #: kinds of what it leaves out, whatever is asked for
    always_leaves_out: ClassVar[tuple[str, ...]] = ()

    def __init__(self, request: Request) -> None:
        if found := problems(self.method, self.parameters, request.parameters):
            raise BadParameter("\n".join(found))
        self.request = request
        #: what the release is about: usually the attributes that were asked for
        self.release_schema = request.schema
        #: every parameter in force: name, value, and where it came from ("given", "default: why")
        self.chosen: list[dict[str, Any]] = []

    @property
    @abstractmethod
    def cost(self) -> Fraction:
        """The epsilon of what `measure` does, derived again from its map and scales by `privacy.cost`."""

    @abstractmethod
    def measure(self, data: Bounded, noise: Noise) -> Summary:
        """The one look at the private data, for what was paid."""

    @abstractmethod
    def noise_law(self) -> dict[str, Any]:
        """The law of the noise, for release.json."""

    def leaves_out(self) -> list[LeftOut]:
        """All that the intervals do not cover: known without looking at the data."""
        return [*by_the_schema(self.request.schema), *self.unit_leaves_out(), *self.method_leaves_out()]

    def unit_leaves_out(self) -> list[LeftOut]:
        return list(by_the_unit(self.request.unit))

    def method_leaves_out(self) -> list[LeftOut]:
        return [LeftOut(kind) for kind in self.always_leaves_out]

    @property
    def entries(self) -> int:
        """About how many noisy numbers it holds."""
        return self.request.schema.cells

    def noise_alone(self, questions: Questions, level: float) -> Answers:
        """What noise does to these answers, the same for all data: only for `rehearsal` "exact". Looks at no data."""
        return self.noise_written_out(questions, level)

    def noise_written_out(self, questions: Questions, level: float) -> Answers:
        """The same, from a release of an empty table without noise, which knows its error."""
        from discreet.noise import ZeroNoise
        from discreet.private.counts import Counts

        if self.entries > MOST_WRITTEN_OUT:
            raise BadParameter(f"{self.entries:.3g} noisy numbers are too many to write out for a plan")
        schema = self.request.schema
        empty = Counts(schema.sizes, np.empty((0, len(schema)), np.int64), np.empty(0, np.int64))
        return self.measure(empty, ZeroNoise()).answer(questions, level)

    def given(self, parameter: Parameter[Value]) -> Value | None:
        """What was given, noted; None if nothing was."""
        if parameter.name not in self.request.parameters:
            return None
        value = parameter.read(self.request.parameters[parameter.name])
        self.note_choice(parameter.name, value, "given")
        return value

    def value(self, parameter: Parameter[Value], default: Value | None = None, origin: str = "default") -> Value:
        """What was given, or this default, or the parameter's own, noted."""
        if (value := self.given(parameter)) is None:
            value = parameter.default if default is None else default
            assert value is not None
            self.note_choice(parameter.name, value, origin)
        return value

    def note_choice(self, name: str, value: Any, origin: str) -> None:
        self.chosen.append({"name": name, "value": as_given(value), "origin": origin})
