"""Which attributes a method leaves untransformed."""

from __future__ import annotations

from fractions import Fraction

from discreet.privacy import Unit
from discreet.schema import Schema
from experiments.shared.methods import Method, ready


def direct(schema: Schema, method: Method, epsilon: Fraction, unit: Unit) -> list[str]:
    made = ready("ranges", schema, method, epsilon, unit)
    return next(list(choice["value"]) for choice in made.chosen if choice["name"] == "direct")
