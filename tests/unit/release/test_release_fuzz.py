"""Every part of every kind of release.json with odd values in its place, sealed anew: answered, or clearly refused."""

from __future__ import annotations

import copy
import itertools
import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import DiscreetError
from discreet.release import Release, load
from discreet.release import files as folder

FOLDERS = Path(__file__).parents[2] / "fixtures" / "releases"
RELEASES = sorted(place.name for place in FOLDERS.iterdir() if place.is_dir())


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


ODD: list[Any] = [
    None, True, -1, 0, 2.5, float("inf"), float("nan"), -(10**400), 10**19, 2**62, "", "x", "-1/2", "1e400", "1" * 5000,
    "\0", "\ud800", [], {}, [[]], [-1], ["x"], {"x": "y"}, [None], nested(900),
]  # fmt: skip


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a manifest; of a list the first and the last."""
    keys: Any = value if isinstance(value, dict) else {0, len(value) - 1} if isinstance(value, list) and value else ()
    for key in keys:
        yield (*path, key)
        yield from parts(value[key], (*path, key))


def replaced(manifest: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(manifest)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def used(release: Release) -> None:
    """What readers do first. What a release cannot answer, it says; nothing but that may go wrong."""
    repr(release), release._repr_html_(), release.leaves_out, release.note
    name = release.schema.names[0]
    label = release.schema[name].label(0)
    for ask in (
        release.count,
        lambda: release.count({name: label}),
        lambda: release.count(f"not {name} = {label!r}", level=0.5),
        lambda: release.table(name),
        lambda: release.quantile(name, 0.5),
        lambda: release.top(2),
        release.to_arrow,
    ):
        with suppress(DiscreetError):
            ask()


def tried(place: Path, manifest: dict[str, Any]) -> None:
    """Loads a manifest as someone would leave it who knows how its seal is made."""
    manifest["seal"] = folder.seal_of(manifest)
    (place / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    refusal = ""
    try:
        used(load(place))
    except DiscreetError as error:
        refusal = str(error)
    assert not refusal or (str(place) in refusal and len(refusal) < 1000), refusal


@pytest.mark.parametrize("name", RELEASES)
def test_odd_values_are_answered_or_refused(name: str, tmp_path: Path) -> None:
    """Each part gets some of the odd values, in turn, so that all of them come to it over releases and parts alike."""
    place = Path(shutil.copytree(FOLDERS / name, tmp_path / "r"))
    published = json.loads((place / "release.json").read_text(encoding="utf-8"))
    odd = itertools.islice(itertools.cycle(ODD), RELEASES.index(name), None)
    some = 2 if "even-shares" in name else 5  # whose first answer takes long
    for path in parts(published):
        for value in itertools.islice(odd, some):
            try:
                tried(place, replaced(published, path, value))
            except Exception as error:
                raise AssertionError(f"{path} = {str(value)[:60]}: {error!r:.200}") from error
