"""Weighted sums of cells, against arrays that hold the weight of every cell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.queries.forms import CellWeights, joined, selection_of
from discreet.queries.selection import Boxes, Selection, union

SIZES = (5, 4, 3)


def boxes(dice: np.random.Generator) -> Selection:
    ends = [np.sort(dice.integers(0, size, 2)) for size in SIZES]
    return selection_of(Boxes(*(np.array([[end[side] for end in ends]]) for side in (0, 1))), SIZES)


def weights(form: CellWeights) -> np.ndarray:
    """The weight of every cell; parts must not overlap."""
    found = np.zeros(SIZES)
    for weight, selection in form.parts:
        for first, last in selection.ends(SIZES).transpose(0, 2, 1):
            place = tuple(slice(a, b + 1) for a, b in zip(first, last, strict=True))
            assert not found[place].any()
            found[place] += float(weight)
    return found


def test_sums_of_forms_have_the_sums_of_weights() -> None:
    dice = np.random.default_rng(9)
    for _ in range(40):
        forms = [
            CellWeights.of(union([boxes(dice), boxes(dice)], SIZES)).times(Fraction(int(dice.integers(-3, 4))))
            for _ in range(3)
        ]
        total, expected = forms[0], weights(forms[0])
        for form in forms[1:]:
            total, expected = total.plus(form, SIZES), expected + weights(form)
        assert np.array_equal(weights(total), expected)
        listed = [weight for weight, _ in total.parts]
        assert 0 not in listed
        assert len(set(listed)) == len(listed)
        assert total.plus(total.times(Fraction(-1)), SIZES).parts == ()


def test_what_two_forms_have_in_common_and_apart() -> None:
    dice = np.random.default_rng(4)
    one, two = CellWeights.of(boxes(dice)), CellWeights.of(boxes(dice)).times(Fraction(1, 3))
    above, below = np.zeros(SIZES), np.zeros(SIZES)
    for first, second, selection in joined(one, two, SIZES):
        above += float(first) * weights(CellWeights.of(selection))
        below += float(second) * weights(CellWeights.of(selection))
    assert np.array_equal(above, weights(one))
    assert np.allclose(below, weights(two))


def test_everything_less_a_part_is_the_rest() -> None:
    everything = CellWeights.of(Selection.everything())
    part = CellWeights.of(Selection.where(0, [(0, 2)], 5))
    rest = everything.plus(part.times(Fraction(-1)), SIZES)
    assert rest == CellWeights.of(Selection.where(0, [(3, 4)], 5))
    assert CellWeights.of(Selection(())).parts == ()
