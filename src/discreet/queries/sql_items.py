"""What is selected: groups, counts, shares and quantiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from discreet.errors import BadParameter
from discreet.queries.sql_names import Names, Place, refusal
from discreet.queries.sql_where import predicate
from discreet.queries.where import Predicate

_ITEMS = (
    "possible are attributes, their levels and bins(attribute, n), count(*), sum(count), share(), "
    "median(attribute) and quantile(attribute, 0.9)"
)


@dataclass(frozen=True)
class Item:
    """One column of the answer: a group, a count, a share of what `within` has in common, or a quantile."""

    kind: Literal["group", "count", "share", "quantile"]
    title: str
    place: Place | None = None
    #: which part of the records does not exceed it
    share: float = 0.5
    within: tuple[Place, ...] = ()
    #: 100 for per cent
    factor: float = 1.0
    only: Predicate | None = None
    alias: str | None = None

    @property
    def name(self) -> str:
        return self.title if self.alias is None else self.alias


def item_of(node: Any, names: Names) -> Item:
    from sqlglot import exp

    if isinstance(node, exp.Alias):
        return replace(item_of(node.this, names), alias=node.alias)
    if isinstance(node, exp.Paren):
        return item_of(node.this, names)
    if isinstance(node, exp.Filter):
        inner = item_of(node.this, names)
        if inner.kind not in ("count", "share") or inner.only is not None:
            raise refusal(node, "cannot be filtered", "a count or a share can")
        return replace(inner, only=predicate(node.expression.this, names))
    if is_count(node, names):
        return Item("count", "count")
    if isinstance(node, exp.Window) or (isinstance(node, exp.Anonymous) and node.name.casefold() == "share"):
        return _share(node, names)
    if isinstance(node, exp.Div | exp.Mul):
        return _ratio(node, names)
    if (found := _quantile(node, names)) is not None:
        return found
    place = place_of(node, names)
    return Item("group", place.title, place)


def place_of(node: Any, names: Names) -> Place:
    """An attribute, a level of it, or ranges of it."""
    from sqlglot import exp

    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        return names.place(node)
    if isinstance(node, exp.Anonymous) and node.name.casefold() == "bins" and len(node.expressions) > 1:
        column, *values = node.expressions
        if not isinstance(column, exp.Column):
            raise refusal(node, "has no attribute", "write bins(age, 10) or bins(age, 18, 65)")
        name = names.ordinal(column, "ranges")
        cuts = tuple(_cut(value) for value in values)
        one = len(cuts) == 1 and isinstance(cuts[0], int)
        return Place(name, None, cuts[0] if one else cuts)
    instead = _ITEMS
    if isinstance(node, exp.Avg | exp.Sum | exp.Variance) and isinstance(node.this, exp.Column):
        own = {exp.Avg: "mean", exp.Sum: "sum"}.get(type(node), "variance")
        also = " and `discreet mean`" if own == "mean" else ""
        instead = f'release.{own}("{node.this.name}"){also} can; here {_ITEMS}'
    raise refusal(node, "cannot be answered here", instead)


def is_count(node: Any, names: Names) -> bool:
    """count(*), count(), count(1), or sum(count): a release is a table of counts to some."""
    from sqlglot import exp

    if isinstance(node, exp.Count):
        return not node.args.get("expressions") and (node.this is None or isinstance(node.this, exp.Star | exp.Literal))
    if not isinstance(node, exp.Sum) or not isinstance(node.this, exp.Column):
        return False
    *table, column = [part.name.casefold() for part in node.this.parts]
    return column == "count" and (not table or (len(table) == 1 and table[0] in names.tables))


def _share(node: Any, names: Names) -> Item:
    """share(), share() over (partition by ...), and the same of a filtered one."""
    from sqlglot import exp

    part = node.this if isinstance(node, exp.Window) else node
    only = None
    if isinstance(part, exp.Filter):
        part, only = part.this, predicate(part.expression.this, names)
    if not isinstance(part, exp.Anonymous) or part.name.casefold() != "share" or part.expressions:
        raise refusal(node, "cannot be answered here", _ITEMS)
    within = _partition(node, names) if isinstance(node, exp.Window) else ()
    return Item("share", "share", within=within, only=only)


def _partition(window: Any, names: Names) -> tuple[Place, ...]:
    given = {key for key, value in window.args.items() if value}
    if given - {"this", "partition_by", "over"}:
        raise refusal(window, "has more than a partition", "write over (), or over (partition by sex)")
    return tuple(place_of(place, names) for place in window.args.get("partition_by") or ())


def _ratio(node: Any, names: Names) -> Item:
    """100.0 * count(*) / sum(count(*)) over (...), with factors on either side."""
    from sqlglot import exp

    factor, counts, totals = 1.0, [], []
    waiting = [(node, True)]
    while waiting:
        one, above = waiting.pop()
        if isinstance(one, exp.Paren):
            waiting.append((one.this, above))
        elif isinstance(one, exp.Mul | exp.Div):
            waiting += [(one.this, above), (one.expression, above == isinstance(one, exp.Mul))]
        elif isinstance(one, exp.Literal) and not one.is_string and len(one.name) < 20 and float(one.name) > 0:
            factor = factor * float(one.name) if above else factor / float(one.name)
        elif above and (is_count(one, names) or isinstance(one, exp.Filter)):
            counts.append(item_of(one, names))
        elif (
            not above
            and isinstance(one, exp.Window)
            and isinstance(one.this, exp.Sum)
            and is_count(one.this.this, names)
        ):
            totals.append(_partition(one, names))
        else:
            raise refusal(node, "is arithmetic that is not answered here", f"for shares write share(). {_ITEMS}")
    if len(counts) != 1 or len(totals) != 1:
        raise refusal(node, "is no share of a count", "write share(), or count(*) / sum(count(*)) over ()")
    return Item("share", "share", within=totals[0], factor=factor, only=counts[0].only)


def _quantile(node: Any, names: Names) -> Item | None:
    from sqlglot import exp

    if isinstance(node, exp.Median):
        return Item("quantile", "median", _ordered(node.this, node, names), 0.5)
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.PercentileCont | exp.PercentileDisc):
        order = node.expression.expressions
        if len(order) != 1 or order[0].args.get("desc"):
            raise refusal(node, "must order by one attribute, ascending", _ITEMS)
        if node.this.args.get("expression") is not None:
            raise refusal(node, "needs one share from 0 to 1", "write quantile(age, 0.9)")
        return Item("quantile", "quantile", _ordered(order[0].this, node, names), _part(node.this.this, node))
    if isinstance(node, exp.Quantile | exp.PercentileCont | exp.PercentileDisc | exp.ApproxQuantile):
        share = node.args.get("quantile") or node.args.get("expression")
        return Item("quantile", "quantile", _ordered(node.this, node, names), _part(share, node))
    return None


def _ordered(column: Any, node: Any, names: Names) -> Place:
    from sqlglot import exp

    if not isinstance(column, exp.Column):
        raise refusal(node, "is not about an attribute", _ITEMS)
    return Place(names.ordinal(column, "quantiles"))


def _part(share: Any, node: Any) -> float:
    from sqlglot import exp

    if isinstance(share, exp.Literal) and not share.is_string and len(share.name) < 20 and 0 <= float(share.name) <= 1:
        return float(share.name)
    raise refusal(node, "needs one share from 0 to 1", "write quantile(age, 0.9)")


def _cut(node: Any) -> int | float | str:
    """A number, or a date as text."""
    from sqlglot import exp

    sign, bare = 1, node
    if isinstance(bare, exp.Neg):
        sign, bare = -1, bare.this
    if isinstance(bare, exp.Cast):
        bare = bare.this
    if not isinstance(bare, exp.Literal) or len(bare.name) > 40:
        raise refusal(node, "is no place to cut at", "write numbers, or dates in single quotes")
    if bare.is_string:
        return str(bare.name)
    try:
        return sign * int(bare.name) if bare.name.isdecimal() else sign * float(bare.name)
    except ValueError:
        raise BadParameter(f"SQL: {bare.name} is no number") from None
