"""What an executor does with a slice: draws it with noise of its own, and writes it to a private folder.

Bits are fresh from the operating system in every attempt, and never follow from the number of the slice: a second
attempt is another draw. Of all attempts the process that publishes takes one file; the others it removes.
"""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from discreet.mechanisms.table.table_slices import Sliceable
from discreet.noise import Noise
from discreet.private.counts import Counts
from discreet.release.files import digest_of, packed


@dataclass(frozen=True)
class SliceWriter:
    """Draws and writes slices; it travels to executors, and with it no bits: noise opens its streams there."""

    mechanism: Sliceable
    noise: Noise
    folder: str

    def __call__(self, place: int, counts: Counts) -> dict[str, Any]:
        cells = self.mechanism.cell_slices.cells(place)
        table = self.mechanism.slice_of(cells, *self.mechanism.occupied(counts), self.noise)
        return {"slice": place, "rows": table.num_rows, **written(self.folder, place, packed(table))}


@dataclass(frozen=True)
class SliceRehearsal:
    """Writes a file without anything in it that was drawn, if the executor has the same version as we have."""

    mechanism: Sliceable
    noise: Noise
    folder: str
    version: str

    def __call__(self, place: int, counts: Counts) -> dict[str, Any]:
        if (theirs := version("discreet")) != self.version:
            raise RuntimeError(f"the executor has discreet {theirs}, not {self.version}")
        return {"slice": place, "rows": 0, **written(self.folder, place, b"rehearsal")}


def written(folder: str, place: int, content: bytes) -> dict[str, Any]:
    """A new file, forced to the disk, whose name no other attempt has."""
    name = f"slice-{place:05d}-{uuid.uuid4().hex}.parquet"
    with (Path(folder) / name).open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return {"file": name, **digest_of(content)}
