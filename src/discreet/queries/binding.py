"""Predicates over labels -> selections over codes. Exact: what no union of cells can say is refused.

`!=` and `not` mean all other cells, so also the cell "other" where an attribute has one; a range never holds
that cell. A bin of reals holds its lower edge, so at an edge `<` and `>=` are answered and `<=` and `>` refused; only
the upper end of the domain is in the last bin, so there it is the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from typing import Any

import numpy as np

from discreet.errors import BadParameter, DiscreetError, OutsideDomain, UnknownAttribute
from discreet.naming import did_you_mean
from discreet.queries.selection import Selection, complement, intersection, union
from discreet.queries.where import (
    MAX_DEPTH,
    And,
    Between,
    Compare,
    Not,
    Number,
    OneOf,
    Operator,
    Or,
    Predicate,
    parse,
)
from discreet.schema import Attribute, Ordinal, Schema

# an `or` and an `and` inside each of the parser's parentheses, and around them; a `not in` at the bottom
_DEEPEST = 2 * MAX_DEPTH + 3

Where = str | Mapping[str, Any] | Predicate | None


def bind(where: Where, schema: Schema, known: Iterable[str] = ()) -> Selection:
    """The cells of `schema` that `where` asks for.

    None asks for all. A text is parsed: "age between 30 and 39 and sex = 'Female'". In a mapping, a tuple is
    an inclusive range with None for an open end, a list or set is a union of values and ranges, anything else
    is a value: {"age": (30, 39), "country": ["Europe", "USA"], "sex": "Female"}. A hierarchy's node means its
    leaves.

    `known` are names that the data set has beyond this schema, for a better message.
    """
    if where is None:
        return Selection.everything()
    if isinstance(where, str):
        where = parse(where)
    elif isinstance(where, Mapping):
        where = And(tuple(_asked(name, value) for name, value in where.items()))
    return _Binder(schema, known).bind(where, 0)


def attribute_index(name: object, schema: Schema, known: Iterable[str] = ()) -> int:
    """Where the attribute stands in the schema; UnknownAttribute with a hint if it does not."""
    if name in schema:
        return schema.names.index(str(name))
    held = f"The attributes are: {', '.join(schema)}"
    if name in set(known):
        raise UnknownAttribute(f"this release was not made by {name!r}, so it cannot be asked about. {held}")
    raise UnknownAttribute(f"there is no attribute {name!r}.{did_you_mean(name, schema)} {held}")


def value_codes(attribute: Attribute, value: object) -> tuple[int, int]:
    """First and last code of what one value, label or hierarchy node names."""
    if value is None or isinstance(value, list | tuple | dict | Set):
        raise BadParameter(f"{value!r} is not a single value")
    if not isinstance(attribute, Ordinal):
        return attribute.node(value.text if isinstance(value, Number) else value)
    if isinstance(value, Number):
        value = value.value
    elif isinstance(value, str):
        try:
            code = attribute.code(value)
        except OutsideDomain:
            pass  # `between` says it in the words of a question
        else:
            if str(attribute.label(code)) == value:
                return code, code
    # not `code`: the count of a whole bin would be no answer to a question about one value in it
    return attribute.between(value, value)


def range_codes(attribute: Attribute, low: object, high: object) -> tuple[int, int]:
    """First and last code of an inclusive range; None leaves an end open."""
    if not isinstance(attribute, Ordinal):
        raise BadParameter("labels have no order, so there is no range of them; list them instead")
    low, high = (end.value if isinstance(end, Number) else end for end in (low, high))
    return attribute.between(low, high)


def _asked(name: object, value: object) -> Predicate:
    """What a mapping's entry asks."""
    if not isinstance(name, str):
        raise BadParameter(f"the keys of a predicate are names of attributes, not {name!r}")
    if isinstance(value, tuple):
        return OneOf(name, (value,))
    if isinstance(value, list | Set | range | np.ndarray):
        return OneOf(name, tuple(value))
    return Compare(name, "=", value)


