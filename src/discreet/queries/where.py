"""Predicates as text: `age between 30 and 39 and country in ('Europe', 'USA')` -> a tree.

    predicate  = and-chain { "or" and-chain }
    and-chain  = term { "and" term }
    term       = "not" term | "(" predicate ")" | comparison
    comparison = name ( "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" ) value
               | name [ "not" ] "between" value "and" value          (both ends included)
               | name [ "not" ] "in" "(" value { "," value } ")"
    name       = bare_word | "any characters, a quote doubled"
    value      = number | 'any characters, a quote doubled'          (dates: '2024-01-31')

Keywords may be written in either case. Nothing is evaluated, and nothing here knows a schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn, get_args

from discreet.errors import BadParameter

MAX_DEPTH = 64
"""Parentheses and `not`s inside each other; the parser and the binder recurse no deeper than this."""

Operator = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it was written: 02139 and 1.10 may be the labels of a nominal attribute."""

    text: str

    @property
    def value(self) -> int | float:
        try:
            return int(self.text)
        except ValueError:
            return float(self.text)


@dataclass(frozen=True, slots=True)
class Compare:
    """name operator value; a value is a Numeral, a text, or any plain Python value."""

    name: str
    operator: Operator
    value: Any

    def __post_init__(self) -> None:
        if self.operator not in get_args(Operator):
            known = " ".join(get_args(Operator))
            raise BadParameter(f"{self.operator!r} is not a comparison; use one of {known}")


@dataclass(frozen=True, slots=True)
class Between:
    """low <= name <= high; None leaves an end open."""

    name: str
    low: Any
    high: Any


@dataclass(frozen=True, slots=True)
class OneOf:
    """name is one of `values`; a (low, high) tuple among them is an inclusive range."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Predicate


Predicate = Compare | Between | OneOf | And | Or | Not


def parse(text: str) -> Predicate:
    """The predicate that `text` spells; BadParameter shows the place and says what was expected there."""
    return _Parser(text).whole()


def names(where: Predicate) -> Iterator[str]:
    """The attributes that a predicate is about."""
    if isinstance(where, And | Or):
        for part in where.parts:
            yield from names(part)
    elif isinstance(where, Not):
        yield from names(where.part)
    else:
        yield where.name


def is_plain_name(name: str) -> bool:
    """Whether a predicate may have this name without quotes."""
    return re.fullmatch(r"[^\W\d]\w*", name) is not None and name.lower() not in _KEYWORDS


class _Token(NamedTuple):
    kind: str  # "name", "text", "number", "end", or the keyword or symbol itself
    value: str
    at: int


_KEYWORDS = frozenset({"and", "or", "not", "in", "between"})
_OPERATORS: dict[str, Operator] = {"==": "=", "<>": "!=", **{sign: sign for sign in get_args(Operator)}}
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<date>   [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?!\w) )
      | (?P<number> [+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]) )
      | (?P<word>   [^\W\d]\w* )
      | (?P<text>   '(?:[^']|'')*+' )
      | (?P<name>   "(?:[^"]|"")*+" )
      | (?P<symbol> ==|!=|<>|<=|>=|[=<>(),] )
      | (?P<end>    \Z )
    )""",
    re.VERBOSE,
)


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None:
            _unreadable(text, at + len(text[at:]) - len(text[at:].lstrip()))
        kind = str(match.lastgroup)
        found, start, at = match[kind], match.start(kind), match.end()
        if kind == "date":
            _mistake(text, start, f"dates are written in single quotes: '{found}'")
        if kind == "number" and (len(found) > 100 or abs(float(found)) == float("inf")):
            _mistake(text, start, "this number is too long or too large")
        if kind == "word":
            kind = found.lower() if found.lower() in _KEYWORDS else "name"
        elif kind == "symbol":
            kind = found
        elif kind in ("text", "name"):
            found = found[1:-1].replace(found[0] * 2, found[0])
        yield _Token(kind, found, start)
        if kind == "end":
            return


