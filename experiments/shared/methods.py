"""Methods that are tried, by the name of their task and their own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.mechanisms import Mechanism, Request, registry
from discreet.privacy import Unit
from discreet.schema import Schema

#: a method and its parameters
Method = tuple[str, dict[str, Any]]


def ready(task: str, schema: Schema, method: Method, epsilon: Fraction, unit: Unit) -> Mechanism:
    """A mechanism that has only to see the counts."""
    name, parameters = method
    return registry()[task, name](Request(schema, unit, epsilon, parameters))
