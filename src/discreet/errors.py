"""What can go wrong, each named after the fact. Every message names the place and the fix."""

from __future__ import annotations

import re

#: the start of an address such as postgres://user:password@host/db; a path makes one slash of the two
_START = r"\b[A-Za-z][A-Za-z0-9+.-]+:/{1,3}"
_LOGIN = re.compile(rf"({_START})[^\n]*@")
_PARAMETERS = re.compile(rf"({_START}[^\s?#;]*)[?#;][^\s'\"]*")
_NAMED = re.compile(
    r"\b((?:\w*pass\w*|pwd|\w*secret\w*|\w*token|\w*_?key|sig\w*|credentials?)=)('[^'\n]*'|\"[^\"\n]*\"|[^\s&;,'\"]+)",
    re.IGNORECASE,
)


def without_secrets(text: str) -> str:
    """The text without the logins and parameters of addresses in it, which may hold passwords."""
    text = _LOGIN.sub(r"\1...@", text)
    text = _PARAMETERS.sub(r"\1?...", text)
    return _NAMED.sub(r"\1...", text)


def is_address(text: str) -> bool:
    """Whether a text that should be a path is an address such as postgres://host/db, or holds a password."""
    return bool(re.match(_START, text)) or "://" in text or without_secrets(text) != text


class DiscreetError(Exception):
    """Base of every error a user may meet. No message shows the password of an address."""

    def __init__(self, *said: object) -> None:
        super().__init__(*(without_secrets(one) if isinstance(one, str) else one for one in said))


class BadParameter(DiscreetError, ValueError):
    """A public parameter (epsilon, scale, size, ...) is outside what it can be."""


class BadSpec(DiscreetError, ValueError):
    """One or more mistakes in a schema or spec; `problems` lists all of them."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(map(without_secrets, problems))
        super().__init__("\n".join(self.problems))


class OutsideDomain(DiscreetError, ValueError):
    """A query names a value that the declared domain does not contain."""


class UnknownAttribute(DiscreetError, KeyError):
    """A name that is not an attribute of the schema or release."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CannotAnswer(DiscreetError):
    """The release does not hold what the question needs."""


class MissingExtra(DiscreetError, ImportError):
    """A library that comes with an extra only is not installed."""


class BudgetExceeded(DiscreetError):
    """The charge would pass the cap of the ledger; nothing was spent."""


class LedgerError(DiscreetError):
    """The ledger is locked, foreign, damaged or out of step."""


class SourceError(DiscreetError):
    """The data could not be opened or read. Never says anything about its contents; `private_detail` may."""

    private_detail: str = ""


class TamperedRelease(DiscreetError):
    """A release folder is incomplete or its bytes are not those that were published."""


class CountOverflow(DiscreetError, OverflowError):
    """A count is too large for noise to be added in 64 bits."""


class PublishFailed(DiscreetError):
    """Something failed after the charge. Says nothing about the data, by design."""
