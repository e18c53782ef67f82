"""What counting calls of ibis itself, under the same names, for our own DuckDB."""

from __future__ import annotations

from typing import Any

from discreet.private.engines.sql.columns import SqlColumn, Windowed, case, function, literal, made
from discreet.private.engines.sql.kinds import MOMENT, WHOLE, SqlKind
from discreet.private.engines.sql.own_tables import union
from discreet.private.engines.sql.writing import text_literal

__all__ = ["cases", "ifelse", "least", "literal", "null", "range", "row_number", "timestamp", "union"]


def null(kind: str | SqlKind) -> SqlColumn:
    own = SqlKind.of(kind)
    return made(own, f"CAST(NULL AS {own.sql})")


def ifelse(condition: Any, then: Any, otherwise: Any) -> SqlColumn:
    return case(None, [(condition, then)], otherwise)


def cases(*pairs: tuple[Any, Any], else_: Any = None) -> SqlColumn:
    """The second of the first pair whose first holds."""
    return case(None, pairs, else_)


def least(one: SqlColumn, other: Any) -> SqlColumn:
    return function("LEAST", one.kind, one, other)


def range(first: SqlColumn, after: SqlColumn, step: int = 1) -> SqlColumn:
    return function("RANGE", SqlKind(f"{WHOLE.sql}[]"), first, after, step)


def row_number() -> Windowed:
    """From 0 on."""
    return Windowed("(", made(WHOLE, "ROW_NUMBER()"), " - 1)", WHOLE, " OVER ()")


def timestamp(text: str) -> SqlColumn:
    return made(MOMENT, f"CAST({text_literal(text)} AS {MOMENT.sql})")
