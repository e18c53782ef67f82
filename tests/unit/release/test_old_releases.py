"""Releases that an earlier version wrote: each of them loads, and answers as that version did, to the last bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.release import Release, load
from discreet.summaries import SHAPES

FOLDERS = Path(__file__).parents[2] / "fixtures" / "releases"
RECORDED: dict[str, dict[str, Any]] = json.loads((FOLDERS / "answers.json").read_text(encoding="utf-8"))


def test_every_folder_has_its_answers_and_every_shape_a_folder() -> None:
    assert {folder.name for folder in FOLDERS.iterdir() if folder.is_dir()} == RECORDED.keys()
    assert {recorded["shape"] for recorded in RECORDED.values()} == SHAPES.keys()


@pytest.mark.parametrize("name", RECORDED)
def test_an_old_release_answers_as_it_did(name: str, tmp_path: Path) -> None:
    old, recorded = load(FOLDERS / name), RECORDED[name]
    assert old.summary.shape == recorded["shape"]
    assert old.manifest["method"] == recorded["method"]
    assert any("value" in answer for answer in recorded["counts"])
    said = unsealed(old)
    for release in (old, load(old.save(tmp_path / "again"))):
        assert unsealed(release) == said  # so that the seal of a copy is the one that the ledger recorded
        assert release.describe().keys() == recorded["describe"].keys()
        found = [answered(release, answer["where"]) for answer in recorded["counts"]]
        for now, before in zip(found, recorded["counts"], strict=True):
            assert now.keys() == before.keys()
            for key, value in before.items():
                assert type(now[key]) is type(value)
                # another processor may round the last bit of a root or a logarithm in another way
                assert now[key] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value)


def unsealed(release: Release) -> dict[str, Any]:
    """The manifest without what depends on the version of pyarrow that wrote the table."""
    return {key: value for key, value in release.manifest.items() if key not in ("files", "seal")}


def answered(release: Release, where: Any) -> dict[str, Any]:
    # the ends of a range were asked for as a tuple, which JSON writes as a list
    asked = where
    if isinstance(where, dict):
        asked = {name: tuple(value) if isinstance(value, list) else value for name, value in where.items()}
    try:
        found = release.count(asked)
    except DiscreetError as error:
        return {"where": where, "refused": type(error).__name__}
    return {"where": where, **{name: getattr(found, name) for name in ("value", "stderr", "low", "high", "bias")}}
