"""Survivors among empty cells: p is certified, and both proposals for their sizes have the law that p sums up."""

from __future__ import annotations

import importlib
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.noise import Field, Noise, Rule, SeededSource
from discreet.noise.draw import CHUNK, Drawer
from discreet.noise.survivor_values import SignedSurvivorSizes, SurvivorSizes, signs, sizes, survivor_values
from discreet.noise.survivors import ExtraKeptProbability, KeptProbability, kept_share
from discreet.numbers.intervals import Complement
from discreet.privacy import Alpha
from tests.statistics import compare_law

drawing: Any = importlib.import_module("discreet.noise.survivor_values")
scales = st.fractions(min_value=Fraction(1, 20), max_value=40, max_denominator=1000)
limits = st.none() | st.fractions(min_value=Fraction(1, 10), max_value=60, max_denominator=50)
rules = st.builds(
    lambda scale, theta, limit, two: Rule(Alpha.of(scale), theta, limit, two),
    scales,
    st.integers(1, 40),
    limits,
    st.booleans(),
)


def chance(size: int, rule: Rule) -> Fraction:
    return Fraction(1) if rule.limit is None else min(Fraction(size) / rule.limit, Fraction(1))


def exact(rule: Rule) -> Fraction:
    """Summed one size at a time to where all are kept; the rest is a geometric series."""
    a = rule.alpha.fraction
    end = max(rule.theta, int(rule.limit or 0) + 1)
    total = sum((a**k * chance(k, rule) for k in range(rule.theta, end)), Fraction(0)) + a**end / (1 - a)
    return (2 if rule.two_sided else 1) * (1 - a) / (1 + a) * total


@settings(max_examples=150)
@given(rules, st.sampled_from([1, 20, 64, 130, 300]))
def test_p_lies_in_its_bracket(rule: Rule, bits: int) -> None:
    found = KeptProbability(rule).bracket(bits)
    assert found.low <= exact(rule) * 2**bits <= found.high
    assert found.high - found.low <= 2
    assert found.low >= 0
    assert found.high <= 1 << bits
    assert kept_share(rule) == pytest.approx(float(exact(rule)), rel=1e-15)


@settings(max_examples=60)
@given(rules, st.fractions(min_value=Fraction(1, 10), max_value=1), st.sampled_from([20, 64, 200]))
def test_what_lies_between_two_limits_lies_in_its_bracket(rule: Rule, factor: Fraction, bits: int) -> None:
    higher = Rule(rule.alpha, rule.theta, rule.limit or Fraction(9), rule.two_sided)
    lower = Rule(rule.alpha, rule.theta, (higher.limit or Fraction(9)) * factor, rule.two_sided)
    found = ExtraKeptProbability(KeptProbability(lower), KeptProbability(higher)).bracket(bits)
    value = (exact(lower) - exact(higher)) / (1 - exact(higher))
    assert found.low <= value * 2**bits <= found.high
    assert found.high - found.low <= 2


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(2), Fraction(100, 37), Fraction(7, 13), 10**6])
@pytest.mark.parametrize("two_sided", [True, False])
def test_p_that_is_a_number_of_64_bits_is_known_exactly(scale: Fraction, two_sided: bool) -> None:
    """With a limit of two p is alpha (one-sided: half). Tables hold floors, which only an exact p can prove."""
    rule = Rule(Alpha.of(scale), 1, Fraction(2), two_sided)
    assert exact(rule) == rule.alpha.fraction / (1 if two_sided else 2)
    for bits in (65, 128, 400):
        found = KeptProbability(rule).bracket(bits)
        assert found.low == found.high == exact(rule) * 2**bits
        assert Complement(KeptProbability(rule)).bracket(bits).low == (1 - exact(rule)) * 2**bits


