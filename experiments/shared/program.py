"""What the evaluation programs share: parts that are run or kept as recorded, and a page made from the record."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from experiments.shared.records import Json
from experiments.shared.tables import data_folder

Render = Callable[[Json], dict[str, str]]


def write(results: Json, folder: Path, stem: str, render: Render) -> None:
    """The record, and the page and charts made from it, in place of older ones."""
    folder.mkdir(parents=True, exist_ok=True)
    made = render(results)
    (folder / f"{stem}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for old in folder.glob(f"{stem}-*.svg"):
        old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(folder / f"{stem}.md")


def read(folder: Path, stem: str) -> Json:
    """What was recorded before, if anything was."""
    recorded = folder / f"{stem}.json"
    found: Json = json.loads(recorded.read_text(encoding="utf-8")) if recorded.exists() else {}
    return found


def arguments(program: str, description: str, runs: int, runs_help: str) -> argparse.ArgumentParser:
    """The options of every program; `program` is the name of its folder."""
    parser = argparse.ArgumentParser(f"python -m experiments.{program}", description=description)
    parser.add_argument("--runs", type=int, default=runs, help=runs_help)
    parser.add_argument("--folder", type=Path, default=Path("docs/results"), help="where the page goes")
    parser.add_argument("--page-only", action="store_true", help="write the page again, from the recorded numbers")
    return parser


def run_parts(
    parser: argparse.ArgumentParser,
    stem: str,
    render: Render,
    parts: Mapping[str, Callable[[Path, int], Json | None]],
) -> None:
    """Run the parts that were asked for (given the data's folder and the runs), and write the page of all of them."""
    parser.add_argument("--data", type=Path, default=data_folder(), help="the folder of the real data")
    parser.add_argument("--part", choices=[*parts], action="append", help="only this part (may be repeated)")
    options = parser.parse_args()
    results = read(options.folder, stem)
    for name in [] if options.page_only else options.part or parts:
        found = parts[name](options.data, options.runs)
        if found is None:
            print(f"{name}: left out, its data are not in {options.data}")
        else:
            results[name] = found
    write({name: results[name] for name in parts if name in results}, options.folder, stem, render)
