"""Draws behind bounded weights: sure where counts are clear, and less so the more cannot be known of users."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.summaries import simulation
from discreet.summaries.share_draws import ShareDraws
from discreet.summaries.share_estimates import ShareEstimates
from discreet.summaries.share_steps import Corrections, Weighed
from discreet.summaries.share_worlds import RATIOS, WORLDS, ShareWorlds, drawn_worlds

UNITS = 512
#: 40 items, each of 5 % less weight than the one before, in records
WEIGHTS: NDArray[np.float64] = 400 * 0.95 ** np.arange(40, dtype=np.float64)
#: all have two records, of which one weighs in full
LIGHT = [0, 6970, 0, 0, 0, 0, 0, 0, 0]
#: a few users have half as many records as all others
HEAVY = [0, 6900, 0, 0, 0, 0, 0, 70, 0]


def made(bins: list[int], total: float, seen: Any = None, noise: int = 10, repeats: bool = False) -> ShareEstimates:
    """Ten items were measured again, and had what is `seen`, else their part of the total."""
    items = Weighed(np.rint(WEIGHTS * UNITS).astype(np.int64), Fraction(UNITS), 1, UNITS)
    heads = np.arange(10)
    again = WEIGHTS[heads] * total / WEIGHTS.sum() if seen is None else np.asarray(seen)
    head = Weighed(np.rint(again).astype(np.int64), Fraction(noise), 10)
    histogram = Weighed(np.array(bins), Fraction(2))
    whole = Weighed(np.array([round(total)]), Fraction(100), 128)
    return ShareEstimates(items, Corrections(histogram, whole, heads, head), 256, repeats)


def certainty(found: ShareEstimates, most: int = 5) -> Any:
    random = simulation.generator()
    draws = ShareDraws(found).draws(np.arange(40), 200, random)
    assert draws.shape == (200, 40)
    assert np.all(draws >= 0)
    return simulation.membership(draws, most, random)


def worlds(bins: list[int], repeats: bool = True) -> ShareWorlds:
    corrections = made(bins, 8000.0).corrections
    assert corrections is not None
    items = Weighed(np.ones(40, np.int64), Fraction(1), 1, UNITS)
    return drawn_worlds(items, corrections, 256, repeats=repeats, in_head=0.4, random=simulation.generator())


def test_without_corrections_weights_are_counts() -> None:
    items = Weighed(np.array([0, 0, 0, 500, 1000]), Fraction(1))
    draws = ShareDraws(ShareEstimates(items, None, 1, False)).draws(np.arange(5), 50, simulation.generator())
    assert draws[:, 3:] == pytest.approx(np.tile([500, 1000], (50, 1)), rel=0.2)
    assert draws[:, :3].max() < 30


def test_clear_counts_are_certain_where_users_are_alike() -> None:
    found = certainty(made(LIGHT, 2 * WEIGHTS.sum()))
    assert found[:3].min() > 0.95
    assert found[10:].max() < 0.05


def test_few_users_with_most_records_make_all_less_certain() -> None:
    light, heavy = 2 * WEIGHTS.sum(), 3 * WEIGHTS.sum()
    alike = certainty(made(LIGHT, light, noise=10_000))
    differ = certainty(made(HEAVY, heavy, noise=10_000))
    assert differ[:4].max() < alike[:4].min()
    measured = certainty(made(HEAVY, heavy, noise=10))
    assert measured[:3].min() > differ[:3].max()  # the second look rules out that these have another taste


def test_repeated_items_make_records_less_certain_than_users() -> None:
    once, often = (made(HEAVY, 3 * WEIGHTS.sum(), noise=10_000, repeats=repeats) for repeats in (False, True))
    assert certainty(often)[:3].sum() < certainty(once)[:3].sum()


def most_certain(found: ShareEstimates, others: int = 35) -> Any:
    return ShareDraws(found).most_certain(np.arange(5), others, simulation.generator())


def test_where_users_of_a_taste_of_their_own_could_fill_the_list_little_is_certain() -> None:
    """Unless a second look rules out that they have one, or they are too few for an item; and with one record."""
    hidden = most_certain(made(HEAVY, 3 * WEIGHTS.sum(), noise=10_000, repeats=True))
    assert hidden.max() < 0.8
    ruled_out = most_certain(made(HEAVY, 3 * WEIGHTS.sum(), noise=10, repeats=True))
    assert ruled_out.min() > hidden.max()
    fewer = [most_certain(made(HEAVY, 3 * WEIGHTS.sum(), noise=10_000, repeats=True), some) for some in (2, 0)]
    assert np.all(fewer[0][:3] == 1)  # two others leave room for three
    assert fewer[0][3:] == pytest.approx(hidden[3:])
    assert np.all(fewer[1] == 1)
    counted = made(HEAVY, 3 * WEIGHTS.sum(), noise=10_000)
    assert most_certain(counted).max() < 1
    few = replace(counted, items=replace(counted.items, values=counted.items.values * 1000))
    assert np.all(most_certain(few) == 1)
    single = ShareEstimates(Weighed(np.arange(40, 0, -1) * 100, Fraction(1)), None, 1, True)
    assert np.all(most_certain(single) == 1)


def test_users_of_a_taste_of_their_own_move_what_their_weight_can() -> None:
    """Their records weigh a tenth, so that items of a fifth of the weight may be larger; if that is theirs."""
    found = worlds(HEAVY)
    ones, every = np.ones(WORLDS), np.ones(WORLDS, bool)
    weights = np.array([100.0] * 5 + [20.0] * 5 + [1.0] * 30)
    for part, heavy, apart, of_item, moved in (
        (1.0, 10.0, True, np.inf, 5),
        (1.0, 10.0, True, 10.0, 5),
        (1.0, 10.0, True, 9.9, 0),  # all of them together weigh less than an item of theirs would
        (1.0, 10.0, False, np.inf, 0),
        (0.01, 10.0, True, np.inf, 0),
        (1.0, 2.0, True, np.inf, 0),
    ):
        world = replace(
            found, part=part * ones, heavy=heavy * ones, light=ones, apart=every & apart, most_of_item=of_item * ones
        )
        may = world.may_displace(np.arange(5), np.arange(5), 35, weights, 0.0)
        assert np.all(may.sum(axis=1) == moved)


def test_items_measured_again_have_what_was_measured() -> None:
    seen = 2 * WEIGHTS[:10]
    seen[4] *= 1.6
    found = made(HEAVY, 3 * WEIGHTS.sum(), seen)
    draws = ShareDraws(found).draws(np.arange(10), 200, simulation.generator())
    assert np.median(draws, axis=0) == pytest.approx(seen, rel=0.2)


def test_the_same_release_always_says_the_same() -> None:
    draws = ShareDraws(made(HEAVY, 3 * WEIGHTS.sum(), repeats=True))
    found = [draws.draws(np.arange(40), 20, simulation.generator()) for _ in range(2)]
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("bins", [LIGHT, HEAVY, [-3] * 9, [10**9] * 9, [-(10**9)] * 9])
def test_in_all_worlds_ratios_make_up_the_average(bins: list[int]) -> None:
    found = worlds(bins)
    assert found.part * found.heavy + (1 - found.part) * found.light == pytest.approx(np.ones(WORLDS))
    assert np.all((found.part >= 0) & (found.part <= 1) & (found.beyond >= 1) & (found.chance >= 0))
    assert np.all((found.seen > 0) & (found.seen <= 1))
    every = np.arange(WORLDS)
    parts = found.parts(every, found.part, WEIGHTS, simulation.generator())
    assert parts.shape == (WORLDS, RATIOS)
    ratios = found.ratios(every[:, None], parts, np.full(RATIOS, WEIGHTS.mean()))
    differ = found.heavy > found.light + 1e-6
    low, high = np.minimum(found.light, found.heavy), np.maximum(found.light, found.heavy)
    assert np.all((ratios >= low[:, None] - 1e-9) & (ratios <= high[:, None] + 1e-9))
    assert found.part_for(every, np.ones(WORLDS))[differ] == pytest.approx(found.part[differ], abs=1e-6)
    assert np.all(found.part_for(every, np.full(WORLDS, 1e9))[differ & (found.part > 0)] == 1)


def test_users_of_a_taste_of_their_own_have_their_part_of_all_weight() -> None:
    found, weights = worlds(HEAVY), np.sort(np.tile(WEIGHTS, 25)).astype(np.float64)
    alone = np.flatnonzero(found.apart)
    assert 0.2 * WORLDS < alone.size < 0.8 * WORLDS
    part = np.full(alone.size, 0.1)
    own = found.parts(alone, part, weights, simulation.generator())
    # of items at random, of which none has more of theirs than it has
    had = np.minimum(own[:, :, None], weights).mean(axis=2)
    assert had.mean() == pytest.approx(0.1 * weights.mean(), rel=0.1)
    # so that what is rare with others is theirs rather than what is popular
    rare, popular = (found.ratios(alone[:, None], own, np.full(RATIOS, weight)) for weight in (10.0, 400.0))
    assert np.all(rare >= popular - 1e-9)
    assert rare.mean() > 2 * popular.mean()


def test_where_users_count_once_an_item_has_no_more_than_all_of_them() -> None:
    once = worlds(HEAVY, repeats=False)
    alone = np.flatnonzero(once.apart)
    own = once.parts(alone, np.full(alone.size, 0.9), WEIGHTS, simulation.generator())
    assert np.all(own <= once.most_of_item[alone][:, None])
    assert np.all(np.isinf(worlds(HEAVY).most_of_item))


def test_items_that_count_once_for_a_user_are_not_repeated() -> None:
    once, often = worlds(HEAVY, repeats=False), worlds(HEAVY)
    assert np.all(once.seen == 1)
    assert once.chance.max() < often.chance.max()


@pytest.mark.parametrize("bins", [[-3] * 9, [10**9] * 9])
def test_histograms_of_noise_alone_can_be_drawn(bins: list[int]) -> None:
    assert np.all(np.isfinite(certainty(made(bins, 1.0, noise=10**6))))
