"""Canaries: where they stand, and that they are found in whatever form they come out."""

from __future__ import annotations

import base64

import pytest

import discreet
from discreet.audit.canaries import Baited, Mark, reordered
from discreet.mechanisms import Request
from discreet.privacy import Unit
from discreet.schema import Schema

MARK = Mark("00112233445566778899aabb", "123456789012345")
SCHEMA = discreet.Schema(
    age=discreet.Ordinal(0, 6),
    sex=discreet.Nominal(["f", "m"], outside="other", null="other"),
    late=discreet.Ordinal(0, 1),
)


def baited(unit: Unit, schema: Schema = SCHEMA, *, one_row_each: bool = False) -> Baited:
    request = Request.of(discreet.Table(list(schema)), schema, unit, 1)
    return Baited(request, MARK, one_row_each=one_row_each)


@pytest.mark.parametrize("text", [f"{MARK.text}-7", f"{MARK.digits}0"])
def test_a_canary_is_found_in_every_form(text: str) -> None:
    plain = text.encode()
    forms = [plain, text.encode("utf-16-le"), text.encode("utf-16-be"), plain.hex().encode()]
    forms += [base64.b64encode(b"x" * before + plain + b"y") for before in range(5)]
    for form in [*forms, MARK.text.upper().encode(), bytes.fromhex(MARK.text)]:
        assert MARK.found_in(b"before" + form + b"after"), form


def test_nothing_else_is_taken_for_one() -> None:
    assert not MARK.found_in(MARK.text[:-1].encode() + b"-" + MARK.digits[1:].encode())
    assert Mark.fresh() != Mark.fresh()
    assert len(Mark.fresh().text) == 24
    assert len(Mark.fresh().digits) == 15


@pytest.mark.parametrize("unit", [Unit(), Unit("who", max_rows=2), Unit("who", max_rows=5, max_rows_per_cell=1)])
def test_canaries_stand_everywhere_and_no_user_is_above_a_bound(unit: Unit) -> None:
    table = baited(unit).table
    for name in table.column_names:
        found = [value for value in table.column(name).to_pylist() if MARK.found_in((value or "").encode())]
        assert found, name
    if not unit.is_row:
        users = table.column("who").to_pylist()
        assert 1 < max(users.count(user) for user in users) <= unit.most
        cells = list(zip(users, *(table.column(name).to_pylist() for name in SCHEMA), strict=True))
        assert len(set(cells)) == len(cells)
        assert len(set(baited(unit, one_row_each=True).table.column("who").to_pylist())) < len(users)


@pytest.mark.parametrize("unit", [Unit(), Unit("who", max_rows=2)])
def test_a_neighbour_lacks_one_unit_and_the_longer_table_has_rows_that_do_not_count(unit: Unit) -> None:
    made = baited(unit)
    assert 1 <= made.table.num_rows - made.neighbour.num_rows <= unit.most
    assert made.longer is not None
    rows = made.longer.slice(made.table.num_rows).to_pylist()
    assert rows
    for row in rows:
        assert row["age"] is None or row["late"] is None or (not unit.is_row and row["who"] is None)


def test_where_every_row_counts_there_is_no_longer_table() -> None:
    everything = discreet.Schema(sex=discreet.Nominal(["f", " m "], outside="other", null="other"))
    made = baited(Unit(), everything)
    assert made.longer is None
    assert " m " not in made.table.column("sex").to_pylist(), "a CSV file would have it without its blanks"


def test_another_order_has_the_same_rows() -> None:
    table = baited(Unit()).table
    rows, others = (one.to_pylist() for one in (table, reordered(table)))
    assert rows != others
    assert sorted(rows, key=repr) == sorted(others, key=repr)