def _unreadable(text: str, at: int) -> NoReturn:
    character = text[at]
    if character in "'\"":
        _mistake(text, at, f"this {character} is never closed (double it to mean the character itself)")
    if character in "-." and (name := re.search(r"[^\W\d][\w.-]*\Z", text[:at])):
        whole = name[0] + str(re.match(r"[\w.-]*", text[at:])[0])  # type: ignore[index]
        said = f'names that are not one plain word go in double quotes: "{_shown(whole)}"'
        if character == ".":
            said += f"; a group of a hierarchy goes by its label alone: {_shown(name[0])} = 'LABEL'"
        _mistake(text, name.start(), said)
    if character in "+-." or character.isdigit():
        _mistake(text, at, "this is not a number (text values go in single quotes, names in double quotes)")
    _mistake(text, at, f'unexpected {_shown(character)!r} (quote names that are not one plain word: "a b")')


class _Parser:
    """Recursive descent over the tokens; one method per line of the grammar, `depth` bounds the recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.token = next(self.tokens)
        self.depth = 0

    def whole(self) -> Predicate:
        if self.token.kind == "end":
            _mistake(self.text, self.token.at, "the predicate is empty; expected something like age >= 30")
        found = self.predicate()
        if self.token.kind != "end":
            self.expected("'and', 'or' or the end")
        return found

    def predicate(self) -> Predicate:
        return self.chain("or", Or, self.and_chain)

    def and_chain(self) -> Predicate:
        return self.chain("and", And, self.term)

    def chain(self, word: str, joined: type[And] | type[Or], part: Callable[[], Predicate]) -> Predicate:
        parts = [part()]
        while self.accept(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else joined(tuple(parts))

    def term(self) -> Predicate:
        if self.token.kind not in ("not", "("):
            return self.comparison()
        if self.depth == MAX_DEPTH:
            _mistake(self.text, self.token.at, f"over {MAX_DEPTH} parentheses and nots inside each other")
        self.depth += 1
        found: Predicate
        if self.accept("not"):
            found = Not(self.term())
        else:
            self.take("(", "'('")
            found = self.predicate()
            self.take(")", "'and', 'or' or ')'")
        self.depth -= 1
        return found

    def comparison(self) -> Predicate:
        name = self.take("name", "an attribute's name, 'not' or '('").value
        if (operator := _OPERATORS.get(self.token.kind)) is not None:
            self.advance()
            return Compare(name, operator, self.value())
        negated = self.accept("not")
        found: Predicate
        if self.accept("between"):
            low = self.value()
            self.take("and", "'and' and the upper end of 'between'")
            found = Between(name, low, self.value())
        elif self.accept("in"):
            self.take("(", "'(' and a list of values")
            values = [self.value()]
            while self.accept(","):
                values.append(self.value())
            self.take(")", "',' or ')'")
            found = OneOf(name, tuple(values))
        elif negated:
            self.expected("'in' or 'between' after 'not'")
        else:
            hint = "; names of several words go in double quotes" if self.token.kind == "name" else ""
            self.expected(f"a comparison (= != < <= > >=), 'between', 'in' or 'not'{hint}")
        return Not(found) if negated else found

    def value(self) -> str | Numeral:
        if self.token.kind == "text":
            return self.advance().value
        if self.token.kind == "name":
            written = self.token.value.replace("'", "''")
            self.expected(f"a value; text values go in single quotes: '{_shown(written)}'")
        return Numeral(self.take("number", "a number or a text in single quotes").value)

    def advance(self) -> _Token:
        token, self.token = self.token, next(self.tokens)
        return token

    def accept(self, kind: str) -> bool:
        if self.token.kind != kind:
            return False
        self.advance()
        return True

    def take(self, kind: str, wanted: str) -> _Token:
        if self.token.kind != kind:
            self.expected(wanted)
        return self.advance()

    def expected(self, wanted: str) -> NoReturn:
        token = self.token
        found = "the end" if token.kind == "end" else repr(_shown(token.value))
        _mistake(self.text, token.at, f"found {found}, expected {wanted}")


def _shown(text: str) -> str:
    """`text` fit for a one-line message: short, and printable on any terminal."""
    return _printable(text if len(text) <= 40 else text[:39] + "…")


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else " " for character in text)


def _mistake(text: str, at: int, message: str) -> NoReturn:
    """BadParameter with the line of the mistake and a caret under it."""
    before, after = text[:at].split("\n"), text[at:].split("\n", 1)[0]
    left = before[-1][-50:]
    line = f"line {len(before)}, " if "\n" in text else ""
    place = f"{line}position {len(before[-1]) + 1}"
    window = _printable(left + after[:30])
    raise BadParameter(f"predicate, {place}: {message}\n  {window}\n  {' ' * len(left)}^")
