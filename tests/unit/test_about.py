"""Words about a release: from the spec or from Python, under the seal, and no part of the request."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet
from discreet.about import ABOUT, LONGEST, read_about
from discreet.errors import BadParameter, BadSpec

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 4))
WORDS = {"organisation": "Town of Example", "reason": "as last year"}


def test_every_mistake_is_named() -> None:
    with pytest.raises(BadParameter) as caught:
        read_about({"organization": "x", "contact": 5, "purpose": "x" * (LONGEST + 1), "licence": " "})
    said = str(caught.value)
    for part in ("Did you mean 'organisation'", "contact: must be text", "purpose: has 2,001", "licence: must be text"):
        assert part in said
    with pytest.raises(BadParameter, match="must be a table"):
        read_about(["x"])


def test_a_spec_says_it(tmp_path: Path) -> None:
    spec = tmp_path / "s.toml"
    text = '[attributes.age]\nkind = "ordinal"\nlow = 0\nhigh = 4\n[about]\n'
    spec.write_text(text + 'licence = "CC0"\norganisation = "Town"\n', encoding="utf-8")
    assert discreet.load_spec(spec).about == {"organisation": "Town", "licence": "CC0"}
    spec.write_text(text + "who = 3\n", encoding="utf-8")
    with pytest.raises(BadSpec, match=r"\[about\] who: unknown key"):
        discreet.load_spec(spec)


def test_a_release_carries_it_under_its_seal(tmp_path: Path) -> None:
    def published(about: dict[str, str]) -> discreet.Release:
        data = discreet.from_counts(SCHEMA, [[1]], [5], ledger=tmp_path / "l", about=about)
        return data.publish(discreet.Table("age"), 1, name="r", to=tmp_path / "r")

    release = published(WORDS)
    assert release.manifest["about"] == WORDS
    assert list(release.manifest["about"]) == [key for key in ABOUT if key in WORDS]
    # other words are no other request: what was published stays as it is, at no cost
    assert published({"organisation": "another"}).manifest == release.manifest
    assert "about" not in discreet.from_counts(SCHEMA, [[1]], [5]).publish(discreet.Table("age"), 1).manifest
    with pytest.raises(BadParameter, match="unknown key"):
        published({"who": "me"})
