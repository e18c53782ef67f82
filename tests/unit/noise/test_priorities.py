"""The highest priorities, as if every r had infinitely many bits: against fractions, with ties that need more."""

from __future__ import annotations

import importlib
import itertools
import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.noise import Field, Noise, Rule, ScriptedSource, levels
from discreet.noise.priorities import Contestants, Cut, _Priority, _rounded, highest
from discreet.noise.source import ScriptExhausted, Stream
from discreet.privacy import Alpha
from tests.statistics import compare

priorities: Any = importlib.import_module("discreet.noise.priorities")
sampling: Any = importlib.import_module("discreet.noise.priority_sample")
WORDS = 4
"""How many words of each U are not zero; the first is in the item, the others are on its tape."""


class Tapes:
    """Gives every item its own further words, whatever the order in which they are asked for."""

    def __init__(self, tapes: list[list[int]]) -> None:
        self.tapes = tapes
        self.read = 0

    def take(self, entry: _Priority) -> None:
        tape, place = self.tapes[entry.item], entry.bits // 64
        entry.prefix, entry.bits = entry.prefix << 64 | (tape[place] if place < WORDS else 0), entry.bits + 64
        self.read += 1


def items_of(tops: list[int], floors: list[int], tapes: list[list[int]]) -> Contestants:
    words = np.array([tape[0] for tape in tapes], np.uint64)
    return Contestants(np.array(tops, np.int64), np.array(floors, np.int16), words)


def priority(top: int, level: int, tape: list[int]) -> Fraction:
    """top / U with the U of the tape."""
    uniform = sum(word << (64 * (WORDS - 1 - place)) for place, word in enumerate(tape))
    return max(Fraction(top), levels.value(level) if level >= 0 else Fraction(0)) * (1 << 64 * WORDS) / uniform


def cut_of(items: Contestants, count: int, stream: Stream) -> Cut:
    cut = highest(items, count, stream)
    assert cut is not None
    return cut


def by_tape(monkeypatch: pytest.MonkeyPatch, tapes: list[list[int]]) -> Tapes:
    given_ = Tapes(tapes)
    monkeypatch.setattr(_Priority, "read", lambda entry, stream: given_.take(entry))
    return given_


#: few different first words, so that ties are common; then words of which the last differ for sure
first_words = st.sampled_from([0, 1, 2**20, 2**32, 2**63, 2**63 + 1, 2**64 - 1]) | st.integers(0, 2**64 - 1)
entries = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, 4, 2**40, 2**61]) | st.integers(1, 100),
        st.sampled_from([-1, -1, 0, 1, 11, 12, 14, 247, 248, 480, 483]),
        first_words,
        st.sampled_from([0, 5, 2**64 - 1]),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=300)
@given(entries, st.integers(1, 12), st.lists(st.integers(1, 2**64 - 1), min_size=12, max_size=12, unique=True))
def test_the_highest_are_those_of_the_fractions(entries: Any, count: int, thirds: list[int]) -> None:
    tops, powers, words, seconds = (list(column) for column in zip(*entries, strict=True))
    tapes = [[*start, third, 7] for start, third in zip(zip(words, seconds, strict=True), thirds, strict=False)]
    exact = [priority(*item) for item in zip(tops, powers, tapes, strict=True)]
    ranked = sorted(range(len(tops)), key=lambda i: -exact[i])
    with pytest.MonkeyPatch.context() as monkeypatch:
        by_tape(monkeypatch, tapes)
        cut = cut_of(items_of(tops, powers, tapes), count, ScriptedSource(b""))
    assert cut.chosen.tolist() == sorted(ranked[:count])
    if len(tops) <= count:
        assert cut.tau is None
    else:
        assert cut.tau == float(exact[ranked[count]])


def in_turn(work: Any, items: Any) -> list[Any]:
    return [work(item) for item in items]


bounds = st.tuples(st.floats(0, 2.0**130), st.floats(0, 2.0**130) | st.just(math.inf)).map(sorted)


