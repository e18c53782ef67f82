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

    @property
    def expected(self) -> int | None:
        return self.attribute.size - 1 if self.code == OTHER else self.code


def _both(name: str, attribute: Attribute, written: str, code: int | None) -> Case:
    return Case(name, attribute, written, written, code)


def _text(text: str, attribute: Attribute, code: int | None) -> Case:
    quoted = "'" + text.replace("'", "''") + "'::text"
    return Case(f"text {text!r}"[:40], attribute, quoted, quoted, code)


CASES = [
    _both("small integer", TENS, "42::smallint", 4),
    _both("integer at the upper end", TENS, "99::integer", 9),
    _both("integer above", TENS, "100::bigint", OTHER),
    _both("integer far above, clamped", CLAMPED, "9223372036854775807::bigint", 9),
    _both("integer far below, clamped", CLAMPED, "(-9223372036854775807 - 1)::bigint", 0),
    _both("null integer", TENS, "NULL::integer", DROPPED),
    _both("large whole number", HUGE, "1152921504606846979::bigint", 3),
    _text("1152921504606846979", HUGE, 3),
    _both("large whole decimal", HUGE, "1152921504606846979::numeric(20, 0)", 3),
    _both("float", TENS, "42.9::float8", 4),
    _both("float just below an edge", TENTHS, "0.29999999999999993::float8", 2),
    _both("float of an edge", TENTHS, "0.3::float8", 3),
    _both("short float of an edge", TENTHS, "0.7::float4", 7),
    _both("minus zero", TENS, "(-0.0)::float8", 0),
    _both("minus zero of reals", TENTHS, "(-0.0)::float8", 0),
    _both("NaN", TENS, "'NaN'::float8", DROPPED),
    _both("short NaN", TENTHS, "'NaN'::float4", DROPPED),
    _both("infinite", TENS, "'Infinity'::float8", OTHER),
    _both("infinite, clamped", CLAMPED, "'Infinity'::float8", 9),
    _both("infinite below, clamped", CLAMPED, "'-Infinity'::float8", 0),
    _both("float out of the range of integers", CLAMPED, "1e300::float8", 9),
    _both("decimal", TENS, "42.5::numeric(10, 2)", 4),
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
    _both("float as a label", WORDS, "1.0::float8", 2),
    _both("fraction as a label", WORDS, "1.5::float8", 3),
    _both("infinite as a label", WORDS, "'Infinity'::float8", 7),
    _both("decimal as a label", WORDS, "1.50::numeric(5, 2)", 3),
    _both("truth as a label", WORDS, "true", 4),
    _both("truth where numbers are declared", TENS, "true", OTHER),
    _both("day as a label", WORDS, "'2024-05-31'::date", 5),
    _both("midnight as a label", WORDS, "'2024-05-31 00:00:00'::timestamp", 5),
    _both("day", MONTHS, "'2024-05-31'::date", 4),
    _both("leap day", MONTHS, "'2024-02-29'::date", 1),
    _both("infinite day", MONTHS, "'infinity'::date", OTHER),
    _both("infinite day, clamped", NEAREST, "'infinity'::date", 11),
    _both("infinite day below, clamped", NEAREST, "'-infinity'::date", 0),
    Case("day beyond all moments", NEAREST, None, "'5000000-01-01'::date", 11),
    _both("moment", MONTHS, "'2024-05-31 23:59:59.999999'::timestamp", 4),
    _both("infinite moment, clamped", NEAREST, "'infinity'::timestamp", 11),
    _both("moment in UTC", MONTHS, "'2024-05-31 23:30:00-05:00'::timestamptz", 5),
    _both("infinite moment in UTC", MONTHS, "'infinity'::timestamptz", OTHER),
    _both("hour", HOURS, "'2024-05-31 23:30:00'::timestamp", 23),
    _both("hour in UTC", HOURS, "'2024-05-31 23:30:00-05:00'::timestamptz", 4),
    _both("year", YEARS, "'2024-05-31'::date", 4),
    _both("number where days are declared", MONTHS, "20240531::integer", OTHER),
    _both("uuid", UUID, "'6F9619FF-8B86-D011-B42D-00CF4FC964FF'::uuid", 0),
    Case("enumeration", WORDS, None, "'a'::mood", 0),
    Case("domain over an integer", TENS, None, "42::score", 4),
    Case("padded letters", WORDS, None, "'a'::char(5)", 0),
    Case("bytes", WORDS, "'a'::blob", "'a'::bytea", 0),
    Case("bytes that are no text", WORDS, r"'\xFF\x00'::blob", r"'\xff00'::bytea", OTHER),
    Case("array", WORDS, "[1, 2]", "ARRAY[1, 2]", OTHER),
    Case("array where numbers are declared", TENS, "[1, 2]", "ARRAY[1, 2]", OTHER),
    Case("null array", TENS, "NULL::integer[]", "NULL::integer[]", DROPPED),
    _both("JSON", WORDS, "'[1, 2]'::json", 8),
    Case("binary JSON", WORDS, None, "'[1,2]'::jsonb", 8),
    _both("time of day", HOURS, "'23:30'::time", DROPPED),
    _both("interval", TENS, "'1 day'::interval", OTHER),
    Case("network address", WORDS, None, "'10.0.0.1'::inet", OTHER),
    Case("point", TENS, None, "point(1, 2)", OTHER),
    Case("row", TENS, "{'x': 1}", "ROW(1, 2)::pair", OTHER),
    Case("range", TENS, None, "int4range(1, 5)", OTHER),
]
