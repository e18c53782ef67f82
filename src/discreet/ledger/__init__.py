"""The budget account of a data set, or of several about the same people: durable, append-only, chained by hashes.

Costs are whole nano-epsilons, rounded up. A charge is one immediate transaction that checks the cap and writes the
entry, so neither two processes nor a crash can pass the cap. Every entry's hash covers the one before it; a release
keeps the hash of its charge, which an older copy of the ledger would not contain; so does the file of heads beside it.
"""

from __future__ import annotations

from discreet.ledger.account import Ledger
from discreet.ledger.entries import Bill, Charge, Entry, Scope

__all__ = ["Bill", "Charge", "Entry", "Ledger", "Scope"]