@pytest.mark.parametrize("limit", [Fraction(64), Fraction(129, 2), Fraction(65), Fraction(1001, 10), Fraction(300)])
@pytest.mark.parametrize("theta", [1, 63, 64, 90])
def test_p_where_the_sum_is_long(theta: int, limit: Fraction) -> None:
    """Beyond 64 sizes p comes from closed forms, which must agree on the last size that is sampled."""
    for scale, two_sided in ((20, True), (100, False)):
        rule = Rule(Alpha.of(scale), theta, limit, two_sided)
        found, whole = KeptProbability(rule).bracket(200), exact(rule) * 2**200
        assert found.low <= whole <= found.high
        assert found.high - found.low <= 2


def test_p_far_out() -> None:
    """A limit far beyond all noise, a filter far beyond it, the largest scale, and limits a hair above a whole one."""
    a = Alpha.of(3).fraction
    light = Rule(Alpha.of(3), 1, Fraction(10**40))
    assert kept_share(light) == pytest.approx(float(2 * a / (1 - a * a) / 10**40), rel=1e-14)
    filtered = Rule(Alpha.of(3), 500)
    assert kept_share(filtered) == pytest.approx(float(2 * a**500 / (1 + a)), rel=1e-14)
    assert kept_share(Rule(Alpha.of(2**52), 1)) == pytest.approx(1, abs=1e-15)
    assert kept_share(Rule(Alpha.of(3), 10**7)) == 0.0
    above, whole, below = (exact(Rule(Alpha.of(3), 1, Fraction(7) + step)) for step in (Fraction(1, 10**30), 0, -1))
    assert above < whole < below


# The exact law of one draw of a size: every path of the code, with the primitives as choices.


class Choices:
    """Primitives that give every element of a call the same outcome, as a script says, and note its probability."""

    def __init__(self, script: list[int], alpha: Fraction) -> None:
        self.script, self.alpha, self.probability, self.accepted_by = script, alpha, Fraction(1), ""

    def geometric(self, rule: Rule, count: int, drawer: object) -> NDArray[np.int64]:
        if count == 0:
            return np.empty(0, np.int64)
        drawn = self.script.pop(0)
        self.probability *= (1 - self.alpha) * self.alpha**drawn
        return np.full(count, drawn, np.int64)

    def coin(self, probability: Any, count: int, drawer: object) -> NDArray[np.bool_]:
        return self._tossed(probability.value, count)

    def coins(self, weights: NDArray[np.int64], limit: Fraction, stream: object) -> NDArray[np.bool_]:
        self.accepted_by = "coins"
        return self._accepted(min(Fraction(int(weights[0])) / limit, Fraction(1)), weights.size)

    def inverse_coins(self, weights: NDArray[np.int64], limit: Fraction, stream: object) -> NDArray[np.bool_]:
        self.accepted_by = "inverse coins"
        return self._accepted(min(limit / int(weights[0]), Fraction(1)), weights.size)

    def _accepted(self, probability: Fraction, count: int) -> NDArray[np.bool_]:
        self.probability *= probability
        return np.ones(count, np.bool_)

    def _tossed(self, probability: Fraction, count: int) -> NDArray[np.bool_]:
        heads = self.script.pop(0) == 1
        self.probability *= probability if heads else 1 - probability
        return np.full(count, heads, np.bool_)