class _Binder:
    """Binds the nodes of one predicate."""

    def __init__(self, schema: Schema, known: Iterable[str]) -> None:
        self.schema = schema
        self.sizes = schema.sizes
        self.known = tuple(known)

    def bind(self, node: Predicate, depth: int) -> Selection:
        if depth > _DEEPEST:
            raise BadParameter(f"the predicate is nested more than {_DEEPEST} deep; write it flatter")
        if isinstance(node, And):
            return intersection([self.bind(part, depth + 1) for part in node.parts])
        if isinstance(node, Or):
            return union([self.bind(part, depth + 1) for part in node.parts], self.sizes)
        if isinstance(node, Not):
            return complement(self.bind(node.part, depth + 1), self.sizes)
        if isinstance(node, Compare | Between | OneOf):
            return self.leaf(node)
        raise BadParameter(
            "a predicate is a text, a mapping of attributes to values, or a tree of discreet.queries.where, "
            f"not {node!r}"
        )

    def leaf(self, node: Compare | Between | OneOf) -> Selection:
        index = attribute_index(node.name, self.schema, self.known)
        attribute = self.schema[node.name]
        with _about(node.name):
            if isinstance(node, Between):
                intervals = [range_codes(attribute, node.low, node.high)]
            elif isinstance(node, OneOf):
                intervals = [_member_codes(attribute, value) for value in node.values]
                if not intervals:
                    raise BadParameter("the list of values is empty; leave the attribute out to ask for all")
            elif node.operator in ("=", "!="):
                intervals = [value_codes(attribute, node.value)]
            else:
                intervals = [_ordered_codes(attribute, node.operator, node.value)]
        selection = Selection.where(index, intervals, attribute.size)
        if isinstance(node, Compare) and node.operator == "!=":
            return complement(selection, self.sizes)
        return selection


def _member_codes(attribute: Attribute, value: object) -> tuple[int, int]:
    if not isinstance(value, tuple):
        return value_codes(attribute, value)
    if len(value) != 2:
        raise BadParameter(f"a range is a tuple (low, high) of two ends, not {value!r}; a union is a list")
    return range_codes(attribute, *value)


def _ordered_codes(attribute: Attribute, operator: Operator, value: object) -> tuple[int, int]:
    if not isinstance(attribute, Ordinal):
        raise BadParameter(f"labels have no order, so {operator!r} cannot compare them; use =, != or in")
    if value is None:
        raise BadParameter("None is not a single value")
    plain = value.value if isinstance(value, Number) else value
    if operator == "<=" or (operator == "<" and attribute.kind == "real"):
        return attribute.between(None, plain, strict=operator == "<")
    if operator == ">=" or (operator == ">" and attribute.kind == "real"):
        return attribute.between(plain, None, strict=operator == ">")
    return _strictly_below(attribute, plain) if operator == "<" else _strictly_above(attribute, plain)


def _strictly_below(attribute: Ordinal, value: object) -> tuple[int, int]:
    """Of whole values: all bins before those from `value` on."""
    try:
        first = attribute.between(value, None)[0]
    except OutsideDomain:
        return attribute.between(None, value)  # every declared value is below
    if first == 0:
        raise OutsideDomain(f"no value below {value} is in the declared domain")
    return 0, first - 1


def _strictly_above(attribute: Ordinal, value: object) -> tuple[int, int]:
    try:
        last = attribute.between(None, value)[1]
    except OutsideDomain:
        return attribute.between(value, None)  # every declared value is above
    if last == attribute.bins - 1:
        raise OutsideDomain(f"no value above {value} is in the declared domain")
    return last + 1, attribute.bins - 1


@contextmanager
def _about(name: str) -> Iterator[None]:
    """Errors from inside name the attribute."""
    try:
        yield
    except DiscreetError as error:
        raise type(error)(f"{name}: {error}") from None
