"""`priority` and `filter-priority` have the law of the laborious approach: by drawing, unseeded.

Samples, values, tau and weights are compared with a simulation of the laborious approach (noise on every cell, a
priority for each, the highest kept), and where the law can be integrated, with that. The same comparisons reject
planted faults.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from discreet.mechanisms.table.priority import Priority
from discreet.mechanisms.table.table_sparse import WORTH_A_STRETCH
from discreet.noise import Contestants, Field, Noise, Rule
from discreet.noise.draw import Drawer
from discreet.noise.levels import NONE
from discreet.noise.priorities import highest
from discreet.noise.survivor_values import sizes
from discreet.noise.survivors import ExtraKeptProbability
from discreet.privacy import Alpha
from discreet.private.counts import Counts
from tests.laplace_law import LaplaceLaw
from tests.law.laborious import InTurn, method
from tests.statistics import Agreement, compare, compare_two

TRIALS = 1600
MANY = 250_000


@dataclass(frozen=True)
class Contest:
    """Counts, the rule of a priority sample, and its size."""

    counts: tuple[int, ...]
    scale: Fraction
    size: int
    theta: int = 1
    two_sided: bool = True

    @property
    def rule(self) -> Rule:
        return Rule(Alpha.of(self.scale), self.theta, None, self.two_sided)


@dataclass(frozen=True)
class Sample:
    """Indices of the values that are in, ranks and values of empty cells, and tau."""

    chosen: NDArray[np.int64]
    ranks: NDArray[np.int64]
    values: NDArray[np.int64]
    tau: float | None


Drawing = Callable[[NDArray[np.int64], int, Rule, int, Drawer], Sample]
Samples = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Values in each sample, zero where absent, and tau, zero where all are in."""


def priority_sample(values: NDArray[np.int64], empty: int, rule: Rule, count: int, _: Drawer) -> Sample:
    """From two fields, in which the cells lie anyhow."""
    split, few = (values.size + 1) // 2, empty // 3
    found = InTurn().prioritised([Field(values[:split], few), Field(values[split:], empty - few)], rule, count)
    one, two = found.parts
    chosen = np.flatnonzero(np.concatenate([one.marks, two.marks]))
    ranks = np.concatenate([one.ranks, two.ranks + few])
    return Sample(chosen, ranks, np.concatenate([one.values, two.values]), found.tau)


def shortcut_samples(contest: Contest, draw: Drawing = priority_sample) -> Samples:
    """The occupied cells of the contest come first."""
    given = np.array([count for count in contest.counts if count], np.int64)
    noisy = Noise().add(np.tile(given, (TRIALS, 1)), contest.scale)
    values, taus = np.zeros((TRIALS, len(contest.counts)), np.int64), np.zeros(TRIALS)
    drawer = Drawer(Noise().source.stream())
    for trial in range(TRIALS):
        sample = draw(noisy[trial], len(contest.counts) - given.size, contest.rule, contest.size, drawer)
        values[trial, sample.chosen] = noisy[trial, sample.chosen]
        values[trial, given.size + sample.ranks] = sample.values
        taus[trial] = sample.tau or 0.0
    return values, taus


def laborious_samples(contest: Contest) -> Samples:
    values = Noise().add(np.tile(contest.counts, (MANY, 1)), contest.scale)
    strengths = np.abs(values) if contest.two_sided else values
    uniform = 1.0 - np.random.default_rng().random(values.shape)
    priorities = np.where(strengths >= contest.theta, strengths / uniform, 0.0)
    ranked = np.sort(np.pad(priorities, ((0, 0), (0, contest.size + 1))), axis=1)[:, ::-1]
    taus = ranked[:, contest.size]
    return np.where(priorities > taus[:, None], values, 0), taus


def hits(contest: Contest, samples: Samples) -> NDArray[np.int64]:
    """How often each of many events fixed beforehand happened: values, sets, tau, and the total weight."""
    values, taus = samples
    scale, cells = float(contest.scale), values.shape[1]
    reach = int(5 * scale) + max(contest.counts) + 1
    span, cut = 2 * reach + 3, np.clip(values, -reach - 1, reach + 1) + reach + 1
    each = np.stack([np.bincount(cut[:, cell], minlength=span) for cell in range(cells)])
    present = values != 0
    weights = np.sign(values) * np.maximum(np.abs(values), taus[:, None])
    grid = scale * 2.0 ** (np.arange(-8, 17) / 2)
    found = [
        each.reshape(-1),
        np.cumsum(each, axis=1).reshape(-1),
        np.bincount(present.sum(axis=1), minlength=cells + 1),
        np.bincount(present @ (1 << np.arange(cells)), minlength=1 << cells),
        np.searchsorted(np.sort(taus), np.append(0.0, grid), side="right"),
        np.searchsorted(np.sort(weights.sum(axis=1)), [*-grid, 0.0, *grid], side="right"),
    ]
    return np.concatenate(found)