def law_of_one_size(rule: Rule, last: int, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[int, Fraction], str]:
    """Pr[proposed and accepted at once] of each size up to `last`, and by which coins it was accepted."""
    law: dict[int, Fraction] = {}
    span = range(last - rule.theta + 1)
    scripts = [[first, 1] for first in span] + [[first, 0, second] for first in span for second in span]
    for script in scripts:
        choices = Choices(list(script), rule.alpha.fraction)
        for name in ("coin", "coins", "inverse_coins"):
            monkeypatch.setattr(drawing, name, getattr(choices, name))
        monkeypatch.setattr(drawing, "_geometric", choices.geometric)
        size = int(sizes(rule, 1, Drawer(SeededSource(1)))[0])
        if choices.script in ([], [1]):  # a proposal that needs no second number leaves its coin unused
            law[size] = law.get(size, Fraction(0)) + choices.probability
        monkeypatch.undo()
    return law, choices.accepted_by


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(5, 2)])
@pytest.mark.parametrize(
    ("theta", "limit", "proposal"),
    [
        (1, None, ""),
        (4, Fraction(3), ""),
        (4, Fraction(4), ""),
        (2, Fraction(5, 2), "coins"),
        (1, Fraction(7, 5), "coins"),
        (1, Fraction(15, 2), "inverse coins"),
        (1, Fraction(7), "inverse coins"),
        (3, Fraction(40, 3), "inverse coins"),
        (2, Fraction(10**9), "inverse coins"),
    ],
)
def test_sizes_are_proportional_to_their_weight(
    scale: Fraction, theta: int, limit: Fraction | None, proposal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = Rule(Alpha.of(scale), theta, limit)
    last = theta + 13
    law, accepted_by = law_of_one_size(rule, last, monkeypatch)
    assert accepted_by == proposal
    a = rule.alpha.fraction
    constant = law[theta] / (a**theta * chance(theta, rule))
    for size in range(theta, last + 1):
        assert law[size] == constant * a**size * chance(size, rule)
    assert min(law) == theta


@pytest.mark.parametrize(
    ("theta", "limit"), [(1, None), (6, None), (2, Fraction(5, 2)), (1, Fraction(15, 2)), (3, Fraction(50))]
)
@pytest.mark.parametrize("scale", [Fraction(7, 10), Fraction(31, 7)])
def test_drawn_sizes_follow_the_same_law(scale: Fraction, theta: int, limit: Fraction | None) -> None:
    rule, n = Rule(Alpha.of(scale), theta, limit), 200_000
    drawn = sizes(rule, n, Drawer(Noise().source.stream()))
    assert drawn.size == n
    weights = [float(rule.alpha.fraction**k * chance(k, rule)) for k in range(theta, theta + int(20 * scale) + 60)]
    share = float(exact(rule) * (1 + rule.alpha.fraction) / (1 - rule.alpha.fraction) / 2)
    assert compare_law(drawn, theta, np.array(weights) / share).holds
    # the same comparison rejects sizes that forget the sampling, and sizes that start one further out
    if limit is not None:
        plain = sizes(Rule(rule.alpha, theta), n, Drawer(Noise().source.stream()))
        assert not compare_law(plain, theta, np.array(weights) / share).holds
    assert not compare_law(drawn + 1, theta, np.array(weights) / share).holds


def fair(values: NDArray[np.int64]) -> bool:
    return compare_law((values > 0).astype(np.int64), 0, np.array([0.5, 0.5])).holds


def test_signs_are_fair_on_two_sides_and_plus_on_one() -> None:
    drawer = Drawer(Noise().source.stream())
    strengths = np.full(200_000, 7)
    assert fair(signs(Rule(Alpha.of(1)), strengths.copy(), drawer))
    assert np.array_equal(np.abs(signs(Rule(Alpha.of(1)), strengths.copy(), drawer)), strengths)
    assert np.array_equal(signs(Rule(Alpha.of(1), two_sided=False), strengths.copy(), drawer), strengths)
    assert not fair(strengths)


@pytest.mark.parametrize("limit", [None, Fraction(3, 2), Fraction(900)])
@pytest.mark.parametrize("count", [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_any_number_of_sizes(limit: Fraction | None, count: int) -> None:
    drawn = sizes(Rule(Alpha.of(2), 1, limit), count, Drawer(SeededSource(3)))
    assert drawn.shape == (count,)
    assert drawn.dtype == np.int64
    assert np.all(drawn >= 1)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(Alpha.of(2), 1, Fraction(2)),
        Rule(Alpha.of(1), 1, Fraction(2), two_sided=False),
        Rule(Alpha.of(2), 3),
        Rule(Alpha.of(2), 3, Fraction(29, 4)),
    ],
)
def test_survivors_are_as_many_as_p_says_in_rising_ranks(rule: Rule) -> None:
    ranks, values = Noise().survivors(rule, 2_000_000)
    hit = np.zeros(2_000_000, np.int64)
    hit[ranks] = 1
    p = float(exact(rule))
    assert compare_law(hit, 0, np.array([1 - p, p])).holds
    assert not compare_law(hit, 0, np.array([1 - 1.05 * p, 1.05 * p])).holds
    assert np.all(np.diff(ranks) > 0)
    assert values.shape == ranks.shape
    assert np.all((np.abs(values) if rule.two_sided else values) >= rule.theta)


def test_no_empty_cells_no_survivors() -> None:
    ranks, values = Noise().survivors(Rule(Alpha.of(2)), 0)
    assert ranks.size == values.size == 0


# Tables of sizes.


def exact_shares(rule: Rule, most: int) -> list[Fraction]:
    """Pr[size >= theta + j | kept] for j = 0, ..., from the weights; beyond the sampled sizes the rest is geometric."""
    a, limit = rule.alpha.fraction, rule.limit
    end = max(rule.theta, 0 if limit is None else math.ceil(limit)) + most
    weights = [
        a**k * (Fraction(1) if limit is None else min(Fraction(k) / limit, Fraction(1)))
        for k in range(rule.theta, end + 1)
    ]
    tails = [a ** (end + 1) / (1 - a)]
    for weight in reversed(weights):
        tails.append(tails[-1] + weight)
    tails.reverse()
    return [tail / tails[0] for tail in tails[: most + 1]]


SIZE_RULES = [
    Rule(Alpha.of(scale), theta, limit)
    for scale in (Fraction(1, 3), Fraction(2), Fraction(31, 7))
    for theta, limit in [
        (1, None),
        (1, Fraction(2)),
        (1, Fraction(1, 3)),
        (1, Fraction(29, 2)),
        (3, Fraction(3)),
        (3, Fraction(4)),
        (5, Fraction(40, 3)),
        (40, Fraction(41)),
        (40, None),
    ]
]


@pytest.mark.parametrize("rule", SIZE_RULES, ids=str)
@pytest.mark.parametrize("bits", [160, 3000])
def test_rungs_of_sizes_are_the_sums_of_their_weights(rule: Rule, bits: int) -> None:
    most = 12
    shares = exact_shares(rule, most + 1)
    signed = [
        value for j in range(most) for value in ((shares[j] + shares[j + 1]) / 2, shares[j + 1])
    ]  # Q_1, Q_2, ...: minus of the first size, plus of the second, and so on
    for ladder, exact_rungs in ((SurvivorSizes(rule), shares[1:]), (SignedSurvivorSizes(rule), signed)):
        for j, (share, rung) in enumerate(zip(exact_rungs, ladder.rungs(bits), strict=False), start=1):
            for found in (rung, ladder.rung(j, bits)):
                assert found.low <= share * 2**bits <= found.high
                assert found.high - found.low <= 2**20


#: in the first two every other rung is a power of alpha; in the others rungs differ from short fractions by less than
#: any number of bits that could be tried
UNPROVED = [
    Rule(Alpha.of(2), 1, Fraction(2)),
    Rule(Alpha.of(3), 1, Fraction(2)),
    Rule(Alpha(1 << 63), 1, Fraction(10**6)),
    Rule(Alpha(3 << 62), 1, Fraction(10**100)),
    Rule(Alpha(1 << 63), 1, Fraction(10**100), two_sided=False),
]


@pytest.mark.parametrize("rule", UNPROVED, ids=str)
def test_rules_with_a_rung_that_cannot_be_proved_are_drawn_by_proposals(rule: Rule) -> None:
    assert drawing._table(rule) is None
    values = survivor_values(rule, 300_000, Drawer(Noise().source.stream()))
    assert values.size == 300_000
    assert np.all((np.abs(values) if rule.two_sided else values) >= 1)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("theta", "limit"), [(1, 8), (1, 16), (1, 32), (7, 8), (7, 16), (1, 64)])
