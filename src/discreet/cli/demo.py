"""`discreet demo`: the whole story on a made-up town. Every file it leaves can be opened and changed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from discreet.cli.publishing import data_of
from discreet.cli.show import print_table, stages
from discreet.errors import DiscreetError
from discreet.release import Release, load
from discreet.release.frame import Frame
from discreet.spec import load_spec

PEOPLE = 20_000
RELEASE = "by-age"

SPEC = """\
# What the table holds, whom to protect, and what to publish. Try: discreet check town.toml

[data]
source = "people.csv"

[privacy]
unit = "row"               # each person is one row, and may be in it or not
neighbours = "add-remove"
budget = 2.0               # no more than this, all releases together
ledger = "town.ledger"

[about]                    # for those who sign the releases off; nothing checks these words
organisation = "A made-up town"
purpose = "to show what a release looks like"
reason = "usual for a first release; ask your own people"
domains = "the town's own lists, not the data"

[attributes.age]
kind = "ordinal"
low = 0
high = 99

[attributes.sex]
kind = "nominal"
values = ["Female", "Male"]

[attributes.district]
kind = "nominal"
levels = ["side", "district"]
hierarchy = { North = ["Harbour", "Old Town"], South = ["Hills", "Mill", "Station"] }

[releases.by-age]
task = "table"
by = ["age", "sex", "district"]
epsilon = 1.0
"""


def run(folder: Path, quiet: bool) -> None:
    if folder.exists():
        raise DiscreetError(f"{folder}: exists already; remove it, or choose another with --folder")
    folder.mkdir(parents=True)
    people = _population()
    Frame(people).to_csv(folder / "people.csv")
    (folder / "town.toml").write_text(SPEC, encoding="utf-8")
    target = folder / RELEASE
    started = time.perf_counter()
    with stages(quiet) as progress:
        spec = load_spec(folder / "town.toml")
        data = data_of(folder / "town.toml", spec)
        wanted = spec.releases[RELEASE]
        data.publish(wanted.task, wanted.epsilon, name=RELEASE, to=target, progress=progress)
    if quiet:
        print(target)
        return
    taken = time.perf_counter() - started
    release = load(target)
    print(f"1. {folder}/people.csv: a made-up town of {PEOPLE:,} people. Think of it as private.")
    print(f"2. {folder}/town.toml: what the columns may hold, and that each person is to be protected.")
    print(f"3. {target}: the release, noisy counts for epsilon 1, made in {taken:.1f} s.")
    print("   Anyone may have this folder. Nobody can tell from it whether you were in the table.\n")
    _answers(release, people)
    _chart(release)
    print(
        "Everything that was counted got noise, so small groups are rough and large ones are sharp; the intervals say\n"
        "how rough. Only because the town is made up can we print the truth beside the answers: a real release never\n"
        "shows it. The ledger has written down what was spent:\n"
    )
    print(f"  discreet ledger {folder}/town.ledger")
    print(f"  discreet report {target} --ledger {folder}/town.ledger -o {folder}/report.html   (a page to sign)")
    print(f'  discreet query {target} --by sex,district.side "age < 18"')
    print(f"  discreet publish {folder}/town.toml {RELEASE} -o {target}   (the same folder again, at no cost)")


def _population() -> dict[str, Any]:
    """The same town every time, drawn from a fixed seed, because it is not secret."""
    from discreet.noise import Noise, SeededSource

    dice = Noise(SeededSource(1975))

    def rolls(sides: int) -> Any:
        return dice.integers(sides, PEOPLE)

    # two kinds of people: families (spread up to 60) and a bulge around 45 that thins out towards 95
    age = np.where(rolls(10) < 4, rolls(60), np.minimum((rolls(96) + rolls(96) + 6) // 2, 99))
    districts = np.array(["Harbour", "Old Town", "Hills", "Mill", "Station"])
    return {
        "age": age,
        "sex": np.array(["Female", "Male"])[(rolls(1000) < 493).astype(int)],
        "district": districts[np.searchsorted([18, 30, 62, 85, 100], rolls(100), side="right")],
    }


def _answers(release: Release, people: dict[str, Any]) -> None:
    age, sex, district = people["age"], people["sex"], people["district"]
    thirties, north = (age >= 30) & (age <= 39), np.isin(district, ["Harbour", "Old Town"])
    boys_there = (sex == "Male") & (district == "Station")
    questions = (
        ("How many people are there?", None, age >= 0),
        ("Women in their thirties", "age between 30 and 39 and sex = 'Female'", thirties & (sex == "Female")),
        ("Pensioners in the north", "age >= 65 and district = 'North'", (age >= 65) & north),
        ("Newborn boys at the Station", "age = 0 and sex = 'Male' and district = 'Station'", (age == 0) & boys_there),
    )
    rows = []
    for question, where, truly in questions:
        answer = release.count(where)
        interval = f"{answer.low:,.0f} to {answer.high:,.0f}"
        rows.append([question, f"{answer.value:,.0f}", interval, f"{np.sum(truly):,}"])
    columns = ("question", "answer", "95 % interval", "truth")
    print_table("4. Ask it anything", columns, rows, right=columns[1:])


def _chart(release: Release) -> None:
    """People by age, ten years a bar; the paler end of a bar is its interval."""
    print("\n5. People by age, from the release")
    widest = 50
    answers = [release.count({"age": (low, low + 9)}) for low in range(0, 100, 10)]
    most = max(answer.high for answer in answers)
    for low, answer in zip(range(0, 100, 10), answers, strict=True):
        sure, unsure = (max(0, round(widest * end / most)) for end in (answer.low, answer.high))
        bar = "█" * sure + "░" * (unsure - sure)
        print(f"   {low:2d}-{low + 9:2d}  {bar:<{widest}} {answer.value:>6,.0f} ± {answer.stderr:.0f}")
    print()
