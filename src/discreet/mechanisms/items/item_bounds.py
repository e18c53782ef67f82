"""How many records of one user count: given, worked out from public guesses, or a private quantile.

Guesses: equation 22 of sampled-analytics, the number that minimises the mean squared error of an item's count when
each of n users has M records, of which a share p is about the item. The quantile of records per user is drawn by the
exponential mechanism: the loss of a bound is by how many users it misses the quantile. One user changes it by at most
one user, so the cost is that of `privacy.choice_scale`. The bound never comes from the data's maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.parameters import Form, Parameter, Share
from discreet.privacy import Unit, as_text, exact

BOUND = Parameter(
    "bound",
    Form('a whole number, or "quantile" to draw it privately'),
    "How many records of one user count (the papers' Delta, M or l), at most the unit's own bound",
    otherwise="10 (sra, hpa), or the unit's own bound",
)
QUANTILE = Parameter(
    "quantile", Share(), 'With bound = "quantile": the share of users who keep all their records', Fraction(9, 10)
)
GUESS = Parameter(
    "guess",
    Form("{users, records, popularity}, all three public guesses"),
    "The best bound is computed from the number of users, the records of each, and the share of records that are about "
    "an item of interest",
)
GUESSES = ("users", "records", "popularity")
QUANTILE_SHARE = Fraction(1, 20)

MOST_BOUNDS = 10**7

Note = Callable[[str, Any, str], None]


@dataclass(frozen=True)
class Bound:
    """`most` records of a user count; if `private`, at most as many, and how many is found out."""

    most: int
    unit: Unit
    quantile: Fraction | None = None

    @classmethod
    def of(cls, request: Request, default: int, items_share: Fraction, note: Note) -> Bound:
        asked, most = request.parameters, request.unit.most
        bound, origin = asked.get("bound"), "given"
        if bound is not None and "guess" in asked:
            raise BadParameter("bound: give either a bound, or a guess from which it is computed, not both")
        if "quantile" in asked and bound != "quantile":
            raise BadParameter('quantile is used only with bound = "quantile"; give both, or leave quantile out')
        if bound == "quantile":
            quantile = QUANTILE.read(asked.get("quantile", QUANTILE.default))
            if quantile.denominator > 10**6:
                raise BadParameter("quantile must have at most six digits after the point, such as 0.9")
            if most > MOST_BOUNDS:
                raise BadParameter(
                    f"a quantile can be drawn from at most {MOST_BOUNDS:,} bounds; lower max_rows of the unit"
                )
            note("bound", f"{as_text(quantile)} quantile of records per user", "drawn privately; see `summary`")
            return cls(most, request.unit, quantile)
        if "guess" in asked:
            bound = best_bound(asked["guess"], request.epsilon * items_share, request.unit)
            origin = f"best for the public guess {asked['guess']}"
        elif bound is None:
            bound, origin = min(default, most), "default"
        elif isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= most:
            raise BadParameter(
                f'bound must be "quantile" or a whole number from 1 to {most}, the unit\'s own bound, not {bound!r}'
            )
        note("bound", bound, origin)
        return cls(bound, request.unit)

    @property
    def private(self) -> bool:
        return self.quantile is not None

    @property
    def text(self) -> str:
        return f"a privately drawn number (at most {self.most}) of" if self.private else str(self.most)

    @property
    def sensitivity(self) -> int:
        """One user more or less moves the users at most, and the quantile among them; one replaced, both by less."""
        assert self.quantile is not None
        share, whole = self.quantile.as_integer_ratio()
        return max(share, whole - share) if self.unit.neighbours == "add-remove" else whole

    def losses(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """By how many users, times the quantile's denominator, the bounds 1, 2, ... miss the quantile.

        `numbers` are how many users have 0, 1, 2, ... records.
        """
        assert self.quantile is not None
        share, whole = self.quantile.as_integer_ratio()
        upto = np.cumsum(numbers[1:])
        wanted = share * int(upto[-1])
        below, above = whole * (upto - numbers[1:]) - wanted, wanted - whole * upto
        return np.asarray(np.maximum(np.maximum(below, above), 0))


def squared_error(guess: Mapping[str, float], bound: int, epsilon: Fraction, unit: Unit) -> float:
    """The mean squared error of the guessed item's count (theorem 2): choice of records, noise, and those not kept."""
    users, records, popularity = (guess[name] for name in GUESSES)
    kept = min(float(bound), records)
    chosen = users * kept * popularity * (1 - popularity * kept / records)
    noise = 2 * (unit.sensitivity / unit.most * bound / float(epsilon)) ** 2
    return chosen + noise + (users * popularity * (records - kept)) ** 2


def best_bound(guess: object, epsilon: Fraction, unit: Unit) -> int:
    """Equation 22, at least 1 and at most the unit's own bound."""
    if not isinstance(guess, Mapping) or set(guess) != set(GUESSES):
        raise BadParameter("guess must have users, records (of one user) and popularity, and nothing else")
    users, records, popularity = (float(exact(guess[name], f"guess.{name}")) for name in GUESSES)
    if popularity > 1:
        raise BadParameter("guess.popularity is the share of records about an item; it must be at most 1")
    reach = users * popularity
    noise = 4 * (unit.sensitivity / unit.most) ** 2 / float(epsilon) ** 2
    best = (2 * reach**2 * records - reach) / (noise - 2 * reach * popularity / records + 2 * reach**2)
    return int(min(max(round(best), 1), unit.most))
