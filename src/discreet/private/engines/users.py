"""Who is one user: the one rule by which two values name the same person, whatever they are kept in.

- Null, NaN (also the text 'nan') and blank text name nobody.
- Text is compared without the space around it and in Unicode's composed form (NFC); upper and lower case differ.
- What is a number, or text that spells one, is compared as float64 holds it: 1, 1.0, '1', '01', '1e0', Decimal('1.00')
  are one user, and so are 0 and -0.0. True and False, also as text, are 1 and 0.
- A date is the text '2024-05-31', a moment at midnight as text the same; a UUID is its text in small letters; bytes are
  the text that they spell in UTF-8.

Above 2**53 a float stands for several whole numbers, and any of them may be the person: they are one user. One person
taken for several would be protected less the more they are. Two people taken for one are protected as one user; each of
them alone is a change within that user's rows, as if it were replaced: under add-remove that costs twice epsilon. Only
where every part of a table keeps its users in a type of whole numbers is there no doubt, and those stay apart. Where a
part has float32, all are compared as float32 holds them.

The rule looks at one value and at the types of columns, never at other rows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from discreet.errors import SourceError
from discreet.private.engines.base import USER
from discreet.private.engines.expressions import EngineFunction
from discreet.private.engines.values import Engine

#: what Unicode calls space, and what is not seen either
_SPACE = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\u200b\u2060\ufeff"
_SPACED = "^[{0}]|[{0}]$".format("".join(f"\\x{{{ord(mark):x}}}" for mark in _SPACE))
#: printable ASCII without space at the ends, as most names are: nothing to trim or to compose
_PLAIN = "^[!-~]([ -~]*[!-~])?$"
_UUID = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
_MIDNIGHT = "^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]00:00:00$"


# functions of DuckDB; the first fails on what is not UTF-8
_as_utf8 = EngineFunction("decode", ("binary",), "string")
_or_null = EngineFunction("try", ("string",), "string")


def are_whole(kinds: Collection[Any]) -> bool:
    """Whether all of these types hold whole numbers only, and exactly."""
    return all(kind.is_integer() or (kind.is_decimal() and kind.scale == 0) for kind in kinds)


def check_kind(kind: Any, column: str) -> None:
    """Refuses a column whose type says too little, or too much, to be a name."""
    if not (
        kind.is_string()
        or kind.is_numeric()
        or kind.is_boolean()
        or kind.is_date()
        or kind.is_uuid()
        or kind.is_binary()
    ):
        raise SourceError(f"column {column!r} cannot name users: it must hold text or whole numbers, not {kind}")


def with_users(part: Any, engine: Engine, column: str, kinds: Collection[Any]) -> Any:
    """The part with its users by the rule, NULL for nobody; `kinds` are the types that they have in all parts."""
    raw, kind = part[USER], part[USER].type()
    check_kind(kind, column)
    if are_whole(kinds):
        is_one_type = kind.is_integer() and len(set(kinds)) == 1
        return part if is_one_type else part.mutate(**{USER: engine.text(raw)})
    number = "float32" if any(one.is_float32() for one in kinds) else "float64"
    if kind.is_floating() or kind.is_integer():
        return part.mutate(**{USER: engine.text(_wide(raw.cast(number)))})
    return _named(part, _decoded(raw) if kind.is_binary() else engine.text(raw), number, engine)


def _wide(value: Any) -> Any:
    """In 64 bits: engines write floats of 32 in different ways."""
    return value.cast("float64")


def _decoded(raw: Any) -> Any:
    return _or_null(_as_utf8(raw)).fill_null(raw.cast("string"))


def _named(part: Any, raw: Any, number: str, engine: Engine) -> Any:
    words = engine.words
    # step by step, so that the engine computes each column once
    part = engine.settled(part.mutate(**{USER: raw}))
    part = engine.settled(part.mutate(user_plain=engine.fits(part[USER], _PLAIN)))
    part = engine.settled(part.mutate(**{USER: words.ifelse(part.user_plain, part[USER], engine.composed(part[USER]))}))
    is_spaced = ~part.user_plain & part[USER].re_search(_SPACED) if engine.is_duckdb else ~part.user_plain
    bare = words.ifelse(is_spaced, engine.trimmed(part[USER], _SPACE), part[USER])
    part = engine.settled(part.mutate(**{USER: bare.nullif("")}))
    text = part[USER]
    part = engine.settled(part.mutate(user_number=engine.spelt(text, number), user_length=text.length()))
    text, value, length = part[USER], part.user_number, part.user_length
    same = words.cases(
        (value.isnan(), words.null("string")),
        (value.notnull(), engine.text(_wide(value))),
        ((length == 4) & (text.lower() == "true"), "1"),
        ((length == 5) & (text.lower() == "false"), "0"),
        ((length == 36) & engine.fits(text, _UUID), text.lower()),
        ((length == 19) & engine.fits(text, _MIDNIGHT), text.left(10)),
        else_=text,
    )
    return engine.settled(part.mutate(**{USER: same})).drop("user_plain", "user_number", "user_length")
