"""Conditions of SQL -> predicates. Each node is one of ours or is refused; nothing is guessed."""

from __future__ import annotations

from typing import Any

from discreet.errors import BadParameter, OutsideDomain
from discreet.naming import did_you_mean
from discreet.queries.sql_names import Names, refusal, shown
from discreet.queries.where import MAX_DEPTH, And, Between, Compare, Not, Numeral, OneOf, Operator, Or, Predicate
from discreet.schema import Nominal

_CONDITIONS = "possible are comparisons of an attribute with values, between, in, and, or, not"
_OPERATORS: dict[str, tuple[Operator, Operator]] = {
    "EQ": ("=", "="),
    "NEQ": ("!=", "!="),
    "LT": ("<", ">"),
    "LTE": ("<=", ">="),
    "GT": (">", "<"),
    "GTE": (">=", "<="),
}


def predicate(node: Any, names: Names, depth: int = 0) -> Predicate:
    """The predicate that a condition spells."""
    from sqlglot import exp

    if depth > MAX_DEPTH:
        raise BadParameter(f"SQL: over {MAX_DEPTH} conditions inside each other; write it flatter")
    if isinstance(node, exp.Paren):
        return predicate(node.this, names, depth + 1)
    if isinstance(node, exp.Not):
        return Not(predicate(node.this, names, depth + 1))
    for kind, joined in ((exp.And, And), (exp.Or, Or)):
        if isinstance(node, kind):
            return joined(tuple(predicate(part, names, depth + 1) for part in _chain(node, kind)))
    kind_name = type(node).__name__
    if kind_name in _OPERATORS:
        return _comparison(node, names, *_OPERATORS[kind_name])
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        column = _column(node.this, node)
        _refuse_level(column, names, node)
        return Between(names.place(column).attribute, _value(node.args["low"]), _value(node.args["high"]))
    if isinstance(node, exp.In) and node.expressions and not (node.args.get("query") or node.args.get("unnest")):
        return _one_of(names, _column(node.this, node), [_value(value) for value in node.expressions])
    if isinstance(node, exp.Is):
        raise refusal(node, "asks for missing values, which the schema's rules drop or count as 'other'", _CONDITIONS)
    raise refusal(node, "is not a condition that can be answered here", _CONDITIONS)


def _chain(node: Any, kind: Any) -> list[Any]:
    """What a chain of one word joins, in order: thousands of parts are as deep as they are long."""
    parts, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, kind):
            waiting += [one.expression, one.this]
        else:
            parts.append(one)
    return parts


def _comparison(node: Any, names: Names, operator: Operator, swapped: Operator) -> Predicate:
    from sqlglot import exp

    left, right = _bare(node.this), _bare(node.expression)
    if not isinstance(left, exp.Column):
        left, right, operator = right, left, swapped
    column, value = _column(left, node), _value(right)
    if operator in ("=", "!="):
        found = _one_of(names, column, [value])
        return Not(found) if operator == "!=" else found
    _refuse_level(column, names, node)
    return Compare(names.place(column).attribute, operator, value)


def _one_of(names: Names, column: Any, values: list[Any]) -> Predicate:
    place = names.place(column)
    attribute = names.schema[place.attribute]
    if place.level is not None and isinstance(attribute, Nominal):
        groups = [label for label, _, _ in attribute.level(place.level)]
        for value in values:
            text = value.text if isinstance(value, Numeral) else value
            if text not in groups:
                hint = did_you_mean(text, groups)
                raise OutsideDomain(f"SQL: {text!r} is not a group of {place.attribute}.{place.level}.{hint}")
    return OneOf(place.attribute, tuple(values))


def _refuse_level(column: Any, names: Names, node: Any) -> None:
    if names.place(column).level is not None:
        raise refusal(node, "compares groups, which have no order", "use =, <> or in")


def _column(node: Any, around: Any) -> Any:
    from sqlglot import exp

    bare = _bare(node)
    if not isinstance(bare, exp.Column) or isinstance(bare.this, exp.Star):
        raise refusal(around, "does not compare an attribute with values", _CONDITIONS)
    return bare


def _value(node: Any) -> Any:
    """A number as it is written, or a text; DATE '2024-01-31' is its text."""
    from sqlglot import exp

    bare = _bare(node)
    if isinstance(bare, exp.Cast) and bare.to.is_type("date"):
        bare = _bare(bare.this)
    if isinstance(bare, exp.Neg) and isinstance(bare.this, exp.Literal) and not bare.this.is_string:
        return _numeral(f"-{bare.this.name}", bare)
    if isinstance(bare, exp.Literal):
        return bare.name if bare.is_string else _numeral(bare.name, bare)
    if isinstance(bare, exp.Column):
        raise refusal(bare, "is no value", f"text goes in single quotes: '{shown(bare)[1:-1]}'")
    raise refusal(node, "is no value", "write a number, or a text in single quotes")


def _numeral(text: str, node: Any) -> Numeral:
    number = Numeral(text)
    try:
        if len(text) > 100 or abs(float(number.value)) == float("inf"):
            raise ValueError
    except (ValueError, OverflowError):
        raise refusal(node, "is not a number that can be read", "write it shorter") from None
    return number


def _bare(node: Any) -> Any:
    from sqlglot import exp

    while isinstance(node, exp.Paren):
        node = node.this
    return node
