"""`python -m discreet.evaluate.ranges --data FOLDER`: the papers' experiments on ranges, and their page.

Data and questions are made from seeds; the noise is production noise and has no seed, so every run of this program
gives other numbers. A part that is not run again keeps its recorded numbers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discreet.evaluate.range_census import census_experiment
from discreet.evaluate.range_dyadic import dyadic_experiment
from discreet.evaluate.range_page import STEM, render
from discreet.evaluate.range_tables import census, vectors
from discreet.evaluate.range_vectors import setting, vectors_experiment
from discreet.evaluate.tables import data_folder

Json = dict[str, Any]


def _census(data: Path, _: int) -> Json | None:
    truth = census(data)
    return None if truth is None else census_experiment(truth)


def _vectors(data: Path, runs: int) -> Json | None:
    tables = {dimensions: vectors(data, dimensions) for dimensions in (1, 2)}
    if not all(tables.values()):
        return None
    trials = 2 * runs
    found = {f"{dimensions}d": vectors_experiment(some, trials) for dimensions, some in tables.items()}
    return {"setting": setting(trials), **found}


def _dyadic(_: Path, runs: int) -> Json:
    return dyadic_experiment(runs)


PARTS: dict[str, Callable[[Path, int], Json | None]] = {"census": _census, "vectors": _vectors, "dyadic": _dyadic}


def write(results: Json, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = render(results)
    (folder / f"{STEM}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for old in folder.glob(f"{STEM}-*.svg"):
        old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="The papers' experiments on ranges, and their page.")
    parser.add_argument("--data", type=Path, default=data_folder(), help="the folder of the real data")
    parser.add_argument("--runs", type=int, default=20, help="runs per point (default 20; the census has one)")
    parser.add_argument("--part", choices=[*PARTS], action="append", help="only this part (may be repeated)")
    parser.add_argument("--folder", type=Path, default=Path("docs/results"), help="where the page goes")
    parser.add_argument("--page-only", action="store_true", help="write the page again, from the recorded numbers")
    options = parser.parse_args()
    recorded = options.folder / f"{STEM}.json"
    results: Json = json.loads(recorded.read_text(encoding="utf-8")) if recorded.exists() else {}
    for name in [] if options.page_only else options.part or PARTS:
        found = PARTS[name](options.data, options.runs)
        if found is None:
            print(f"{name}: left out, its data are not in {options.data}")
        else:
            results[name] = found
    write(results, options.folder)
    print(options.folder / f"{STEM}.md")


if __name__ == "__main__":
    main()