@settings(max_examples=300)
@given(
    entries,
    st.integers(1, 12),
    st.lists(st.integers(0, 12), max_size=3),
    st.permutations(range(1, 13)),
    bounds,
    st.booleans(),
)
def test_several_parts_are_ranked_as_one(
    entries: Any, count: int, splits: list[int], thirds: list[int], likely: list[float], close: bool
) -> None:
    """Wherever the cut is looked for first, be it just around it. An item of size zero is never chosen."""
    tops, powers, words, seconds = (list(column) for column in zip(*entries, strict=True))
    tapes = [[*start, third, 7] for start, third in zip(zip(words, seconds, strict=True), thirds, strict=False)]
    whole = items_of(tops, powers, tapes)
    pieces = np.split(np.arange(len(tops)), sorted(splits))
    nothing = items_of([0], [-1], [[0, 0, 0, 0]])
    parts = [whole.taken(which) + nothing for which in pieces]
    with pytest.MonkeyPatch.context() as monkeypatch:
        read = by_tape(monkeypatch, tapes)
        one = highest(whole, count, ScriptedSource(b""))
        assert one is not None
        if close and one.tau:
            likely = [one.tau * (1 - 2.0**-30), one.tau * (1 + 2.0**-30)]

        def with_their_tapes(middle: Contestants, left: int, stream: Any, within: Any) -> Any:
            which = [mine[part.around(*within)[1]] for mine, part in zip(pieces, parts, strict=True)]
            read.tapes = [tapes[item] for item in np.concatenate(which)]
            return highest(middle, left, stream, within)

        monkeypatch.setattr(sampling, "highest", with_their_tapes)
        monkeypatch.setattr(sampling, "likely_cut", lambda *_: tuple(likely))
        marks, tau = sampling._highest(parts, count, ScriptedSource(b""), in_turn)
    found = [which[mark[:-1]] for which, mark in zip(pieces, marks, strict=True)]
    assert np.concatenate(found).tolist() == one.chosen.tolist()
    assert not any(mark[-1] for mark in marks)
    assert tau == one.tau


@settings(max_examples=300)
@given(entries, st.integers(0, 130), st.integers(1, 12), st.integers(0, 130))
def test_what_is_left_out_is_surely_above_or_below(entries: Any, power: int, third: int, more: int) -> None:
    tops, powers, words, seconds = (list(column) for column in zip(*entries, strict=True))
    tapes = [[*start, third, 7] for start in zip(words, seconds, strict=True)]
    above, able = items_of(tops, powers, tapes).around(2.0**power, 2.0 ** (power + more))
    for i, exact in enumerate(priority(*item) for item in zip(tops, powers, tapes, strict=True)):
        assert not (above[i] and i in able)
        assert not above[i] or exact > 2 ** (power + more)
        assert above[i] or i in able or exact < 2**power
        assert i not in able or words[i] < 2**32 or exact > 2**power * (1 - Fraction(1, 2**19))


@pytest.mark.parametrize("count", [1, 300, 40_000, 79_999, 80_000])
def test_the_cut_is_nearly_always_where_it_is_looked_for(count: int) -> None:
    lows = np.random.default_rng(count).random(80_000) ** -2  # seeded: where it is not, only time is lost
    least, most = priorities.likely_cut([lows[:30_000], lows[30_000:]], count)
    ranked = np.append(np.sort(lows)[::-1], 0)
    assert least <= ranked[count] <= most
    assert np.sum((lows >= least) & (lows <= most)) < 10_000 or count >= 80_000
    assert priorities.likely_cut([lows[:100]], 50) == (0, math.inf)


