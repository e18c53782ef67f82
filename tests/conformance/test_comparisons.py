"""What `compare` says is right as often as it says, over populations of differences that nobody told it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tests.comparisons import METHODS, POPULATIONS, Tally, summed, tried
from tests.statistics import at_least

#: where it cannot be right that often, whatever the rule: see docs/decisions/0011-relations.md
TOO_CLOSE = ("a tenth of the noise", "one far, others alike")


def holds(tally: Tally) -> list[str]:
    """The classes that are right less often than they say, beyond chance."""
    return [
        f"class {place}: {tally}"
        for place, many in enumerate(tally.many)
        if many and not at_least(float(tally.right[place]), int(many), float(tally.said[place] / many))
    ]


def test_it_is_right_as_often_as_it_says() -> None:
    """In each class of what it says: by population, method, epsilon and number of groups, and all together."""
    found = list(tried(list(POPULATIONS), list(METHODS), 2, np.random.default_rng()))
    by: dict[object, list[Tally]] = defaultdict(list)
    for population, setting, tally in found:
        names = setting.method, setting.epsilon, setting.groups, "everything"
        for name in names if population in TOO_CLOSE else (population, *names):
            by[name].append(tally)
    for tallies in by.values():
        assert not holds(summed(tallies))
    everything = summed(by["everything"])
    assert everything.many[-1] > 0.1 * everything.many.sum()  # it does say something


def test_where_nothing_can_be_told_it_says_little() -> None:
    """No rule can be right there as often as it says, but it says hardly more than a coin: all taken together."""
    found = summed([tally for _, _, tally in tried([TOO_CLOSE[0]], ["geometric"], 12, np.random.default_rng())])
    many = int(found.many.sum())
    assert many > 20
    assert at_least(2 * many - 2 * float(found.said.sum()), many, 0.88)  # 56 % in the mean, or less
    assert at_least(float(found.many[0]), many, 0.85)


def test_the_noise_alone_would_be_too_sure() -> None:
    """So that this could fail: Pr[noise < difference] is right less often, of differences half as large."""
    dice, tally = np.random.default_rng(), Tally()
    true, noise = dice.normal(0, 0.5, 20_000), dice.laplace(0, 0.5, (2, 20_000)).sum(axis=0)
    for truth, measured in zip(true, true + noise, strict=True):
        size = 2 * abs(measured)  # Pr[a sum of two Laplace variables is beyond it]
        tally.add(1 - (2 + size) / 4 * float(np.exp(-size)), (truth > 0) == (measured > 0))
    assert holds(tally)
