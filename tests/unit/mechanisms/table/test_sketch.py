"""The Count sketch against plain Python: arithmetic, hashing, answers, files and refusals."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, TamperedRelease
from discreet.kernels.hashing import PRIME, add_cells, cell_keys, hashed, place_of, plus, times
from discreet.mechanisms import Request, mechanism_for
from discreet.mechanisms.table.sketch import MOST_BUCKETS
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.numbers.laws import DiscreteLaplace
from discreet.private.open_data import from_counts
from discreet.private.publish import Data
from discreet.queries import Questions
from discreet.release.files import seal_of
from discreet.summaries import sketch_cells
from discreet.summaries.sketch_cells import SketchCells

SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 6),
    sex=discreet.Nominal(["f", "m"]),
    place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}),
)
CODES = np.array(list(product(*map(range, SCHEMA.sizes))))
COUNTS = (np.arange(len(CODES)) * 7) % 23
EDGES = [0, 1, 2, 2**29 - 1, 2**29, 2**32 - 1, 2**32, 2**32 + 1, 2**60, PRIME // 2, PRIME - 2, PRIME - 1]


def task(**parameters: Any) -> discreet.Table:
    return discreet.Table(list(SCHEMA), method="sketch", **parameters)


def data(counts: Any = COUNTS) -> Data:
    return from_counts(SCHEMA, CODES, counts)


def summary(noise: Noise | None = None, epsilon: Any = 1, **parameters: Any) -> SketchCells:
    found = data().publish(task(**parameters), epsilon, noise=noise).summary
    assert isinstance(found, SketchCells)
    return found


def place_by_hand(facts: dict[str, Any], row: int, cell: Any) -> tuple[int, int]:
    """Bucket and sign as release.json describes them, in Python's integers."""
    key = sum(int(a) * int(code) for a, code in zip(facts["linear"], cell, strict=True)) % PRIME
    value = sum(int(c) * key**power for power, c in enumerate(facts["polynomials"][row])) % PRIME
    return value // 2 % facts["buckets"], 1 - 2 * (value % 2)


# --- arithmetic and hashing


def test_arithmetic_modulo_the_prime_is_exact() -> None:
    drawn = Noise().integers(PRIME, 600).tolist()
    for a, b in [*product(EDGES, EDGES), *zip(drawn[:300], drawn[300:], strict=True)]:
        assert int(times(np.uint64(a), np.uint64(b))) == a * b % PRIME
        assert int(plus(np.uint64(a), np.uint64(b))) == (a + b) % PRIME


