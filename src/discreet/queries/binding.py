"""Predicates over labels -> selections over codes. Exact: a predicate that no union of cells can express is refused.

`!=` and `not` mean all other cells, including the cell "other" where an attribute has one; a range never holds
that cell. A bin of reals holds its lower edge, so at an edge `<` and `>=` are answered and `<=` and `>` refused; only
the upper end of the domain is in the last bin, so there it is the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from typing import Any

import numpy as np

from discreet.errors import BadParameter, DiscreetError, OutsideDomain, UnknownAttribute
from discreet.naming import did_you_mean
from discreet.queries.selection import Selection, complement, intersection, union
from discreet.queries.where import MAX_DEPTH, And, Between, Compare, Not, Numeral, OneOf, Or, Predicate, parse
from discreet.schema import Attribute, Ordinal, Schema
from discreet.schema.asked_values import shown_value

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
    return _selected(where, schema, tuple(known))


def attribute_index(name: object, schema: Schema, known: Iterable[str] = ()) -> int:
    """The position of the attribute in the schema; UnknownAttribute with a hint if it has none."""
    if name in schema:
        return schema.names.index(str(name))
    held = f"The attributes are: {', '.join(schema)}"
    if name in set(known):
        raise UnknownAttribute(f"this release does not count by {name!r}, so it cannot answer about it. {held}")
    raise UnknownAttribute(f"there is no attribute {shown_value(name)}.{did_you_mean(name, schema)} {held}")


def value_codes(attribute: Attribute, value: object) -> tuple[int, int]:
    """First and last code of what one value, label or hierarchy node names."""
    if value is None or isinstance(value, list | tuple | dict | Set):
        raise BadParameter(f"{value!r} is not a single value")
    if not isinstance(attribute, Ordinal):
        return attribute.node(value.text if isinstance(value, Numeral) else value)
    if isinstance(value, str):
        with suppress(OutsideDomain):  # `between` says it in the words of a question
            code = attribute.code(value)
            if str(attribute.label(code)) == value:
                return code, code
    # not `code`: the count of a whole bin would not answer a question about one value in it
    return attribute.between(_plain(value), _plain(value))


def range_codes(attribute: Attribute, low: object, high: object) -> tuple[int, int]:
    """First and last code of an inclusive range; None leaves an end open."""
    if not isinstance(attribute, Ordinal):
        raise BadParameter("labels have no order, so there is no range of them; list them instead")
    return attribute.between(_plain(low), _plain(high))


def _asked(name: object, value: object) -> Predicate:
    """What a mapping's entry asks."""
    if not isinstance(name, str):
        raise BadParameter(f"the keys of a predicate are names of attributes, not {name!r}")
    if isinstance(value, tuple):
        return OneOf(name, (value,))
    if isinstance(value, list | Set | range | np.ndarray):
        return OneOf(name, tuple(value))
    return Compare(name, "=", value)


def _selected(node: Predicate, schema: Schema, known: Iterable[str], depth: int = 0) -> Selection:
    """The cells that one node of a predicate asks for."""

    def part(inner: Predicate) -> Selection:
        return _selected(inner, schema, known, depth + 1)

    if depth > _DEEPEST:
        raise BadParameter(f"the predicate is nested more than {_DEEPEST} deep; write it flatter")
    if isinstance(node, And):
        return intersection([part(inner) for inner in node.parts], schema.sizes)
    if isinstance(node, Or):
        return union([part(inner) for inner in node.parts], schema.sizes)
    if isinstance(node, Not):
        return complement(part(node.part), schema.sizes)
    if not isinstance(node, Compare | Between | OneOf):
        raise BadParameter(
            "a predicate is a text, a mapping of attributes to values, or a tree of discreet.queries.where, "
            f"not {node!r}"
        )
    index = attribute_index(node.name, schema, known)
    attribute = schema[node.name]
    try:
        selection = Selection.where(index, _intervals(attribute, node), attribute.size)
    except DiscreetError as error:
        raise type(error)(f"{node.name}: {error}") from None
    if isinstance(node, Compare) and node.operator == "!=":
        return complement(selection, schema.sizes)
    return selection


def _intervals(attribute: Attribute, node: Compare | Between | OneOf) -> list[tuple[int, int]]:
    """The codes that a comparison names; those of `!=` are the others."""
    if isinstance(node, Between):
        return [range_codes(attribute, node.low, node.high)]
    if isinstance(node, Compare):
        ordered = node.operator not in ("=", "!=")
        return [_ordered_codes(attribute, node) if ordered else value_codes(attribute, node.value)]
    if not node.values:
        raise BadParameter("the list of values is empty; leave the attribute out to ask for all")
    return [_member_codes(attribute, value) for value in node.values]


def _member_codes(attribute: Attribute, value: object) -> tuple[int, int]:
    if not isinstance(value, tuple):
        return value_codes(attribute, value)
    if len(value) != 2:
        raise BadParameter(f"a range is a tuple (low, high) of two ends, not {value!r}; a union is a list")
    return range_codes(attribute, *value)


def _ordered_codes(attribute: Attribute, node: Compare) -> tuple[int, int]:
    operator, value = node.operator, node.value
    if not isinstance(attribute, Ordinal):
        raise BadParameter(f"labels have no order, so {operator!r} cannot compare them; use =, != or in")
    if value is None:
        raise BadParameter("None is not a single value")
    value = _plain(value)
    strict, below = len(operator) == 1, operator[0] == "<"
    if not strict or attribute.kind == "real":
        return attribute.between(None, value, strict=strict) if below else attribute.between(value, None, strict=strict)
    # of whole values: all bins but those of the opposite range
    opposite, own = ((value, None), (None, value)) if below else ((None, value), (value, None))
    try:
        first, last = attribute.between(*opposite)
    except OutsideDomain:
        return attribute.between(*own)  # every declared value is on this side
    codes = (0, first - 1) if below else (last + 1, attribute.bins - 1)
    if codes[0] > codes[1]:
        raise OutsideDomain(f"no value {'below' if below else 'above'} {value} is in the declared domain")
    return codes


def _plain(value: object) -> object:
    return value.value if isinstance(value, Numeral) else value
