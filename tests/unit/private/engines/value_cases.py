"""Values of every type, written for each engine, and the cell that all of them must agree on.

A code is the place of a bin or label; OTHER is the cell of values outside the domain, DROPPED means that the row counts
nowhere. None in place of an engine's text: its type has no such value.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from discreet.schema import Attribute, Nominal, Ordinal
from discreet.schema.reading import Reading

OTHER, DROPPED = -1, None

TENS = Ordinal(0, 99, 10, outside="other")
CLAMPED = Ordinal(0, 99, 10)
TENTHS = Ordinal(0.0, 1.0, 0.1, outside="other")
HUGE = Ordinal(2**60, 2**60 + 9, outside="other")
MONTHS = Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month", outside="other")
NEAREST = Ordinal(date(2024, 1, 1), date(2024, 12, 31), "month")
WORDS = Nominal(["a", "A", "1", "1.5", "true", "2024-05-31", "\u00e9", "inf", "[1, 2]"], outside="other")
HOURS = Ordinal(0, 23, reading=Reading(part="hour"))
YEARS = Ordinal(2020, 2029, outside="other", reading=Reading(part="year"))
UUID = Nominal(["6f9619ff-8b86-d011-b42d-00cf4fc964ff"], outside="other")


@dataclass(frozen=True)
class Case:
    name: str
    attribute: Attribute
    duckdb: str | None
    postgres: str | None
    code: int | None
    spark: str | None = None

    @property
    def expected(self) -> int | None:
        return self.attribute.size - 1 if self.code == OTHER else self.code


#: what Spark calls types that DuckDB and PostgreSQL call alike; it has none for the others
IN_SPARK = {
    "smallint": "smallint", "integer": "int", "bigint": "bigint", "float8": "double", "float4": "float",
    "numeric": "decimal", "date": "date", "timestamp": "timestamp_ntz", "timestamptz": "timestamp",
}  # fmt: skip


def _all(name: str, attribute: Attribute, written: str, code: int | None) -> Case:
    value, _, kind = written.rpartition("::")
    known, mark, size = kind.partition("(")
    endless = "date" in kind or "timestamp" in kind
    spark = None
    if not value:
        spark = written
    elif known in IN_SPARK and not (endless and "infinity" in value):
        spark = f"CAST({value} AS {IN_SPARK[known]}{mark}{size})"
    return Case(name, attribute, written, written, code, spark)


def _spark(name: str, attribute: Attribute, written: str, code: int | None) -> Case:
    return Case(f"{name} in Spark", attribute, None, None, code, written)


def _text(text: str, attribute: Attribute, code: int | None) -> Case:
    quoted = "'" + text.replace("'", "''") + "'::text"
    spark = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return Case(f"text {text!r}"[:40], attribute, quoted, quoted, code, spark)


CASES = [
    _all("small integer", TENS, "42::smallint", 4),
    _all("integer at the upper end", TENS, "99::integer", 9),
    _all("integer above", TENS, "100::bigint", OTHER),
    _all("integer far above, clamped", CLAMPED, "9223372036854775807::bigint", 9),
    _all("integer far below, clamped", CLAMPED, "(-9223372036854775807 - 1)::bigint", 0),
    _all("null integer", TENS, "NULL::integer", DROPPED),
    _all("large whole number", HUGE, "1152921504606846979::bigint", 3),
    _text("1152921504606846979", HUGE, 3),
    _all("large whole decimal", HUGE, "1152921504606846979::numeric(20, 0)", 3),
    _all("float", TENS, "42.9::float8", 4),
    _all("float just below an edge", TENTHS, "0.29999999999999993::float8", 2),
    _all("float of an edge", TENTHS, "0.3::float8", 3),
    _all("short float of an edge", TENTHS, "0.7::float4", 7),
    _all("minus zero", TENS, "(-0.0)::float8", 0),
    _all("minus zero of reals", TENTHS, "(-0.0)::float8", 0),
    _all("NaN", TENS, "'NaN'::float8", DROPPED),
    _all("short NaN", TENTHS, "'NaN'::float4", DROPPED),
    _all("infinite", TENS, "'Infinity'::float8", OTHER),
    _all("infinite, clamped", CLAMPED, "'Infinity'::float8", 9),
    _all("infinite below, clamped", CLAMPED, "'-Infinity'::float8", 0),
    _all("float out of the range of integers", CLAMPED, "1e300::float8", 9),
    _all("decimal", TENS, "42.5::numeric(10, 2)", 4),
    Case("decimal of any size", TENS, None, "42.5::numeric", 4),
    Case("decimal NaN", TENS, None, "'NaN'::numeric", DROPPED),
    Case("decimal 1e400", TENS, None, "1e400::numeric", OTHER),
    Case("decimal 1e400, clamped", CLAMPED, None, "1e400::numeric", 9),
    Case("decimal -1e400, clamped", CLAMPED, None, "(-1e400)::numeric", 0),
    Case("decimal 1e-400", TENTHS, None, "1e-400::numeric", 0),
    Case("infinite decimal", TENS, None, "'Infinity'::numeric", OTHER),
    Case("decimal NaN as a label", WORDS, None, "'NaN'::numeric", DROPPED),
    Case("money", TENS, None, "42.50::money", 4),
    _text("42", TENS, 4),
    _text(" 42 ", TENS, 4),
    _text("\t42.9\n", TENS, 4),
    _text("+42", TENS, 4),
    _text("4_2", TENS, 4),
    _text("1_000", TENS, OTHER),
    _text("_1", TENS, OTHER),
    _text("4.2e1", TENS, 4),
    _text("1e400", CLAMPED, 9),
    _text("-1e400", CLAMPED, 0),
    _text("1e99999999999", CLAMPED, 9),
    _text("1e-99999999999", CLAMPED, 0),
    _text("0e99999999999", CLAMPED, 0),
    _text("9" * 400, CLAMPED, 9),
    _text("inf", CLAMPED, 9),
    _text("-Infinity", CLAMPED, 0),
    _text("inf", TENS, OTHER),
    _text("nan", TENS, DROPPED),
    _text("", TENS, DROPPED),
    _text("  ", WORDS, DROPPED),
    _text("many", TENS, OTHER),
    _text("many", CLAMPED, DROPPED),
    _text("true", TENS, OTHER),
    _text("0x10", TENS, OTHER),
    _text("1,5", TENTHS, OTHER),
    _text(".5", TENTHS, 5),
    _text("5.", TENS, 0),
    _text("1e", TENS, OTHER),
    _text("a", WORDS, 0),
    _text("A", WORDS, 1),
    _text("a ", WORDS, OTHER),
    _text("\u00e9", WORDS, 6),
    _text("e\u0301", WORDS, OTHER),
    _text("it's", WORDS, OTHER),
    _all("float as a label", WORDS, "1.0::float8", 2),
    _all("fraction as a label", WORDS, "1.5::float8", 3),
    _all("infinite as a label", WORDS, "'Infinity'::float8", 7),
    _all("decimal as a label", WORDS, "1.50::numeric(5, 2)", 3),
    _all("truth as a label", WORDS, "true", 4),
    _all("truth where numbers are declared", TENS, "true", OTHER),
    _all("day as a label", WORDS, "'2024-05-31'::date", 5),
    _all("midnight as a label", WORDS, "'2024-05-31 00:00:00'::timestamp", 5),
    _all("day", MONTHS, "'2024-05-31'::date", 4),
    _all("leap day", MONTHS, "'2024-02-29'::date", 1),
    _all("infinite day", MONTHS, "'infinity'::date", OTHER),
    _all("infinite day, clamped", NEAREST, "'infinity'::date", 11),
    _all("infinite day below, clamped", NEAREST, "'-infinity'::date", 0),
    Case("day beyond all moments", NEAREST, None, "'5000000-01-01'::date", 11),
    _all("moment", MONTHS, "'2024-05-31 23:59:59.999999'::timestamp", 4),
    _all("infinite moment, clamped", NEAREST, "'infinity'::timestamp", 11),
    _all("moment in UTC", MONTHS, "'2024-05-31 23:30:00-05:00'::timestamptz", 5),
    _all("infinite moment in UTC", MONTHS, "'infinity'::timestamptz", OTHER),
    _all("hour", HOURS, "'2024-05-31 23:30:00'::timestamp", 23),
    _all("hour in UTC", HOURS, "'2024-05-31 23:30:00-05:00'::timestamptz", 4),
    _all("year", YEARS, "'2024-05-31'::date", 4),
    _all("number where days are declared", MONTHS, "20240531::integer", OTHER),
    _all("uuid", UUID, "'6F9619FF-8B86-D011-B42D-00CF4FC964FF'::uuid", 0),
    Case("enumeration", WORDS, "'a'::ENUM('b', 'a')", "'a'::mood", 0),
    Case("letters of a collation", WORDS, "'A' COLLATE NOCASE", None, 1),
    Case("domain over an integer", TENS, None, "42::score", 4),
    Case("padded letters", WORDS, None, "'a'::char(5)", 0),
    Case("bytes", WORDS, "'a'::blob", "'a'::bytea", 0),
    Case("bytes that are no text", WORDS, r"'\xFF\x00'::blob", r"'\xff00'::bytea", OTHER),
    Case("array", WORDS, "[1, 2]", "ARRAY[1, 2]", OTHER),
    Case("array where numbers are declared", TENS, "[1, 2]", "ARRAY[1, 2]", OTHER),
    Case("null array", TENS, "NULL::integer[]", "NULL::integer[]", DROPPED),
    _all("JSON", WORDS, "'[1, 2]'::json", 8),
    Case("binary JSON", WORDS, None, "'[1,2]'::jsonb", 8),
    _all("time of day", HOURS, "'23:30'::time", DROPPED),
    _all("interval", TENS, "'1 day'::interval", OTHER),
    Case("network address", WORDS, None, "'10.0.0.1'::inet", OTHER),
    Case("point", TENS, None, "point(1, 2)", OTHER),
    Case("row", TENS, "{'x': 1}", "ROW(1, 2)::pair", OTHER),
    Case("range", TENS, None, "int4range(1, 5)", OTHER),
    _spark("byte", TENS, "42Y", 4),
    _spark("no type at all", TENS, "NULL", DROPPED),
    _spark("letters of a collation", WORDS, "'A' COLLATE UTF8_LCASE", 1),
    _spark("bytes", WORDS, "X'61'", 0),
    _spark("bytes that are no text", WORDS, "X'FF00'", OTHER),
    _spark("array", WORDS, "array(1, 2)", OTHER),
    _spark("array where numbers are declared", TENS, "array(1, 2)", OTHER),
    _spark("null array", TENS, "CAST(NULL AS ARRAY<INT>)", DROPPED),
    _spark("map", TENS, "map('a', 1)", OTHER),
    _spark("row", TENS, "named_struct('x', 1)", OTHER),
    _spark("JSON as a variant", WORDS, "parse_json('[1, 2]')", OTHER),
    _spark("interval of days", TENS, "INTERVAL '1' DAY", OTHER),
    _spark("interval of months", TENS, "INTERVAL '1' MONTH", OTHER),
    _spark("last moment, clamped", NEAREST, "timestamp_micros(9223372036854775807)", 11),
    _spark("first moment, clamped", NEAREST, "timestamp_micros(-9223372036854775807)", 0),
    _spark("last moment as a label", WORDS, "timestamp_micros(9223372036854775807)", OTHER),
    _spark("hour of the last moment", HOURS, "timestamp_micros(9223372036854775807)", 4),
    _spark("last day, clamped", NEAREST, "date_from_unix_date(2147483647)", 11),
    _spark("first day", MONTHS, "date_from_unix_date(-2147483648)", OTHER),
    _spark("hour of a day", HOURS, "DATE '2018-11-04'", 0),
    _spark("largest decimal, clamped", CLAMPED, "CAST(repeat('9', 38) AS DECIMAL(38, 0))", 9),
    _spark("least decimal", TENTHS, "CAST(1e-38 AS DECIMAL(38, 38))", 0),
    _spark("largest decimal of large numbers", HUGE, "CAST(repeat('9', 38) AS DECIMAL(38, 0))", OTHER),
    _spark("very long number", CLAMPED, "repeat('9', 200000)", 9),
    _spark("very long number with lines", CLAMPED, "concat('9', repeat('_9', 200000))", 9),
    _spark("very long text", TENS, "repeat('9x', 200000)", OTHER),
    _spark("number of Java", TENS, "'42d'", OTHER),
    _spark("number before a line's end", WORDS, "'1\\n'", OTHER),
    _spark("the least float as a label", WORDS, "4.9E-324D", OTHER),
]
