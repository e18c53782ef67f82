"""Publishing under a name that was used before: the same bytes for the same request, and no other."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.audit.published import published as audited
from discreet.audit.verdicts import HOLDS
from discreet.errors import BadParameter, DiscreetError, LedgerError, PublishFailed
from discreet.mechanisms import Request
from discreet.noise import Noise, SeededSource, ZeroNoise
from discreet.private.manifest import request_digests
from discreet.private.open_data import from_counts
from discreet.release import files as folder
from discreet.release import load
from tests.unit.private import publish_cases
from tests.unit.private.publish_cases import CODES, TASK, boom, charges, contents, failing, no_more, people, spent

scratch = publish_cases.scratch  # a fixture


def test_the_same_request_again_gives_the_same_bytes_and_one_charge(tmp_path: Path) -> None:
    data = people(tmp_path)
    first = data.publish(TASK, 1, name="a", to=tmp_path / "a")
    published = contents(tmp_path / "a")
    again = failing(people(tmp_path), no_more).publish(
        discreet.Table(("age", "sex"), method="geometric"), "1.0", name="a", to=tmp_path / "a"
    )
    assert contents(tmp_path / "a") == published
    assert again.manifest == first.manifest
    assert again.to_arrow().equals(first.to_arrow())
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])


def test_releases_without_a_name_are_charged_one_by_one(tmp_path: Path) -> None:
    data = people(tmp_path)
    first, second = (data.publish(TASK, 1) for _ in range(2))
    assert spent(tmp_path) == 2
    assert first.manifest["id"] != second.manifest["id"]


CHANGES: list[dict[str, Any]] = [
    {"epsilon": "1.000000001"},
    {"task": discreet.Table(["sex", "age"], method="geometric")},
    {"task": discreet.Table("age", method="geometric")},
    {"task": discreet.Table(["age", "sex"])},
    {"noise": ZeroNoise()},
    {"noise": Noise(SeededSource(1))},
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
@pytest.mark.parametrize("to", ["a", "elsewhere"])
def test_a_changed_request_under_the_same_name_is_refused(tmp_path: Path, change: dict[str, Any], to: str) -> None:
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    published = contents(tmp_path / "a")
    with pytest.raises(DiscreetError, match="another"):
        failing(people(tmp_path), no_more).publish(**{"task": TASK, "epsilon": 1, **change}, name="a", to=tmp_path / to)
    assert contents(tmp_path / "a") == published
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "l.ledger", "l.ledger.heads"]


def test_another_unit_or_schema_is_another_request(tmp_path: Path, scratch: Path) -> None:
    with pytest.raises(PublishFailed):
        failing(people(tmp_path), boom).publish(TASK, 1, name="a", to=tmp_path / "a")
    wider = discreet.Schema(age=discreet.Ordinal(0, 5), sex=discreet.Nominal(["f", "m"]))
    ruled = discreet.Schema(age=discreet.Ordinal(0, 4, outside="drop"), sex=discreet.Nominal(["f", "m"]))
    replaced = discreet.Unit("row", neighbours="replace")
    for changed in (
        people(tmp_path, unit=replaced),
        from_counts(wider, CODES, [1, 2, 3], ledger=tmp_path / "l.ledger", dataset="people"),
        from_counts(ruled, CODES, [1, 2, 3], ledger=tmp_path / "l.ledger", dataset="people"),
    ):
        with pytest.raises(LedgerError, match="'a' was charged for another request"):
            failing(changed, no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])


def test_a_published_release_is_not_drawn_again_for_another_folder(tmp_path: Path) -> None:
    data = people(tmp_path)
    data.publish(TASK, 1, name="a", to=tmp_path / "a")
    for to in (tmp_path / "b", None):
        with pytest.raises(LedgerError, match="published before; its noise cannot be drawn again"):
            failing(data, no_more).publish(TASK, 1, name="a", to=to)
    shutil.rmtree(tmp_path / "a")
    with pytest.raises(LedgerError, match="restore its folder"):
        failing(data, no_more).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger", "l.ledger.heads"]


@pytest.mark.parametrize("kind", ["empty folder", "foreign folder", "file", "other release", "dangling link"])
def test_what_is_there_already_is_never_overwritten(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "there"
    if kind == "other release":
        people(tmp_path, ledger=None).publish(discreet.Table("age"), 1, name="b", to=target)
    elif kind == "file":
        target.write_text("mine")
    elif kind == "dangling link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.mkdir()
        if kind == "foreign folder":
            (target / "thesis.txt").write_text("mine")
    before = contents(target) if target.is_dir() else None
    with pytest.raises(DiscreetError, match="choose another folder") as caught:
        failing(people(tmp_path), no_more).publish(TASK, 1, name="a", to=target)
    assert str(target) in str(caught.value)
    assert charges(tmp_path) == []
    assert (contents(target) if target.is_dir() else None) == before
    assert target.is_symlink() or target.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.ledger", "l.ledger.heads", "there"]


def test_a_forged_folder_is_not_taken_for_the_published_one(tmp_path: Path) -> None:
    """Its seal may be made anew by anyone, but the ledger knows the one that was published."""
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    manifest = json.loads((tmp_path / "a" / "release.json").read_text(encoding="utf-8"))
    manifest["leaves_out"] = []
    manifest["seal"] = folder.seal_of(manifest)
    (tmp_path / "a" / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(DiscreetError, match="ledger"):
        people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")


def test_an_older_copy_of_the_ledger_is_noticed(tmp_path: Path) -> None:
    people(tmp_path)
    shutil.copy(tmp_path / "l.ledger", tmp_path / "backup")
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    shutil.copy(tmp_path / "backup", tmp_path / "l.ledger")
    with pytest.raises(LedgerError, match="ledger"):
        people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")


def test_a_folder_that_another_ledger_was_charged_for_is_refused(tmp_path: Path) -> None:
    people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    for file in tmp_path.glob("l.ledger*"):
        file.unlink()
    with pytest.raises(LedgerError, match="charged to a ledger that is not this one"):
        people(tmp_path).publish(TASK, 1, name="a", to=tmp_path / "a")
    assert people(tmp_path).ledger.spent == 0


def test_what_is_recorded_is_what_is_saved_later(tmp_path: Path) -> None:
    data = people(tmp_path)
    releases = [data.publish(TASK, 1, name=name) for name in ("a", "b")]
    for release in releases:
        saved = load(release.save(tmp_path / release.manifest["id"]))
        assert data.ledger.recorded(saved.manifest["id"]) == saved.manifest["seal"]


AUTO = discreet.Table(["age", "sex"])


def with_auto(patched: pytest.MonkeyPatch, method: str) -> None:
    """As if another version were running."""
    patched.setattr("discreet.mechanisms.AUTO", {"table": ((method, float("inf")),)})


def test_what_auto_took_is_recorded_and_stays_when_auto_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = people(tmp_path).publish(AUTO, 1, name="a", to=tmp_path / "a")
    published = contents(tmp_path / "a")
    assert first.manifest["method"] == "geometric"
    assert "auto takes it for" in first.manifest["auto"]
    assert first.manifest["auto"] in first.describe()["method"]
    with_auto(monkeypatch, "adaptive")
    again = failing(people(tmp_path), no_more).publish(AUTO, 1, name="a", to=tmp_path / "a")
    assert again.manifest == first.manifest
    assert contents(tmp_path / "a") == published
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])
    assert audited(tmp_path / "a", tmp_path / "l.ledger").verdict == HOLDS
    other = people(tmp_path).publish(AUTO, 1, name="b", to=tmp_path / "b")
    assert other.manifest["method"] == "adaptive"
    assert other.manifest["request"] != first.manifest["request"]


def test_parameters_of_what_auto_took_then_do_not_hide_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = discreet.Table(["age", "sex"], total="0.1")  # of adaptive, not of geometric
    with monkeypatch.context() as then:
        with_auto(then, "adaptive")
        first = people(tmp_path).publish(task, 1, name="a", to=tmp_path / "a")
    again = failing(people(tmp_path), no_more).publish(task, 1, name="a", to=tmp_path / "a")
    assert again.manifest == first.manifest
    with pytest.raises(BadParameter, match="`total` is a parameter of adaptive"):
        people(tmp_path).publish(task, 1, name="b", to=tmp_path / "b")
    assert spent(tmp_path) == 1


def test_a_run_that_broke_off_is_finished_with_what_auto_took_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as then:
        with_auto(then, "adaptive")
        with pytest.raises(PublishFailed):
            failing(people(tmp_path), boom).publish(AUTO, 1, name="a", to=tmp_path / "a")
    release = people(tmp_path).publish(AUTO, 1, name="a", to=tmp_path / "a")
    assert release.manifest["method"] == "adaptive"
    assert release.manifest["auto"] == "auto took it when it was charged, in another version"
    assert (spent(tmp_path), charges(tmp_path)) == (Fraction(1), ["a"])
    assert audited(tmp_path / "a", tmp_path / "l.ledger").verdict == HOLDS


def test_a_release_of_a_version_that_did_not_record_the_choice_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(task: discreet.Table, request: Request, noise: str, method: str) -> str:
        return request_digests(task, request, noise)[0]

    with monkeypatch.context() as then:
        then.setattr("discreet.private.manifest.digest_with_choice", without)
        first = people(tmp_path).publish(AUTO, 1, name="a", to=tmp_path / "a")
    with_auto(monkeypatch, "adaptive")
    again = failing(people(tmp_path), no_more).publish(AUTO, 1, name="a", to=tmp_path / "a")
    assert again.manifest == first.manifest
    assert audited(tmp_path / "a", tmp_path / "l.ledger").verdict == HOLDS
