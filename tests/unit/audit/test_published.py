"""Releases that were published, against their ledgers: an honest one holds, and whatever was changed shows."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.audit.published import OK, UNCHECKED, WRONG, Published, _declared, published
from discreet.errors import DiscreetError, LedgerError
from discreet.ledger import Ledger
from discreet.ledger.heads import heads_file
from discreet.left_out import LeftOut
from discreet.noise import Noise, SeededSource
from discreet.privacy import Unit
from discreet.private.manifest import request_digests
from discreet.release.files import read_manifest, seal_of
from discreet.tasks import task_from_dict

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4), sex=discreet.Nominal(["f", "m"]))
RELEASES = Path(__file__).parents[2] / "fixtures" / "releases"

Change = Callable[[dict[str, Any]], object]


def publish(here: Path, task: discreet.tasks.Task, **options: Any) -> tuple[Path, Path]:
    data = discreet.from_counts(SCHEMA, [[0, 0], [2, 1]], [5, 7], ledger=here / "l", dataset="people", budget=3)
    data.publish(task, "1/3", name="r", to=here / "r", **options)
    return here / "r", here / "l"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("made")
    publish(here, discreet.Table(["age", "sex"], method="filter", theta=2))
    return here


@pytest.fixture
def honest(made: Path, tmp_path: Path) -> tuple[Path, Path]:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "r", tmp_path / "l"


def wrong(found: Published) -> list[str]:
    assert all(one.why for one in found.findings if one.result != OK)
    return [one.check for one in found.findings if one.result == WRONG]


def changed(folder: Path, change: Change) -> None:
    """Edits release.json as someone would who knows about seals."""
    said = json.loads((folder / "release.json").read_text(encoding="utf-8"))
    change(said)
    said["seal"] = seal_of(said)
    (folder / "release.json").write_text(json.dumps(said, indent=2), encoding="utf-8")


def charged_anew(folder: Path, path: Path, epsilon: str, change: Change = lambda said: None) -> None:
    """Forges a ledger in which the release was charged for, and makes the release refer to it."""
    said = read_manifest(folder)
    ledger = Ledger.open(path, "people", None)
    change(said)
    charge = ledger.charge("r", said["request"], Fraction(epsilon), "me", "it")
    changed(folder, lambda old: (old.update(said), old["ledger"].update(head=charge.head)))
    ledger.record("r", read_manifest(folder)["seal"])


TASKS = [
    discreet.Table(["age", "sex"], method="geometric"),
    discreet.Ranges(["age", "sex"], method="privelet"),
    discreet.Marginals(ways=1),
    discreet.Marginals(queries=[{"age": (0, 2)}, {"sex": ["f", "m"]}]),
    discreet.Items("sex", context=["age"], method="lpa"),
]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_an_honest_release_holds(task: discreet.tasks.Task, tmp_path: Path) -> None:
    found = published(*publish(tmp_path, task))
    assert wrong(found) == []
    assert found.verdict == "HOLDS"
    results = {one.check: one.result for one in found.findings}
    assert results["its noise has the law it declares"] == results["the charge is its epsilon"] == OK
    assert results["the sampler is exact at its scale"] == OK
    assert results["its request is the one under the charge"] == OK


def test_an_edited_data_file_is_wrong(honest: tuple[Path, Path]) -> None:
    table = honest[0] / "table.parquet"
    table.write_bytes(table.read_bytes()[:-1] + b"?")
    assert wrong(published(*honest)) == ["its files are whole"]


def test_an_edited_manifest_is_wrong(honest: tuple[Path, Path]) -> None:
    place = honest[0] / "release.json"
    place.write_text(place.read_text(encoding="utf-8").replace('"people"', '"others"'), encoding="utf-8")
    assert wrong(published(*honest)) == ["its files are whole"]


RECORDED = "it is the release that was recorded"
CHARGED = "it was charged to this ledger"
REQUEST = "its request is the one under the charge"


@pytest.mark.parametrize(
    ("change", "also"),
    [
        (lambda said: said.update(software="other"), []),
        (lambda said: said.update(epsilon="1/4"), ["the charge is its epsilon", REQUEST]),
        (lambda said: said.update(epsilon="no number"), ["the charge is its epsilon"]),
        (lambda said: said.update(dataset="others"), [CHARGED]),
        (lambda said: said.update(request="0" * 64), [CHARGED, REQUEST]),
        (lambda said: said.update(sensitivity=2), ["its sensitivity is the unit's"]),
        (lambda said: said.update(method="geometric"), ["its method is the one it names"]),
        (lambda said: said["noise"].update(scale="1"), ["its noise has the law it declares"]),
        (lambda said: said["noise"].update(scale="no number"), ["its noise has the law it declares"]),
        (lambda said: said["noise"].update(law="none"), ["its noise has the law it declares"]),
        (lambda said: said["noise"].update(bits="dice"), ["its bits are those of production"]),
        (lambda said: said["parameters"].pop(), ["its parameters are those it declares"]),
        (lambda said: said["leaves_out"].pop(), ["it leaves out what it says"]),
        (lambda said: said["task"].update(theta=3), [REQUEST]),
        (lambda said: said["task"].update(method="none"), ["its method can be made again"]),
        (lambda said: said["ledger"].update(head="0" * 64), [CHARGED]),
    ],
)
def test_a_manifest_that_was_edited_and_sealed_again_is_wrong(
    honest: tuple[Path, Path], change: Change, also: list[str]
) -> None:
    changed(honest[0], change)
    found = wrong(published(*honest))
    assert {RECORDED, *also} <= set(found)


def test_another_ledger_is_wrong(honest: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    publish(tmp_path / "other", discreet.Table(["age"]))
    found = wrong(published(honest[0], tmp_path / "other" / "l"))
    assert found == [CHARGED, RECORDED]
    Ledger.open(tmp_path / "empty", "people", None)
    assert wrong(published(honest[0], tmp_path / "empty")) == [CHARGED]


def test_a_ledger_cut_off_is_wrong(honest: tuple[Path, Path]) -> None:
    folder, ledger = honest
    content = ledger.read_bytes()
    for length in (len(content) // 2, 100, 0):
        ledger.write_bytes(content[:length])
        assert wrong(published(folder, ledger)) == ["the ledger is whole"]


@pytest.mark.parametrize(("kept", "expected"), [(2, [RECORDED]), (1, [CHARGED])])
def test_an_older_copy_of_the_ledger_is_wrong(honest: tuple[Path, Path], kept: int, expected: list[str]) -> None:
    with closing(sqlite3.connect(honest[1], isolation_level=None)) as connection:
        trigger = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'no_delete'").fetchone()[0]
        connection.execute("DROP TRIGGER no_delete")
        connection.execute("DELETE FROM entries WHERE seq > ?", (kept,))
        connection.execute(trigger)
    assert wrong(published(*honest)) == ["the ledger is whole"]
    heads_file(honest[1]).unlink()
    assert wrong(published(*honest)) == expected


def test_test_noise_is_wrong(tmp_path: Path) -> None:
    found = published(*publish(tmp_path, discreet.Table(["age"]), noise=Noise(SeededSource(1))))
    assert wrong(found) == ["its bits are those of production"]


def test_a_lower_charge_in_a_forged_ledger_is_wrong(honest: tuple[Path, Path], tmp_path: Path) -> None:
    charged_anew(honest[0], tmp_path / "forged", "0.1")
    found = published(honest[0], tmp_path / "forged")
    assert wrong(found) == ["the charge is its epsilon"]
    assert "0.1 was charged, and it says 1/3" in "\n".join(found.lines())


def test_a_cheaper_unit_in_a_forged_ledger_is_wrong(honest: tuple[Path, Path], tmp_path: Path) -> None:
    """Whoever forges all of it must make a request that is consistent, and then the law is that of the request."""
    charged_anew(honest[0], tmp_path / "forged", "1/3", lambda said: said["unit"].update(neighbours="replace"))
    found = wrong(published(honest[0], tmp_path / "forged"))
    assert {REQUEST, "its noise has the law it declares", "its sensitivity is the unit's"} <= set(found)


def test_format_1_says_what_it_cannot_check(honest: tuple[Path, Path], tmp_path: Path) -> None:
    def older(said: dict[str, Any]) -> None:
        task = task_from_dict(said["task"])
        request = discreet.mechanisms.Request.of(task, SCHEMA, Unit(), said["epsilon"])
        said["leaves_out"] = [LeftOut.from_dict(one).sentence for one in said["leaves_out"]]
        said["request"] = request_digests(task, request, said["noise"]["bits"])[1]
        said["format"] = 1

    charged_anew(honest[0], tmp_path / "old", "1/3", older)
    found = published(honest[0], tmp_path / "old")
    assert wrong(found) == []
    assert [one.check for one in found.findings if one.result == UNCHECKED] == ["it leaves out what it says"]


FOLDERS = [path for path in sorted(RELEASES.iterdir()) if path.is_dir()]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_releases_of_earlier_versions_are_what_they_declare(folder: Path) -> None:
    found = [one for one in _declared(read_manifest(folder)) if one.result == WRONG]
    assert found == []


def test_what_is_not_there_is_an_error(honest: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="no such folder"):
        published(tmp_path / "none", honest[1])
    with pytest.raises(LedgerError, match="there is no such ledger"):
        published(honest[0], tmp_path / "none")
    with pytest.raises(LedgerError, match="there is no such ledger"):
        published(honest[0], honest[0])
