"""Records that a method left out on purpose: how many there may be behind those that were kept.

If each user keeps `bound` of at most `most` records, chosen at random, every record is kept with a chance of at least
bound / most. The number of a user's kept records in a question is hypergeometric, and so a sum of independent coins;
over all users the number k of kept records is one too, with a mean of at least n bound / most, n being the true count.
A sum of coins is at most as likely to be low as a Poisson number of the same mean. So with y the noisy k, the truth is
at most the n at which a Poisson number of mean n bound / most is as low as y and the noise allow. It is at least what y
and the noise allow, as kept records are among all records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from discreet.numbers import written
from discreet.summaries.base import Answers, Besides, Floats

#: which records count: any, chosen at random; or those of popular items first, which promises nothing of others
RANDOM, POPULAR = "random", "popular"


@dataclass(frozen=True)
class LeftRecords:
    """`bound` of at most `most` records of a user were kept, chosen in this way; `most` is None if it is not known."""

    bound: int
    most: int | None
    chosen: str = RANDOM
    what: str = "records"

    @property
    def none(self) -> bool:
        return self.most is not None and self.bound >= self.most

    @property
    def events(self) -> int:
        """How many things may fail for one end of an interval: the noise, and which records were kept."""
        return 1 if self.none else 2

    def to_dict(self) -> dict[str, Any]:
        said = {"bound": self.bound, "chosen": self.chosen, "what": self.what}
        return said if self.most is None else {**said, "most": self.most}

    @classmethod
    def read(cls, facts: dict[str, Any]) -> LeftRecords:
        bound = written.whole(facts, "bound", 1, 10**300)
        most = written.whole(facts, "most", bound, 10**300) if "most" in facts else None
        chosen, what = facts.get("chosen", RANDOM), facts.get("what", "records")
        if chosen not in (RANDOM, POPULAR) or what not in ("records", "different items"):
            raise ValueError("records are chosen in another way than any that is known")
        return cls(bound, most, chosen, what)

    def besides(self, kept: Answers) -> Besides:
        name = f"when each user counts at most {self.bound:,} {self.what}"
        return Besides(name, kept.value, np.maximum(kept.low, 0), np.maximum(kept.high, 0))

    def high(self, seen: Floats, miss: float) -> Floats:
        """The most that all records can be, but for a chance of `miss`, if no more than `seen` were kept."""
        if self.none:
            return seen
        if self.chosen != RANDOM or self.most is None:
            return np.full(seen.size, np.inf)
        return most_behind(np.maximum(seen, 0.0), miss) * (self.most / self.bound)


def most_behind(seen: Floats, miss: float) -> Floats:
    """The largest mean of a Poisson number that is at most `seen` with a chance of `miss` (Wilson-Hilferty)."""
    z, m = NormalDist().inv_cdf(1 - miss), np.floor(seen) + 1.0
    some = m * (1 - 1 / (9 * m) + z / (3 * np.sqrt(m))) ** 3 * 1.01
    return np.where(m == 1, -math.log(miss), some)