@lru_cache
def laborious_hits(contest: Contest) -> NDArray[np.int64]:
    return hits(contest, laborious_samples(contest))


def same_contest(contest: Contest, samples: Samples) -> Agreement:
    return compare_two(hits(contest, samples), len(samples[1]), laborious_hits(contest), MANY)


def random_contest() -> Contest:
    dice = random.SystemRandom()
    scale = Fraction(dice.randrange(600, 3000), dice.randrange(501, 1000, 2))
    counts = [dice.randrange(1, 4 + int(3 * scale)) for _ in range(dice.randrange(0, 4))]
    theta = dice.choice([1, 1, 2, 1 + int(scale)])
    return Contest((*counts, *[0] * (6 - len(counts))), scale, dice.randrange(1, 5), theta, dice.random() < 0.5)


@pytest.mark.parametrize("_", range(5))
def test_priority_samples_at_random_parameters(_: int) -> None:
    contest = random_contest()
    agreement = same_contest(contest, shortcut_samples(contest))
    assert agreement.holds, (contest, agreement)


@pytest.mark.law("priority", "filter-priority")
@pytest.mark.parametrize("sided", ["two", "one"])
@pytest.mark.parametrize("theta", [None, 2, 5])
def test_priority_methods_with_cells_in_any_order(theta: int | None, sided: str) -> None:
    """Through the mechanism, with occupied and empty cells mixed; the highest filter lets less than one cell pass."""
    contest = Contest((0, 4, 0, 0, 1), Fraction(17, 10), 2, theta or 1, sided == "two")
    name, given_theta = ("priority", {}) if theta is None else ("filter-priority", {"theta": theta})
    made = method(name, 5, contest.scale, size=contest.size, sided=sided, **given_theta)
    assert (contest.theta > made.rare_theta) == (theta == 5)
    made.likely = 3 * WORTH_A_STRETCH  # so that even this table comes in stretches
    given = Counts.from_arrays((5,), [(1,), (4,)], [4, 1])
    values, taus = np.zeros((TRIALS, 5), np.int64), np.zeros(TRIALS)
    for trial in range(TRIALS):
        summary: Any = made.measure(given, InTurn())
        values[trial, summary.codes[:, 0]] = summary.values
        taus[trial] = summary.tau
        assert np.array_equal(np.abs(summary.weights), np.maximum(np.abs(summary.values), summary.tau))
    agreement = same_contest(contest, (values, taus))
    assert agreement.holds, agreement


def sliced_samples(contest: Contest, many: int, **given: Any) -> Samples:
    """As executors and the process that publishes make them: candidates of each slice, then merged."""
    name = "filter-priority" if contest.theta > 1 else "priority"
    given |= {"theta": contest.theta} if contest.theta > 1 else {}
    sided = "two" if contest.two_sided else "one"
    cells = len(contest.counts)
    made: Any = method(name, cells, contest.scale, size=contest.size, sided=sided, slices=many, **given)
    occupied = np.flatnonzero(contest.counts)
    parts = list(made.cell_slices.parts(occupied, np.array(contest.counts, np.int64)[occupied]))
    values, taus = np.zeros((TRIALS, cells), np.int64), np.zeros(TRIALS)
    for trial in range(TRIALS):
        summary = made.merged_slices([made.slice_of(*part, InTurn()) for part in parts], InTurn())
        values[trial, summary.codes[:, 0]] = summary.values
        taus[trial] = summary.tau
    return values, taus


@pytest.mark.law("priority", "filter-priority")
@pytest.mark.parametrize("many", [2, 5])
@pytest.mark.parametrize(
    "contest",
    [
        Contest((0, 4, 0, 0, 1), Fraction(17, 10), 2),
        Contest((0, 0, 3, 0, 0, 0), Fraction(1), 1),
        Contest((2, 0, 0, 0, 5), Fraction(17, 10), 2, 2, two_sided=False),
        Contest((0, 4, 0, 0, 1), Fraction(17, 10), 2, 5),  # hardly an empty cell passes
        Contest((9, 9, 9, 9, 9, 0, 0, 0, 0, 0), Fraction(1), 4),  # nearly all of the highest lie in one slice
    ],
)
def test_merged_slices_have_the_law_of_one_contest(contest: Contest, many: int) -> None:
    agreement = same_contest(contest, sliced_samples(contest, many))
    assert agreement.holds, agreement


