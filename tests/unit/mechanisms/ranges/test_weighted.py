"""What `weighted` chooses from public facts, how small its errors are, and what it refuses before any charge."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.mechanisms import Mechanism, Request, mechanism_for
from discreet.mechanisms.ranges.range_levels import MOST_PADDING, Asked, LevelChoice
from discreet.mechanisms.ranges.range_shares import LEAST, as_fractions, best_shares
from discreet.mechanisms.ranges.range_workload import spread_workload
from discreet.mechanisms.ranges.weighted import Weighted
from discreet.noise import ZeroNoise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.private.open_data import from_counts
from discreet.queries import Questions
from discreet.release import load
from discreet.summaries import Summary
from discreet.transforms.nested_levels import NestedLevels

PLACES = discreet.Nominal(
    hierarchy={"north": ["a", "b", "c"], "south": {"east": ["d", "e"], "west": ["f", "g", "h", "i"]}},
)
SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 99), place=PLACES)
LINE = discreet.Schema(x=discreet.Ordinal(0, 4095))
SQUARE = discreet.Schema(x=discreet.Ordinal(0, 255), y=discreet.Ordinal(0, 255))


def made(schema: discreet.Schema, method: str = "weighted", **parameters: Any) -> Mechanism:
    task = discreet.Ranges(list(schema), method=method, **parameters)
    return mechanism_for(task, Request(schema, Unit(), Fraction(1, 10), dict(task.parameters)))


def weighted(schema: discreet.Schema, **parameters: Any) -> Weighted:
    found = made(schema, **parameters)
    assert isinstance(found, Weighted)
    return found


def rehearsed(mechanism: Mechanism) -> Summary:
    return mechanism.measure(Counts.from_arrays(mechanism.request.schema.sizes, [], []), ZeroNoise())


def variances(mechanism: Mechanism, questions: Questions) -> Any:
    return rehearsed(mechanism).answer(questions, 0.95).stderr ** 2


def ratio(schema: discreet.Schema, questions: Questions, **parameters: Any) -> float:
    """The root of the mean variance, over that of `privelet`."""
    own, other = (variances(one, questions) for one in (made(schema, **parameters), made(schema, "privelet")))
    return math.sqrt(own.mean() / other.mean())


def random_ranges(schema: discreet.Schema, *, prefixes: bool = False) -> Questions:
    bits, count = np.random.default_rng(5), 20_000
    ends = np.sort(np.stack([bits.integers(0, schema.sizes, (count, len(schema))) for _ in range(2)]), axis=0)
    return Questions(np.zeros_like(ends[0]) if prefixes else ends[0], ends[1], count, np.arange(count))


def choice_of(mechanism: Mechanism, name: str) -> dict[str, Any]:
    return next(choice for choice in mechanism.chosen if choice["name"] == name)


# --- errors


def test_ranges_of_one_attribute_have_less_than_two_thirds_of_the_error_of_privelet() -> None:
    assert ratio(LINE, random_ranges(LINE)) < 0.63
    assert ratio(LINE, random_ranges(LINE, prefixes=True), workload="prefixes") < 0.65


def test_rectangles_have_little_more_than_a_third_of_the_error_of_privelet() -> None:
    assert ratio(SQUARE, random_ranges(SQUARE)) < 0.38


@pytest.mark.parametrize("schema", [SCHEMA, LINE, discreet.Schema(place=PLACES), SQUARE], ids=str)
def test_the_mean_error_of_its_workload_is_at_most_that_of_any_other_dense_method(schema: discreet.Schema) -> None:
    questions = spread_workload(schema)
    own = variances(made(schema), questions).mean()
    for method, parameters in [("privelet+", {}), ("dyadic", {}), ("dyadic", {"base": 16})]:
        assert own <= variances(made(schema, method, **parameters), questions).mean() * 1.001


# --- levels and shares


def test_few_wide_levels_are_chosen_and_noted() -> None:
    mechanism = weighted(LINE)
    levels, shares = choice_of(mechanism, "levels"), choice_of(mechanism, "shares")
    assert levels["value"] == [256, 16, "cells"]
    assert sum(map(Fraction, shares["value"])) == 1
    assert "least mean variance" in levels["origin"]
    assert "least mean variance" in shares["origin"]
    assert choice_of(mechanism, "workload") == {"name": "workload", "value": "ranges", "origin": "default"}


@pytest.mark.parametrize("schema", [SCHEMA, LINE, discreet.Schema(place=PLACES)], ids=str)
def test_what_was_noted_makes_the_same_mechanism_again(schema: discreet.Schema) -> None:
    first = weighted(schema)
    again = weighted(schema, **{name: choice_of(first, name)["value"] for name in ("levels", "shares")})
    assert again.levels.cuts == first.levels.cuts
    assert again.scales == first.scales
    assert choice_of(again, "levels")["origin"] == choice_of(again, "shares")["origin"] == "given"


def test_a_workload_gets_levels_that_serve_it() -> None:
    decades = [f"age between {low} and {low + 9}" for low in range(0, 100, 10)]
    questions = Questions(np.arange(0, 100, 10)[:, None], np.arange(9, 100, 10)[:, None], 10, np.arange(10))
    ages = discreet.Schema(age=SCHEMA["age"])
    assert variances(made(ages, workload=decades), questions).mean() < variances(made(ages), questions).mean()


def test_questions_of_several_boxes_are_a_workload_too() -> None:
    chosen = weighted(SCHEMA, workload=["age <= 9 or age >= 50", {"place": ["a", "e", "i"]}])
    assert chosen.cost == Fraction(1, 10)
    assert choice_of(chosen, "workload")["value"] == "2 questions"


def test_prefixes_begin_at_the_first_code() -> None:
    questions = spread_workload(SCHEMA, prefixes=True)
    assert not questions.first[:, 0].any()
    ends = questions.last[questions.last[:, 0] < 99, 0]
    assert set(ends.tolist()) == set(range(99))
    assert abs(ends.mean() - 49) < 1


def test_best_shares_have_no_better_neighbours() -> None:
    asked, cells = np.array([[2000.0, 300.0, 90.0]]), np.array([[256.0, 16.0, 1.0]])
    shares, error = best_shares(asked, cells)
    assert shares.sum() == pytest.approx(1)

    def error_of(some: Any) -> float:
        information = np.cumsum((cells[0] * some**2)[::-1])[::-1]
        return float((asked[0] / information).sum())

    assert error_of(shares[0]) == pytest.approx(error[0])
    for one, other in itertools.permutations(range(3), 2):
        moved = shares[0].copy()
        moved[one], moved[other] = moved[one] + 0.01, moved[other] - 0.01
        assert error_of(moved) > error[0]


def test_no_level_has_next_to_nothing() -> None:
    """A workload of totals alone would leave nothing to the cells."""
    mechanism = weighted(LINE, workload=["x >= 0"])
    assert min(mechanism.shares) >= LEAST
    assert sum(mechanism.shares) == 1


def test_shares_are_short_fractions_that_add_up() -> None:
    for count in (1, 2, 3, 7):
        shares = as_fractions(np.full(count, 1 / count))
        assert sum(shares) == 1
        assert all(1000 % share.denominator == 0 for share in shares)


@pytest.mark.parametrize("size", [2, 3, 17, 33, 100, 129, 1000])
def test_blocks_do_not_reach_far_beyond_an_attribute(size: int) -> None:
    schema = discreet.Schema(x=discreet.Ordinal(0, size - 1), y=discreet.Ordinal(0, size - 1))
    levels = NestedLevels(schema, LevelChoice(schema, Asked.of(spread_workload(schema))).best())
    assert levels.lengths[-1] <= MOST_PADDING * schema.cells


def test_a_schema_of_one_cell_can_be_published() -> None:
    schema = discreet.Schema(x=discreet.Ordinal(3, 3), y=discreet.Nominal(["only"]))
    assert weighted(schema).levels.lengths == [1]


def test_names_of_levels_of_a_hierarchy_can_be_given() -> None:
    place = discreet.Nominal(hierarchy={"n": ["a", "b"], "s": ["c"]}, levels=["side", "town"])
    schema = discreet.Schema(place=place)
    assert weighted(schema, levels=["side", "town"]).levels.cuts == weighted(schema, levels=[0, "cells"]).levels.cuts


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"workload": "range"}, "workload must be"),
        ({"workload": []}, "list of predicates"),
        ({"workload": ["age between"]}, "question 1"),
        ({"levels": 16}, "levels must be"),
        ({"levels": []}, "levels must be"),
        ({"levels": [16, "cells"]}, "16 is none"),
        ({"levels": [{"town": 1}, "cells"]}, "'town' is not among"),
        ({"levels": [{"age": 16}]}, "single cells"),
        ({"levels": [{"place": "side"}, "cells"]}, "no level 'side'"),
        ({"shares": ["0.5", "0.5"]}, "give both"),
        ({"levels": [{"age": 16}, "cells"], "shares": ["0.5"]}, "2 numbers"),
        ({"levels": [{"age": 16}, "cells"], "shares": ["0.5", "0.4"]}, "add up to 1, and these to 0.9"),
        ({"levels": [{"age": 16}, "cells"], "shares": ["1.5", "-0.5"]}, "above zero"),
        ({"levels": ["cells"], "shares": [1], "workload": "ranges"}, "nothing to choose"),
        ({"workload": [" or ".join(f"age = {age}" for age in range(0, 98, 2))] * 200}, "too many parts"),
    ],
)
def test_what_cannot_be_is_refused(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        made(SCHEMA, **parameters)


def test_tables_too_large_to_hold_are_refused() -> None:
    assert weighted(discreet.Schema(x=discreet.Ordinal(0, 2**28 - 1))).levels.lengths[-1] == 2**28
    with pytest.raises(BadParameter, match="too many to hold"):
        made(discreet.Schema(x=discreet.Ordinal(0, 2**28)))


def test_what_reaches_beyond_an_attribute_must_be_held_too() -> None:
    schema = discreet.Schema(x=discreet.Ordinal(0, 2**28 - 2))
    assert weighted(schema, levels=[2**27, "cells"]).levels.lengths == [2, 2**28]
    with pytest.raises(BadParameter, match="too many to hold"):
        made(schema, levels=[3 * 2**26, "cells"])


# --- releases


@pytest.mark.parametrize("write", ["coefficients", "cells"])
def test_without_noise_answers_are_exact_and_parts_add_up(write: str, tmp_path: Path) -> None:
    cells = np.array(list(np.ndindex(*SCHEMA.sizes)))
    counts = np.random.default_rng(2).integers(0, 9, len(cells))
    levels = [{"place": 0}, {"age": 16, "place": 1}, "cells"]
    task = discreet.Ranges(["age", "place"], method="weighted", write=write, levels=levels)
    mechanism = weighted(SCHEMA, write=write, levels=levels)
    found = mechanism.measure(Counts.from_arrays(SCHEMA.sizes, cells, counts), ZeroNoise())
    total = found.answer(random_ranges(SCHEMA), 0.95)
    table = counts.reshape(SCHEMA.sizes)
    asked = random_ranges(SCHEMA)
    for place in range(0, 20_000, 997):
        box = tuple(slice(a, b + 1) for a, b in zip(asked.first[place], asked.last[place], strict=True))
        assert total.value[place] == pytest.approx(table[box].sum(), abs=1e-6)
    release = from_counts(SCHEMA, cells, counts).publish(task, "1", to=tmp_path / "r")
    again = load(tmp_path / "r")
    for where in (None, "age between 20 and 70", {"place": "south"}, "age <= 9 or age >= 50"):
        assert again.count(where) == release.count(where)
    sums = [again.count({"place": name}, measured=True).value for name in ("north", "east", "west")]
    assert sum(sums) == pytest.approx(again.count(measured=True).value)
