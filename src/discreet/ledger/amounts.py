"""Amounts of the account: whole nano-epsilons inside, exact fractions and decimals outside."""

from __future__ import annotations

from fractions import Fraction

from discreet.errors import BadParameter
from discreet.privacy import exact

NANO = 10**9
LARGEST = 2**63 - 1  # what an SQLite integer holds


def cost_of(epsilon: Fraction) -> int:
    """What a charge of `epsilon` costs, rounded up."""
    return -(-exact(epsilon, "epsilon") * NANO // 1)


def cap_of(budget: Fraction | None) -> int | None:
    """The cap that is exactly `budget`; a budget that would have to be rounded is refused."""
    nano = None if budget is None else exact(budget, "budget") * NANO
    if nano is not None and (nano.denominator != 1 or nano > LARGEST):
        raise BadParameter(
            f"budget {budget} must be a whole number of billionths, of at most {decimal(LARGEST)}: write, for "
            f"example, {decimal(min(nano // 1, LARGEST) or 1)}"
        )
    return None if nano is None else int(nano)


def epsilon_of(nano: int | None) -> Fraction | None:
    return None if nano is None else Fraction(nano, NANO)


def decimal(nano: int) -> str:
    return f"{nano // NANO}.{nano % NANO:09d}".rstrip("0").rstrip(".")


def budget_in_words(cap: int | None) -> str:
    return "no budget" if cap is None else f"a budget of {decimal(cap)}"
