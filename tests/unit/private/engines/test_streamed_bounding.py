"""The fast way to bound users chooses the very rows that the expression chooses, whatever names users."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.privacy import Unit
from discreet.private.counts import Counts
from discreet.private.engines import bounding, counting_query, named_users
from discreet.private.engines.counting_query import count, count_sets
from discreet.private.engines.named_users import TextNumbers
from discreet.private.engines.session import Limits, arrow_table
from discreet.schema import Ordinal, Schema
from tests.unit.private.engines.plain_counting import SALT, SCHEMA, frame, made_rows

dice = np.random.default_rng()


@pytest.fixture
def by_expression(monkeypatch: pytest.MonkeyPatch) -> Any:
    def counted(*given: Any, **more: Any) -> Counts:
        with monkeypatch.context() as patched:
            patched.setattr(counting_query, "_streamed", lambda *_: None)
            return count(*given, **more)

    return counted


def table(users: Any, kind: Any = None, cells: int = 40) -> pa.Table:
    names = pa.array(users, kind)
    return pa.table({"u": names, "x": np.arange(len(names)) * 7919 % cells, "y": np.arange(len(names)) % 3})


#: several ways to write one user, some to write nobody, and texts that begin alike
SPELT = [
    "a",
    " a",
    "A",
    "1",
    "01",
    "1.0",
    "true",
    "",
    " ",
    "nan",
    None,
    "\u00e9",
    "e\u0301",
    "a" * 8,
    "a" * 9,
    "a" * 999,
]
NUMBERS = [(int(k) ** 2) % 97 for k in range(3000)]


@pytest.mark.parametrize(
    ("users", "kind"),
    [
        (NUMBERS, pa.int64()),
        ([k - 50 for k in NUMBERS], pa.int16()),
        ([k * 2**55 - 2**62 for k in NUMBERS], pa.int64()),
        ([k + 2**32 - 40 for k in NUMBERS], pa.int64()),
        ([k * 2**57 for k in NUMBERS], pa.uint64()),
        ([f"person {k}" for k in NUMBERS], pa.string()),
        ([SPELT[k % len(SPELT)] for k in NUMBERS], pa.string()),
        ([k / 2 for k in NUMBERS], pa.float64()),
        ([None if k == 3 else k for k in NUMBERS], pa.int32()),
    ],
    ids=["numbers", "negative", "far", "across 2**32", "uint64", "names", "spelt", "reals", "nobody"],
)
@pytest.mark.parametrize("unit", [Unit("u", 4), Unit("u", 3, 1), Unit("u", 60, 2)], ids=["plain", "distinct", "capped"])
def test_both_ways_choose_the_same_rows(by_expression: Any, users: list[Any], kind: Any, unit: Unit) -> None:
    schema, rows = Schema(x=Ordinal(0, 39), y=Ordinal(0, 2)), table(users, kind)
    assert count(rows, schema, unit, salt=SALT) == by_expression(rows, schema, unit, salt=SALT)


def test_names_may_come_back_in_any_order(by_expression: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads hand over what they looked at as they please, so places say which name is whose."""
    monkeypatch.setattr(
        named_users, "arrow_table", lambda *given: (found := arrow_table(*given)).take(np.arange(len(found))[::-1])
    )
    schema, unit = Schema(x=Ordinal(0, 39), y=Ordinal(0, 2)), Unit("u", 4)
    for names in ([f"person {k}" for k in NUMBERS], [SPELT[k % len(SPELT)] for k in NUMBERS]):
        rows = table(names, pa.string())
        assert count(rows, schema, unit, salt=SALT) == by_expression(rows, schema, unit, salt=SALT)


def test_names_are_numbered_as_they_are_met() -> None:
    texts = [["", "x", f"{place}", f"{place}" * 40, "longer " * 900][place % 5] for place in range(30_000)]
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    names = TextNumbers(np.uint64(7))
    given = pa.array(["first of its array", *texts]).slice(1)
    found = [names.numbers(given.slice(start, 7_000)) for start in range(0, len(texts), 7_000)]
    assert np.concatenate(found).tolist() == [numbers[text] for text in texts]
    assert names.texts().to_pylist() == list(numbers)


def test_both_ways_with_cells_of_64_bits(by_expression: Any) -> None:
    rows = table(NUMBERS, cells=2**40)
    schema = Schema(x=Ordinal(0, 2**40 - 1), y=Ordinal(0, 2))
    counts = count(rows, schema, Unit("u", 5), salt=b"s")
    assert counts == by_expression(rows, schema, Unit("u", 5), salt=b"s")
    assert counts.counts.sum() == 5 * len(set(NUMBERS))


def test_marginals_are_those_of_the_same_rows() -> None:
    rows, schema = made_rows(800, users=30), SCHEMA.select(["age", "sex"])
    unit = Unit("user", 5)
    whole = count(frame(rows), schema, unit, salt=SALT)
    parts = count_sets(frame(rows), schema, [["sex"], ["age", "sex"]], unit, salt=SALT)
    assert parts == [whole.marginal([1]), whole]


def test_more_rows_than_memory_are_left_to_the_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, schema, unit = table(NUMBERS), Schema(x=Ordinal(0, 39)), Unit("u", 4)
    wanted, asked = count(rows, schema, unit, salt=SALT), []
    honest = bounding.bounded

    def seen(*given: Any) -> Any:
        asked.append(given)
        return honest(*given)

    monkeypatch.setattr(counting_query, "bounded", seen)
    monkeypatch.setattr("discreet.private.engines.streamed_bounding.remembered_bytes", lambda _: 8 * len(NUMBERS) - 1)
    assert count(rows, schema, unit, salt=SALT, limits=Limits(1)) == wanted
    assert len(asked) == 1
