"""Releases to report on: one whose every label is hostile, with its ledger and an audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet

#: what becomes an element, or ends an attribute, wherever it is not escaped
HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202e\x07"
ABOUT = {"organisation": f"Town {HOSTILE}", "contact": HOSTILE, "purpose": HOSTILE, "reason": f"Because {HOSTILE}"}


def publish(here: Path) -> tuple[Path, Path]:
    """The folder of a release and its ledger; two releases were charged to it."""
    schema = discreet.Schema({f"age {HOSTILE}": discreet.Ordinal(0, 9), "sex": discreet.Nominal([HOSTILE, "m"])})
    unit = discreet.Unit(f"who {HOSTILE}", max_rows=3)
    codes, counts = [[0, 0], [2, 1]], [5, 7]
    data = discreet.from_counts(
        schema, codes, counts, unit=unit, ledger=here / "l", dataset=f"people {HOSTILE}", budget=3, about=ABOUT
    )
    data.publish(discreet.Table(list(schema), method="geometric"), "1/3", name=f"r {HOSTILE}", to=here / "r")
    data.publish(discreet.Table("sex"), "1/2", name="other")
    return here / "r", here / "l"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return publish(tmp_path_factory.mktemp("made"))


def audit_of(manifest: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What `discreet audit` would write of this release."""
    found = {
        "release": manifest["id"].partition("@")[0],
        "task": manifest["task"]["task"],
        **{key: manifest[key] for key in ("method", "unit", "epsilon")},
        "verdict": "HOLDS",
        "problems": [],
        "replay": {
            "declared": "1/3",
            "loss": "1/3",
            "neighbours": [{"what": HOSTILE, "relation": "add-remove", "loss": "1/3", "exact": True, "problem": None}],
        },
        "black_box": {"runs": 2, "guesses": 3, "right": 1, "epsilon_at_least": 0.1, "tightness": 0.3},
        "bytes": {"looked_at": 10, "variants": ["one"], "problems": []},
    }
    return {"software": f"discreet {HOSTILE}", "spec": "s.toml", "releases": [{**found, **changes}]}