def test_keys_and_places_are_those_of_python_integers() -> None:
    noise = Noise()
    codes = noise.integers(PRIME, 60).reshape(20, 3)
    codes[:3] = [[0, 0, 0], [PRIME - 1, PRIME - 1, PRIME - 1], [0, 1, 2**32]]
    linear = noise.integers(PRIME, 3).astype(np.uint64)
    polynomial = np.array([*noise.integers(PRIME, 3), PRIME - 1], np.uint64)
    keys = np.empty(20, np.uint64)
    cell_keys(codes, linear, keys)
    for cell, key in zip(codes.tolist(), keys.tolist(), strict=True):
        assert key == sum(int(a) * code for a, code in zip(linear, cell, strict=True)) % PRIME
        value = sum(int(c) * key**power for power, c in enumerate(polynomial)) % PRIME
        assert int(hashed(np.uint64(key), polynomial)) == value
        assert place_of(np.uint64(key), polynomial, 64) == (value // 2 % 64, 1 - 2 * (value % 2))


@pytest.mark.parametrize("estimate", ["median", "mean"])
def test_the_sketch_is_what_its_facts_say(estimate: str) -> None:
    """From release.json alone, with Python's integers: every bucket, and the answer to every kind of question."""
    made = summary(ZeroNoise(), rows=3, buckets=64, estimate=estimate)
    facts = json.loads(json.dumps(made.facts()))
    expected = np.zeros((3, 64), np.int64)
    for cell, count in zip(CODES, COUNTS, strict=True):
        for row in range(3):
            bucket, sign = place_by_hand(facts, row, cell)
            expected[row, bucket] += sign * count
    assert np.array_equal(made.table, expected)
    table = made.to_arrow().to_pydict()
    assert table == {"row": [r for r in range(3) for _ in range(64)], "bucket": [*range(64)] * 3} | {
        "count": expected.reshape(-1).tolist()
    }

    first = np.array([[0, 0, 0], [2, 0, 1], [4, 1, 0], [3, 1, 2]])
    last = np.array([[6, 1, 2], [3, 1, 2], [6, 1, 0], [3, 1, 2]])
    questions = Questions(first, last, 4, np.array([0, 1, 1, 3]))  # the second has two boxes, the third none
    value, squares, meetings = made._estimates(questions)
    middle = np.median if estimate == "median" else np.mean
    for question in range(4):
        total, weights, held = 0.0, np.zeros((3, 64)), np.zeros((3, 64))
        for box in np.flatnonzero(questions.owner == question):
            for cell in product(*(range(a, b + 1) for a, b in zip(first[box], last[box], strict=True))):
                places = [place_by_hand(facts, row, cell) for row in range(3)]
                total += middle([sign * expected[row, bucket] for row, (bucket, sign) in enumerate(places)])
                for row, (bucket, sign) in enumerate(places):
                    weights[row, bucket] += sign
                    held[row, bucket] += 1
        assert value[question] == pytest.approx(total)
        assert squares[question] == np.sum(weights**2)
        assert meetings[question] == np.sum(held * (held - 1) / 2)
        if estimate == "mean":
            assert value[question] == pytest.approx(np.sum(weights * expected) / 3)


def test_a_question_about_nothing_is_answered_by_nothing() -> None:
    none = np.empty((0, 3), np.int64)
    for estimate in ("median", "mean"):
        answers = summary(estimate=estimate).answer(Questions(none, none, 1, np.empty(0, np.int64)), 0.95)
        for column in (answers.value, answers.stderr, answers.low, answers.high):
            assert column.tolist() == [0.0]


# --- answers


def test_without_noise_and_with_room_answers_are_exact() -> None:
    """Five of nine rows would have to fail the same cell: about once in 10**15 runs."""
    release = data().publish(task(rows=9, buckets=1 << 18), 1, noise=ZeroNoise())
    assert release.count().value == COUNTS.sum()
    assert release.count({"age": (2, 4), "place": "north"}).value == sum(
        COUNTS[(CODES[:, 0] >= 2) & (CODES[:, 0] <= 4) & (CODES[:, 2] < 2)]
    )
    assert np.array_equal(release.table()["count"], COUNTS)


@pytest.mark.usefixtures("seeded")  # it is about what is computed, and Chebyshev's bound leaves 1e-4
def test_the_second_moment_is_estimated() -> None:
    """F2 of the mean over rows has variance at most 2 F2**2 / (B d), plus the noise's."""
    made = summary(epsilon=1000, rows=99, buckets=1 << 12, estimate="mean")
    truth = float(np.sum(COUNTS**2))
    assert made.second_moment == pytest.approx(truth, rel=100 * (2 / (99 * 4096)) ** 0.5)
    assert summary(ZeroNoise(), epsilon="0.01").second_moment == 0.0, "never below zero"


def test_the_noise_part_of_the_mean_is_exact() -> None:
    """An empty table: the error of a sum is a known linear map of the noise, and cells that share a bucket show."""
    made = from_counts(SCHEMA, CODES[:0], COUNTS[:0]).publish(task(rows=4, buckets=64, estimate="mean"), 1).summary
    assert isinstance(made, SketchCells)
    everything = Questions(np.zeros((1, 3), np.int64), np.array([SCHEMA.sizes]) - 1, 1, np.zeros(1, np.int64))
    facts, weights = made.facts(), np.zeros((4, 64))
    for row, cell in product(range(4), CODES):
        bucket, sign = place_by_hand(facts, row, cell)
        weights[row, bucket] += sign
    value, squares, meetings = made._estimates(everything)
    assert value[0] == pytest.approx(np.sum(weights * made.table) / 4)
    noise = DiscreteLaplace(made.alpha).variance
    answers = made.answer(everything, 0.95)
    collisions = made.second_moment / 64 * squares[0] / 4**2
    meeting = 2 * meetings[0] * (value[0] / len(CODES) / 4) ** 2
    assert answers.stderr[0] ** 2 == pytest.approx(noise * np.sum(weights**2) / 4**2 + collisions + meeting)


@pytest.mark.usefixtures("seeded")  # it is about size, and its intervals miss four times in 10**9
def test_thirty_attributes() -> None:
    """10**30 cells: points and small boxes are answered, what has too many cells is refused and told why."""
    schema = discreet.Schema({f"a{i}": discreet.Ordinal(0, 9) for i in range(30)})
    codes = np.random.default_rng(8).integers(0, 10, (500, 30))
    codes[0] = 9
    account = from_counts(schema, codes, np.arange(1, 501) * 100)
    release = account.publish(discreet.Table(list(schema), method="sketch"), 5)
    for cell in (0, 100, 499):
        answer = release.count({f"a{i}": int(code) for i, code in enumerate(codes[cell])}, level=1 - 1e-9)
        assert answer.low <= (cell + 1) * 100 <= answer.high
    box = {f"a{i}": 9 if i > 3 else (0, 9) for i in range(30)}
    assert release.count(box, level=1 - 1e-9).low <= 100 <= release.count(box, level=1 - 1e-9).high
    with pytest.raises(CannotAnswer, match=r"1e\+30; ask for fewer cells, or publish with another method: filter,"):
        release.count()


def test_a_domain_beyond_64_bits_of_one_attribute_and_a_domain_of_one_cell() -> None:
    for size in (PRIME, 1):
        schema = discreet.Schema(x=discreet.Ordinal(0, size - 1))
        release = from_counts(schema, [[size - 1]], [10**6]).publish(discreet.Table("x", method="sketch"), 1)
        assert release.count({"x": size - 1}).value == pytest.approx(10**6, abs=1000)
    too_large = from_counts(discreet.Schema(x=discreet.Ordinal(0, PRIME)), [[3]], [1])
    with pytest.raises(BadParameter, match=r"attribute x has more than 2\*\*61 - 1 values"):
        too_large.publish(discreet.Table("x", method="sketch"), 1)
    assert too_large.ledger.spent == 0


def test_too_many_cells_in_all_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketch_cells, "MOST_CELLS", 100)
    release = data().publish(task(), 1)
    assert release.count().value != 0
    with pytest.raises(CannotAnswer, match="at most 100 at a time, and these questions have 126; ask them in parts"):
        release.ask(discreet.release.frame.Frame({"where": ["age >= 0"] * 3}).to_arrow())


