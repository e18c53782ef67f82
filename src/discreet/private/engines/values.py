"""Raw columns of any type as canonical numbers, days and texts. What does not fit is NULL; nothing raises.

Numbers are read as float64, whole numbers of a declared integer type exactly. NaN is a null. Text such as
' 42 ' or '42.0' is the number it spells; true and false are not numbers. Moments count on their day: in UTC, if they
have a time zone or, in text, an offset.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from discreet.errors import SourceError
from discreet.private.engines.expressions import EngineFunction, expressions_of
from discreet.private.engines.session import small_table

# at most 99 in the exponent, so that no engine can overflow
_NUMBER = r"^[+-]?([0-9]{1,99}(\.[0-9]{0,99})?|\.[0-9]{1,99})([eE][+-]?[0-9]{1,2})?$"
_WHOLE = r"^\s*[+-]?[0-9]+\s*$"
# a sign after so much of a text can only be that of an offset
_DATE = len("2024-05-31")
FLOAT_EXACT = 2**53
_PREPARED = "_number"


# functions of DuckDB; in dates that the first reads, numbers may have one digit or two
_try_strptime = EngineFunction("try_strptime", ("string", "string"), "timestamp(6)")
_nfc_normalize = EngineFunction("nfc_normalize", ("string",), "string")
_trim = EngineFunction("trim", ("string", "string"), "string")


def engine_of(backend: Any) -> Engine:
    """How the engine of a backend reads values."""
    if backend.name == "postgres":
        from discreet.private.engines.postgres_values import PostgresEngine

        return PostgresEngine(backend)
    if backend.name == "pyspark":
        from discreet.private.engines.spark_values import SparkEngine

        return SparkEngine(backend)
    return Engine(backend)


class Engine:
    """The few things that engines do differently."""

    #: look-ups of so many labels are written as a CASE, where they are not joined
    most_cases = 1000

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.is_duckdb = backend.name == "duckdb"
        #: what makes expressions that this engine understands
        self.words = expressions_of(backend)

    def fits(self, text: Any, pattern: str) -> Any:
        """Whether a text fits a pattern that ends with `$`, where it ends."""
        return text.re_search(pattern)

    def number(self, raw: Any) -> Any:
        """int64 of a column of whole numbers, float64 of others that hold numbers; None if the type holds none."""
        prepared = None if self.is_duckdb else _prepared_number(raw)
        return self._read_number(raw) if prepared is None else prepared

    def _read_number(self, raw: Any) -> Any:
        kind = raw.type()
        if kind.is_signed_integer():
            return raw.cast("int64")
        if kind.is_string():
            if self.is_duckdb:
                return self._no_nan(raw.try_cast("float64"))
            bare = raw.strip()
            return self._no_nan(where(bare.re_search(_NUMBER), bare).cast("float64"))
        if kind.is_floating():
            return self._no_nan(raw.cast("float64"))
        return raw.cast("float64") if kind.is_numeric() and not kind.is_boolean() else None

    def whole(self, raw: Any) -> Any:
        """Whole numbers that float64 would round, of columns that are no plain integers; else None."""
        kind = raw.type()
        if not self.is_duckdb:
            return None
        if kind.is_string():
            return where(raw.re_search(_WHOLE), raw).try_cast("int64")
        plain = kind.is_unsigned_integer() or (kind.is_decimal() and kind.scale == 0)
        return raw.try_cast("int64") if plain else None

    def day(self, raw: Any) -> Any:
        """The date of a column that holds moments; None if its type holds none."""
        kind = raw.type()
        if kind.is_date():
            return raw
        if kind.is_timestamp():
            return raw.try_cast("date") if self.is_duckdb else raw.date()
        if not kind.is_string():
            return None
        if not self.is_duckdb:
            raise self._no_dates()
        # our DuckDB is set to UTC; casting to a date alone would ignore the offset of a moment
        day, time = raw.try_cast("date"), raw.substr(_DATE)
        in_utc = raw.try_cast("timestamp('UTC')").try_cast("date").fill_null(day)
        moment = self.words.ifelse(time.contains("+") | time.contains("-"), in_utc, day)
        return self.words.ifelse(raw.length() > _DATE, moment, day)  # most texts are plain dates, and cheap this way

    def moment(self, raw: Any, written: str | None = None) -> Any:
        """The date and time of a column, of text by the format in which it is written; None if its type holds none."""
        kind = raw.type()
        if kind.is_timestamp() or kind.is_date():
            return raw.try_cast("timestamp(6)") if self.is_duckdb else raw.cast("timestamp")
        if not kind.is_string() and written is None:
            return None
        if (text := self.text(raw)) is None:
            return None
        if not self.is_duckdb:
            raise self._no_dates()
        if written is not None:  # words such as 'epoch' are dates to DuckDB, in any format
            return where(text.re_search("[0-9]"), _try_strptime(text, written))
        plain, time = text.try_cast("timestamp(6)"), text.substr(_DATE)
        in_utc = text.try_cast("timestamp('UTC')").try_cast("timestamp(6)").fill_null(plain)
        return self.words.ifelse(time.contains("+") | time.contains("-"), in_utc, plain)

    def text(self, raw: Any) -> Any:
        """The canonical text of a column; None if its type has none."""
        kind = raw.type()
        if kind.is_string():
            return raw
        if kind.is_floating():
            value = self._no_nan(raw)
            whole = where(value.abs() < FLOAT_EXACT, value).cast("int64")
            return self.words.ifelse(whole == value, whole.cast("string"), value.cast("string"))
        if kind.is_decimal():
            text = raw.cast("string")
            return self.words.ifelse(text.contains("."), text.re_replace(r"\.?0+$", ""), text)
        if kind.is_timestamp():
            # far moments have no text: the engine would fail on them
            moment = raw.try_cast("timestamp(6)") if self.is_duckdb else raw
            near = (moment >= self.words.timestamp("0001-01-02")) & (moment < self.words.timestamp("9999-12-31"))
            text = where(near, moment).cast("string")
            return self.words.ifelse(text.endswith(" 00:00:00"), text.left(10), text)
        if kind.is_boolean():
            return self.words.ifelse(raw, "true", self.words.ifelse(~raw, "false", self.words.null("string")))
        plain = kind.is_integer() or kind.is_date() or kind.is_uuid() or kind.is_binary()
        return raw.cast("string") if plain else None

    def missing(self, raw: Any) -> Any:
        """Whether there is no value at all, rather than one that does not fit."""
        kind = raw.type()
        if kind.is_floating():
            return self._no_nan(raw).isnull()
        if kind.is_string():
            return raw.isnull() | (raw.strip() == "") | (raw.strip().lower() == "nan")
        return raw.isnull()

    def spelt(self, text: Any, number: str) -> Any:
        """The number that a text spells, of this type; NULL if it spells none."""
        return text.try_cast(number)

    def lowered(self, text: Any, labels: Collection[str]) -> Any:
        """The text in small letters, at least those that labels have."""
        return text.lower()

    def composed(self, text: Any) -> Any:
        """The text in Unicode's composed form."""
        return _nfc_normalize(text)

    def trimmed(self, text: Any, space: str) -> Any:
        """The text without these marks at its ends."""
        return _trim(text, space)

    def settled(self, table: Any) -> Any:
        """The same table, whose columns are computed once, however often they are used."""
        return table

    def prepared(self, table: Any, names: Collection[str]) -> Any:
        """The same table, with the numbers of those of these columns whose values take long to read."""
        slow = [name for name in names if self.reads_slowly(table[name].type())]
        if not slow:
            return table
        return self.settled(table.mutate(**{name + _PREPARED: self.number(table[name]) for name in slow}))

    def reads_slowly(self, kind: Any) -> bool:
        """Whether the numbers in a column of this type should be read only once."""
        return False

    def has_bit(self, bits: bytes, place: Any) -> Any:
        """Whether the bit at a place is set; the first is the lowest of the first byte."""
        raise SourceError(f"the {self.backend.name} engine cannot choose among users; export the table to Parquet")

    def lookup(self, table: Any, names: list[str]) -> Any:
        """A small public table of labels and codes, to be joined."""
        return small_table(self.backend, table.rename_columns(names))

    def _no_dates(self) -> SourceError:
        return SourceError(
            f"the {self.backend.name} engine cannot read dates from text row by row; "
            "turn the column into dates first, in a view or in the ibis table"
        )

    def _no_nan(self, value: Any) -> Any:
        if not self.is_duckdb and not _knows_nan(self.backend):  # such an engine keeps NaN as NULL
            return value
        return self.words.ifelse(value.isnan(), self.words.null(value.type()), value)


def where(condition: Any, value: Any) -> Any:
    """The value where the condition holds, else NULL."""
    words = expressions_of(value)
    return words.ifelse(condition, value, words.null(value.type()))


def _prepared_number(raw: Any) -> Any:
    """What `prepared` made of a column, if it did."""
    import ibis.expr.operations as ops

    place = raw.op()
    if isinstance(place, ops.Field) and place.name + _PREPARED in place.rel.schema:
        return place.rel.to_expr()[place.name + _PREPARED]
    return None


def _knows_nan(backend: Any) -> bool:
    import ibis.expr.operations as ops

    return bool(backend.has_operation(ops.IsNan))
