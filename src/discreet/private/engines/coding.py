"""From raw columns to codes: every value of every type gets the code of its cell, or NULL where it is dropped.

A value outside the domain follows the attribute's rule `outside`, a null (NaN and blank text too) its rule `null`.
What is neither, such as the word 'many' in a column of numbers, lies outside; where `outside` is "clamp" there is
no nearest end for it, so it counts as a null. A fraction in an integer attribute belongs to the bin around it.
Labels are matched as they are written, unless the attribute's reading says otherwise; 1, 1.0 and True are the labels
'1', '1' and 'true'.

What becomes of a row never depends on other rows, not even through a type that was guessed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.private.engines.derived_values import derived
from discreet.private.engines.ordinal_codes import real, whole
from discreet.private.engines.values import Engine
from discreet.schema import Attribute, Nominal


@dataclass(frozen=True)
class Step:
    """How one column is coded: `code(column, found)`, where `found` is the code of `key` in `lookup`, or NULL."""

    code: Callable[[Any, Any], Any]
    key: Any = None
    lookup: Any = None


class Rules:
    """What the schema says of values that have no bin and no label, as codes; None drops the row."""

    def __init__(self, attribute: Attribute, engine: Engine) -> None:
        other = attribute.size - 1
        self.null = other if attribute.null == "other" else None
        self.outside = other if attribute.outside == "other" else None
        self.clamps = attribute.outside == "clamp"
        self.odd = self.null if self.clamps else self.outside
        self.engine = engine

    def step(self, code: Callable[[Any], Any], key: Any = None, lookup: Any = None) -> Step:
        """Codes by `code(found)`, and where that is NULL by the rule that holds for the raw value."""
        return Step(lambda column, found: self._applied(column, code(found)), key, lookup)

    def only(self) -> Step:
        """The coding of a column whose type can hold no value of the domain."""
        return self.step(lambda _: self._constant(None))

    def inside(self, is_outside: Any, code: Any) -> Any:
        """`code` of a value moved into the domain; without clamping, the rule's code if it had to be moved."""
        return code if self.clamps else self.engine.words.ifelse(is_outside, self._constant(self.outside), code)

    def _applied(self, raw: Any, code: Any) -> Any:
        if self.null == self.odd:
            return code if self.null is None else code.fill_null(self.null)
        words = self.engine.words
        rule = words.ifelse(self.engine.missing(raw), self._constant(self.null), self._constant(self.odd))
        return words.ifelse(code.notnull(), code, rule)

    def _constant(self, code: int | None) -> Any:
        words = self.engine.words
        return words.null("int64") if code is None else words.literal(code, "int64")


def coded(table: Any, attributes: Mapping[str, Attribute], keep: Mapping[str, Any], engine: Engine) -> Any:
    """The codes of the columns that `attributes` names, under the same names, beside the columns of `keep`."""
    read = {name: derived(table[name], attribute, engine) for name, attribute in attributes.items()}
    # as columns of their own, so that the engine computes each value once
    own = {name: f"{name}_read" for name, value in read.items() if value is not None and value is not table[name]}
    table = engine.settled(table.mutate(**{own[name]: read[name] for name in own})) if own else table
    ordinals = [name for name, attribute in attributes.items() if not isinstance(attribute, Nominal)]
    table = engine.prepared(table, [own.get(name, name) for name in ordinals if read[name] is not None])
    steps = {
        name: _step(None if read[name] is None else table[own.get(name, name)], attribute, engine)
        for name, attribute in attributes.items()
    }
    if not engine.is_duckdb:
        steps = {name: _without_join(step, engine.most_cases) for name, step in steps.items()}
    keys = {f"{name}_key": step.key for name, step in steps.items() if step.lookup is not None}
    joined = table.mutate(**keys, **keep) if keys or keep else table
    for name, step in steps.items():
        if step.lookup is not None:
            lookup = engine.lookup(step.lookup, [f"{name}_label", f"{name}_found"])
            joined = joined.left_join(lookup, joined[f"{name}_key"] == lookup[f"{name}_label"])
    codes = {
        name: step.code(joined[name], None if step.lookup is None else joined[f"{name}_found"])
        for name, step in steps.items()
    }
    return engine.settled(joined.select(**codes, **{name: joined[name] for name in keep}))


def _without_join(step: Step, most: int) -> Step:
    """A small look-up as a CASE: a join is faster, but on a foreign engine it may need the right to create tables."""
    if step.lookup is None or step.lookup.num_rows > most:
        return step
    found = step.key.cases(*zip(*(column.to_pylist() for column in step.lookup.columns), strict=True))
    return Step(lambda column, _: step.code(column, found))


def _step(value: Any, attribute: Attribute, engine: Engine) -> Step:
    rules = Rules(attribute, engine)
    if value is None:
        return rules.only()
    if not isinstance(attribute, Nominal):
        step = (real if attribute.kind == "real" else whole)(value, attribute, rules)
        return _renamed(step, engine.text(value), attribute.mapped, engine) if attribute.mapped else step
    codes: dict[Any, int] = attribute.written
    key, key_type = engine.text(value), pa.string()
    if key is None:
        return rules.only()
    if value.type().is_signed_integer():
        key, key_type = value.cast("int64"), pa.int64()
        codes = {int(label): code for label, code in codes.items() if _is_int64(label)}
    elif attribute.reading.ignore_case:
        key = engine.lowered(key, codes)
    elif value.type().is_decimal():  # whose texts have no zeros at the end, so the label '3.50' is found as '3.5'
        codes = {label.rstrip("0").removesuffix("."): code for label, code in codes.items() if "." in label} | codes
    lookup = pa.table({"label": pa.array(list(codes), key_type), "code": pa.array(list(codes.values()), pa.int64())})
    return rules.step(lambda found: found, key, lookup)


def _renamed(step: Step, text: Any, codes: Mapping[str, int], engine: Engine) -> Step:
    """The same coding, but for the values that a map gives another meaning."""
    if text is None:
        return step
    found = text.cases(*codes.items(), else_=engine.words.null("int64"))
    return Step(lambda column, found_key: found.fill_null(step.code(column, found_key)), step.key, step.lookup)


def _is_int64(label: str) -> bool:
    """Whether a label is how a 64-bit whole number is written; '007' is not."""
    try:
        return str(np.int64(label)) == label
    except (ValueError, OverflowError):
        return False
