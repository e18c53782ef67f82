"""HTML that escapes whatever is not its own: labels come from folders that anybody may have written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from discreet.charts import Picture
from discreet.charts.picture import escaped

_LONGEST = 2000
#: rows of a table that fits on what is left of most pages
_SHORT = 8


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def markup(value: object) -> Markup:
    """As HTML: escaped, unless it is HTML already; control and direction characters become blanks."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    return Markup(escaped(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"))


def joined(*parts: object) -> Markup:
    return Markup("".join(map(markup, parts)))


def tag(name: str, *inner: object, **attributes: str) -> Markup:
    """`class_` stands for class; names with a dash are written with an underscore."""
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{markup(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{said}>{joined(*inner)}</{name}>")


def paragraph(*inner: object) -> Markup:
    return tag("p", *inner)


def code(value: object) -> Markup:
    return tag("code", value)


def told(text: str) -> Markup:
    """Our own words, in which commands and names stand between backticks."""
    return joined(*(code(part) if place % 2 else part for place, part in enumerate(text.split("`"))))


def bullets(items: Iterable[object]) -> Markup:
    return tag("ul", *(tag("li", one) for one in items))


def facts(pairs: Iterable[tuple[object, object]]) -> Markup:
    """What is said of what, as a list of descriptions."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", said)) for name, said in pairs))


def table(
    caption: object, head: Sequence[object], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()
) -> Markup:
    """The first column names the row; columns of `numbers` stand to the right. It scrolls where there is no room."""
    places = set(numbers)

    def cell(place: int, inner: object) -> Markup:
        if place == 0:
            return tag("th", inner, scope="row")
        return tag("td", inner, class_="number") if place in places else tag("td", inner)

    top = tag(
        "tr", *(tag("th", name, scope="col", class_="number" if n in places else "") for n, name in enumerate(head))
    )
    body = [tag("tr", *(cell(place, inner) for place, inner in enumerate(row))) for row in rows]
    inner = tag("table", tag("caption", caption), tag("thead", top), tag("tbody", *body))
    kind = "scrolls short" if len(body) <= _SHORT else "scrolls"  # short ones are not torn apart on paper
    return tag("div", inner, class_=kind, role="region", aria_label=str(caption), tabindex="0")


def figure(picture: Picture, title: str) -> Markup:
    """A picture, which scrolls where there is no room; what it shows stands in a table as well."""
    return tag("figure", Markup(picture.unstyled), aria_label=title, tabindex="0")


def section(anchor: str, title: str, *inner: object) -> Markup:
    return tag("section", tag("h2", title, id=anchor), *inner, aria_labelledby=anchor)
