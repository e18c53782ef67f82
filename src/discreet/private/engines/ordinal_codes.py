"""The codes of ordinal attributes, exactly: no value changes its bin by rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from discreet.errors import BadParameter
from discreet.private.engines.expressions import expressions_of
from discreet.private.engines.values import FLOAT_EXACT, Engine
from discreet.schema import Ordinal

if TYPE_CHECKING:
    from discreet.private.engines.coding import Rules, Step

_EPOCH = date(1970, 1, 1).toordinal()
_TREE_BINS = 32
_TREE_MOST = 10_000
_LOOKUP_SPAN = 4_000_000


def whole(raw: Any, attribute: Ordinal, rules: Rules) -> Step:
    """Integers and days: moved into the domain, then counted from its low end."""
    low, end, width, edges = _whole_bins(attribute)
    readings = _readings(raw, attribute, rules.engine, low, end)
    if not readings:
        return rules.only()
    if edges is not None and len(edges) > _TREE_BINS and end - low <= _LOOKUP_SPAN and len(readings) == 1:
        ((offset, outside),) = readings
        values = np.arange(end - low)
        lookup = pa.table({"label": values, "code": np.searchsorted(edges - low, values, side="right") - 1})
        return rules.step(lambda found: rules.inside(outside, found), offset, lookup)
    code: Any = None
    for offset, outside in reversed(readings):  # the first that is a number wins
        found = _quotient(offset, width, end - low) if edges is None else _tree(offset, edges - low)
        found = rules.inside(outside, found)
        code = found if code is None else rules.engine.words.ifelse(offset.notnull(), found, code)
    return rules.step(lambda _: code)


def _whole_bins(attribute: Ordinal) -> tuple[int, int, int, np.ndarray[Any, Any] | None]:
    """First value, first value after the last, and the width of the bins, or their edges where widths differ."""
    width = 7 if attribute.width == "week" else attribute.width
    if attribute.edges is None and isinstance(width, int):
        start = attribute.low
        low = start.toordinal() - _EPOCH if isinstance(start, date) else cast(int, start)
        return low, low + width * attribute.bins, width, None
    edges = attribute.edges_array()
    return int(edges[0]), int(edges[-1]), 0, edges


def _readings(raw: Any, attribute: Ordinal, engine: Engine, low: int, end: int) -> list[tuple[Any, Any]]:
    """How far each value lies above the low end, after being moved into the domain, and whether it was outside.

    Several readings if one is exact and another takes more values; none if the column's type can hold no such value.
    """
    if attribute.kind == "date":
        day = engine.day(raw)
        if day is None:
            return []
        first, last = (date.fromordinal(tick + _EPOCH) for tick in (low, end - 1))
        return [(_between(day, first, last).delta(first, unit="day"), (day < first) | (day > last))]
    exact = engine.whole(raw) if max(abs(low), abs(end)) > FLOAT_EXACT else None
    numbers = [number for number in (exact, engine.number(raw)) if number is not None]
    return [(_offset(number, low, end), (number < low) | (number >= end)) for number in numbers]


def _offset(number: Any, low: int, end: int) -> Any:
    if not number.type().is_integer():  # as a float an end may be rounded, so this is moved once more
        number = _between(number, float(low), float(end - 1)).floor().cast("int64")
    return _between(number, low, end - 1) - low


def _between(value: Any, first: Any, last: Any) -> Any:
    """The value, moved to the nearest end if it lies outside. NULL stays NULL."""
    words = expressions_of(value)
    low, high = (words.literal(end, value.type()) for end in (first, last))
    return words.ifelse(value < first, low, words.ifelse(value > last, high, value))


def _quotient(offset: Any, width: int, span: int) -> Any:
    """Exact division by the width: engines divide whole numbers as floats, which is exact below 2**53 only."""
    if width == 1:
        return offset
    if span < FLOAT_EXACT:
        return offset // width
    if span // width >= 2**50:
        raise BadParameter("an ordinal attribute has 2**50 bins or more; make its bins wider")
    return ((offset - offset % width) / width).round().cast("int64")


def _tree(value: Any, edges: np.ndarray[Any, Any]) -> Any:
    """The bin of a value by bisection: exact for any edges. NULL stays NULL."""
    if len(edges) > _TREE_MOST:
        raise BadParameter(
            f"an ordinal attribute has more than {_TREE_MOST} bins whose edges follow no rule that can be computed; "
            "use bins of equal width with fewer digits, or fewer bins"
        )

    words = expressions_of(value)

    def bisect(first: int, after: int) -> Any:
        if after - first == 1:
            return words.literal(first, "int64")
        middle = (first + after) // 2
        return words.ifelse(value < edges[middle].item(), bisect(first, middle), bisect(middle, after))

    return words.ifelse(value.isnull(), words.null("int64"), bisect(0, len(edges) - 1))


def real(raw: Any, attribute: Ordinal, rules: Rules) -> Step:
    """Reals: half-open bins from the floats next to the declared decimals; the last bin includes its end.

    A column of 32-bit floats is compared with edges of 32 bits, so that its 0.7 is the declared 0.7.
    """
    number = rules.engine.number(raw)
    if number is None:
        return rules.only()
    number = number.cast("float64")
    short = raw.type().is_float32()
    grid = _Grid.of(attribute, short)
    if grid is None:
        edges = attribute.edges_array()
        edges = edges.astype(np.float32).astype(np.float64) if short else edges
        first, last = float(edges[0]), float(edges[-1])
    else:
        first, last = grid.edge(0), grid.edge(grid.bins)
    near = _between(number, first, last)
    code = _tree(near, edges) if grid is None else grid.bin(near)
    code = rules.inside((number < first) | (number > last), code)
    return rules.step(lambda _: code)


@dataclass(frozen=True)
class _Grid:
    """Equal bins of reals, with edges (start + step * i) / per_one: one division of exact floats, rounded once."""

    start: int
    step: int
    per_one: int
    bins: int
    short: bool

    @classmethod
    def of(cls, attribute: Ordinal, short: bool) -> _Grid | None:
        if attribute.edges is not None:
            return None
        low, width = Fraction(repr(attribute.low)), Fraction(repr(attribute.width))
        per_one = math.lcm(low.denominator, width.denominator)
        start, step = int(low * per_one), int(width * per_one)
        largest = max(abs(start), abs(start + step * attribute.bins), per_one)
        # 2**50 rather than 2**53, and 2**21 rather than 2**24: the guess must be off by one bin at most
        grid = cls(start, step, per_one, attribute.bins, short and largest < 2**21)
        return grid if largest < 2**50 else None

    def edge(self, index: int) -> float:
        value = (self.start + self.step * index) / self.per_one
        return float(np.float32(value)) if self.short else value

    def bin(self, value: Any) -> Any:
        """A guess from the distance, then moved by one where the exact edges say so."""
        words, last = expressions_of(value), self.bins - 1
        guess = ((value - self.edge(0)) / (self.step / self.per_one)).floor().cast("int64")
        guess = words.ifelse(guess > last, last, guess)
        up = words.ifelse(value >= self._edge(guess + 1), 1, 0)
        down = words.ifelse(value < self._edge(guess), 1, 0)
        code = guess + up - down
        return words.ifelse(code > last, last, code)

    def _edge(self, index: Any) -> Any:
        value = (index * self.step + self.start).cast("float64") / float(self.per_one)
        return value.cast("float32").cast("float64") if self.short else value