def test_slices_draw_many_empty_cells_as_one_process_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the empty cells of a slice come in several steps, each with levels of its own."""
    guessing(monkeypatch, 4 * GUESS)
    agreement = same_contest(EMPTY, sliced_samples(EMPTY, 2))
    assert agreement.holds, agreement


#: each of two slices leaves cells out
CROWDED = Contest((0,) * 8, Fraction(1), 1)


def forgets_levels(table: Any) -> Any:
    return table.set_column(table.column_names.index("level"), "level", pa.array([NONE] * len(table), pa.int64()))


def hands_over_too_few(table: Any) -> Any:
    """As many as are kept, without the one that might be just below."""
    items = Contestants(abs(table["value"].to_numpy()), table["level"].to_numpy(), table["word"].to_numpy())
    return table.take(np.sort(np.argsort(-items.lows)[: CROWDED.size]))


def loses_a_bit(table: Any) -> Any:
    """As if words were numbers with a sign."""
    bits = table["word"].to_numpy() & (2**63 - 1)
    return table.set_column(table.column_names.index("word"), "word", pa.array(bits))


@pytest.mark.parametrize("fault", [forgets_levels, hands_over_too_few, loses_a_bit])
def test_planted_faults_in_candidates_are_rejected(
    fault: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Priority.slice_of
    guessing(monkeypatch, 4 * GUESS)
    assert same_contest(CROWDED, sliced_samples(CROWDED, 2)).holds
    monkeypatch.setattr(Priority, "slice_of", lambda *given: fault(honest(*given)))
    assert not same_contest(CROWDED, sliced_samples(CROWDED, 2)).holds


def test_what_is_not_decided_stays_open() -> None:
    """Items whose first bits cannot tell them apart are candidates, all of them; and nothing below them is."""
    words = np.array([1 << 40, 1 << 40, 1 << 40, 1 << 41, 5, 0], np.uint64)
    items = Contestants(np.array([3, 3, 3, 3, 0, 1], np.int64), np.full(6, NONE, np.int16), words)
    assert items.contenders(2).tolist() == [True, True, True, False, False, True]
    assert items.contenders(1).tolist() == [False, False, False, False, False, True]
    assert items.contenders(6).tolist() == [True, True, True, True, False, True]


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("counts", [(2, 0), (0, 0)])
def test_a_contest_of_two_has_the_integrated_law(counts: tuple[int, int], two_sided: bool) -> None:
    """Pr[v / r > w / r'] = 1 - w / 2v for v >= w, else v / 2w; and both priorities pass x with min(v/x, 1) min(w/x, 1).

    So the whole law of a sample of one is a sum over two values, which is compared with draws.
    """
    contest = Contest(counts, Fraction(3, 2), 1, 2, two_sided)
    values, taus = shortcut_samples(contest)
    law, span = LaplaceLaw(contest.rule.alpha), np.arange(-60, 61)
    joint = law.pmf(span - counts[0])[:, None] * law.pmf(span - counts[1])[None, :]
    strength = np.abs(span) if two_sided else span
    v = np.where(strength >= contest.theta, strength, 0).astype(float)[:, None]
    w = v.T
    with np.errstate(divide="ignore", invalid="ignore"):
        wins = np.where(v >= w, np.where(v > 0, 1 - w / (2 * v), 0.0), v / (2 * w))
        loses = np.where(w > v, 1 - v / (2 * w), np.where(w > 0, w / (2 * v), 0.0))
    assert np.allclose(wins + loses, (v > 0) | (w > 0))
    grid = 2.0 ** (np.arange(0, 14) / 2)
    probabilities = [
        *(joint * wins).sum(axis=1),
        *(joint * loses).sum(axis=0),
        *(1 - np.array([(joint * np.minimum(v / x, 1) * np.minimum(w / x, 1)).sum() for x in grid])),
    ]
    seen = [np.sum((values[:, cell] == x) & (x != 0)) for cell in (0, 1) for x in span]
    seen += [np.sum(taus <= x) for x in grid]
    agreement = compare(np.array(seen), TRIALS, np.array(probabilities))
    assert agreement.holds, agreement


# Planted faults: samples in which the guess of tau shows, or an empty cell is treated unlike an occupied one.

module: Any = importlib.import_module("discreet.noise.priority_sample")
CONTEST = Contest((3, 1, 0, 0, 0, 0), Fraction(1), 2)
EMPTY = Contest((0, 0, 0, 0, 0, 0), Fraction(1), 2)
GUESS = 2


def at_the_guess(values: NDArray[np.int64], empty: int, rule: Rule, drawer: Drawer) -> tuple[Any, Any, Any, Any]:
    """What a first round at the guess finds: the occupied items, the drawn ones, all together, and who reaches it."""
    strengths = np.abs(values) if rule.two_sided else values
    eligible = np.flatnonzero(strengths >= rule.theta)
    side = module._Side(module.Field(values, empty), rule, drawer)
    side.draw(4 * GUESS)
    items = module._items(strengths[eligible], None, drawer) + side.drawn
    return eligible, side, items, items.lows > 2.0**GUESS


def sample_of(eligible: Any, drawn: Any, chosen: NDArray[np.int64], tau: float | None) -> Sample:
    new = chosen[chosen >= eligible.size] - eligible.size
    return Sample(eligible[chosen[chosen < eligible.size]], drawn.ranks[new], drawn.values[new], tau)


def cut_at(eligible: Any, drawn: Any, items: Any, count: int, drawer: Drawer) -> Sample:
    cut = highest(items, count, drawer.stream)
    assert cut is not None
    return sample_of(eligible, drawn, cut.chosen, cut.tau)


def stops_at_the_guess(values: Any, empty: int, rule: Rule, count: int, drawer: Drawer) -> Sample:
    eligible, drawn, items, reaching = at_the_guess(values, empty, rule, drawer)
    if reaching.sum() > count:
        return cut_at(eligible, drawn, items, count, drawer)
    return sample_of(eligible, drawn, np.flatnonzero(reaching), 2.0**GUESS)


def gives_all_above_the_guess(values: Any, empty: int, rule: Rule, count: int, drawer: Drawer) -> Sample:
    eligible, drawn, _, reaching = at_the_guess(values, empty, rule, drawer)
    return sample_of(eligible, drawn, np.flatnonzero(reaching), 2.0**GUESS)


def draws_again_until_enough(values: Any, empty: int, rule: Rule, count: int, drawer: Drawer) -> Sample:
    for _ in range(5):
        eligible, drawn, items, reaching = at_the_guess(values, empty, rule, drawer)
        if reaching.sum() > count:
            break
    return cut_at(eligible, drawn, items, count, drawer)


def adds_only_occupied_cells(values: Any, empty: int, rule: Rule, count: int, drawer: Drawer) -> Sample:
    """Below the guess the empty cells are forgotten."""
    eligible, drawn, items, _ = at_the_guess(values, empty, rule, drawer)
    return cut_at(eligible, drawn, items, count, drawer)


def drops_empty_cells(values: Any, empty: int, rule: Rule, count: int, drawer: Drawer) -> Sample:
    return priority_sample(values, 0, rule, count, drawer)


def guessing(monkeypatch: pytest.MonkeyPatch, level: int | None) -> None:
    monkeypatch.setattr(module, "_guess", lambda *_: level)


@pytest.mark.parametrize(
    ("contest", "level"),
    [(CONTEST, 4), (CONTEST, 7), (CONTEST, 4 * GUESS), (CONTEST, None), (EMPTY, 12), (EMPTY, 13), (EMPTY, 14)],
)
def test_no_guess_shows(contest: Contest, level: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    guessing(monkeypatch, level)
    agreement = same_contest(contest, shortcut_samples(contest))
    assert agreement.holds, agreement


@pytest.mark.parametrize(
    "fault",
    [
        stops_at_the_guess,
        gives_all_above_the_guess,
        draws_again_until_enough,
        adds_only_occupied_cells,
        drops_empty_cells,
    ],
)
def test_planted_faults_in_priority_samples_are_rejected(fault: Drawing) -> None:
    assert not same_contest(CONTEST, shortcut_samples(CONTEST, fault)).holds


class KeptAgain(ExtraKeptProbability):
    """The planted fault: cells that were passed over are drawn as if they had not been."""

    def approximate(self, bits: int) -> Any:
        return self.lower.approximate(bits)


EXTENSION: list[tuple[str, Any]] = [
    ("ExtraKeptProbability", KeptAgain),
    ("_surely_under", lambda items, level: np.ones(items.sizes.size, bool)),
    ("_below", lambda rule, lower, level, count, drawer: module._items(sizes(rule, count, drawer), level, drawer)),
]


@pytest.mark.parametrize("more", [0, 2])
@pytest.mark.parametrize(("name", "fault"), EXTENSION, ids=[name for name, _ in EXTENSION])
def test_planted_faults_in_the_extension_are_rejected(
    name: str, fault: Any, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    guessing(monkeypatch, 4 * GUESS + more)
    monkeypatch.setattr(module, name, fault)
    assert not same_contest(EMPTY, shortcut_samples(EMPTY)).holds


def test_two_samples_of_one_law_agree_and_of_two_laws_do_not() -> None:
    rng = np.random.default_rng()
    p = np.array([0.0, 1e-4, 0.01, 0.3, 0.5, 0.999, 1.0])
    first, second = rng.binomial(4000, p), rng.binomial(400_000, p)
    assert compare_two(first, 4000, second, 400_000).holds
    other = compare_two(rng.binomial(4000, p + np.array([0, 0, 0, 0.15, 0, 0, 0])), 4000, second, 400_000)
    assert other.event == 3
    assert not other.holds
