"""The lines of the account, the chain of hashes through them, and what they add up to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction

from discreet.errors import BadParameter, without_secrets
from discreet.ledger.amounts import epsilon_of
from discreet.ledger.faults import damaged

GENESIS = hashlib.sha256(b"discreet ledger 1").hexdigest()


@dataclass(frozen=True)
class Entry:
    """One line of the account. `nano` is the cap (or None) of `opened` and the cost of a `charge`."""

    seq: int
    kind: str
    time: str
    who: str
    what: str
    nano: int | None
    id: str
    digest: str
    hash: str = ""

    @property
    def epsilon(self) -> Fraction | None:
        return epsilon_of(self.nano)

    def chained(self, previous: str) -> Entry:
        """This entry with the hash that it must have after the entry whose hash is `previous`."""
        # repr: only tampering can put in what JSON does not know
        text = json.dumps([previous, *astuple(self)[:-1]], separators=(",", ":"), default=repr)
        return replace(self, hash=hashlib.sha256(text.encode("ascii")).hexdigest())


@dataclass(frozen=True)
class Charge:
    """A cost that is in the ledger for good. `head`, the hash of its entry, belongs in the release."""

    release_id: str
    request: str
    epsilon: Fraction
    time: str
    head: str
    repeated: bool


@dataclass(frozen=True)
class State:
    """What the checked entries add up to."""

    seq: int = 0
    head: str = GENESIS
    dataset: str = ""
    budget: int | None = None
    spent: int = 0
    #: the hash of the first entry, which no other ledger has
    first: str = ""

    def after(self, entry: Entry, place: str) -> State:
        first = self.seq == 0
        if (entry.kind == "opened") != first or entry.chained(self.head) != entry:
            raise damaged(place, f"entry {entry.seq} is not as it was written")
        if first:
            return State(entry.seq, entry.hash, entry.what, entry.nano, first=entry.hash)
        return replace(self, seq=entry.seq, head=entry.hash, spent=self.spent + (entry.nano or 0))


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


def timestamp() -> str:
    return datetime.now(UTC).isoformat()
