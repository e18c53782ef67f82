"""What becomes of values that have no bin and no label: the schema's declared rules, as codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discreet.private.engines.values import Engine
from discreet.schema import Attribute


@dataclass(frozen=True)
class Step:
    """How one column is coded: `code(column, found)`, after `key` was looked up in `lookup`, if there is one.

    `found` is what the look-up gave, a code or NULL.
    """

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
        import ibis

        if self.null == self.odd:
            return code if self.null is None else code.fill_null(self.null)
        null, odd = (
            ibis.null("int64") if rule is None else ibis.literal(rule, "int64") for rule in (self.null, self.odd)
        )
        return ibis.ifelse(code.notnull(), code, ibis.ifelse(self._engine.missing(raw), null, odd))

    def inside(self, is_outside: Any, code: Any) -> Any:
        """`code` of a value moved into the domain, or the rule's code if it had to be moved and is not to be."""
        import ibis

        if self.clamps:
            return code
        rule = ibis.null("int64") if self.outside is None else ibis.literal(self.outside, "int64")
        return ibis.ifelse(is_outside, rule, code)

    def only(self) -> Step:
        """The coding of a column whose type can hold no value of the domain."""
        import ibis

        return Step(lambda column, _: self.applied(column, ibis.null("int64")))
