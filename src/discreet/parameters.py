"""A method's parameter as one object: its check, `help`, the cards and the reference are all made from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from discreet.errors import BadParameter
from discreet.naming import did_you_mean
from discreet.privacy import as_text, exact

Value = TypeVar("Value")


class Kind(ABC, Generic[Value]):
    """Which values a parameter takes: in words, as `str` gives them, and as a check."""

    @abstractmethod
    def accepted(self, given: Any, name: str) -> Value | None:
        """The value, or None if it is not of this kind."""


@dataclass(frozen=True)
class Whole(Kind[int]):
    least: int = 1
    most: int | None = None

    def __str__(self) -> str:
        return f"a whole number {_between(self.least, self.most)}"

    def accepted(self, given: Any, name: str) -> int | None:
        whole = isinstance(given, int) and not isinstance(given, bool)
        return given if whole and self.least <= given and (self.most is None or given <= self.most) else None


@dataclass(frozen=True)
class Positive(Kind[Fraction]):
    """An exact number above zero, written as text, a decimal or a fraction."""

    least: Fraction | None = None
    most: Fraction | None = None

    def __str__(self) -> str:
        if self.least is not None:
            return f"a number {_between(self.least, self.most)}"
        return "a number above 0" if self.most is None else f"a number above 0 and at most {_number(self.most)}"

    def accepted(self, given: Any, name: str) -> Fraction | None:
        number = exact(given, name)
        fits = (self.least is None or self.least <= number) and (self.most is None or number <= self.most)
        return number if fits else None


class Share(Kind[Fraction]):
    def __str__(self) -> str:
        return "a number above 0 and below 1"

    def accepted(self, given: Any, name: str) -> Fraction | None:
        number = exact(given, name)
        return number if number < 1 else None


class ZeroToOne(Kind[Fraction]):
    def __str__(self) -> str:
        return "a number from 0 to 1"

    def accepted(self, given: Any, name: str) -> Fraction | None:
        zero = not isinstance(given, bool) and given in (0, "0")
        number = Fraction(0) if zero else exact(given, name)
        return number if number <= 1 else None


@dataclass(frozen=True)
class Choice(Kind[str]):
    words: tuple[str, ...]

    def __str__(self) -> str:
        *first, last = map(repr, self.words)
        return f"{', '.join(first)} or {last}"

    def accepted(self, given: Any, name: str) -> str | None:
        return given if isinstance(given, str) and given in self.words else None


class Flag(Kind[bool]):
    def __str__(self) -> str:
        return "true or false"

    def accepted(self, given: Any, name: str) -> bool | None:
        return given if isinstance(given, bool) else None


@dataclass(frozen=True)
class Form(Kind[Any]):
    """Something that only the method can check, because that takes the schema."""

    words: str

    def __str__(self) -> str:
        return self.words

    def accepted(self, given: Any, name: str) -> Any:
        return given


@dataclass(frozen=True)
class Parameter(Generic[Value]):
    """What can be set: `meaning` is one sentence, `otherwise` describes a default that is not a single value."""

    name: str
    kind: Kind[Value]
    meaning: str
    default: Value | None = None
    otherwise: str = ""
    #: what to do instead, for users who gave a value that it cannot have
    advice: str = ""

    def read(self, given: Any) -> Value:
        """The value that was given; BadParameter if it is not of this kind."""
        value = self.kind.accepted(given, self.name)
        if value is None:
            advice = f"; {self.advice}" if self.advice else ""
            raise BadParameter(f"{self.name} must be {self.kind}, not {given!r}{advice}")
        return value

    def __str__(self) -> str:
        default = self.otherwise or ("" if self.default is None else _plain(self.default))
        return f"{self.kind}. {self.meaning}." + (f" Default: {default}." if default else "")


def choice(name: str, words: tuple[str, ...], meaning: str) -> Parameter[str]:
    """A parameter that is one of a few words, by default the first."""
    return Parameter(name, Choice(words), meaning, words[0])


#: all that can be set for a method
Parameters = tuple[Parameter[Any], ...]


def problems(method: str, taken: Parameters, given: Mapping[str, Any]) -> list[str]:
    """Every given parameter that the method lacks or that has a value it cannot have."""
    known = {parameter.name: parameter for parameter in taken}
    found = []
    for name, value in given.items():
        if name not in known:
            hint = f"{did_you_mean(name, known)} It takes {', '.join(known) or 'none'}"
            found.append(f"method {method!r} has no parameter {name!r}.{hint}")
            continue
        try:
            known[name].read(value)
        except BadParameter as error:
            found.append(str(error))
    return found


def as_given(value: Any) -> Any:
    """A value as a release or a person can write it down."""
    return as_text(value) if isinstance(value, Fraction) else value


def _plain(value: Any) -> str:
    if isinstance(value, bool | str):
        return repr(value) if isinstance(value, str) else str(value).lower()
    return f"{value:,}" if isinstance(value, int) else as_text(value)


def _between(least: Any, most: Any) -> str:
    return f"of at least {_number(least)}" if most is None else f"from {_number(least)} to {_number(most)}"


def _number(value: Any) -> str:
    """Large powers of two and ten as people write them."""
    if isinstance(value, Fraction) and value < 1 and value.numerator == 1 and value.denominator >= 10**6:
        return f"1e-{len(str(value.denominator)) - 1}"
    for less in (0, 1):
        if value >= 1 << 20 and value + less == 1 << (int(value + less).bit_length() - 1):
            return f"2**{int(value + less).bit_length() - 1}" + (" - 1" if less else "")
    if value > 10**20 and str(value).strip("0") == "1":
        return f"1e{len(str(value)) - 1}"
    return str(value) if isinstance(value, int) else as_text(value)
