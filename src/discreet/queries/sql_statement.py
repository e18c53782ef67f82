"""SQL -> what is asked of a release. A stated subset of `select`, read by sqlglot; all else is refused.

    select  item {, item} from release [where condition] [group by place {, place} | all]
            [order by item [asc | desc] {, ...}] [limit n] [offset n]
    place   = attribute | attribute.level | bins(attribute, n) | bins(attribute, cut, cut, ...)
    item    = place | count(*) | sum(count) | share() | share() over (partition by place, ...)
            | count(*) * 100.0 / sum(count(*)) over ([partition by place, ...])
            | median(attribute) | quantile(attribute, 0.9) | percentile_cont(0.9) within group (order by attribute)
    a count or share may have `filter (where condition)`; every item may have `as name`

An item of `order by` or `group by` may be the name or the number of one that is selected.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from discreet.errors import BadParameter
from discreet.queries.sql_items import Item, item_of, place_of
from discreet.queries.sql_names import POSSIBLE, Names, Place, refusal, shown
from discreet.queries.sql_where import predicate
from discreet.queries.where import Predicate
from discreet.schema import Schema

MOST_TEXT = 50_000
_MOST_OPEN = 200
_OF_QUANTILES = {"quantile", "quantile_cont", "quantile_disc", "approx_quantile"}
_KNOWN = {"expressions", "from", "from_", "where", "group", "order", "limit", "offset"}


@dataclass(frozen=True)
class SqlStatement:
    """Items to show, groups to count by, and which rows in which order; `order` has items and whether they fall."""

    items: tuple[Item, ...]
    groups: tuple[Place, ...]
    where: Predicate | None
    order: tuple[tuple[int, bool], ...]
    limit: int | None
    offset: int


def read_sql(text: object, schema: Schema, known: Iterable[str] = ()) -> SqlStatement:
    """The statement that a text spells; BadParameter and its kin say what cannot be asked, and what can."""
    from sqlglot import exp

    select = _parsed(text)
    if not isinstance(select, exp.Select):
        raise refusal(select, "is not a select", POSSIBLE)
    for key, value in select.args.items():
        if value and key not in _KNOWN:
            raise refusal(value if isinstance(value, exp.Expression) else key, "cannot be answered here")
    names = Names(schema, tuple(known), _tables(select))
    items = tuple(item_of(node, names) for node in select.expressions)
    if not any(item.kind != "group" for item in items):
        raise BadParameter(f"SQL: nothing is counted; select count(*) too. {POSSIBLE}")
    where = select.args.get("where")
    groups = _groups(select, items, names)
    return SqlStatement(
        tuple(_settled(item, groups) for item in items),
        groups,
        None if where is None else predicate(where.this, names),
        _order(select, items, names),
        _number(select, "limit"),
        _number(select, "offset") or 0,
    )


def _parsed(text: object) -> Any:
    import sqlglot

    if not isinstance(text, str) or not text.strip():
        raise BadParameter(f"SQL: write a statement such as select count(*) from release, not {text!r:.40}")
    if len(text) > MOST_TEXT or _open(text) > _MOST_OPEN:
        raise BadParameter(f"SQL: over {MOST_TEXT:,} letters or {_MOST_OPEN} open brackets; ask in several statements")
    log = logging.getLogger("sqlglot")
    before, log.disabled = log.disabled, True  # it says there what is refused below
    try:
        crowded = _crowded([(token.token_type.name, token.text) for token in sqlglot.tokenize(text, dialect="duckdb")])
        found = [] if crowded else [one for one in sqlglot.parse(text, dialect="duckdb") if one is not None]
    except sqlglot.errors.ParseError as error:
        said = error.errors[0] if error.errors else {}
        place = f", line {said['line']}, position {said['col']}" if said.get("line") else ""
        near = f" near {shown(str(said['highlight']))}" if said.get("highlight") else ""
        raise BadParameter(f"SQL{place}: cannot be read{near}; {POSSIBLE}") from None
    except Exception:  # whatever a parser makes of a text that is no SQL
        raise BadParameter(f"SQL: cannot be read; are quotes and brackets closed? {POSSIBLE}") from None
    finally:
        log.disabled = before
    if crowded is not None:
        raise BadParameter(f"SQL: {crowded}(...): takes an attribute and one share, such as {crowded}(age, 0.9)")
    if len(found) != 1:
        raise BadParameter(f"SQL: write one statement, not {len(found)}; {POSSIBLE}")
    return found[0]


def _crowded(tokens: list[tuple[str, str]]) -> str | None:
    """The first function of quantiles that is given more than an attribute and a share, which parsers drop."""
    calls: list[list[Any]] = []  # of those that are open: the name, and how many commas it has
    before = ""
    for kind, text in tokens:
        if kind in ("L_PAREN", "L_BRACKET", "L_BRACE"):
            calls.append([before if kind == "L_PAREN" else "", 0])
        elif kind == "COMMA" and calls:
            calls[-1][1] += 1
        elif kind in ("R_PAREN", "R_BRACKET", "R_BRACE") and calls:
            name, commas = calls.pop()
            if commas > 1 and name.casefold() in _OF_QUANTILES:
                return str(name)
        before = text
    return None


def _open(text: str) -> int:
    """The most brackets that are open at once, or nearly so: those in quotes count too."""
    most = depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        most = max(most, depth)
    return most


def _tables(select: Any) -> tuple[str, ...]:
    """What the statement may call the release: its name, and another one that it gives."""
    from sqlglot import exp

    source = select.args.get("from") or select.args.get("from_")
    table = None if source is None else source.this
    given = [key for key, value in table.args.items() if value] if isinstance(table, exp.Table) else ["nothing"]
    renamed = isinstance(table, exp.Table) and bool(table.alias_column_names)
    if table is None or set(given) - {"this", "alias"} or renamed or table.name.casefold() != "release":
        raise refusal(source or select, "is not about the release", "write `from release`")
    return ("release", table.alias.casefold()) if table.alias else ("release",)


def _groups(select: Any, items: tuple[Item, ...], names: Names) -> tuple[Place, ...]:
    group = select.args.get("group")
    shown_places = [item.place for item in items if item.kind == "group" and item.place is not None]
    if group is None:
        if shown_places:
            raise BadParameter(f"SQL: {shown_places[0].title} is selected, but not counted by; add group by")
        return ()
    extra = [key for key, value in group.args.items() if value and key not in ("expressions", "all")]
    if extra or (group.args.get("all") and group.expressions):
        raise refusal(group, "cannot be answered here", "group by attributes, levels or bins")
    places = shown_places if group.args.get("all") else [_grouped_by(node, items, names) for node in group.expressions]
    if lost := [place for place in shown_places if place not in places]:
        raise BadParameter(f"SQL: {lost[0].title} is selected, but not in group by; add it there")
    if len({place.attribute for place in places}) < len(places):
        raise BadParameter("SQL: an attribute can be grouped by once only, whole, by a level or by bins")
    return tuple(places)


def _grouped_by(node: Any, items: tuple[Item, ...], names: Names) -> Place:
    from sqlglot import exp

    found = _selected(node, items)
    if found is not None:
        item = items[found]
        if item.place is None or item.kind != "group":
            raise refusal(node, "is an answer, not a group", "group by attributes, levels or bins")
        if isinstance(node, exp.Column) and names.hides(node.name, item.place):
            instead = f"group by {found + 1}, or give what is selected another name"
            raise refusal(node, "is the name of an attribute, and of something else that is selected", instead)
        return item.place
    return place_of(node, names)


def _selected(node: Any, items: tuple[Item, ...]) -> int | None:
    """The item that a name or a number refers to."""
    from sqlglot import exp

    if isinstance(node, exp.Literal) and not node.is_string:
        if node.name.isdecimal() and 1 <= int(node.name[:9]) <= len(items):
            return int(node.name) - 1
        raise refusal(node, "is not the number of an item", f"write 1 to {len(items)}")
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        for place, item in enumerate(items):
            if item.alias is not None and item.alias.casefold() == node.name.casefold():
                return place
    return None


def _settled(item: Item, groups: tuple[Place, ...]) -> Item:
    """What a share is part of must be some of the groups."""
    for place in item.within:
        if place not in groups:
            raise BadParameter(f"SQL: partition by {place.title}: not in group by; add it there")
    return item


def _order(select: Any, items: tuple[Item, ...], names: Names) -> tuple[tuple[int, bool], ...]:
    order = select.args.get("order")
    found = []
    for node in order.expressions if order is not None else ():
        place = _selected(node.this, items)
        if place is None:
            wanted = replace(item_of(node.this, names), alias=None)
            same = [i for i, item in enumerate(items) if replace(item, alias=None) == wanted]
            if not same:
                raise refusal(node, "is not selected", "order by what is selected, by its name or its number")
            place = same[0]
        found.append((place, bool(node.args.get("desc"))))
    return tuple(found)


def _number(select: Any, key: Literal["limit", "offset"]) -> int | None:
    node = select.args.get(key)
    if node is None:
        return None
    from sqlglot import exp

    given = node.args.get("expression")
    text = given.name if isinstance(given, exp.Literal) and not given.is_string else ""
    more = [name for name, value in node.args.items() if value and name != "expression"]
    if more or not text.isdecimal() or len(text) > 9:
        raise refusal(node, "is not a number of rows", f"write {key} 10")
    return int(text)
