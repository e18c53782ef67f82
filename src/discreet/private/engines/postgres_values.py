"""How PostgreSQL reads numbers and names: as our DuckDB does, though it has no cast that cannot fail.

A cast is made only of what was seen to fit it. Texts of more than 10,000 letters are no numbers.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import ibis
import ibis.expr.operations as ops

from discreet.errors import SourceError
from discreet.private.engines.sql.writing import quoted
from discreet.private.engines.values import Engine, where

_SPACE = " \t\n\v\f\r"
_DIGITS = "[0-9](_?[0-9])*"
_NUMBER = rf"^[+-]?({_DIGITS}(\.({_DIGITS})?)?|\.{_DIGITS})([eE][+-]?{_DIGITS})?$"
#: what most numbers look like; any of these is a float
_SIMPLE = r"^[+-]?[0-9]{1,15}(\.[0-9]{0,15})?$"
_WHOLE = r"^[+-]?[0-9]+$"
_FAR, _NEAR = r"[eE]\+?0*[1-9][0-9]{4}", r"[eE]-0*[1-9][0-9]{4}"  # exponents of five digits or more
_INFINITE, _NAN = r"^[+-]?inf(inity)?$", r"^[+-]?nan([(].*[)])?$"
_LONGEST = 10_000
#: above the first, float64 has no number but infinity; below the second none but zero
_LARGEST, _LEAST = "1.7976931348623158e308", "2.48e-324"


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def normalize(text: str) -> str:  # type: ignore[empty-body]
    """PostgreSQL's function: Unicode's composed form."""


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def btrim(text: str, marks: str) -> str:  # type: ignore[empty-body]
    """PostgreSQL's function."""


@ibis.udf.scalar.builtin(signature=(("binary", "int64"), "int64"))  # type: ignore[untyped-decorator]
def get_bit(bits: Any, place: Any) -> Any:
    """PostgreSQL's function."""


@ibis.udf.scalar.builtin(name="decode", signature=(("string", "string"), "binary"))  # type: ignore[untyped-decorator]
def _bytes(text: Any, how: Any) -> Any:
    """PostgreSQL's function."""


class PostgresEngine(Engine):
    most_cases = 8

    def settled(self, table: Any) -> Any:
        """A limit, however high, keeps PostgreSQL from writing out each column wherever it is used."""
        return table.limit(2**62)

    def reads_slowly(self, kind: Any) -> bool:
        return bool(kind.is_string() or kind.is_decimal())

    def _read_number(self, raw: Any) -> Any:
        kind = raw.type()
        if kind.is_decimal():
            return _float(where(raw.cast("string") != "NaN", raw))
        return self._no_nan(self.spelt(raw)) if kind.is_string() else super()._read_number(raw)

    def spelt(self, text: Any, number: str = "float64") -> Any:
        bare = btrim(text, _SPACE)
        simple, negative = bare.re_search(_SIMPLE), bare.startswith("-")
        plain = bare.replace("_", "")
        fits = (plain.length() <= _LONGEST) & bare.re_search(_NUMBER)
        endless = ibis.ifelse(negative, float("-inf"), float("inf"))
        is_zero = ~plain.re_search("^[^eE]*[1-9]")
        value = ibis.cases(
            (simple, where(simple, bare).cast("float64")),
            (~fits & bare.lower().re_search(_NAN), float("nan")),
            (~fits, where(bare.lower().re_search(_INFINITE), endless)),
            (is_zero | plain.re_search(_NEAR), 0.0),
            (plain.re_search(_FAR), endless),
            else_=_float(where(fits & ~plain.re_search(_FAR) & ~plain.re_search(_NEAR), plain).cast("decimal")),
        )
        return value if number == "float64" else value.cast(number)

    def whole(self, raw: Any) -> Any:
        kind = raw.type()
        if kind.is_string():
            bare = btrim(raw, _SPACE)
            exact = where((bare.length() <= _LONGEST) & bare.re_search(_WHOLE), bare).cast("decimal")
        elif kind.is_decimal() and kind.scale == 0:
            exact = where(raw.cast("string").re_search(_WHOLE), raw)
        else:
            return None
        first, last = (ibis.literal(str(end)).cast("decimal") for end in (-(2**63), 2**63 - 1))
        return where((exact >= first) & (exact <= last), exact).cast("int64")

    def text(self, raw: Any) -> Any:
        kind = raw.type()
        if kind.is_decimal():
            return super().text(raw).nullif("NaN")
        if kind.is_floating():
            endless = ibis.ifelse(raw < 0, "-inf", "inf")
            return ibis.ifelse(raw.isinf(), endless, super().text(raw))
        return super().text(raw)

    def missing(self, raw: Any) -> Any:
        return raw.isnull() | (raw.cast("string") == "NaN") if raw.type().is_decimal() else super().missing(raw)

    def lowered(self, text: Any, labels: Collection[str]) -> Any:
        """Of text that is compared by its characters, PostgreSQL lowers ASCII only."""
        if not all(label.isascii() for label in labels):
            raise SourceError(
                "PostgreSQL cannot ignore the case of letters beyond ASCII here; lower the column in a view, "
                "or list both cases with `map`"
            )
        return text.lower()

    def composed(self, text: Any) -> Any:
        return normalize(text)

    def trimmed(self, text: Any, space: str) -> Any:
        return btrim(text, space)

    def has_bit(self, bits: bytes, place: Any) -> Any:
        return get_bit(_bytes(ibis.literal(bits.hex()), "hex"), place) == 1

    def lookup(self, table: Any, names: list[str]) -> Any:
        """Inline values: no table has to be made, and none is joined that is not part of the query."""
        labels, codes = (column.to_pylist() for column in table.columns)
        kind = "int8" if isinstance(labels[0], int) else "text"
        collation = "" if kind == "int8" else ' COLLATE "C"'
        wide = ", ".join(
            f"unnest({quoted(_array(values), chr(39))}::{of}[]){how} AS {quoted(name)}"
            for values, of, how, name in zip((labels, codes), (kind, "int8"), (collation, ""), names, strict=True)
        )
        types = ibis.schema({names[0]: "int64" if kind == "int8" else "string", names[1]: "int64"})
        return ops.SQLQueryResult(f"SELECT {wide}", types, self.backend).to_expr()


def _float(exact: Any) -> Any:
    """The float64 next to a decimal number of any size."""
    largest, least = (ibis.literal(end).cast("decimal") for end in (_LARGEST, _LEAST))
    return ibis.cases(
        (exact > largest, float("inf")),
        (exact < -largest, float("-inf")),
        (exact.abs() < least, 0.0),
        else_=exact.cast("float64"),
    )


def _array(values: list[Any]) -> str:
    """PostgreSQL's way to write an array as text."""
    inside = ",".join(
        str(value) if isinstance(value, int) else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        for value in values
    )
    return "{" + inside + "}"
