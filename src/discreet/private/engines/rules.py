"""What becomes of values that have no bin and no label: the schema's declared rules, as codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ibis

from discreet.private.engines.values import Engine
from discreet.schema import Attribute


@dataclass(frozen=True)
class Step:
    """How one column is coded: `code(column, found)`, where `found` is the code of `key` in `lookup`, or NULL."""

    code: Callable[[Any, Any], Any]
    key: Any = None
    lookup: Any = None


class Rules:
    """What the schema says of values that have no bin, as codes; None drops the row."""

    def __init__(self, attribute: Attribute, engine: Engine) -> None:
        other = attribute.size - 1
        self.null = other if attribute.null == "other" else None
        self.outside = other if attribute.outside == "other" else None
        self.clamps = attribute.outside == "clamp"
        self.odd = self.null if self.clamps else self.outside
        self._engine = engine

    def applied(self, raw: Any, code: Any) -> Any:
        """`code`, or where that is NULL the code of the rule that holds for the raw value."""
        if self.null == self.odd:
            return code if self.null is None else code.fill_null(self.null)
        rule = ibis.ifelse(self._engine.missing(raw), _constant(self.null), _constant(self.odd))
        return ibis.ifelse(code.notnull(), code, rule)

    def inside(self, is_outside: Any, code: Any) -> Any:
        """`code` of a value moved into the domain; without clamping, the rule's code if it had to be moved."""
        return code if self.clamps else ibis.ifelse(is_outside, _constant(self.outside), code)

    def only(self) -> Step:
        """The coding of a column whose type can hold no value of the domain."""
        return Step(lambda column, _: self.applied(column, _constant(None)))


def _constant(code: int | None) -> Any:
    return ibis.null("int64") if code is None else ibis.literal(code, "int64")
