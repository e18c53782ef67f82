"""What the values of an attribute that are not in its domain probably mean, and what to write for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from discreet.naming import OTHER
from discreet.private.date_formats import fitting_formats
from discreet.private.fit_queries import AttributeCounts
from discreet.private.fit_report import MUCH, FitWarning, share
from discreet.private.near_labels import same_but_for_writing, shortened
from discreet.schema import Attribute, Nominal

#: a share of the rows that a cell for other values should not hold
MOST = 0.2
#: so many labels are written out in a proposed map
_MOST_MAPPED = 20
#: what people write around and inside of numbers
_MARKS = str.maketrans("", "", " \u00a0,'_$€£%")


def attribute_warnings(name: str, attribute: Attribute, one: AttributeCounts, rows: int) -> Iterator[FitWarning]:
    """Values that seem to be written otherwise, and rules that leave out or move many rows."""
    place, explained = f"attributes.{name}", 0
    for explained, what, fix in _otherwise_written(attribute, one):
        yield FitWarning(place, f"{share(explained, rows)} of the rows have {what}", fix)
    nulls = one.missing if attribute.null == "drop" else 0
    if (dropped := one.lost - nulls - explained) > MUCH * rows:
        said = f"{share(dropped, rows)} of the rows are outside the domain and not counted"
        yield FitWarning(place, said, 'correct the domain, or count them with outside = "other"')
    if attribute.outside == OTHER and (others := one.beyond + one.unread - explained) > MOST * rows:
        said = f"{share(others, rows)} of the rows are outside the domain and count as {OTHER!r}"
        yield FitWarning(place, said, "correct the domain")
    if attribute.outside == "clamp" and one.beyond > MUCH * rows:
        said = f"{share(one.beyond, rows)} of the rows are beyond its ends and count in the first or last bin"
        yield FitWarning(place, said, "widen low and high")
    if nulls > MUCH * rows:
        said = f"{share(nulls, rows)} of the rows have no value and are not counted"
        yield FitWarning(place, said, 'count them with null = "other" if they matter')


def _otherwise_written(attribute: Attribute, one: AttributeCounts) -> Iterator[tuple[int, str, str]]:
    """At most once: rows whose values would mean something if written otherwise, what they have, and what to do."""
    values = [text for text, _ in one.unread_values]
    if not values:
        return
    if attribute.reading.part is not None or (not isinstance(attribute, Nominal) and attribute.kind == "date"):
        if formats := fitting_formats(values):
            first, *others = map(json.dumps, formats)
            if one.inside:  # one format would then lose those that are read now
                said = f"dates in another form than the rest, such as {first}"
                yield one.unread, said, "write all of them in one way in the data"
                return
            also = f"; every value fits {' and '.join(others)} too, so look which it is" if others else ""
            yield one.unread, "dates in another form", f"write format = {first}{also}"
    elif isinstance(attribute, Nominal):
        meant, what = (
            same_but_for_writing(values, attribute.labels),
            "labels that differ by case or space from declared ones",
        )
        if not meant and one.inside == 0:
            meant, what = shortened(values, attribute.labels), "labels that may be declared ones, written otherwise"
        if meant:
            fix = f"write map = {_as_map(meant)}, or declare the labels as the data has them"
            yield sum(rows for text, rows in one.unread_values if text in meant), what, fix
    elif all(_spells_a_number(text) for text in values):
        yield one.unread, "numbers with marks in them", "write them as 1234.5 in the data"


def _as_map(meant: Mapping[str, str]) -> str:
    pairs = [f"{_quoted(value)} = {_quoted(label)}" for value, label in meant.items()]
    more = ["..."] if len(pairs) > _MOST_MAPPED else []
    return f"{{ {', '.join(pairs[:_MOST_MAPPED] + more)} }}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _spells_a_number(text: str) -> bool:
    return text.translate(_MARKS).lstrip("+-").replace(".", "", 1).isdecimal()
