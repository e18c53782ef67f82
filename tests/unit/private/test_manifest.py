"""The digest of a request tells apart what is different, and nothing else; what format 1 wrote is still found."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.errors import DiscreetError, LedgerError
from discreet.mechanisms import Request
from discreet.private.manifest import request_digests
from discreet.private.open_data import from_counts
from discreet.private.publish import Data
from discreet.tasks import Task

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))
RANGE = discreet.Marginals(queries=[{"age": (0, 2)}], method="equal")
CHOICE = discreet.Marginals(queries=[{"age": [0, 2]}], method="equal")


def digest(task: Task) -> str:
    return request_digests(task, Request.of(task, SCHEMA, discreet.Unit(), 1), "bits")[0]


def earlier_digest(task: Task) -> str | None:
    return request_digests(task, Request.of(task, SCHEMA, discreet.Unit(), 1), "bits")[1]


def data(here: Path) -> Data:
    return from_counts(SCHEMA, [[0, 0], [1, 0], [2, 1]], [5, 1000, 7], ledger=here / "l.ledger", budget=3)


plain = st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.floats(0, 3), st.text("ab12", max_size=2))
values = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.text("ab", min_size=1, max_size=2), inner, max_size=3),
    ),
    max_leaves=6,
)


def typed(value: Any) -> Any:
    """The value with the types of all its parts: what a digest must tell apart."""
    if isinstance(value, dict):
        return {key: typed(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [typed(inner) for inner in value]
    return type(value), repr(value)


@given(values, values)
def test_two_requests_have_one_digest_only_if_they_are_the_same(one: Any, other: Any) -> None:
    made = [digest(discreet.Marginals(ways=1, method="equal", consistency=value)) for value in (one, other)]
    assert (made[0] == made[1]) == (typed(one) == typed(other))


def test_the_order_of_keys_does_not_matter() -> None:
    one = discreet.Marginals(queries=[{"age": 1, "sex": "f"}])
    other = discreet.Marginals(queries=[{"sex": "f", "age": 1}])
    assert digest(one) == digest(other)


def test_a_range_and_a_choice_are_two_releases(tmp_path: Path) -> None:
    assert digest(RANGE) != digest(CHOICE)
    data(tmp_path).publish(RANGE, 1, name="a", to=tmp_path / "a")
    with pytest.raises(DiscreetError, match="another"):
        data(tmp_path).publish(CHOICE, 1, name="a", to=tmp_path / "a")
    with pytest.raises(LedgerError, match="published before"):
        data(tmp_path).publish(CHOICE, 1, name="a", to=tmp_path / "b")


def of_format_1(task: Task) -> str:
    """As it was written before."""
    request = Request.of(task, SCHEMA, discreet.Unit(), 1)
    asked = {
        "task": task.to_dict(),
        "epsilon": str(request.epsilon),
        "unit": request.unit.to_dict(),
        "schema": request.schema.to_dict(),
        "noise": "bits",
    }
    return hashlib.sha256(json.dumps(asked, default=str).encode()).hexdigest()


def test_what_was_charged_in_the_old_form_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = discreet.Table(["age"], method="geometric")
    with monkeypatch.context() as before:
        before.setattr("discreet.private.manifest.request_digests", lambda *given: request_digests(*given)[::-1])
        old = data(tmp_path).publish(task, 1, name="a", to=tmp_path / "a")
    again = data(tmp_path).publish(task, 1, name="a", to=tmp_path / "a")
    assert again.manifest == old.manifest
    assert data(tmp_path).ledger.spent == 1


def test_an_old_digest_that_stands_for_two_requests_is_not_trusted() -> None:
    for task in (RANGE, CHOICE):
        assert earlier_digest(task) is None
    assert of_format_1(RANGE) == of_format_1(CHOICE)
    table = discreet.Table(["age"], method="geometric")
    assert earlier_digest(table) == of_format_1(table)


def test_special_values_make_another_request_and_none_make_the_same() -> None:
    def digests(**special: Any) -> tuple[str, str | None]:
        schema = discreet.Schema(age=discreet.Ordinal(0, 4, **special), sex=SCHEMA["sex"])
        table = discreet.Table(["age"], method="geometric")
        return request_digests(table, Request.of(table, schema, discreet.Unit(), 1), "bits")

    plain = digests()
    assert plain == digests(special=[]) == digests(special=None)
    # as before attributes could have any
    assert plain == (
        "17ce3101b18c766f862d3150d8c3a93900204063a33f3375889a76569960d9bd",
        "4290ffd1e346295b21cd26bde6446e23ccf0c9fc6f225cb8f4ec754c3e544e5a",
    )
    marked = digests(special=[0, 3])
    assert marked == digests(special=["3", 0.0])
    assert not {*marked} & {*plain}
    assert marked[0] != digests(special=[0])[0]


def test_a_release_remembers_special_values(tmp_path: Path) -> None:
    age, sex = discreet.Ordinal(0, 4, special=[0]), discreet.Nominal(["f", "m"], special=["m"])
    counts = from_counts(discreet.Schema(age=age, sex=sex), [[0, 0], [1, 0]], [5, 7], ledger=tmp_path / "l.ledger")
    release = counts.publish(discreet.Table(["age", "sex"]), 1, name="a", to=tmp_path / "a")
    assert release.manifest["schema"]["age"]["special"] == [0]
    assert discreet.load(tmp_path / "a").schema == discreet.Schema(age=age, sex=sex)


def test_known_totals_are_part_of_the_request_and_a_request_without_them_is_what_it_was() -> None:
    plain = discreet.Table("age")
    some = discreet.Table("age", known=[{"count": 7}])
    assert digest(some) not in (digest(plain), digest(discreet.Table("age", known=[{"count": 8}])))
    assert earlier_digest(some) is None
    assert earlier_digest(plain) is not None
    assert plain.to_dict() == {"task": "table", "by": ["age"], "method": "auto"}
