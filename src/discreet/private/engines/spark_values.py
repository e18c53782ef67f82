"""How Spark reads numbers and names: as our DuckDB does, in ANSI mode or not, in any time zone.

A cast is made only of what was seen to fit it, or where what does not fit is NULL.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import ibis

from discreet.private.engines.values import FLOAT_EXACT, Engine, where

_SPACE = " \t\n\v\f\r"
_DIGITS = "[0-9][0-9_]*"  # in Java, a repeated group takes room on the stack, which a long text could use up
_MISPLACED = "__|_[^0-9]|_$"
_NUMBER = f"^[+-]?({_DIGITS}([.]({_DIGITS})?)?|[.]{_DIGITS})([eE][+-]?{_DIGITS})?$"
_WHOLE = "^[+-]?[0-9]+$"
_INFINITE, _NAN = "^[+-]?inf(inity)?$", "^[+-]?nan([(].*[)])?$"
#: what is written without an exponent: at least the first, and below the second
_LEAST, _FAR = 1e-4, 1e16


@ibis.udf.scalar.builtin(name="btrim", signature=(("string", "string"), "string"))  # type: ignore[untyped-decorator]
def _without(text: Any, marks: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin(name="reflect")  # type: ignore[untyped-decorator]
def _call(kind: str, method: str, text: str, compatible: bool) -> str:  # type: ignore[empty-body]
    """Spark's function: a method of Java."""


