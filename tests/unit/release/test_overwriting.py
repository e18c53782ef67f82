"""`save(overwrite=True)`: over a release, never over anything else, and never with neither of the two left."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.release import Release, load
from tests.unit.release import release_cases

noisy, exact_release = release_cases.noisy, release_cases.exact_release  # fixtures


def test_a_release_is_replaced_by_another(noisy: Release, exact_release: Release, tmp_path: Path) -> None:
    place = tmp_path / "out"
    assert noisy.save(place, overwrite=True) == place  # nothing was there
    exact_release.save(place, overwrite=True)
    assert load(place).manifest["id"] == exact_release.manifest["id"]
    exact_release.save(place, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_no_release_stays(noisy: Release, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    noisy.save(tmp_path / "more")
    (tmp_path / "more" / "thesis.txt").write_text("mine")
    noisy.save(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    shutil.copytree(tmp_path / "real", tmp_path / "spoilt")
    (tmp_path / "spoilt" / "release.json").write_text("{}")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for name, words in (
        ("folder", "not a release"),
        ("file", "not the folder of a release"),
        ("more", r"also holds 'thesis\.txt'"),
        ("link", "not the folder of a release"),
        ("spoilt", "not a release"),
    ):
        with pytest.raises(DiscreetError, match=words):
            noisy.save(tmp_path / name, overwrite=True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_crash_at_any_step_leaves_one_of_the_two(
    noisy: Release, exact_release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that changes the disk is the last one in turn, as if the process had ended there."""
    ids = {noisy.manifest["id"], exact_release.manifest["id"]}

    class Killed(BaseException):
        pass

    for last in range(1, 40):
        place = tmp_path / str(last) / "out"
        noisy.save(place)
        calls = 0

        def counted(name: str, real: object, last: int = last) -> object:
            def call(*given: object, **options: object) -> object:
                nonlocal calls
                calls += 1
                if calls > last:
                    raise Killed
                return real(*given, **options)  # type: ignore[operator]

            return call

        with monkeypatch.context() as patch:
            for owner, name in ((Path, "rename"), (os, "fsync"), (shutil, "rmtree"), (Path, "chmod")):
                patch.setattr(owner, name, counted(name, getattr(owner, name)))
            with suppress(Killed):
                exact_release.save(place, overwrite=True)
        assert load(place).manifest["id"] in ids
        if calls <= last:
            assert load(place).manifest["id"] == exact_release.manifest["id"]
            break
    else:
        pytest.fail("it never came to an end")
    assert last > 5


def test_folders_that_cannot_be_opened_can_be_written(
    noisy: Release, exact_release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where only files can be opened."""
    real = os.open

    def files_only(path: str | Path, *rest: Any, **options: Any) -> int:
        if os.path.isdir(path):
            raise PermissionError(path)
        return real(path, *rest, **options)

    monkeypatch.delattr(os, "O_DIRECTORY")
    monkeypatch.setattr(os, "open", files_only)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    noisy.save(tmp_path / "out")
    exact_release.save(tmp_path / "out", overwrite=True)
    assert load(tmp_path / "out").manifest["seal"] == exact_release.manifest["seal"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
