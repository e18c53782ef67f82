"""Names only, from a list that holds no links; a folder of a release is hostile input."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from discreet.errors import BadParameter, TamperedRelease
from discreet.web.shell import workspace as listing
from discreet.web.shell.workspace import Workspace, check_release_folder, checked_folder, checked_outs
from tests.web_client import analyst, custodian

RELEASES = Path(__file__).parents[3] / "fixtures" / "releases"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    shutil.copytree(RELEASES / "table-geometric", made / "out" / "by-age")
    shutil.copytree(RELEASES / "table-geometric", made / "top")
    (made / "town.toml").write_text("", encoding="utf-8")
    (made / "town.ledger").write_bytes(b"")
    (made / "people.csv").write_text("age\n1\n", encoding="utf-8")
    return made


def test_what_is_listed(folder: Path) -> None:
    found = Workspace(folder)
    assert list(found.releases()) == ["out:by-age", "top"]
    assert list(found.specs()) == ["town"]
    assert list(found.ledgers()) == ["town"]
    assert list(found.data_files()) == ["people.csv"]
    both = checked_outs([folder / "out", folder / "top", folder / "out" / "by-age"])
    assert list(both.releases()) == ["by-age", "top", "by-age-2"]
    assert (both.specs(), both.ledgers(), both.data_files()) == ({}, {}, {})


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(RELEASES / "table-geometric", outside)
    (folder / "linked").symlink_to(outside)
    (folder / "linked.toml").symlink_to(tmp_path / "secret.toml")
    (tmp_path / "secret.toml").write_text("secret", encoding="utf-8")
    found = Workspace(folder)
    assert list(found.releases()) == ["out:by-age", "top"]
    assert list(found.specs()) == ["town"]
    client = custodian(folder)
    assert client.get("/releases/linked").status_code == 404
    assert client.get("/specs/linked").status_code == 404
    # a link inside of a release, too
    table = folder / "top" / "table.parquet"
    shutil.copy(table, tmp_path / "table.parquet")
    table.unlink()
    table.symlink_to(tmp_path / "table.parquet")
    refused = client.get("/releases/top")
    assert refused.status_code == 400
    assert "not a plain file" in refused.text
    assert "not a plain file" in client.get("/").text


def test_what_is_hidden_is_not_listed(folder: Path) -> None:
    """A release that is being written lies in such a folder until all of it is there."""
    for place in (".made", "out/.made", ".hidden/made"):
        shutil.copytree(folder / "top", folder / place)
    (folder / ".hidden" / "secret.toml").write_text("", encoding="utf-8")
    found = Workspace(folder)
    assert list(found.releases()) == ["out:by-age", "top"]
    assert list(found.specs()) == ["town"]


def test_names_that_no_address_can_hold_are_left_out(folder: Path) -> None:
    """One such file must not take the first page away."""
    odd = os.fsencode(folder) + b"/caf\xe9"
    for ending in (b".toml", b".ledger", b".csv"):
        Path(os.fsdecode(odd + ending)).write_bytes(b"")
    shutil.copytree(folder / "top", os.fsdecode(odd))
    client = custodian(folder)
    assert client.get("/").status_code == 200
    assert client.get("/api/releases").status_code == 200
    assert list(Workspace(folder).releases()) == ["out:by-age", "top"]


@pytest.mark.parametrize(
    "name", ["..%2f", "%2e%2e", "../by-age", "..%2fby-age", "%00", ".", "by-age%00", "%2fetc%2fpasswd"]
)
def test_no_text_becomes_a_path(folder: Path, name: str) -> None:
    client = analyst(folder / "out" / "by-age")
    for page in (f"/releases/{name}", f"/releases/{name}/explore", f"/releases/{name}/explore.csv", f"/static/{name}"):
        answer = client.get(page)
        assert answer.status_code == 404, page
        assert "Traceback" not in answer.text


def test_sizes_are_capped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_release_folder(folder / "top")
    monkeypatch.setattr(listing, "LARGEST_MANIFEST", 100)
    with pytest.raises(TamperedRelease, match="too large"):
        check_release_folder(folder / "top")
    client = analyst(folder / "top")
    assert client.get("/releases/top").status_code == 400
    assert "too large to be shown" in client.get("/").text


def test_what_changes_while_it_is_served_is_read_again(folder: Path) -> None:
    """Also where the file is as long and as old as it was."""
    client, file = analyst(folder / "top"), folder / "top" / "table.parquet"
    assert client.get("/releases/top/explore").status_code == 200
    times, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert client.get("/releases/top/explore").status_code == 400


def test_a_tampered_release_is_refused_and_the_others_are_there(folder: Path) -> None:
    with (folder / "top" / "table.parquet").open("ab") as file:
        file.write(b"more")
    manifest = folder / "out" / "by-age" / "release.json"
    client = analyst(folder / "top", folder / "out")
    answer = client.get("/releases/top/explore")
    assert answer.status_code == 400
    assert "was changed" in answer.text
    assert str(folder) not in answer.text
    assert client.get("/releases/by-age/explore").status_code == 200
    manifest.write_text("{", encoding="utf-8")
    assert client.get("/releases/by-age/explore").status_code == 400  # noticed, though it had been opened before
    home = client.get("/")
    assert home.status_code == 200
    assert "Cannot be read" in home.text


def test_what_cannot_be_served(tmp_path: Path) -> None:
    with pytest.raises(BadParameter, match="no such folder"):
        checked_folder(tmp_path / "none")
    with pytest.raises(BadParameter, match="holds none"):
        checked_outs([tmp_path])
