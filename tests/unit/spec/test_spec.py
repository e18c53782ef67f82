"""The spec file: what it says, that it survives a round trip, and that every mistake is told at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import BadSpec
from discreet.privacy import Unit
from discreet.schema import Nominal, Ordinal, Schema
from discreet.spec import ReleaseSpec, Spec, check_spec, load_spec
from discreet.tasks import Table
from tests.unit.spec.spec_text import dump_spec

ADULT = """
[data]
source = "adult.parquet"

[privacy]
unit = "user"
max_rows = 30
neighbours = "add-remove"
budget = 3.0
ledger = "adult.ledger"

[attributes.age]
kind = "ordinal"
low = 17
high = 90
width = 1

[attributes.born]
kind = "ordinal"
low = 1990-01-01
high = "1990-12-31"
width = "month"

[attributes.weight]
kind = "ordinal"
edges = [0, 50.5, 200]

[attributes.country]
kind = "nominal"
hierarchy = { Americas = ["USA", "Canada"], Europe = ["France"] }

[releases.by-age]
task = "table"
by = ["age", "country"]
epsilon = 0.1
method = "filter"
theta = 40
"""
PLAIN = "[attributes.age]\nkind = 'ordinal'\nlow = 0\nhigh = 9\n"
RELEASE = PLAIN + "[releases.r]\ntask = 'table'\nby = ['age']\n"


def write(folder: Path, text: str | bytes, name: str = "adult.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_spec_says_everything(tmp_path: Path) -> None:
    spec = load_spec(write(tmp_path, ADULT))
    assert spec.schema.names == ("age", "born", "weight", "country")
    assert spec.schema.sizes == (74, 12, 2, 3)
    assert spec.unit == Unit("user", max_rows=30)
    assert (spec.source, spec.ledger, spec.budget) == ("adult.parquet", "adult.ledger", Fraction(3))
    assert (spec.dataset, spec.base, spec.drafted, spec.delimiter) == ("adult", tmp_path, False, None)
    task = Table(["age", "country"], method="filter", theta=40)
    assert spec.releases == {"by-age": ReleaseSpec("by-age", task, Fraction(1, 10))}
    assert spec.resolve("x.csv") == str(tmp_path / "x.csv")
    assert spec.resolve("postgres://host/table") == "postgres://host/table"
    assert spec.resolve("/data/x.csv") == "/data/x.csv"


def test_the_least_a_spec_can_say(tmp_path: Path) -> None:
    spec = load_spec(write(tmp_path, b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode()))
    assert spec == Spec(Schema(age=Ordinal(0, 9)), base=tmp_path, dataset="adult")
    assert spec.unit.is_row


def test_the_mark_of_a_draft_is_kept(tmp_path: Path) -> None:
    spec = load_spec(write(tmp_path, "drafted_from_private_data = true\n" + PLAIN))
    assert spec.drafted
    assert load_spec(write(tmp_path, dump_spec(spec))).drafted


def test_a_hierarchy_may_lie_in_a_csv_beside_the_spec(tmp_path: Path) -> None:
    write(tmp_path, "block,tract\nb1,t1\nb2,t1\n", "blocks.csv")
    text = '[attributes.place]\nkind = "nominal"\nhierarchy_csv = "blocks.csv"\noutside = "other"\n'
    spec = load_spec(write(tmp_path, text))
    place = spec.schema["place"]
    assert isinstance(place, Nominal)
    assert (place.levels, place.labels) == (("tract", "block"), ("b1", "b2", "other"))
    assert load_spec(write(tmp_path, dump_spec(spec))) == spec


def test_attributes_may_have_special_values(tmp_path: Path) -> None:
    write(tmp_path, "block,tract\nb1,t1\nb2,t1\n", "blocks.csv")
    text = (
        PLAIN
        + "special = [0, 5]\n"
        + "[attributes.day]\nkind = 'ordinal'\nlow = 2024-01-01\nhigh = 2024-01-31\nspecial = [2024-01-02]\n"
        + "[attributes.cost]\nkind = 'ordinal'\nlow = 0\nhigh = 2.0\nwidth = 0.5\nspecial = [0.5]\n"
        + "[attributes.place]\nkind = 'nominal'\nhierarchy_csv = 'blocks.csv'\nnull = 'other'\nspecial = ['other']\n"
    )
    spec = load_spec(write(tmp_path, text))
    assert [attribute.special_codes for attribute in spec.schema.values()] == [(0, 5), (1,), (1,), (2,)]
    assert load_spec(write(tmp_path, dump_spec(spec))) == spec


def test_special_values_outside_of_the_domain_are_named_with_their_attribute(tmp_path: Path) -> None:
    write(tmp_path, "block,tract\nb1,t1\nb2,t1\n", "blocks.csv")
    place = "[attributes.place]\nkind = 'nominal'\nhierarchy_csv = 'blocks.csv'\nspecial = ['b2', 't1']\n"
    problems = check_spec(write(tmp_path, PLAIN + "special = [10]\n" + place))
    assert len(problems) == 2
    assert "[attributes.age] special[0]: must be one value of the domain; 10 is outside" in problems[0]
    assert "[attributes.place] special[1]: must be one value of the domain; 't1' is a group" in problems[1]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("'1/3'", Fraction(1, 3)),
        ("'0.30000000000000000000001'", Fraction("0.30000000000000000000001")),
        ("0.30000000000000000000001", Fraction("0.30000000000000000000001")),
        ("1_0", Fraction(10)),
        ("5e-3", Fraction(1, 200)),
    ],
)
def test_epsilon_is_exactly_what_was_written(tmp_path: Path, written: str, value: Fraction) -> None:
    spec = load_spec(write(tmp_path, RELEASE + f"epsilon = {written}\n"))
    assert spec.releases["r"].epsilon == value
    assert load_spec(write(tmp_path, dump_spec(spec))) == spec


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("0", "must be above zero"),
        ("-0.5", "must be above zero"),
        ("nan", "finite number"),
        ("inf", "finite number"),
        ("1e9", "surely a mistake"),
        ("1000001", "surely a mistake"),
        ("1e999999999", "far too large"),
        ("1e-999999999", "far too large or too small"),
        ("'1e999999999'", "far too large"),
        ("1e99999999999999999999", "too large"),
        ("'1/0'", "finite number"),
        ("'a half'", "finite number"),
        ("true", "must be a number"),
        ("[1]", "must be a number"),
    ],
)
def test_an_epsilon_that_cannot_be_meant_is_refused(tmp_path: Path, written: str, says: str) -> None:
    (problem,) = check_spec(write(tmp_path, RELEASE + f"epsilon = {written}\n"))
    assert "adult.toml: " in problem
    assert says in problem
    if "TOML" not in problem:
        assert "[releases.r] epsilon: " in problem


def test_every_mistake_is_told_at_once_with_file_key_and_fix(tmp_path: Path) -> None:
    text = """
    drafted_from_private_data = "yes"
    [daat]
    [data]
    source = 5
    delimiter = ";;"
    encoding = "utf-99"
    nmae = "x"
    [privacy]
    unit = "user"
    max_rows = 0
    max_rows_per_cell = 2.5
    neighbours = "both"
    budget = -1
    ledger = 7
    [attributes.age]
    kind = "ordinal"
    low = 17
    high = 90
    width = 10
    outside = "keep"
    [attributes.size]
    kind = "ordinal"
    edges = [0, 20, 10]
    [attributes.sex]
    kind = "nominal"
    valeus = ["Male"]
    [attributes.place]
    kind = "nominal"
    hierarchy_csv = "none.csv"
    [attributes.more]
    kind = "nominal"
    hierarchy_csv = 5
    values = ["a"]
    [attributes]
    note = 5
    [releases.one]
    task = "tabel"
    by = ["agee"]
    epsilon = 0
    metod = "geometric"
    theta = nan
    [releases.two]
    by = 5
    method = 5
    [releases."../three"]
    task = "table"
    by = []
    epsilon = 1
    [releases]
    four = 4
    """
    expected = [
        "daat: unknown key. Did you mean 'data'?",
        "drafted_from_private_data: must be true",
        "[data] nmae: unknown key. Did you mean 'name'?",
        "[data] source: must be a path",
        "[data] delimiter: must be one character",
        "[data] encoding: 'utf-99' is unknown",
        "[privacy] max_rows: max_rows must be a whole number of at least 1, not 0",
        "[privacy] max_rows_per_cell: max_rows_per_cell must be a whole number of at least 1, not 2.5",
        "[privacy] neighbours: neighbours must be 'add-remove' or 'replace', not 'both'",
        "[privacy] budget: the value must be above zero",
        "[privacy] ledger: must be text in quotes, not 7",
        "[attributes.age] outside: 'keep' is not a rule",
        "[attributes.age] high: 17 to 90 is 74 values, not a multiple of width 10; use high = 86 or 96",
        "[attributes.size] edges: 10 follows 20",
        "[attributes.sex] valeus: unknown key. Did you mean 'values'?",
        "[attributes.sex] values: give either values or hierarchy",
        "[attributes.place] hierarchy_csv: ",
        "[attributes.more] values: give either this or hierarchy_csv",
        "[attributes.more] hierarchy_csv: must be the path",
        "[attributes.note] must be a table",
        "[releases.one] task: 'tabel' is unknown; use one of items, marginals, ranges, table. Did you mean 'table'?",
        "[releases.one] by: 'agee' is not declared as an attribute. Did you mean 'age'?",
        "[releases.one] epsilon: the value must be above zero",
        "[releases.one] metod: unknown key. Did you mean 'method'?",
        "[releases.one] theta: nan is not finite",
        "[releases.two] task: missing",
        "[releases.two] by: must be a list",
        "[releases.two] method: must be a name in quotes, not 5",
        "[releases.two] epsilon: missing",
        "[releases.../three] the name must be letters",
        "[releases.../three] by: Table needs the names of one or more attributes",
        "[releases.four] must be a table",
    ]
    path = write(tmp_path, text)
    problems = check_spec(path)
    found = {words: [problem for problem in problems if problem.startswith(f"{path}: {words}")] for words in expected}
    assert [words for words, matching in found.items() if len(matching) != 1] == []
    assert len(problems) == len(expected)
    with pytest.raises(BadSpec) as caught:
        load_spec(path)
    assert caught.value.problems == problems


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ["attributes: none declared"]),
        ("age = \nb = 1", ["not valid TOML", "line 1"]),
        ("a = 1\na = 2", ["not valid TOML"]),
        (b"# caf\xe9\n", ["line 1 is not UTF-8"]),
        (b"\n[a]\n\xff = 1", ["line 3 is not UTF-8"]),
        ("a = " + "[" * 10_000, ["not valid TOML"]),
        ("a = " + "9" * 10_000, ["not valid TOML"]),
        (
            "attributes = 5\nreleases = []",
            ["[attributes] must", "[releases] must", "none declared"],
        ),
        ("[privacy]\nunit = 'user'\n" + PLAIN, ["[privacy] unit: unit 'user' needs max_rows"]),
        ("[privacy]\nmax_rows = 3\n" + PLAIN, ["[privacy] unit: unit 'row' takes no max_rows"]),
        (
            "[privacy]\nunit = 5\nbudget = 1e9\n" + PLAIN,
            ["[privacy] unit: ", "[privacy] budget: 1E+9 protects nobody"],
        ),
        ("[privacy]\nbudget = 1\n" + PLAIN, ["[privacy] budget: nothing keeps it", 'add ledger = "NAME.ledger"']),
        (
            "[privacy]\nbudget = 1\nledger = 'l'\n" + RELEASE + "epsilon = 2",
            ["epsilon: 2 is above the whole budget of 1"],
        ),
        ("[data]\nsource = []\n" + PLAIN, ["[data] source: must be a path"]),
        (PLAIN.replace("age", "Age") + PLAIN, ["upper and lower case"]),
    ],
)
def test_broken_specs_are_told(tmp_path: Path, text: str | bytes, says: list[str]) -> None:
    problems = check_spec(write(tmp_path, text))
    assert len(problems) == len(says) or len(problems) == 1
    for words in says:
        assert any(words in problem for problem in problems), problems


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    assert "there is no such file" in check_spec(tmp_path / "none.toml")[0]
    assert "cannot be read" in check_spec(tmp_path)[0]


@pytest.mark.parametrize(
    "key", ["size", "theta", "tau", "sided", "rows", "buckets", "direct", "sanity", "start", "step", "shares"]
)
def test_parameters_of_methods_are_not_taken_for_misspelt_keys(tmp_path: Path, key: str) -> None:
    assert check_spec(write(tmp_path, RELEASE + f"epsilon = 1\n{key} = 1\n")) == []
