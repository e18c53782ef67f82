"""Synthetic rows as data: types and values of every kind of attribute, the way back through `open`, marks and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer, DiscreetError
from discreet.noise import SeededSource, ZeroNoise
from discreet.noise.noise import Noise
from discreet.release import Release, load
from discreet.release.synthetic_rows import MARK, SyntheticRows
from discreet.schema import Attribute

FOLDERS = Path(__file__).parents[2] / "fixtures" / "releases"
#: so much that noise is next to none, and every cell is told from every other
SURE = "40"

KINDS: dict[str, tuple[Attribute, Any]] = {
    "whole numbers": (discreet.Ordinal(-2, 3), pa.int64()),
    "one value": (discreet.Ordinal(7, 7), pa.int64()),
    "bins": (discreet.Ordinal(-20, 39, 10), pa.int64()),
    "edges": (discreet.Ordinal(edges=[0, 18, 19, 65, 120]), pa.int64()),
    "reals": (discreet.Ordinal(-0.5, 1.0, 0.25), pa.float64()),
    "edges of reals": (discreet.Ordinal(edges=[0.0, 0.1, 0.3, 1e6]), pa.float64()),
    "days": (discreet.Ordinal(date(2024, 2, 27), date(2024, 3, 2)), pa.date32()),
    "months": (discreet.Ordinal(date(2024, 1, 1), date(2024, 6, 30), "month"), pa.date32()),
    "special values": (discreet.Ordinal(0, 5, special=[0]), pa.int64()),
    "missing numbers": (discreet.Ordinal(0, 3, null="other"), pa.int64()),
    "other numbers": (discreet.Ordinal(0, 3, outside="other"), None),
    "missing and other days": (discreet.Ordinal(date(2024, 1, 1), date(2024, 1, 3), null="other"), pa.date32()),
    "labels": (discreet.Nominal(["plain", "a,b", 'q"uote', "two\nlines", "É", "NULL", "-5"]), None),
    "labels that no CSV file of ours can have": (discreet.Nominal(["c\rr", " blank ", "=1+1", ""]), None),
    "numbered labels": (discreet.Nominal([1, 2, 30, "007"]), None),
    "truths": (discreet.Nominal(["true", "false"]), pa.bool_()),
    "truths or missing": (discreet.Nominal(["true", "false"], null="other"), pa.bool_()),
    "missing labels": (discreet.Nominal(["a", "b"], null="other"), None),
    "other labels": (discreet.Nominal(["a", "b"], outside="other"), None),
    "missing and other labels": (discreet.Nominal(["a", "b"], outside="other", null="other"), None),
    "a hierarchy": (discreet.Nominal(hierarchy={"north": ["a", "b"], "south": {"west": ["c"], "east": ["d"]}}), None),
}

WAYS: dict[str, Callable[[SyntheticRows, Path], Any]] = {
    "as they are": lambda rows, here: rows,
    "arrow": lambda rows, here: rows.to_arrow(),
    "pandas": lambda rows, here: rows.to_pandas(),
    "polars": lambda rows, here: rows.to_polars(),
    "csv": lambda rows, here: rows.to_csv(here / "rows.csv"),
    "parquet": lambda rows, here: rows.to_parquet(here / "rows.parquet"),
}
TASK = discreet.Table("it", method="geometric")


def exact(attribute: Attribute) -> Release:
    """1, 2, 3, ... records in the cells of one attribute, without noise."""
    schema = discreet.Schema({"it": attribute})
    codes = np.arange(attribute.size)[:, None]
    return discreet.from_counts(schema, codes, np.arange(1, attribute.size + 1)).publish(TASK, SURE, noise=ZeroNoise())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_release_can_be_made_from_the_rows(kind: str, way: str, tmp_path: Path) -> None:
    if way == "csv" and "no CSV" in kind:
        return
    release = exact(KINDS[kind][0])
    data = discreet.open(WAYS[way](release.rows(), tmp_path), release.schema)
    again = data.publish(TASK, SURE, noise=ZeroNoise())
    assert again.table("it").rows() == release.table("it").rows()
    assert again.count().value == release.schema.cells * (release.schema.cells + 1) / 2


@pytest.mark.parametrize("kind", KINDS)
def test_columns_have_the_schemas_types(kind: str) -> None:
    attribute, expected = KINDS[kind]
    column = exact(attribute).rows()["it"]
    if expected is None:
        assert column.type.value_type == pa.string()
        wanted = {*map(str, attribute.labels)}
        assert {value for value in column.to_pylist() if value is not None} <= wanted
    else:
        assert column.type == expected
    assert (column.null_count > 0) == (attribute.null == "other")


def test_a_bin_becomes_its_middle() -> None:
    def values(kind: str) -> list[Any]:
        return sorted(set(exact(KINDS[kind][0]).rows()["it"].to_pylist()))

    assert values("bins") == [-16, -6, 4, 14, 24, 34]
    assert values("edges") == [8, 18, 41, 92]
    assert values("reals") == [-0.375, -0.125, 0.125, 0.375, 0.625, 0.875]
    assert values("months")[:2] == [date(2024, 1, 16), date(2024, 2, 15)]
    narrow = discreet.Ordinal(edges=[1.0, float(np.nextafter(1.0, 2.0)), 2.0])
    assert narrow.middle(0) == 1.0


def test_very_many_values_are_not_listed() -> None:
    """Codes beyond what a float can tell apart come out to the last digit."""
    schema = discreet.Schema(a=discreet.Ordinal(0, 2**60), b=discreet.Ordinal(0.0, 2.0**40, 0.5))
    codes = np.array([[2**59 + 1, 3]])
    data = discreet.from_counts(schema, codes, np.array([10**7]))
    release = data.publish(discreet.Ranges(["a", "b"], method="adaptive"), SURE, noise=ZeroNoise())
    rows = release.rows(1000, seed=1).to_pandas()
    assert (rows["a"] == 2**59 + 1).mean() > 0.9
    assert (rows["b"] == 1.75).mean() > 0.9


def test_the_same_seed_gives_the_same_rows() -> None:
    release = load(FOLDERS / "marginals-ireduct")
    one, again, other = (release.rows(200, seed=seed).to_arrow() for seed in (7, 7, 8))
    assert one.equals(again)
    assert not one.equals(other)
    fresh = release.rows(200)
    assert release.rows(200, seed=fresh.facts["seed"]).to_arrow().equals(fresh.to_arrow())
    assert not release.rows(200).to_arrow().equals(fresh.to_arrow())


def test_rows_of_a_seed_stay_the_same() -> None:
    """What a seed gives is a promise to whoever wrote it down."""
    rows = load(FOLDERS / "marginals-ireduct").rows(6, seed=1).to_arrow().to_pydict()
    assert rows == {
        "age": [5, 1, 3, 2, 6, 4],
        "sex": ["m", "m", "f", "m", "f", "f"],
        "place": ["b", "c", "c", "a", "a", "b"],
    }


def test_progress_names_what_is_done() -> None:
    for name in ("marginals-ireduct", "ranges-adaptive"):
        stages: list[str] = []
        load(FOLDERS / name).rows(10, progress=stages.append)
        assert (stages[0], stages[-1]) == ("reading the release", "giving rows their values")


def test_as_many_rows_as_records_unless_said() -> None:
    release = load(FOLDERS / "table-geometric")
    assert len(release.rows()) == release.count(whole=True).value
    assert len(release.rows(1)) == 1


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "10", 10**10])
def test_wrong_numbers_of_rows_are_refused(wrong: Any) -> None:
    with pytest.raises(BadParameter, match="rows: n must be a whole number from 1"):
        load(FOLDERS / "table-geometric").rows(wrong)


@pytest.mark.parametrize("wrong", [-1, True, 1.5, "10", 2**63])
def test_wrong_seeds_are_refused(wrong: Any) -> None:
    with pytest.raises(BadParameter, match="a seed is a whole number"):
        load(FOLDERS / "table-geometric").rows(10, seed=wrong)


@pytest.mark.parametrize("name", [folder.name for folder in sorted(FOLDERS.iterdir()) if folder.is_dir()])
def test_every_release_has_rows_or_says_why_not(name: str) -> None:
    release = load(FOLDERS / name)
    if name.startswith("items"):
        with pytest.raises(CannotAnswer, match="belong to one user"):
            release.rows(10)
    elif name.endswith("queries"):
        with pytest.raises(CannotAnswer, match="list of queries"):
            release.rows(10)
    else:
        rows = release.rows(50, seed=1)
        assert rows.to_arrow().column_names == list(release.schema)
        assert len(rows) == 50


def test_rows_say_what_they_are(tmp_path: Path) -> None:
    release = load(FOLDERS / "marginals-ireduct")
    rows = release.rows(50, seed=3)
    said = rows.facts
    assert said["synthetic"] is True
    assert (said["rows"], said["seed"]) == (50, 3)
    assert said["release"]["seal"] == release.manifest["seal"]
    assert (said["release"]["method"], said["release"]["epsilon"]) == ("ireduct", release.manifest["epsilon"])
    assert said["release"]["publishable"] is True
    assert "error bars" in said["note"]
    assert said["note"] in repr(rows)
    assert "30 more rows" in repr(rows)
    assert said["note"] in rows._repr_html_()
    assert json.loads(pq.read_schema(rows.to_parquet(tmp_path / "a.parquet")).metadata[MARK.encode()]) == said
    assert json.loads(Path(f"{rows.to_csv(tmp_path / 'a.csv')}.json").read_text(encoding="utf-8")) == said
    assert rows.to_pandas().attrs[MARK] == said


@pytest.mark.parametrize("noise", [ZeroNoise(), Noise(SeededSource(5))])
def test_rows_of_a_release_for_tests_are_not_to_be_published(noise: Noise, tmp_path: Path) -> None:
    schema = discreet.Schema(a=discreet.Ordinal(0, 3))
    data = discreet.from_counts(schema, np.arange(4)[:, None], np.full(4, 100))
    rows = data.publish(discreet.Table("a", method="geometric"), 1, noise=noise).rows(10)
    assert "NOT PRIVATE" in rows.facts["not_private"]
    assert rows.facts["release"]["publishable"] is False
    assert "NOT PRIVATE" in repr(rows)
    assert b"NOT PRIVATE" in pq.read_schema(rows.to_parquet(tmp_path / "a.parquet")).metadata[MARK.encode()]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    rows = load(FOLDERS / "table-geometric").rows(10)
    for name in ("a.csv", "a.parquet"):
        rows.save(tmp_path / name)
        before = (tmp_path / name).read_bytes()
        with pytest.raises(DiscreetError, match="exists already"):
            rows.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    (tmp_path / "b.csv.json").write_text("mine")
    with pytest.raises(DiscreetError, match="exists already"):
        rows.to_csv(tmp_path / "b.csv")
    assert not (tmp_path / "b.csv").exists()
    with pytest.raises(BadParameter, match=r"\.csv or \.parquet"):
        rows.save(tmp_path / "a.xlsx")


def test_a_file_that_fails_is_not_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = load(FOLDERS / "table-geometric").rows(10)
    monkeypatch.setattr(rows, "_write_csv", lambda file: file.write("no bytes"))
    with pytest.raises(TypeError):
        rows.to_csv(tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_spreadsheet_runs_nothing(tmp_path: Path) -> None:
    text = exact(discreet.Nominal(["=1+1", "@sum", "fine"])).rows().to_csv(tmp_path / "a.csv").read_text()
    assert "'=1+1" in text
    assert "'@sum" in text
    assert "\n=" not in text


def test_a_release_of_nothing_has_no_rows() -> None:
    schema = discreet.Schema(a=discreet.Ordinal(0, 3), b=discreet.Nominal(["x", "y"]))
    data = discreet.from_counts(schema, np.zeros((0, 2), np.int64), np.zeros(0, np.int64))
    both = ["a", "b"]
    tasks = discreet.Table(both, method="geometric"), discreet.Marginals(ways=2, method="equal"), discreet.Ranges(both)
    for task in tasks:
        release = data.publish(task, 1, noise=ZeroNoise())
        with pytest.raises(CannotAnswer, match="about 0 records"):
            release.rows()
        with pytest.raises(CannotAnswer, match="nothing for rows to fit"):
            release.rows(10)
