"""Releases that an earlier version wrote: each of them loads, and measured what that version says, to the last bit.

Intervals were about noise alone where a method leaves something out; these hold the true count now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.release import Release, load
from discreet.schema import Ordinal
from discreet.summaries import SHAPES

FOLDERS = Path(__file__).parents[2] / "fixtures" / "releases"
#: so that intervals are what they were, but for being above zero
LEAVES_NOTHING_OUT = (
    "table-geometric",
    "ranges-privelet-plus",
    "ranges-privelet-cells",
    "ranges-dyadic",
)
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
        assert release.describe().keys() >= recorded["describe"].keys()
        found = [answered(release, answer["where"]) for answer in recorded["counts"]]
        for now, before in zip(found, recorded["counts"], strict=True):
            if "refused" in before:  # what no table of several holds was refused
                assert now == before or (now["measured"] is None and now["low"] <= now["value"] <= now["high"])
                continue
            # another processor may round the last bit of a root or a logarithm in another way
            measured = before.get("measured", before["value"])
            assert now["measured"] == (measured if measured is None else pytest.approx(measured, rel=1e-12))
            assert type(now["measured"]) is type(measured)
            assert 0 <= now["low"] <= now["value"] <= now["high"]
            if name in LEAVES_NOTHING_OUT:
                assert now["stderr"] == pytest.approx(before["stderr"], rel=1e-12)
                assert now["low"] == pytest.approx(max(before["low"], 0), rel=1e-12)
                assert now["high"] == pytest.approx(before["high"], rel=1e-12)
            else:
                assert now["low"] <= max(before["high"], 0)


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
    return {"where": where, **{name: getattr(found, name) for name in ("value", "measured", "stderr", "low", "high")}}


@pytest.mark.parametrize("name", RECORDED)
def test_an_old_release_is_asked_for_shares_differences_and_means(name: str) -> None:
    """Whatever it can count, it can relate."""
    release = load(FOLDERS / name)
    wheres = [answer["where"] for answer in RECORDED[name]["counts"] if "value" in answer]
    asked = 0
    for where in wheres:
        try:
            part = release.count(where)
            share, both = release.share(where), release.compare(where, None)
        except DiscreetError:  # answers its own queries only
            assert "queries" in name
            continue
        asked += 1
        assert (part - part).value == 0
        assert 0 <= share.low <= share.value <= share.high <= 1
        assert both.difference.low <= both.difference.value <= both.difference.high <= 0
    assert asked or "queries" in name
    first = release.schema.names[0]
    if isinstance(release.schema[first], Ordinal) and "queries" not in name:
        mean = release.mean(first)
        assert mean.low <= mean.value <= mean.high
