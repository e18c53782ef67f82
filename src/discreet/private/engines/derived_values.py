"""What the coding sees in place of a raw column, by an attribute's reading: dates, parts of dates, first letters."""

from __future__ import annotations

from typing import Any

from discreet.private.engines.values import Engine
from discreet.schema import Attribute, Nominal
from discreet.schema.reading import PART_LABELS


def derived(raw: Any, attribute: Attribute, engine: Engine) -> Any:
    """The column as the attribute reads it, NULL where it cannot be; None if the column's type holds no such value."""
    reading = attribute.reading
    if reading.first is not None:
        text = engine.text(raw)
        return None if text is None else text.left(reading.first)
    if reading.format is None and reading.part is None:
        return raw
    moment = engine.moment(raw, reading.format)
    if moment is None or reading.part is None:
        return moment
    number = _PARTS[reading.part](moment).cast("int64")
    if not isinstance(attribute, Nominal) or reading.part not in PART_LABELS:
        return number
    labels = PART_LABELS[reading.part]
    return number.cases(*enumerate(labels, start=1), else_=engine.words.null("string"))


_PARTS = {
    "weekday": lambda moment: moment.day_of_week.index() + 1,
    "month": lambda moment: moment.month(),
    "hour": lambda moment: moment.hour(),
    "year": lambda moment: moment.year(),
}
