"""Any spec that can be written in Python survives being written to TOML and read back."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import BadParameter
from discreet.naming import reserved_problem
from discreet.privacy import Unit
from discreet.schema import Nominal, Ordinal, Schema
from discreet.spec import ReleaseSpec, Spec, load_spec
from discreet.spec.toml import toml_value
from discreet.tasks import Table
from tests.unit.spec.spec_text import dump_spec

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = texts.filter(bool)
odd = st.sampled_from(["a,b", 'say "hi"', "two\nlines", "=1+1", "\\", "'''", "\x00", "\x7f", "\r\n", "é", "#", "a.b"])
epsilons = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6)
values = st.recursive(
    st.one_of(st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
schemas = st.dictionaries(
    st.one_of(names, odd).filter(lambda name: reserved_problem(name) is None),
    st.one_of(
        st.lists(st.one_of(texts, odd), min_size=1, max_size=30, unique=True).map(Nominal),
        st.dictionaries(names.map("g{}".format), st.just(None), min_size=1, max_size=4).map(
            lambda groups: Nominal(hierarchy=[{group: [f"leaf of {group}"]} for group in groups])
        ),
        st.builds(lambda low, bins: Ordinal(low, low + bins - 1), st.integers(-99, 99), st.integers(1, 99)),
        st.just(Ordinal(0.0, 0.7, 0.1)),
        st.just(Ordinal("2024-01-01", "2024-12-31", "quarter", null="other")),
        st.lists(st.one_of(texts, odd), min_size=1, max_size=30, unique=True).map(
            lambda labels: Nominal(labels, special=labels[:2])
        ),
        st.just(Ordinal(-9, 9, special=[0, -1])),
        st.just(Ordinal(0.0, 0.7, 0.1, outside="other", special=[0.3, "other"])),
        st.just(Ordinal("2024-01-01", "2024-12-31", special=["2024-02-29"])),
    ),
    min_size=1,
    max_size=4,
).filter(lambda fields: len({name.casefold() for name in fields}) == len(fields))
units = st.one_of(
    st.just(Unit()),
    st.just(Unit(neighbours="replace")),
    st.builds(Unit, names.filter(lambda name: name != "row"), st.integers(1, 99), st.none() | st.integers(1, 9)),
)


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    schema = Schema(draw(schemas))
    releases = {}
    for name in draw(st.lists(st.from_regex(r"\A\w[\w.-]{0,9}\Z"), max_size=2, unique=True)):
        extra: dict[str, Any] = draw(st.dictionaries(st.sampled_from(["theta", "size", "shares"]), values))
        by = draw(st.lists(st.sampled_from(schema.names), min_size=1, unique=True))
        releases[name] = ReleaseSpec(name, Table(by, **extra), draw(epsilons))
    ledger = draw(st.none() | names)
    return Spec(
        schema=schema,
        unit=draw(units),
        source=draw(st.none() | names | st.lists(names, min_size=1, max_size=3)),
        budget=draw(st.none() | st.just(Fraction(10**6))) if ledger else None,
        ledger=ledger,
        releases=releases,
        drafted=draw(st.booleans()),
        dataset=draw(names),
        delimiter=draw(st.none() | st.sampled_from([";", "\t", "|"])),
        encoding=draw(st.none() | st.sampled_from(["utf-8", "latin-1"])),
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(spec=specs())
def test_specs_survive_the_round_trip(tmp_path: Path, spec: Spec) -> None:
    text = dump_spec(spec)
    path = tmp_path / "spec.toml"
    path.write_text(text, encoding="utf-8")
    again = load_spec(path)
    assert dump_spec(again) == text
    assert Spec(**{**vars(again), "base": spec.base}) == spec


def test_what_toml_cannot_hold_is_refused() -> None:
    with pytest.raises(BadParameter, match="type NoneType cannot be written"):
        toml_value([None])
