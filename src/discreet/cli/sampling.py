"""`discreet rows`: synthetic rows that fit a release, into a file."""

from __future__ import annotations

from pathlib import Path

from discreet.cli.show import print_json, stages
from discreet.release import load
from discreet.release.synthetic_rows import BESIDE, writable


def run(folder: Path, count: int | None, output: Path, seed: int | None, quiet: bool, as_json: bool) -> None:
    target = writable(output)  # before rows are made for a file that cannot be
    release = load(folder)
    with stages(quiet or as_json) as progress:
        rows = release.rows(count, seed=seed, progress=progress)
        progress("writing")
        rows.save(target)
    if as_json:
        print_json({"file": str(target), **rows.facts})
    elif not quiet:
        print(f"{target}: {len(rows):,} synthetic rows, seed {rows.facts['seed']}")
        mark = f"{target}{BESIDE}" if target.suffix.lower() == ".csv" else "the file's metadata"
        print(f"  marked in {mark}")
        for note in rows.notes:
            print(f"  {note}")
