"""The README's examples run after the demo and print what it shows, up to the noise; its figures are measured ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import discreet
from docs_site.__main__ import DOCS, PICTURE, PROJECT
from docs_site.running import masked, reader, run_page

README = (PROJECT / "README.md").read_text(encoding="utf-8")
BESIDE = README[README.index("## Beside other libraries") : README.index("## Read on")]
BENCHMARKS = (DOCS / "benchmarks.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("readme")
    with reader(made):
        run_page("```sh\ndiscreet demo --quiet\n```\n", "demo")
    return made


def test_the_examples_run(folder: Path) -> None:
    examples = README[README.index("## You hold the data") : README.index("## Beside other libraries")]
    with reader(folder):
        assert run_page(examples, "README.md") == 4
    assert (folder / "out" / "by-age" / "release.json").is_file()
    assert (folder / "discreet-demo" / "report.html").is_file()


def test_the_answer_is_near_the_one_shown(folder: Path) -> None:
    shown = re.search(r"^([\d,]+) ± ", README, re.MULTILINE)
    assert shown is not None
    found = discreet.load(folder / "discreet-demo" / "by-age").count({"age": (30, 39), "sex": "Female"})
    assert abs(found.value - float(shown[1].replace(",", ""))) < 200


def test_the_picture_is_that_of_a_release(folder: Path) -> None:
    """Ten ages, each with its count, in the words that the release draws now."""
    drawn = discreet.load(folder / "discreet-demo" / "by-age").plot("age", bins=10).save(folder / "again.svg")
    pictures = [re.findall(r">([^<>]+)</text>", path.read_text(encoding="utf-8")) for path in (PICTURE, drawn)]
    kept, again = (masked(" ".join(words)) for words in pictures)
    assert kept == again
    assert kept.count("to") == 10


def tables(text: str) -> list[list[list[str]]]:
    """Cells of each row of each table; the first row has the heads."""
    return [
        [line.strip("| ").split(" | ") for line in block.splitlines() if line.startswith("| ")]
        for block in text.split("\n\n")
        if block.startswith("| ")
    ]


def test_what_others_can_is_what_was_seen() -> None:
    """Each word stands beside that library and version in the table that says how it was seen, and none is left out."""
    part = BENCHMARKS[BENCHMARKS.index("### What each can") : BENCHMARKS.index("## Results of one run")]
    ((_, *seen),) = tables(part)
    (head, *lines), _ = tables(BESIDE)
    assert head[1] == "Discreet"
    shown = [[what, library, can] for what, _, *words in lines for library, can in zip(head[2:], words, strict=True)]
    assert shown == [row[:3] for row in seen]
    for day in re.findall(r"\d{4}-\d\d-\d\d", BESIDE[: BESIDE.index("Times slower")]):
        assert f"\n{day}, by running" in part


def test_ratios_are_those_of_the_benchmarks() -> None:
    """Each figure, and each `cannot`, stands in a row of that library and job; the days are those of the runs."""
    days = re.findall(r"\d{4}-\d\d-\d\d", BESIDE[BESIDE.index("Times slower") :])
    assert days
    for day in days:
        assert f"\n{day}: " in BENCHMARKS
    lines = tables(BESIDE)[1]
    libraries = lines[0][1:]
    jobs = (
        "noise, 1,000,000 draws, epsilon 1,",
        "100,000 of 10,000,000 cells, all,",
        "100,000 of 10,000,000 cells, those worth keeping,",
        "10,000,000 records of 48,000 users,",
    )
    assert len(lines) == 1 + len(jobs)
    for job, (_, *cells) in zip(jobs, lines[1:], strict=True):
        for library, cell in zip(libraries, cells, strict=True):
            name, _, version = library.partition(" ")
            rows = [row for row in BENCHMARKS.splitlines() if row.startswith(f"| {job}") and f", {name}" in row]
            if cell in ("cannot", "not tried"):
                assert any(cell in row for row in rows), (job, library)
                continue
            ratio = float(cell.split(",")[0] if "," in cell and " " in cell else cell.replace(",", ""))
            measured = [row.split(" | ")[1] for row in rows if f"{name} {version}" in row and "times slower" in row]
            assert ratio in [float(one.replace(",", "")) for one in measured], (job, library)
