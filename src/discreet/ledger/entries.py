"""The lines of the account, and the chain of hashes through them."""

from __future__ import annotations

import getpass
import hashlib
import json
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction

from discreet.errors import BadParameter, without_secrets
from discreet.ledger.amounts import epsilon_of

GENESIS = hashlib.sha256(b"discreet ledger 1").hexdigest()
#: entries by which people change the account itself, each with a reason
ACTS = ("raised", "closed", "reopened", "dataset-added")


@dataclass(frozen=True)
class Scope:
    """What a charge is for, if not for all rows of the account's first data set."""

    #: another data set of the account
    dataset: str = ""
    #: the period whose rows alone are counted
    period: str = ""
    #: what decides in which period a row is
    partition: str = ""
    #: where each row is in one period, and periods do not add up: how neighbours differ; else nothing
    neighbours: str = ""


EVERYTHING = Scope()


@dataclass(frozen=True)
class Entry:
    """One line of the account. `nano` is the cap (or None) of `opened` and `raised`, and the cost of a `charge`.

    `what` is the data set of `opened`, what a charge is for, and the reason of an act.
    """

    seq: int
    kind: str
    time: str
    who: str
    what: str
    nano: int | None
    id: str
    digest: str
    hash: str = ""
    scope: Scope = EVERYTHING

    @property
    def epsilon(self) -> Fraction | None:
        return epsilon_of(self.nano)

    @property
    def is_plain(self) -> bool:
        """Whether the first format of ledgers can hold it."""
        return self.kind not in ACTS and self.scope == EVERYTHING

    def chained(self, previous: str) -> Entry:
        """This entry with the hash that it must have after the entry whose hash is `previous`."""
        line = [self.seq, self.kind, self.time, self.who, self.what, self.nano, self.id, self.digest]
        scope = [] if self.is_plain else [list(astuple(self.scope))]
        # repr: only tampering can put in what JSON does not know
        text = json.dumps([previous, *line, *scope], separators=(",", ":"), default=repr)
        return replace(self, hash=hashlib.sha256(text.encode("ascii")).hexdigest())


@dataclass(frozen=True)
class Bill:
    """What a release is to be charged."""

    release_id: str
    request: str
    epsilon: Fraction
    what: str
    scope: Scope = EVERYTHING


@dataclass(frozen=True)
class Charge:
    """A cost that is in the ledger for good. `head`, the hash of its entry, belongs in the release."""

    release_id: str
    request: str
    epsilon: Fraction
    time: str
    head: str
    repeated: bool


def checked_text(value: str, name: str) -> str:
    """A text as an entry can hold it."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise BadParameter(f"{name} must be a non-empty text without NUL, not {value!r}")
    # a user name or path that is not valid text must not stop a charge
    return value.encode("utf-8", "backslashreplace").decode("utf-8")


def kept_name(name: str, kind: str) -> str:
    """A name as a ledger may keep it, for all who can read it."""
    if without_secrets(name) != name:
        raise BadParameter(f"{kind}: looks like an address with a password, and a ledger keeps it; choose a plain name")
    return name


def current_user() -> str:
    """Who does this, for the ledger; a process may run as nobody in particular."""
    try:
        return checked_text(getpass.getuser(), "who")
    except (OSError, KeyError, ImportError):  # the last without `pwd`, as on Windows, before Python 3.13
        return "unknown"


def timestamp() -> str:
    return datetime.now(UTC).isoformat()