# --- files and refusals


@pytest.mark.parametrize("estimate", ["median", "mean"])
def test_a_saved_sketch_answers_as_before(tmp_path: Path, estimate: str) -> None:
    release = data().publish(task(estimate=estimate, rows=3), "0.5")
    again = discreet.load(release.save(tmp_path / "r"))
    assert again.manifest == release.manifest
    assert again.to_arrow().equals(release.to_arrow())
    for where in (None, {"age": 3}, "sex = 'f' or place = 'c'"):
        assert again.count(where) == release.count(where)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 4},
        {"buckets": 100},
        {"buckets": 256},
        {"estimate": "mode"},
        {"linear": ["1", "2"]},
        {"linear": ["1", "2", str(PRIME)]},
        {"polynomials": [["1", "2", "3"]] * 3},
        {"hash": "another"},
    ],
)
def test_facts_that_do_not_fit_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    folder = data().publish(task(rows=3, buckets=128), 1).save(tmp_path / "r")
    manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    manifest["summary"].update(change)
    manifest["seal"] = seal_of(manifest)
    (folder / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(TamperedRelease, match="do not fit together"):
        discreet.load(folder)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rows": 0}, "rows must be a whole number from 1 to 99, not 0"),
        ({"rows": 100}, "rows must"),
        ({"rows": 2.0}, "rows must"),
        ({"rows": True}, "rows must"),
        ({"rows": "5"}, "rows must"),
        ({"rows": 4}, r"a median needs an odd number, not 4; change it, or use estimate='mean'"),
        ({"buckets": 100}, "buckets must be a power of two, such as 64 or 128, not 100"),
        ({"buckets": 8}, "of at least 64, not 8"),
        ({"buckets": -64}, "buckets must"),
        ({"buckets": 64.0}, "buckets must"),
        ({"buckets": True}, "buckets must"),
        ({"buckets": 1 << 26}, "too many to hold"),
        ({"estimate": "mode"}, "estimate must be 'median' or 'mean', not 'mode'"),
        ({"size": 100}, "no parameter 'size'"),
    ],
)
def test_bad_parameters_are_refused_before_the_charge(parameters: dict[str, Any], message: str) -> None:
    account = data()
    with pytest.raises(BadParameter, match=message):
        account.publish(task(**parameters), 1)
    assert account.ledger.spent == 0


