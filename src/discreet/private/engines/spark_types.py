"""Columns of Spark as plain ones, by their type alone, so that neither a value nor a setting of the session decides.

Text is compared by its bytes, whatever its collation; moments are those of UTC, whatever the session's time zone. A
type that can hold no declared value becomes what ibis takes for a time of day, which the coding treats by the schema's
rule for values outside the domain.
"""

from __future__ import annotations

from typing import Any

_BARE = "'^[ -\\\\[\\\\]-~]*\\\\z'"  # printable ASCII without backslashes
_IN_UTC = "timestampadd(MICROSECOND, unix_micros({}), TIMESTAMP_NTZ '1970-01-01 00:00:00')"
#: what a column is read as, and its type in ibis
_PLAIN = {
    **dict.fromkeys(("byte", "short", "integer", "long"), ("CAST({} AS BIGINT)", "int64")),
    "float": ("{}", "float32"),
    "double": ("{}", "float64"),
    "boolean": ("{}", "boolean"),
    "string": ("collate({}, 'UTF8_BINARY')", "string"),
    "varchar": ("CAST({} AS STRING)", "string"),
    "char": ("rtrim(CAST({} AS STRING))", "string"),
    "binary": (
        f"CASE WHEN CAST({{0}} AS STRING) RLIKE {_BARE} THEN CAST({{0}} AS STRING) "
        "ELSE concat('bytes ', hex({0})) END",
        "string",
    ),
    "date": ("{}", "date"),
    "timestamp": (_IN_UTC, "timestamp(6)"),
    "timestamp_ntz": ("{}", "timestamp(6)"),
    "void": ("CAST({} AS STRING)", "string"),
}
_OUTSIDE = ("CASE WHEN {} IS NOT NULL THEN TRUE END", "time")
_CANNOT_NAME = ("binary", "timestamp", "timestamp_ntz")


def names_users(field: Any) -> bool:
    """Whether a column of this type can say whose a row is."""
    return kind_of(field) not in _CANNOT_NAME and (kind_of(field) in _PLAIN or kind_of(field) == "decimal")


def kind_of(field: Any) -> str:
    """The name of a column's type; Spark turns letters of a fixed number into plain text, and remembers that it did."""
    declared = str((field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING", ""))
    return "char" if declared.startswith("char") else str(field.dataType.typeName())


def plain_column(column: str, field: Any) -> tuple[str, str]:
    """SQL that reads a column of this type, and the type that ibis knows it by."""
    kind = kind_of(field)
    if kind == "decimal":
        return named(column), f"decimal({field.dataType.precision}, {field.dataType.scale})"
    how, known = _PLAIN.get(kind, _OUTSIDE)
    return how.format(named(column)), known


def no_value(column: str, field: Any) -> str:
    """SQL for a column of this name that `plain_column` takes for one of this type."""
    kind = kind_of(field)
    known = field.dataType.simpleString() if kind in _PLAIN or kind == "decimal" else "array<int>"
    return f"CAST(NULL AS {known}) AS {named(column)}"


def named(column: str) -> str:
    """A name for Spark's SQL."""
    return "`" + column.replace("`", "``") + "`"
