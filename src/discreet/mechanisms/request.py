"""What a mechanism is made from: public facts only."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.errors import BadParameter
from discreet.naming import reserved_problem
from discreet.privacy import LARGEST_EPSILON, Number, Unit, as_text, exact
from discreet.schema import Schema
from discreet.tasks import Task


@dataclass(frozen=True)
class Request:
    """The attributes to count by, whom to protect, for how much, and the method's parameters. No data."""

    schema: Schema
    unit: Unit
    epsilon: Fraction
    parameters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, schema: Schema, unit: Unit, epsilon: Number) -> Request:
        """What a task asks of data with this schema; refuses what no method could do."""
        if not isinstance(task, Task):
            raise BadParameter(f'the task must be one such as Table(["age"]), not {task!r}')
        exact_epsilon = exact(epsilon, "epsilon")
        if exact_epsilon > LARGEST_EPSILON:
            raise BadParameter(
                f"epsilon {as_text(exact_epsilon)} protects nobody; values between 0.01 and 10 are usual"
            )
        wanted = schema.select(task.attributes(schema))
        for name in wanted:
            if (problem := reserved_problem(name)) is not None:
                raise BadParameter(f"attribute {problem}")
        return cls(wanted, unit, exact_epsilon, task.asked())