@ibis.udf.scalar.builtin(name="format_string", signature=(("string", "float64"), "string"))  # type: ignore[untyped-decorator]
def _formatted(form: Any, number: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin(name="format_number", signature=(("decimal", "int64"), "string"))  # type: ignore[untyped-decorator]
def _grouped(number: Any, digits: Any) -> Any:
    """Spark's function: all digits, with commas."""


@ibis.udf.scalar.builtin(name="to_timestamp_ntz", signature=(("date",), "timestamp(6)"))  # type: ignore[untyped-decorator]
def _midnight(day: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def translate(text: str, these: str, those: str) -> str:  # type: ignore[empty-body]
    """Spark's function."""


@ibis.udf.scalar.builtin(name="unhex", signature=(("string",), "binary"))  # type: ignore[untyped-decorator]
def _bytes(digits: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin(name="substring", signature=(("binary", "int64", "int64"), "binary"))  # type: ignore[untyped-decorator]
def _part(given: Any, first: Any, size: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin(name="hex", signature=(("binary",), "string"))  # type: ignore[untyped-decorator]
def _digits(given: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin(name="conv")  # type: ignore[untyped-decorator]
def _rewritten(digits: str, base: int, other: int) -> str:  # type: ignore[empty-body]
    """Spark's function: a number in another base."""


@ibis.udf.scalar.builtin(name="getbit", signature=(("int64", "int64"), "int64"))  # type: ignore[untyped-decorator]
def _bit(number: Any, place: Any) -> Any:
    """Spark's function."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def monotonically_increasing_id() -> int:  # type: ignore[empty-body]
    """Spark's function: a number of a row, never below zero."""


def _trim(text: Any, marks: str) -> Any:
    """Marks by their bytes: many a sqlglot writes `\\f` for a form feed, which Spark takes for an f."""
    return _without(text, _bytes(marks.encode().hex()).cast("string"))


class SparkEngine(Engine):
    most_cases = 64

    def settled(self, table: Any) -> Any:
        """A condition that all rows meet, on something that Spark will not compute elsewhere.

        It keeps Spark from writing out each column wherever it is used, in conditions above all.
        """
        numbered = table.mutate(row_number=monotonically_increasing_id())
        return numbered.filter(numbered.row_number >= 0).drop("row_number")

    def fits(self, text: Any, pattern: str) -> Any:
        """To Java, `$` is also before a newline at the end."""
        return text.re_search(pattern.removesuffix("$") + r"\z")

    def reads_slowly(self, kind: Any) -> bool:
        """All that are not whole by their type: in SQL, what is not a column is written out wherever it is used."""
        return bool(kind.is_string() or kind.is_decimal() or kind.is_floating())

    def _read_number(self, raw: Any) -> Any:
        return self._no_nan(self.spelt(raw)) if raw.type().is_string() else super()._read_number(raw)

    def spelt(self, text: Any, number: str = "float64") -> Any:
        bare = _trim(text, _SPACE)
        fits, low = self.fits(bare, _NUMBER) & ~self.fits(bare, _MISPLACED), bare.lower()
        endless = ibis.ifelse(bare.startswith("-"), float("-inf"), float("inf"))
        value = ibis.cases(
            (fits, where(fits, bare.replace("_", "")).try_cast("float64")),
            (self.fits(low, _INFINITE), endless),
            (self.fits(low, _NAN), float("nan")),
        )
        return value if number == "float64" else value.cast(number)

    def whole(self, raw: Any) -> Any:
        kind = raw.type()
        if kind.is_string():
            bare = _trim(raw, _SPACE)
            return where(self.fits(bare, _WHOLE), bare).try_cast("int64")
        return raw.try_cast("int64") if kind.is_decimal() and kind.scale == 0 else None

    def day(self, raw: Any) -> Any:
        return raw.cast("date") if raw.type().is_timestamp() else super().day(raw)

    def moment(self, raw: Any, written: str | None = None) -> Any:
        kind = raw.type()
        if kind.is_date():
            return _midnight(raw)
        return raw if kind.is_timestamp() else super().moment(raw, written)

    def text(self, raw: Any) -> Any:
        kind = raw.type()
        if kind.is_floating():
            return _float_text(self._no_nan(raw), "float32" if kind.is_float32() else "float64")
        if kind.is_decimal():
            text = _grouped(raw, kind.scale).replace(",", "")
            return text.re_replace("[.]?0+$", "") if kind.scale else text
        if kind.is_timestamp():  # far moments have no text, as elsewhere
            day = raw.cast("date")
            near = (day > ibis.date("0001-01-01")) & (day < ibis.date("9999-12-31"))
            text = where(near, raw.cast("string"))
            return ibis.ifelse(text.endswith(" 00:00:00"), text.left(10), text)
        return super().text(raw)

    def missing(self, raw: Any) -> Any:
        if raw.type().is_string():
            bare = _trim(raw, _SPACE)
            return raw.isnull() | (bare == "") | (bare.lower() == "nan")
        return super().missing(raw)

    def lowered(self, text: Any, labels: Collection[str]) -> Any:
        """Letter by letter: to Java, two letters are lowered into others than elsewhere."""
        return translate(text, "\u0130\u03a3", "i\u03c3").lower()

    def composed(self, text: Any) -> Any:
        return _call("com.ibm.icu.text.Normalizer", "compose", text.fill_null(""), False).nullif("")

    def trimmed(self, text: Any, space: str) -> Any:
        return _trim(text, space)

    def has_bit(self, bits: bytes, place: Any) -> Any:
        byte = _part(_bytes(bits.hex()), place // 8 + 1, 1)
        return _bit(_rewritten(_digits(byte), 16, 10).cast("int64"), place % 8) == 1

    def lookup(self, table: Any, names: list[str]) -> Any:
        """A data frame, which travels with the query."""
        renamed = table.rename_columns(names)
        frame = self.backend.session.createDataFrame(renamed).hint("broadcast")
        types = {name: "string" if name == names[0] and _is_text(table) else "int64" for name in names}
        return self.backend.table_of(frame, types)


def _is_text(table: Any) -> bool:
    return str(table.schema.types[0]) == "string"


def _float_text(value: Any, kind: str) -> Any:
    """Whole numbers without a point, and else the fewest digits that mean this float; far ones with an exponent.

    Java 17 writes some floats, of more than 2**53, with more digits than it takes; next to zero (subnormal) they stay.
    """
    whole = where(value.abs() < FLOAT_EXACT, value).cast("int64")
    plain = value.cast("string").try_cast("decimal(38, 22)").cast("string").re_replace("0+$", "")
    long = value.cast("string").try_cast("decimal(38, 1)").cast("string")
    least = 6 if kind == "float32" else 15
    forms = [_formatted(f"%.{digits - 1}e", value.cast("float64")) for digits in range(least, least + 4)]
    far = ibis.cases(*((form.try_cast(kind) == value, form) for form in forms[:-1]), else_=forms[-1])
    size = value.abs()
    return ibis.cases(
        (value.isnull(), ibis.null("string")),
        (value == float("inf"), "inf"),
        (value == float("-inf"), "-inf"),
        (whole == value, whole.cast("string")),
        ((size >= _LEAST) & (size < FLOAT_EXACT), plain),
        ((size >= FLOAT_EXACT) & (size < _FAR), long),
        else_=far.re_replace("[.]?0+e", "e"),
    )
