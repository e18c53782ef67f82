"""Every key of a spec, and every parameter of every method, with odd values: what is wrong is said in words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import pytest

from discreet.cli.publishing import data_of
from discreet.errors import DiscreetError
from discreet.mechanisms import registry
from discreet.schema.reading import READING_KEYS
from discreet.spec import load_spec
from discreet.spec.checking import check_spec

#: None stands for a key that is not there, unless something odd is
SPEC: dict[str, str | None] = {
    "data.source": '"people.csv"',
    "data.name": '"d"',
    "data.delimiter": '","',
    "data.encoding": '"utf-8"',
    "privacy.unit": '"row"',
    "privacy.budget": "5",
    "privacy.ledger": '"l.ledger"',
    "privacy.max_rows": None,
    "privacy.max_rows_per_cell": None,
    "privacy.neighbours": '"add-remove"',
    "attributes.age.kind": '"ordinal"',
    "attributes.age.low": "0",
    "attributes.age.high": "6",
    "attributes.age.width": "1",
    "attributes.age.edges": None,
    "attributes.age.outside": '"clamp"',
    "attributes.age.null": '"drop"',
    "attributes.age.special": "[0]",
    "attributes.sex.kind": '"nominal"',
    "attributes.sex.values": '["f", "m"]',
    "attributes.sex.levels": None,
    "attributes.sex.special": None,
    **dict.fromkeys([f"attributes.sex.{key}" for key in ("hierarchy", "values_csv", "hierarchy_csv", "prefixes")]),
    **dict.fromkeys([f"attributes.{name}.{key}" for name in ("age", "sex") for key in READING_KEYS]),
    "releases.a.task": '"table"',
    "releases.a.by": '["age", "sex"]',
    "releases.a.epsilon": "1",
    "releases.a.method": '"auto"',
}
ODD = [
    *("-1", "0", "true", "2.5", "nan", "inf", "1e400", "9223372036854775808", "1" + "0" * 400, '""', '"x"', '"-1/2"'),
    *('"\\u0000"', '"a\\u0000b"', '"' + "9" * 500 + '"', "[]", "{}", "[[]]", "[-1]", '["x"]', '["\\u0000"]', "[nan]"),
    *(
        '{ x = "y" }',
        "[{ a = 1 }]",
        '{ a = { b = ["c"] } }',
        '["f", "f"]',
        "2024-01-31",
        "12:00:00",
        "[" * 40 + "]" * 40,
    ),
]
PARAMETERS = [
    (task, method, parameter.name) for (task, method), made in registry().items() for parameter in made.parameters
]
METHODS = {task: [method for of, method in registry() if of == task] for task, _ in registry()}


def written(folder: Path, fields: Mapping[str, str | None]) -> Path:
    tables: dict[str, list[str]] = {}
    for key, value in fields.items():
        if value is not None:
            table, _, name = key.rpartition(".")
            tables.setdefault(table, []).append(f"{name} = {value}\n")
    (folder / "s.toml").write_text("".join(f"[{table}]\n{''.join(lines)}" for table, lines in tables.items()))
    return folder / "s.toml"


def tried(folder: Path, fields: Mapping[str, str | None], publish: bool = True) -> None:
    """Checked, read and published; whatever else than a DiscreetError comes out fails the test."""
    path = written(folder, fields)
    (folder / "people.csv").write_text("age,sex\n1,f\n2,m\n")
    try:
        check_spec(path, METHODS)
        spec = load_spec(path)
        for release in spec.releases.values() if publish else ():
            data_of(path, spec).publish(release.task, release.epsilon)
    except DiscreetError as error:
        said = str(error)
        assert said
        assert "\0" not in said
    finally:
        for left in folder.glob("l.ledger*"):
            left.unlink()


@pytest.mark.parametrize("key", SPEC)
def test_odd_values_of_any_key(key: str, tmp_path: Path) -> None:
    for odd in ODD:
        try:
            tried(tmp_path, {**SPEC, key: odd})
        except Exception as error:
            raise AssertionError(f"{key} = {odd:.60}: {error!r:.200}") from error


@pytest.mark.parametrize("start", range(7))
def test_odd_values_of_any_parameter(start: int, tmp_path: Path) -> None:
    """Four of the odd values for each, in turn."""
    odd = itertools.islice(itertools.cycle(ODD), start, None)
    for task, method, parameter in PARAMETERS[start::7]:
        by = '["age"]' if task == "items" else '["age", "sex"]'
        asked = {**SPEC, "releases.a.task": f'"{task}"', "releases.a.method": f'"{method}"', "releases.a.by": by}
        for value in itertools.islice(odd, 4):
            try:
                tried(tmp_path, {**asked, f"releases.a.{parameter}": value})
            except Exception as error:
                raise AssertionError(f"{method}: {parameter} = {value:.60}: {error!r:.200}") from error


def test_levels_that_are_no_list_are_refused(tmp_path: Path) -> None:
    for levels in ("-1", "true", "2024-01-31", "{ a = 1 }"):
        (problem,) = check_spec(written(tmp_path, {**SPEC, "attributes.sex.levels": levels}))
        assert "levels: must be a list of names" in problem
