"""Types of DuckDB, asked as ibis's types are."""

from __future__ import annotations

from dataclasses import dataclass

_SIGNED = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_UNSIGNED = ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_FLOATING = ("FLOAT", "DOUBLE")
#: by the names that ibis gives them
_NAMED = {
    "boolean": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BLOB",
    "date": "DATE",
    "timestamp(6)": "TIMESTAMP",
    "timestamp('UTC')": "TIMESTAMP WITH TIME ZONE",
}


@dataclass(frozen=True)
class SqlKind:
    """A type, by what DESCRIBE calls it. A whole number of 128 bits counts as decimal."""

    sql: str

    @classmethod
    def of(cls, name: str | SqlKind) -> SqlKind:
        return name if isinstance(name, SqlKind) else cls(_NAMED[name])

    def __str__(self) -> str:
        return self.sql.lower()

    def is_signed_integer(self) -> bool:
        return self.sql in _SIGNED

    def is_unsigned_integer(self) -> bool:
        return self.sql in _UNSIGNED

    def is_integer(self) -> bool:
        return self.is_signed_integer() or self.is_unsigned_integer()

    def is_uint64(self) -> bool:
        return self.sql == "UBIGINT"

    def is_floating(self) -> bool:
        return self.sql in _FLOATING

    def is_float32(self) -> bool:
        return self.sql == "FLOAT"

    def is_decimal(self) -> bool:
        return self.sql == "HUGEINT" or (self.sql.startswith("DECIMAL(") and self.sql.endswith(")"))

    @property
    def scale(self) -> int:
        """How many digits a decimal number has behind the point."""
        return 0 if self.sql == "HUGEINT" else int(self.sql.removesuffix(")").rpartition(",")[2])

    def is_numeric(self) -> bool:
        return self.is_integer() or self.is_floating() or self.is_decimal()

    def is_string(self) -> bool:
        return self.sql == "VARCHAR"

    def is_boolean(self) -> bool:
        return self.sql == "BOOLEAN"

    def is_binary(self) -> bool:
        return self.sql == "BLOB"

    def is_uuid(self) -> bool:
        return self.sql == "UUID"

    def is_date(self) -> bool:
        return self.sql == "DATE"

    def is_timestamp(self) -> bool:
        return self.sql in ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")


BOOLEAN, WHOLE, REAL, TEXT, DAY, MOMENT = map(
    SqlKind.of, ("boolean", "int64", "float64", "string", "date", "timestamp(6)")
)
