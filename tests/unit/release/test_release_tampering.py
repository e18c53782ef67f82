"""Release folders that someone changed: no flipped byte, cut or edit is accepted, even if sealed anew."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError, TamperedRelease
from discreet.release import files as folder
from discreet.release import load
from tests.unit.release import release_cases
from tests.unit.release.release_cases import CODES

noisy, saved = release_cases.noisy, release_cases.saved  # fixtures


def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def reseal(place: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change release.json as someone would who knows how its seal is made."""
    manifest = json.loads((place / "release.json").read_text(encoding="utf-8"))
    change(manifest)
    manifest["seal"] = folder.seal_of(manifest)
    (place / "release.json").write_text(json.dumps(manifest), encoding="utf-8")


def refused(place: Path, *words: str) -> None:
    with pytest.raises(TamperedRelease) as caught:
        load(place)
    for word in (str(place), *words):
        assert word in str(caught.value)


def test_one_flipped_byte_of_the_table_is_refused(saved: Path, tmp_path: Path) -> None:
    place = copied(saved, tmp_path)
    whole = (place / "table.parquet").read_bytes()
    for position in {0, len(whole) // 2, len(whole) - 1, *range(7, len(whole), len(whole) // 20)}:
        broken = bytearray(whole)
        broken[position] ^= 1
        (place / "table.parquet").write_bytes(broken)
        refused(place, "table.parquet was changed or cut off")
    (place / "table.parquet").write_bytes(whole)
    load(place)


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("name", ["table.parquet", "release.json"])
def test_a_truncated_file_is_refused(saved: Path, tmp_path: Path, name: str, keep: float) -> None:
    place = copied(saved, tmp_path)
    whole = (place / name).read_bytes()
    (place / name).write_bytes(whole[: int(len(whole) * keep)])
    refused(place, name, "cut off")


@pytest.mark.parametrize("name", ["table.parquet", "release.json"])
def test_a_missing_file_is_refused(saved: Path, tmp_path: Path, name: str) -> None:
    place = copied(saved, tmp_path)
    (place / name).unlink()
    refused(place, name, "copy the whole release folder again")


def test_every_edit_of_the_manifest_is_refused(saved: Path, tmp_path: Path) -> None:
    place = copied(saved, tmp_path)
    published = json.loads((saved / "release.json").read_text(encoding="utf-8"))
    for key in published.keys() - {"format"}:
        changed = {**published, key: published[key] + "0" if isinstance(published[key], str) else ["changed"]}
        (place / "release.json").write_text(json.dumps(changed), encoding="utf-8")
        refused(place, "release.json was changed")
        (place / "release.json").write_text(
            json.dumps({k: v for k, v in published.items() if k != key}), encoding="utf-8"
        )
        refused(place, "release.json")
    (place / "release.json").write_text(json.dumps({**published, "extra": 1}), encoding="utf-8")
    refused(place, "release.json was changed")
    # but another layout of the same JSON is no other release
    (place / "release.json").write_text(json.dumps(published), encoding="utf-8")
    assert load(place).manifest == published


@pytest.mark.parametrize("number", [0, 4, 1.5, "1", None])
def test_another_format_is_refused(saved: Path, tmp_path: Path, number: Any) -> None:
    place = copied(saved, tmp_path)
    reseal(place, lambda manifest: manifest.update(format=number))
    with pytest.raises(DiscreetError, match="format") as caught:
        load(place)
    assert str(place) in str(caught.value)
    assert repr(number) in str(caught.value)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"7", b"null", b'"release"', b"\xff\xfe", b"[" * 100_000, b"{}"])
def test_a_manifest_that_is_none_is_refused(saved: Path, tmp_path: Path, text: bytes) -> None:
    place = copied(saved, tmp_path)
    (place / "release.json").write_bytes(text)
    refused(place, "release.json")


def test_a_manifest_without_one_of_its_fields_is_refused_even_if_sealed_anew(saved: Path, tmp_path: Path) -> None:
    place = copied(saved, tmp_path)
    published = json.loads((saved / "release.json").read_text(encoding="utf-8"))
    for key in published.keys() - {"seal", "guarantee", "versions"}:  # which earlier versions did not write
        shutil.copy(saved / "release.json", place)
        reseal(place, methodcaller("pop", key))
        with pytest.raises(DiscreetError) as caught:
            load(place)
        assert str(place) in str(caught.value), key


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["summary"].update(shape="no-such-shape"),
        lambda m: m["summary"].update(alpha="0"),
        lambda m: m["summary"].update(alpha="x"),
        lambda m: m["summary"].pop("alpha"),
        lambda m: m["schema"]["age"].update(high=10),
        lambda m: m["schema"]["age"].update(high=-1),
        lambda m: m["schema"]["age"].update(kind="pickle"),
        lambda m: m.update(schema=[]),
        lambda m: m.update(schema={}),
        lambda m: m.update(summary=None),
        lambda m: m.update(files={}),
        lambda m: m.update(files=["table.parquet"]),
        lambda m: m["files"].update({"../outside": m["files"]["table.parquet"]}),
        lambda m: m["files"].update({"more.parquet": m["files"]["table.parquet"]}),
        lambda m: m.update(unit={}),
        lambda m: m.update(noise=None),
        lambda m: m.update(leaves_out=None),
    ],
)
def test_parts_that_do_not_fit_together_are_refused_even_if_sealed_anew(
    saved: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    place = copied(saved, tmp_path)
    shutil.copy(saved / "table.parquet", tmp_path / "outside")
    reseal(place, change)
    with pytest.raises(DiscreetError) as caught:
        load(place)
    assert str(place) in str(caught.value)


def test_another_table_with_its_own_hash_is_refused_if_it_does_not_fit(saved: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = copied(saved, tmp_path)
    size = len(CODES)
    for columns in (
        {"count": pa.array(range(size - 1))},
        {"count": pa.array([float(i) for i in range(size)])},
        {"count": pa.array([None, *range(size - 1)], pa.int64())},
        {"count": pa.array(["1"] * size)},
        {"counts": pa.array(range(size))},
    ):
        pq.write_table(pa.table(columns), place / "table.parquet")
        reseal(
            place, lambda manifest: manifest["files"].update({"table.parquet": folder._digest(place / "table.parquet")})
        )
        refused(place, "do not fit together")
    (place / "table.parquet").write_bytes(b"no parquet at all")
    reseal(place, lambda manifest: manifest["files"].update({"table.parquet": folder._digest(place / "table.parquet")}))
    refused(place)