@pytest.mark.parametrize("second", [3, 2**63])
@pytest.mark.parametrize("winner", [0, 1])
def test_a_tie_in_all_64_bits_reads_on(winner: int, second: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal sizes, equal first words: the second words decide, the lower one being the smaller r."""
    tapes = [[2**40, second, 0, 0], [2**40, second + 1, 0, 0], [2**60, 0, 0, 0]]
    if winner == 1:
        tapes[0], tapes[1] = tapes[1], tapes[0]
    read = by_tape(monkeypatch, tapes)
    cut = cut_of(items_of([5, 5, 5], [-1, -1, -1], tapes), 1, ScriptedSource(b""))
    assert cut.chosen.tolist() == [winner]
    assert cut.tau == float(priority(5, -1, tapes[1 - winner]))
    assert read.read >= 2


def test_items_that_differ_read_no_further() -> None:
    words = np.array([2**63, 2**62, 2**61, 2**60 + 12345], np.uint64)
    source = ScriptedSource(b"")
    cut = cut_of(Contestants(np.array([4, 4, 4, 4]), np.full(4, -1, np.int16), words), 2, source)
    assert cut.chosen.tolist() == [2, 3]
    assert cut.tau == 16.0


def test_a_tie_without_more_bits_is_not_decided_by_chance() -> None:
    words = np.array([2**40, 2**40, 2**50], np.uint64)
    with pytest.raises(ScriptExhausted):
        highest(Contestants(np.array([5, 5, 5]), np.full(3, -1, np.int16), words), 1, ScriptedSource(b""))


def test_tied_items_are_chosen_equally_often() -> None:
    """Six items that share their first word, two of which are chosen: each pair has one fifteenth."""
    items = Contestants(np.full(6, 3), np.full(6, -1, np.int16), np.full(6, 2**50, np.uint64))
    stream, trials, hits = Noise().source.stream(), 3000, np.zeros(64, np.int64)
    for _ in range(trials):
        hits[sum(1 << int(i) for i in cut_of(items, 2, stream).chosen)] += 1
    pairs = np.array([code.bit_count() == 2 for code in range(64)])
    assert compare(hits, trials, np.where(pairs, 1 / 15, 0.0)).holds
    assert not compare(hits, trials, np.where(np.arange(64) == 3, 1.0, 0.0)).holds


@given(st.integers(1, 2**61), st.integers(1, 2**64 - 2), st.integers(0, 2**64 - 1))
def test_tau_is_rounded_once(top: int, word: int, more: int) -> None:
    script = b"".join(np.uint64(each).tobytes() for each in (more, 1, 1, 1))
    rounded = _rounded(_Priority(0, Fraction(top), word), ScriptedSource(script))
    low = Fraction(top << 256, (word << 192) + (more << 128) + (2 << 64) + 2)
    high = Fraction(top << 256, (word << 192) + (more << 128))
    assert float(low) <= rounded <= float(high)


@pytest.mark.parametrize("up", [False, True])
def test_a_priority_next_to_the_middle_of_two_floats_is_rounded_right(
    up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U such that top / U is the middle of two floats to 64 bits and more; bits from 193 on say on which side."""
    middle, top = Fraction(2**53 + 1, 2**50), 1  # just above eight, between two floats
    uniform = int(top / middle * 2**256) + (-(2**60) if up else 2**60)
    tape = [(uniform >> (64 * (3 - place))) & (2**64 - 1) for place in range(4)]
    by_tape(monkeypatch, [tape])
    floor = 8.0
    assert _rounded(_Priority(0, Fraction(top), tape[0]), ScriptedSource(b"")) == (
        math.nextafter(floor, 9) if up else floor
    )


@pytest.mark.parametrize("power", [62, 64, 126, 127, 128, 200, 900])
def test_floors_of_any_power(power: int) -> None:
    """Guesses grow with the number of cells, far beyond what 64 bits or a short float hold."""
    words = np.array([2**63, 2**62, 2**61], np.uint64)
    items = Contestants(np.array([5, 5, 2**61]), np.full(3, 4 * power, np.int16), words)
    low, high = items.lows, items.highs(np.arange(3))
    for i, exact in enumerate(Fraction(max(2**power, size)) for size in (5, 5, 2**61)):
        assert Fraction(low[i]) <= exact * 2 ** (i + 1) <= Fraction(high[i])
        assert high[i] / low[i] < 1 + 2.0**-40
    cut = cut_of(items, 2, ScriptedSource(b""))
    assert cut.chosen.tolist() == [1, 2]
    assert cut.tau == 2.0 ** (power + 1)


def test_none_below_no_tau() -> None:
    items = Contestants(np.array([5, 1]), np.full(2, -1, np.int16), np.array([9, 0], np.uint64))
    for count in (2, 3, 100):
        cut = cut_of(items, count, ScriptedSource(b""))
        assert cut.chosen.tolist() == [0, 1]
        assert cut.tau is None
    empty = Contestants(np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.uint64))
    assert cut_of(empty, 1, ScriptedSource(b"")).chosen.size == 0


# Whole samples.


def sample(values: list[int], empty: int, rule: Rule, count: int) -> Any:
    """Of one field; `chosen` are the indices of those values that are in it."""
    found = Noise().prioritised([Field(np.array(values, np.int64), empty)], rule, count)
    part = found.parts[0]
    return SimpleNamespace(chosen=np.flatnonzero(part.marks), ranks=part.ranks, values=part.values, tau=found.tau)


