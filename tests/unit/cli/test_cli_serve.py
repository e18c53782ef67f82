"""`discreet serve` says what is wrong before it listens."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from discreet.cli.serving import run
from discreet.errors import BadParameter, MissingExtra


def test_folders_are_checked(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="--releases-only: name the folders"):
        run([], True, 0, False)
    with pytest.raises(BadParameter, match="one folder"):
        run([tmp_path, tmp_path], False, 0, False)
    with pytest.raises(BadParameter, match="no such folder"):
        run([tmp_path / "none"], False, 0, False)
    with pytest.raises(BadParameter, match="holds none"):
        run([tmp_path], True, 0, False)
    with pytest.raises(BadParameter, match="--port"):
        run([tmp_path], False, -1, False)


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtra, match=r"discreet\[web\]"):
        run([tmp_path], False, 0, False)
