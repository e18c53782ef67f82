"""Columns of PostgreSQL as plain ones, by their type alone, so that no value of any type can make a query fail.

Text is compared by its characters, whatever the collation of the database says; moments are those of UTC; dates and
moments without end become the furthest ones there are. A type that can hold no declared value becomes a time of day,
which the coding treats by the schema's rule for values outside the domain.
"""

from __future__ import annotations

from typing import Any

from discreet.private.engines.sql.writing import quoted

#: days that are moments, too
_BETWEEN = "CASE WHEN {0} IS NOT NULL THEN LEAST(GREATEST({0}, '4713-01-02 BC'::{1}), '294276-12-30'::{1}) END"
#: what a column is read as, and its type in ibis
_PLAIN = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), ("{}::int8", "int64")),
    "float4": ("{}", "float32"),
    "float8": ("{}", "float64"),
    "bool": ("{}", "boolean"),
    "numeric": ("{}", "decimal"),
    "numeric(, 0)": ("{}", "decimal(38, 0)"),  # declared as whole numbers
    "money": ("{}::numeric", "decimal"),
    "bytea": ("encode({}, 'escape') COLLATE \"C\"", "string"),
    "date": (_BETWEEN.format("{0}", "date"), "date"),
    "timestamp": (_BETWEEN.format("{0}", "timestamp"), "timestamp(6)"),
    **dict.fromkeys(
        ("text", "varchar", "bpchar", "name", "char", "citext", "uuid", "json", "jsonb"),
        ("{}::text COLLATE \"C\"", "string"),
    ),
}  # fmt: skip
_ENUM = ('{}::text COLLATE "C"', "string")
_OUTSIDE = ("CASE WHEN {} IS NOT NULL THEN '00:00'::time END", "time")
_DOMAINS = """
WITH RECURSIVE base AS (
    SELECT oid AS given, oid, typtype, typbasetype, typname FROM pg_catalog.pg_type WHERE oid = ANY(%s)
    UNION ALL
    SELECT base.given, t.oid, t.typtype, t.typbasetype, t.typname
    FROM base JOIN pg_catalog.pg_type t ON t.oid = base.typbasetype WHERE base.typtype = 'd'
)
SELECT given::int8, typname::text, typtype::text FROM base WHERE typtype <> 'd'
"""


def base_types(connection: Any, codes: list[int]) -> dict[int, str]:
    """The name of each of these types, of a domain that of what it is made from; 'enum' for all enumerations."""
    with connection.cursor() as cursor:
        found = cursor.execute(_DOMAINS, [codes]).fetchall()
    return {code: "enum" if sort == "e" else name for code, name, sort in found}


def plain_column(column: str, kind: str) -> tuple[str, str]:
    """SQL that reads a column of this type, and the type that ibis knows it by."""
    how, known = _ENUM if kind == "enum" else _PLAIN.get(kind, _OUTSIDE)
    if kind == "timestamptz":
        how, known = _PLAIN["timestamp"]
        return how.format(f"({quoted(column)} AT TIME ZONE 'UTC')"), known
    return how.format(quoted(column)), known
