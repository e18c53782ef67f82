"""What one user can change, by brute force: counts, groups, pairs, numbers, lengths, losses; and what choices cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.mechanisms.items.fpa import _LOSS_STEPS, LATTICE, MOST_COUNT, _length_error, _loss_sensitivity, _moved
from discreet.mechanisms.items.item_bounds import best_bound
from discreet.noise import Noise, ZeroNoise
from discreet.privacy import Alpha, Unit, length_cost, sampling_rate
from discreet.private.open_data import from_counts
from discreet.schema import Nominal, Schema
from discreet.tasks import Items
from discreet.transforms.fourier import coefficients, padded_length, relative_error, restored, squared_length
from tests.law.item_cases import Rows, made, records_of_users
from tests.statistics import compare

Ints = NDArray[np.int64]
Vectors = list[NDArray[Any]]

dice = np.random.default_rng(1965)
RELATIONS = ("add-remove", "replace")
each_relation = pytest.mark.parametrize("neighbours", RELATIONS)


@pytest.fixture(autouse=True)
def same_dice() -> None:
    """Inputs are made up alike in every run, whichever tests ran before; noise is not."""
    dice.bit_generator.state = np.random.PCG64(1965).state


def multisets(cells: int, most: int) -> Iterator[tuple[int, ...]]:
    """All histories of up to `most` records."""
    for size in range(most + 1):
        yield from itertools.combinations_with_replacement(range(cells), size)


def most_moved(vectors: Vectors, neighbours: str, power: int = 1) -> float:
    """The most that one user changes, given what each possible user adds; the first adds nothing."""
    different = np.unique(np.array(vectors), axis=0)
    others = np.array(vectors[:1]) if neighbours == "add-remove" else different
    return float((np.abs(different[:, None] - others) ** power).sum(axis=2).max())


# --- counts -----------------------------------------------------------------------------------------------------------

SIZES = (4, 2)
OTHERS = [[0, 0, 3], [5], [1, 2, 4, 7]]


def what_users_add(method: Any, bound: int, longest: int) -> list[list[Ints]]:
    """For every history of a last user: how the items, the edges and the numbers of records change."""

    def looks(rows: list[list[int]]) -> list[Ints]:
        kept = Rows(SIZES, rows).kept(bound, distinct=method.distinct, scores=None, salt=b"same salt always")
        return [*method.tables(kept, bound), records_of_users(kept, bound + 1)]

    before = looks(OTHERS)
    users = (looks([*OTHERS, list(mine)]) for mine in multisets(8, longest))
    return [[after - old for after, old in zip(user, before, strict=True)] for user in users]


@each_relation
@pytest.mark.parametrize("count", ["records", "users"])
@pytest.mark.parametrize("bound", [1, 2])
def test_items_edges_groups_and_numbers(neighbours: str, count: str, bound: int) -> None:
    """Of users with up to three records; group sums for every way to group four items, and some to pair edges."""
    unit = Unit("who", max_rows=3, neighbours=neighbours)
    method = made("lpa", SIZES, 1, unit, bound=bound, count=count)
    users = what_users_add(method, bound, 3)
    sensitivity = method.unit_of(bound).sensitivity
    assert sensitivity == bound * (2 if neighbours == "replace" else 1)
    for table in (0, 1):
        assert most_moved([user[table] for user in users], neighbours) == sensitivity
    assert most_moved([user[0] for user in users], neighbours, 2) == method.unit_of(bound).squared_length
    # with a bound of one, users differ in nothing but being there
    assert most_moved([user[2] for user in users], neighbours) == (2 if neighbours == "replace" and bound > 1 else 1)
    most = 0.0
    for groups in itertools.product(range(4), repeat=4):
        sums = [np.bincount(groups, user[0], 4) for user in users]
        assert most_moved(sums, neighbours) <= sensitivity
        most = max(most, most_moved(sums, neighbours))
    for order in itertools.islice(itertools.permutations(range(8)), 0, None, 4001):
        sums = [user[1][list(order)].reshape(4, 2).sum(axis=1) for user in users]
        assert most_moved(sums, neighbours) <= sensitivity
    assert most == sensitivity


@each_relation
@pytest.mark.parametrize("count", ["records", "users"])
@pytest.mark.parametrize("bound", [2, 3])
def test_pairs(neighbours: str, count: str, bound: int) -> None:
    unit = Unit("who", max_rows=4, neighbours=neighbours)
    method = made("lpa", (6,), 1, unit, bound=bound, count=count, pairs=True)
    pairs = []
    for mine in multisets(6, bound):
        kept = Rows((6,), [[0, 1], list(mine)]).kept(bound, distinct=method.distinct, scores=None, salt=b"x" * 16)
        pairs.append(method.tables(kept, bound)[1])
    both = bound * (bound - 1) // (2 if count == "users" else 1)
    assert method.edge_unit(bound).sensitivity == both * (2 if neighbours == "replace" else 1)
    assert most_moved(pairs, neighbours) == method.edge_unit(bound).sensitivity


@each_relation
@pytest.mark.parametrize(("rows", "per_cell"), [(1, None), (3, None), (3, 1), (3, 2), (4, 2), (2, 5), (4, 3)])
def test_squared_length(neighbours: str, rows: int, per_cell: int | None) -> None:
    unit = Unit("who", max_rows=rows, max_rows_per_cell=per_cell, neighbours=neighbours)
    vectors = [np.bincount(mine, minlength=8) for mine in multisets(8, rows)]
    vectors = [vector for vector in vectors if vector.max() <= (per_cell or rows)]
    assert unit.squared_length == most_moved(vectors, neighbours, 2)
    assert unit.sensitivity == most_moved(vectors, neighbours)


def test_narrow_and_wide_units() -> None:
    unit = Unit("who", max_rows=7, neighbours="replace")
    assert unit.narrowed(3).sensitivity == unit.narrowed(3, per_cell=1).sensitivity == 6
    assert unit.narrowed(9).most == 7
    assert (unit.narrowed(3, per_cell=1).squared_length, unit.narrowed(3).squared_length) == (6, 18)
    assert unit.widened(42).sensitivity == 84
    assert Unit().narrowed(5, per_cell=1) == Unit()
    assert (Unit().squared_length, Unit(neighbours="replace").squared_length) == (1, 2)


# --- Fourier ----------------------------------------------------------------------------------------------------------


def basis(length: int) -> NDArray[np.float64]:
    """The rows of the real basis, by its definition."""
    rows = np.empty((length, length))
    angles = 2 * np.pi * np.arange(length) / length
    rows[0] = 1 / math.sqrt(length)
    for number in range(1, length):
        wave = np.cos if number % 2 else np.sin
        rows[number] = math.sqrt(2 / length) * wave((number + 1) // 2 * angles)
    if length % 2 == 0 and length > 1:
        rows[-1] = np.cos(length // 2 * angles) / math.sqrt(length)
    return rows


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 8, 9, 15, 16, 27, 60, 81, 125, 128])
def test_the_basis(length: int) -> None:
    rows, values = basis(length), dice.integers(-50, 50, length)
    assert rows @ rows.T == pytest.approx(np.eye(length), abs=1e-12)
    every = coefficients(values, length)
    assert every.astype(np.float64) == pytest.approx(rows @ values, abs=1e-9)
    assert restored(every, length, length) == pytest.approx(values, abs=1e-9)
    for kept in {1, (length + 1) // 2, length}:
        assert restored(every[:kept], length, length) == pytest.approx(rows[:kept].T @ (rows @ values)[:kept], abs=1e-9)
        assert squared_length(values.astype(float), kept, length) == pytest.approx(((rows @ values)[:kept] ** 2).sum())
    short = values[: max(1, length - 2)]
    assert coefficients(short, length).astype(float) == pytest.approx(rows[:, : short.size] @ short, abs=1e-9)


def test_padded_lengths() -> None:
    smooth = sorted(2**a * 3**b * 5**c for a in range(14) for b in range(9) for c in range(6))
    for size in [*range(1, 700), 4097, 5000, 7777]:
        assert padded_length(size) == next(length for length in smooth if length >= size)


def exact_coefficient(values: Ints, length: int, number: int) -> Decimal:
    """To 50 digits: a cosine and a sine by their series, and then by turning again and again."""
    with localcontext() as context:
        context.prec = 60
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
        frequency = (number + 1) // 2
        step = 2 * pi * frequency / length
        term, cosine, sine = Decimal(1), Decimal(0), Decimal(0)
        for n in range(120):
            cosine, sine = (cosine + term, sine) if n % 2 == 0 else (cosine, sine + term)
            term = term * step / (n + 1) * (-1 if n % 2 else 1)
        real, imaginary, total = Decimal(1), Decimal(0), Decimal(0)
        for value in values.tolist():
            total += value * (imaginary if number % 2 == 0 and number else real)
            real, imaginary = real * cosine - imaginary * sine, real * sine + imaginary * cosine
        alone = number == 0 or (length % 2 == 0 and number == length - 1)
        return total * (Decimal(1 if alone else 2) / length).sqrt()


@pytest.mark.parametrize("length", [4, 6, 15, 16, 125, 3125, 4096, 4374])
def test_the_error_of_the_transform_is_within_its_bound(length: int) -> None:
    """Against 50 digits, for values of all sizes; in units of the vector's length."""
    worst = 0.0
    for kind in range(3):
        values = np.array(
            [dice.integers(0, 10**9, length), dice.integers(0, 2, length) * 10**9, np.arange(length)][kind]
        )
        norm = Decimal(sum(int(value) ** 2 for value in values) or 1).sqrt()
        every = coefficients(values, length)
        for number in {0, 1, 2, 3 % length, length // 2, length - 2, length - 1}:
            whole = float(every[number])
            found = Decimal(whole) + Decimal(float(every[number] - np.longdouble(whole)))
            worst = max(worst, float(abs(found - exact_coefficient(values, length, number)) / norm))
    assert worst <= relative_error(length)
    assert np.finfo(np.longdouble).nmant < 60 or worst < 1e-17


@each_relation
@pytest.mark.parametrize(("rows", "per_cell"), [(1, None), (2, None), (3, 1), (3, None)])
@pytest.mark.parametrize("length", [2, 3, 4, 5, 6])
def test_length_cost_bounds_what_a_user_moves(neighbours: str, rows: int, per_cell: int | None, length: int) -> None:
    """Rounded coefficients, over all users, on top of several tables; cosines and sines are kept in pairs."""
    unit = Unit("who", max_rows=rows, max_rows_per_cell=per_cell, neighbours=neighbours)
    users = [np.bincount(mine, minlength=length) for mine in multisets(length, rows)]
    users = [user for user in users if user.max() <= (per_cell or rows)]
    tightest = 0.0
    for base in (np.zeros(length, np.int64), dice.integers(0, 100, length), dice.integers(0, 10**9 - 9, length)):
        moved = [np.rint(coefficients(base + user, length) * LATTICE).astype(np.int64) for user in users]
        for kept in {*range(1, length + 1, 2), length}:
            bound = _moved(unit, kept, length)
            most = most_moved([vector[:kept] for vector in moved], neighbours)
            assert most <= bound
            tightest = max(tightest, most / float(bound))
    assert tightest > 0.55


@pytest.mark.parametrize("length", [4, 1000])
@pytest.mark.parametrize("rows", [1, 2, 9])
def test_losses_are_paid_for_as_they_are_rounded(length: int, rows: int) -> None:
    """Two lengths as far apart as one user can bring them, off by what the transform may be, around a whole step."""
    unit, error = Unit("who", max_rows=rows), _length_error(length)
    just_reached = Fraction(5, _LOSS_STEPS)
    further = just_reached + 2 * error + math.isqrt(unit.squared_length)
    assert math.ceil(further * _LOSS_STEPS) - 5 > math.isqrt(unit.squared_length) * _LOSS_STEPS
    assert math.ceil(further * _LOSS_STEPS) - 5 <= _loss_sensitivity(unit, length)


def test_length_cost_is_a_proved_bound() -> None:
    """In whole numbers, never below the root that it stands for."""
    for rows, k, lattice in itertools.product([1, 2, 3, 50], [1, 2, 3, 7, 100], [1, 16, LATTICE]):
        unit = Unit("who", max_rows=rows)
        found = length_cost(unit, k, lattice, Fraction(0), Fraction(10**9))
        assert found**2 >= k * unit.squared_length * lattice**2 > (found - 1) ** 2
        assert length_cost(unit, k, lattice, Fraction(3, 7), Fraction(10**9)) == found + Fraction(3 * k, 7)
        assert length_cost(unit, k, lattice, Fraction(0), Fraction(1, 10**6)) == Fraction(rows * lattice, 10**6)


class Seeing(ZeroNoise):
    """Notes what is chosen by."""

    def choose(self, losses: Ints, scale: Any) -> int:
        self.losses, self.scale = losses, Fraction(scale)
        return super().choose(losses, scale)


@each_relation
@pytest.mark.parametrize("count", ["records", "users"])
def test_the_losses_of_frequencies(neighbours: str, count: str) -> None:
    """One user moves none of them by more than what the scale of the choice allows."""
    unit, others = Unit("who", max_rows=2, neighbours=neighbours), [[0, 0], [1, 2], [4, 3], [0, 4]]
    found, epsilon = [], Fraction(1, 3)
    for mine in multisets(5, 2):
        method, noise = made("fpa", (5,), epsilon, unit, count=count), Seeing()
        method.measure(Rows((5,), [*others, list(mine)]), noise)
        found.append(noise.losses)
    allowed = noise.scale * method.epsilon_of("choice") / 2
    different = np.unique(found, axis=0)
    from_whom = np.array(found[:1]) if neighbours == "add-remove" else different
    most = int(np.abs(different[:, None] - from_whom).max())
    assert allowed / 3 < most <= allowed


def test_counts_are_cut_before_they_are_transformed() -> None:
    """Beyond MOST_COUNT the error of the transform, which is paid for, has no bound."""
    data = from_counts(Schema(item=Nominal(["a", "b", "c"])), [[0], [1]], [3 * MOST_COUNT, 5])
    release = data.publish(Items("item", method="fpa", coefficients=2), 1, noise=ZeroNoise())
    assert release.count({"item": "a"}).value == pytest.approx(MOST_COUNT, abs=1)
    assert release.count({"item": "b"}).value == pytest.approx(5, abs=1)


# --- sampling users ---------------------------------------------------------------------------------------------------


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


@pytest.mark.parametrize("epsilon", ["1/1000000", "0.01", "0.5", "1", "3", "20"])
@pytest.mark.parametrize("factor", [1, 2, 3, 17, 400])
def test_sampling_rate(epsilon: str, factor: int) -> None:
    """log(1 + b (exp(k e) - 1)) is at most e, and hardly less. For replaced users what they move lies between."""
    wanted = Fraction(epsilon)
    rate = sampling_rate(wanted, factor)
    assert 0 <= rate <= 1
    if factor * wanted > 4000:
        assert rate == 0
        return
    with localcontext() as context:
        context.prec = 60 + int(factor * wanted)
        e, b = decimal(wanted), decimal(rate)
        grown = 1 + b * ((factor * e).exp() - 1)
        assert grown <= e.exp()
        assert 1 - grown / e.exp() < Decimal("1e-15")
        apart = (factor * e / 2).exp()  # from the outcome without the user to either of two users
        assert (1 - b + b * apart) / (1 - b + b / apart) <= e.exp() * (1 + Decimal("1e-50"))


# --- choices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("losses", [[0, 0, 0], [3, 1, 2, 9], [5], [10**15, 10**15 + 1, 10**15 + 3], [-4, 0, 2**40]])
@pytest.mark.parametrize("scale", ["1/3", "2", "17/5"])
def test_the_exponential_mechanism(losses: list[int], scale: str) -> None:
    noise, alpha = Noise(), float(Alpha.of(scale).fraction)
    weights = np.array([alpha ** min(loss - min(losses), 10**4) for loss in losses])
    hits = np.bincount([noise.choose(np.array(losses), scale) for _ in range(600)], minlength=len(losses))
    assert compare(hits, 600, weights / weights.sum()).holds


def test_another_scale_is_another_law() -> None:
    noise, weights = Noise(), float(Alpha.of(2).fraction) ** np.array([0, 1, 2, 4])
    hits = np.bincount([noise.choose(np.array([7, 8, 9, 11]), 1) for _ in range(3000)], minlength=4)
    assert not compare(hits, 3000, weights / weights.sum()).holds


@each_relation
def test_equation_22_is_the_best_bound(neighbours: str) -> None:
    """Of the mean squared error in the paper (equation 21), with the noise that the unit asks for."""
    unit = Unit("who", max_rows=200, neighbours=neighbours)
    for _ in range(200):
        users, records = int(10 ** dice.uniform(0, 5)), int(10 ** dice.uniform(0, 2.5))
        popularity, epsilon = float(10 ** dice.uniform(-4, 0)), Fraction(int(dice.integers(1, 300)), 100)
        each = 2 if neighbours == "replace" else 1
        n, m, p, e = users, records, popularity, float(epsilon)

        def error(bound: int, n: int = n, m: int = m, p: float = p, e: float = e, each: int = each) -> float:
            noise = 2 * (each * bound / e) ** 2
            return n * bound * p * (1 - p * bound / m) + noise + (n * bound * p - n * m * p) ** 2

        found = best_bound({"users": users, "records": records, "popularity": popularity}, epsilon, unit)
        assert error(found) <= min(map(error, range(1, 201))) * (1 + 1e-9)