@pytest.mark.parametrize("more", [0, 1, 3])
@pytest.mark.parametrize(("power", "theta"), [(1, 1), (4, 1), (61, 1), (62, 1), (65, 1), (100, 1), (2, 3), (65, 3)])
def test_a_guess_absurdly_high_is_lowered_until_the_sample_is_full(
    power: int, theta: int, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "_guess", lambda *_: 4 * power + more)
    rule = Rule(Alpha.of(2), theta)
    found = sample([900, -700, 1], 400, rule, 12)
    assert len(found.chosen) + len(found.ranks) == 12
    assert {0, 1} <= set(found.chosen.tolist())
    assert 0 < found.tau < 400
    assert np.all(np.diff(found.ranks) > 0)
    assert found.ranks[-1] < 400
    assert np.all(np.abs(found.values) >= theta)


def test_values_above_tau_are_all_in_the_sample() -> None:
    """A cell of size v has a priority of at least v."""
    rng = np.random.default_rng()
    for _ in range(50):
        values = rng.integers(-30, 60, 40)
        found = sample(values.tolist(), 60, Rule(Alpha.of(3)), 25)
        assert set(np.flatnonzero(np.abs(values) > found.tau)) <= set(found.chosen.tolist())
        assert len(found.chosen) + len(found.ranks) == 25


@pytest.mark.parametrize("two_sided", [True, False])
def test_cells_below_the_filter_are_never_in_the_sample(two_sided: bool) -> None:
    rule = Rule(Alpha.of(2), 4, None, two_sided)
    for _ in range(50):
        found = sample([3, -3, 0, -9, 4], 200, rule, 500)
        assert found.tau is None
        assert found.chosen.tolist() == ([3, 4] if two_sided else [4])
        assert np.all((np.abs(found.values) if two_sided else found.values) >= 4)


@pytest.mark.parametrize("values", [[], [5, -2]])
def test_without_empty_cells(values: list[int]) -> None:
    found = sample(values, 0, Rule(Alpha.of(1)), 1)
    assert found.ranks.size == found.values.size == 0
    assert len(found.chosen) == min(1, len(values))
    assert (found.tau is None) == (len(values) < 2)


def test_without_any_size() -> None:
    with pytest.raises(BadParameter, match="at least 1"):
        sample([1], 5, Rule(Alpha.of(1)), 0)


@pytest.mark.parametrize("empty", [2**62 - 1, 2**62, 2**62 + 3, 2**64, 2**64 + 3, 2**128 + 3])
def test_extensions_where_the_ranks_grow_wider(empty: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells that are left may fit 64 bits where all of them do not."""
    guess = sampling._guess
    monkeypatch.setattr(sampling, "_guess", lambda *given_: guess(*given_) + 11)
    found = sample([10**6], empty, Rule(Alpha.of(2)), 40)
    assert len(found.ranks) + len(found.chosen) == 40
    assert found.tau > 2**50


GUESSES = [4, 5, 7, 8, 10, 13, 243, 244, 245, 246, 247, 248, 249, 251, 252, 253, 400, 403]


@pytest.mark.parametrize(
    ("level", "with_floor"),
    [(level, floor) for level in GUESSES for floor in (True, False) if floor or levels.below(level) < 248],
)
def test_what_is_surely_under_the_guess_is_decided_by_the_first_word(level: int, with_floor: bool) -> None:
    """The border top / level is a whole number of 2**-64; on it U is above. Very high guesses always have a floor."""
    lower = levels.below(level)
    floor = lower if with_floor else levels.NONE
    near = int(levels.value(level))
    for size in {1, 2 ** (lower // 4), near - 1, near, near + 1, 2**62 - 1}:
        if not 1 <= size < 2**62:
            continue
        top = max(Fraction(size), levels.value(floor) if with_floor else Fraction(0))
        border = top * 2**64 / levels.value(level)
        assert border.denominator == 1
        words = [word for word in (0, border - 1, border, border + 1, 2**64 - 1) if 0 <= word < 2**64]
        given_ = np.array([int(word) for word in words], np.uint64)
        items = Contestants(np.full(len(words), size), np.full(len(words), floor, np.int16), given_)
        assert sampling._surely_under(items, level).tolist() == [word >= border for word in words]


def test_levels_rise_by_a_quarter_at_most() -> None:
    values = [levels.value(level) for level in range(400)]
    assert values[::4] == [2**power for power in range(100)]
    assert all(1 < higher / lower <= Fraction(5, 4) for lower, higher in itertools.pairwise(values))
    assert all(abs(Fraction(levels.FLOATS[i]) / value - 1) <= Fraction(1, 2**53) for i, value in enumerate(values))
    assert levels.FLOATS[levels.NONE] == 0
    assert [levels.below(level) for level in (1, 3, 4, 5, 8)] == [0, 0, 0, 4, 4]