def test_defaults_come_from_public_facts_and_are_told() -> None:
    def told(schema: discreet.Schema, **parameters: Any) -> dict[str, tuple[Any, str]]:
        asked = discreet.Table(list(schema), method="sketch", **parameters)
        made = mechanism_for(asked, Request(schema, discreet.Unit(), Fraction(1), parameters))
        return {entry["name"]: (entry["value"], entry["origin"].split(":")[0]) for entry in made.chosen}

    huge = discreet.Schema(x=discreet.Ordinal(0, 10**15))
    assert told(huge) == {"rows": (5, "default"), "estimate": ("median", "default"), "buckets": (1 << 18, "default")}
    assert told(SCHEMA)["buckets"] == (128, "default")
    assert told(SCHEMA, buckets=256, rows=4, estimate="mean") == {
        "rows": (4, "given"),
        "estimate": ("mean", "given"),
        "buckets": (256, "given"),
    }
    assert MOST_BUCKETS >= 99 * (1 << 18)


def test_defaults_say_why() -> None:
    made = mechanism_for(discreet.Table(list(SCHEMA), method="sketch"), Request(SCHEMA, discreet.Unit(), Fraction(1)))
    reasons = {entry["name"]: entry["origin"] for entry in made.chosen}
    assert reasons["rows"] == "default: enough for a median to hold off single large cells"
    assert reasons["estimate"] == "default: large cells elsewhere disturb it least"


def test_the_release_says_what_a_median_leaves_out() -> None:
    said = data().publish(task(estimate="median"), 1).leaves_out
    assert any("median" in sentence for sentence in said)
    assert not any("median" in sentence for sentence in data().publish(task(estimate="mean"), 1).leaves_out)


def test_counts_too_large_for_a_bucket_fail_without_words() -> None:
    from discreet.errors import PublishFailed

    with pytest.raises(PublishFailed):
        from_counts(SCHEMA, CODES[:1], [2**61]).publish(task(), 1)


def test_the_same_bits_give_the_same_sketch() -> None:
    one, two = (summary(Noise(SeededSource(4)), rows=3) for _ in range(2))
    assert np.array_equal(one.table, two.table)
    assert one.facts() == two.facts()
    other = summary(Noise(SeededSource(5)), rows=3)
    assert one.facts()["linear"] != other.facts()["linear"]
    assert one.facts()["polynomials"] != other.facts()["polynomials"]


def test_adding_cells_adds_to_what_is_there() -> None:
    noise = Noise()
    polynomials = noise.integers(PRIME, 8).astype(np.uint64).reshape(2, 4)
    keys = noise.integers(PRIME, 50).astype(np.uint64)
    once, twice = np.zeros((2, 16), np.int64), np.zeros((2, 16), np.int64)
    add_cells(keys, np.arange(50), polynomials, once)
    add_cells(keys[:20], np.arange(20), polynomials, twice)
    add_cells(keys[20:], np.arange(20, 50), polynomials, twice)
    assert np.array_equal(once, twice)
