"""What can go wrong, each named after the fact. Every message names the place and the fix."""

from __future__ import annotations


class DiscreetError(Exception):
    """Base of every error a user may meet."""


class BadParameter(DiscreetError, ValueError):
    """A public parameter (epsilon, scale, size, ...) is outside what it can be."""


class BadSpec(DiscreetError, ValueError):
    """One or more mistakes in a schema or spec; `problems` lists all of them."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(self.problems))


class OutsideDomain(DiscreetError, ValueError):
    """A query names a value that the declared domain does not contain."""


class UnknownAttribute(DiscreetError, KeyError):
    """A name that is not an attribute of the schema or release."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CannotAnswer(DiscreetError):
    """The release does not hold what the question needs."""


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
