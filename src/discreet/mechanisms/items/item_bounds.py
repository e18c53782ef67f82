"""How many records of one user count: given, or worked out from public guesses.

Guesses: equation 22 of sampled-analytics, the number that minimises the mean squared error of an item's count when
each of n users has M records, of which a share p is about the item. The bound never comes from the data.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.guesses import Guess
from discreet.parameters import Form, Parameter
from discreet.privacy import Unit

BOUND = Parameter(
    "bound",
    Form("a whole number"),
    "How many records of one user count (the papers' Delta, M or l), at most the unit's own bound",
    otherwise="10, or the unit's own bound if that is less",
)
GUESS = Parameter(
    "guess",
    Form("{users, records, popularity}, public guesses"),
    "With all three, the best bound is computed: from the number of users, the records of each, and the share of "
    "records that are about an item of interest",
)

Note = Callable[[str, Any, str], None]


def chosen_bound(request: Request, default: int, items_share: Fraction, note: Note) -> int:
    """The bound as it was given, or from a guess, or by default; noted."""
    asked, most = request.parameters, request.unit.most
    bound, origin = asked.get("bound"), "given"
    guess = Guess.read(asked.get("guess"))
    tells = None not in (guess.users, guess.records, guess.popularity)
    if bound is not None and tells:
        raise BadParameter("bound: give either a bound, or a guess from which it is computed, not both")
    if bound == "quantile":
        raise BadParameter(
            'bound = "quantile" is no more, for at a small epsilon it was far worse than any fixed bound; use '
            "even-shares, which finds its bound privately, or give a whole number"
        )
    if tells:
        bound = best_bound(asked["guess"], request.epsilon * items_share, request.unit)
        origin = f"best for the public guess {asked['guess']}"
    elif bound is None:
        bound, origin = min(default, most), "default"
    elif isinstance(bound, bool) or not isinstance(bound, int) or not 1 <= bound <= most:
        raise BadParameter(f"bound must be a whole number from 1 to {most}, the unit's own bound, not {bound!r}")
    note("bound", bound, origin)
    return int(bound)


def best_bound(given: object, epsilon: Fraction, unit: Unit) -> int:
    """Equation 22, at least 1 and at most the unit's own bound."""
    guess = Guess.read(given)
    users, records, popularity = guess.users or 0.0, guess.records or 1.0, guess.popularity or 0.0
    reach = users * popularity
    noise = 4 * (unit.sensitivity / unit.most) ** 2 / float(epsilon) ** 2
    best = (2 * reach**2 * records - reach) / (noise - 2 * reach * popularity / records + 2 * reach**2)
    return int(min(max(round(best), 1), unit.most))
