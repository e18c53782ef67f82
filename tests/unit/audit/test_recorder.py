"""The noise double: it repeats noisy values, and notices a second run that goes another way."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.audit.recorder import Diverged, TapedNoise
from discreet.noise import Descent, Noise, Rule, Stretch
from discreet.numbers.intervals import Rational
from discreet.privacy import Alpha

COUNTS = np.array([3, 0, 5])


def followed(first: Callable[[TapedNoise], Any], second: Callable[[TapedNoise], Any]) -> tuple[Any, Any, TapedNoise]:
    noise = TapedNoise(1)
    before = first(noise)
    again = TapedNoise(1, noise.tape)
    return before, second(again), again


def test_every_way_to_draw_is_taped() -> None:
    """What is not taped cannot draw a bit, so that a new kind of draw cannot slip past an audit."""
    public = {name for name, _ in inspect.getmembers(Noise, inspect.isfunction) if not name.startswith("_")}
    drawing = public - {"side_by_side"}  # which draws nothing itself
    assert drawing <= set(vars(TapedNoise))
    with pytest.raises(Diverged, match="cannot follow"):
        Noise.laplace(TapedNoise(1), 1, 3)
    with pytest.raises(Diverged, match="as one contest"):
        TapedNoise(1).candidates([], Rule(Alpha.of(1), 1, None), 1)


def test_taped_noise_is_never_publishable() -> None:
    assert not TapedNoise(1).private
    assert "not private" in TapedNoise(1).name


def test_a_neighbour_is_given_the_same_noisy_values() -> None:
    before, after, _ = followed(lambda noise: noise.add(COUNTS, 200), lambda noise: noise.add(COUNTS + 1, 200))
    assert np.array_equal(before, after)
    assert not np.array_equal(before, COUNTS)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (lambda noise: noise.add(COUNTS, 3), "another scale"),
        (lambda noise: noise.add(COUNTS[:2], 2), "another shape"),
        (lambda noise: noise.choose(COUNTS, 2), "other draws"),
        (lambda noise: [noise.add(COUNTS, 2), noise.add(COUNTS, 2)], "more of them"),
    ],
)
def test_another_request_shows(second: Callable[[TapedNoise], Any], why: str) -> None:
    noise = TapedNoise(1)
    noise.add(COUNTS, 2)
    again = TapedNoise(1, noise.tape)
    with pytest.raises(Diverged, match=why):
        second(again)
    assert again.problem is not None


def test_chance_is_the_same_only_if_it_is_asked_about_the_same() -> None:
    before, after, _ = followed(lambda noise: noise.shuffled(COUNTS), lambda noise: noise.shuffled(COUNTS))
    assert np.array_equal(before, after)
    with pytest.raises(Diverged, match="shuffled"):
        followed(lambda noise: noise.shuffled(COUNTS), lambda noise: noise.shuffled(COUNTS + 1))


def stretch(cells: list[int], size: int = 50) -> Stretch:
    return Stretch(0, size - len(cells), np.array(cells, np.int64), np.full(len(cells), 4))


@pytest.mark.parametrize("rule", [Rule(Alpha.of(3), 3), Rule(Alpha.of(3), 1, Fraction(7, 2))])
@pytest.mark.parametrize(("first", "second"), [([2, 9], [2, 9, 30]), ([2, 9, 30], [2, 30]), ([], [7])])
def test_a_cell_is_the_same_cell_whether_it_is_occupied_or_empty(
    rule: Rule, first: list[int], second: list[int]
) -> None:
    def kept(cells: list[int]) -> Callable[[TapedNoise], list[tuple[int, int]]]:
        def run(noise: TapedNoise) -> list[tuple[int, int]]:
            field = noise.noisy(stretch(cells), 3)
            chosen = noise.kept(field, rule)
            empty = [cell for cell in range(50) if cell not in cells]
            old = [(cells[i], int(field.values[i])) for i in np.flatnonzero(chosen.marks)]
            return sorted([*old, *zip([empty[i] for i in chosen.ranks], chosen.values.tolist(), strict=True)])

        return run

    before, after, _ = followed(kept(first), kept(second))
    assert before == after != []


def test_empty_cells_need_the_noise_of_the_others() -> None:
    noise = TapedNoise(1)
    field = noise.noisy(stretch([3]), 3)
    with pytest.raises(Diverged, match="other noise"):
        noise.kept(field, Rule(Alpha.of(2), 3))


def test_what_was_not_looked_at_on_the_way_down_is_different() -> None:
    descent = Descent(Fraction(10), Fraction(1, 100), 900)
    exact = np.arange(40)

    def down(noise: TapedNoise) -> Any:
        paths = noise.taken_down([20, 20], noise.add(exact, 10), exact, descent)
        return paths, paths.values_after(np.array([100, 300]))

    (paths, before), (other, after), again = followed(down, down)
    assert np.array_equal(before, after)
    far = np.array([900, 900])
    assert not np.array_equal(paths.values_after(far), other.values_after(far))
    assert vars(again.tape.steps[1])["depths"].tolist() == [900, 900]


def test_all_coins_fall_the_same_way() -> None:
    for heads in (True, False):
        assert TapedNoise(1, heads=heads).coin(Rational(Fraction(1, 3)), 5).tolist() == [heads] * 5
