"""What publishing says: the manifest, the stamp on test noise, the stages, and that a draft is one."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import discreet
from discreet.cli.publishing import data_of
from discreet.errors import BadSpec, BudgetExceeded
from discreet.mechanisms import registry
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.private.open_data import from_counts
from discreet.release import load
from discreet.schema import Schema
from discreet.spec import load_spec
from tests.laplace_law import LaplaceLaw, follows_laplace
from tests.statistics import compare
from tests.unit.private.publish_cases import SCHEMA, TASK, failing, no_more, people


def test_the_manifest_says_everything_a_reviewer_asks(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"person": ["x", "x", "y", "z"], "age": [1, 2, 3, 4], "sex": ["f", "f", "m", None]})
    unit = discreet.Unit("person", max_rows=2, max_rows_per_cell=1, neighbours="replace")
    data = discreet.open(table, SCHEMA, unit=unit, ledger=tmp_path / "l.ledger", dataset="people")
    data.publish(TASK, "0.5", name="by-age", to=tmp_path / "by-age")
    said = json.loads((tmp_path / "by-age" / "release.json").read_text(encoding="utf-8"))

    assert (said["id"], said["dataset"]) == ("by-age", "people")
    assert said["task"] == {"task": "table", "by": ["age", "sex"], "method": "geometric"}
    assert said["method"] == "geometric"
    assert isinstance(said["parameters"], list)
    assert said["epsilon"] == "0.5"
    assert said["unit"] == {"unit": "person", "max_rows": 2, "max_rows_per_cell": 1, "neighbours": "replace"}
    assert said["sensitivity"] == 4
    assert Schema.from_dict(said["schema"]) == SCHEMA
    assert said["noise"]["law"].startswith("discrete Laplace")
    assert said["noise"]["scale"] == "8"
    assert re.fullmatch(r"\d+/2\*\*64", said["noise"]["alpha"])
    assert "AES-256-CTR" in said["noise"]["bits"]
    assert said["noise"]["publishable"] is True
    assert any("at most 2 rows of one person" in one["text"] for one in said["leaves_out"])
    assert said["software"] == f"discreet {version('discreet')}"
    assert said["ledger"]["durable"] is True
    assert data.ledger.contains_head(said["ledger"]["head"])
    assert said["format"] == 2
    assert set(said["files"]) == {"table.parquet"}
    assert said["seal"] == data.ledger.recorded("by-age")
    (charge,) = [entry for entry in data.ledger.entries() if entry.kind == "charge"]
    assert (said["time"], said["request"], said["ledger"]["head"]) == (charge.time, charge.digest, charge.hash)
    assert charge.what == "Table(['age', 'sex'], method='geometric')"


def test_the_manifest_says_what_was_asked_and_what_was_chosen(tmp_path: Path) -> None:
    said = people(tmp_path).publish(discreet.Table(["age", "sex"]), 1).manifest
    assert said["task"]["method"] == "auto"
    assert ("table", said["method"]) in registry()
    for parameter in said["parameters"]:
        assert set(parameter) == {"name", "value", "origin"}


def test_an_account_in_memory_is_said_to_be_one(tmp_path: Path) -> None:
    data = people(tmp_path, ledger=None)
    release = data.publish(TASK, 1, name="a", to=tmp_path / "a")
    said = load(tmp_path / "a").manifest["ledger"]
    assert said == release.manifest["ledger"]
    assert said["durable"] is False
    assert {*said} == {"durable", "head", "id", "cap", "spent_before", "spent_after"}
    assert (said["cap"], said["spent_before"], said["spent_after"]) == ("3", "0", "1")
    with pytest.raises(BudgetExceeded):
        data.publish(TASK, "2.5")
    # nobody remembers the account, but the folder is still the answer to the same request
    again = failing(people(tmp_path, ledger=None), no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert again.manifest == release.manifest


@pytest.mark.parametrize("noise", [ZeroNoise(), Noise(SeededSource(3))], ids=["zero", "seeded"])
def test_test_noise_is_stamped(tmp_path: Path, noise: Noise) -> None:
    release = people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a", noise=noise)
    assert load(tmp_path / "a").manifest["noise"]["publishable"] is False
    assert "NOT PRIVATE" in repr(release)


def test_real_noise_is_not_zero_and_not_repeated(tmp_path: Path) -> None:
    schema = discreet.Schema(cell=discreet.Ordinal(0, 999))
    data = from_counts(schema, [[0]], [1000])
    first, second = (
        data.publish(discreet.Table("cell", method="geometric"), "0.1").to_arrow()["count"].to_numpy() for _ in range(2)
    )
    for values in (first, second):
        assert follows_laplace(values[1:], Fraction(10)).holds
    alike = float(np.sum(LaplaceLaw.of(10).pmf(np.arange(-1000, 1001)) ** 2))
    assert compare(np.array([np.sum(first == second)]), 1000, np.array([alike])).holds
    assert abs(first[0] - 1000) < 400


def test_a_draft_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    spec = """\
drafted_from_private_data = true
[data]
source = "people.csv"
[privacy]
ledger = "l.ledger"
[attributes.age]
kind = "ordinal"
low = 0
high = 4
[releases.a]
task = "table"
by = ["age"]
epsilon = 1
"""
    path = tmp_path / "people.toml"
    (tmp_path / "people.csv").write_text("age\n1\n2\n")
    path.write_text(spec)
    with pytest.raises(BadSpec, match=r"people\.toml: is a draft.*remove the line `drafted_from_private_data = true`"):
        data_of(path, load_spec(path))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["people.csv", "people.toml"]
    path.write_text(spec.replace("drafted_from_private_data = true\n", ""))
    release = data_of(path, load_spec(path)).publish(
        discreet.Table("age", method="geometric"), 1, name="a", noise=ZeroNoise()
    )
    assert list(release.table()["count"]) == [0, 1, 1, 0, 0]


def test_progress_names_public_stages_only(tmp_path: Path) -> None:
    stages: list[str] = []
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a", progress=stages.append)
    assert stages == ["charging", "counting and adding noise", "writing"]