def test_p_of_a_short_alpha_is_proved(theta: int, limit: int, two_sided: bool) -> None:
    """With alpha a half these are sums of few powers, and p is a fraction of 64 bits."""
    rule = Rule(Alpha(1 << 63), theta, Fraction(limit), two_sided)
    ranks, values = Noise().survivors(rule, 2000)
    assert len(ranks) == values.size
    assert KeptProbability(rule).bracket(200).low <= exact(rule) * 2**200 <= KeptProbability(rule).bracket(200).high


@pytest.mark.parametrize("limit", [Fraction(1, 10**100), Fraction(1, 10**70), Fraction(1), Fraction(5)])
def test_a_limit_that_all_reach_is_none(limit: Fraction) -> None:
    ladder, plain = SurvivorSizes(Rule(Alpha.of(2), 5, limit)), SurvivorSizes(Rule(Alpha.of(2), 5))
    for j in (1, 2, 30):
        assert ladder.rung(j, 128) == plain.rung(j, 128)
    assert survivor_values(ladder.rule, 300_000, Drawer(Noise().source.stream())).size == 300_000


@pytest.mark.parametrize("rule", [Rule(Alpha.of(2), 1, Fraction(10**30)), Rule(Alpha.of(3), 10**12, Fraction(10**40))])
def test_rungs_of_sizes_under_a_limit_beyond_reach(rule: Rule) -> None:
    """Then sizes are proportional to k a**k, and far from zero nearly to a**k."""
    a, theta, ladder = float(rule.alpha.fraction), rule.theta, SurvivorSizes(rule)
    for j in (1, 5, 40):
        biased = a**j * ((theta + j) * (1 - a) + a) / (theta * (1 - a) + a)
        found = ladder.rung(j, 128)
        assert found.low / 2**128 == pytest.approx(biased, rel=1e-9)
        assert found.high - found.low < 2**20


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("theta", "limit"), [(1, None), (3, None), (1, Fraction(29, 4)), (2, Fraction(60))])
def test_values_from_a_table_have_the_law_of_proposals(
    theta: int, limit: Fraction | None, two_sided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both against the exact law; and a table for another limit is told apart."""
    rule, n = Rule(Alpha.of(4), theta, limit, two_sided), 300_000
    shares = np.array([float(share) for share in exact_shares(rule, 200)])
    sizes_ = shares[:-1] - shares[1:]
    law = np.concatenate([sizes_[::-1] / 2, np.zeros(2 * theta - 1), sizes_ / 2]) if two_sided else sizes_
    first = -theta - sizes_.size + 1 if two_sided else theta

    def holds(drawn: Rule) -> bool:
        values = survivor_values(drawn, n, Drawer(Noise().source.stream()))
        return compare_law(values, first, law).holds

    for worth in (0, 10**9):
        monkeypatch.setattr(drawing, "_WORTH_A_TABLE", worth)
        assert holds(rule)
        assert not holds(replace(rule, limit=Fraction(12) if limit is None else None))
        assert not holds(replace(rule, theta=theta + 1))


@pytest.mark.parametrize("limit", [None, Fraction(40)])
def test_a_filter_drawn_as_a_lower_one_keeps_only_what_passes_it(limit: Fraction | None) -> None:
    none = np.empty(0, np.int64)
    found = Noise().kept(Field(none, 200_000), Rule(Alpha.of(3), 9, limit), rare=4)
    assert found.values.size > 100
    assert np.abs(found.values).min() == 9
    assert found.ranks.size == found.values.size
