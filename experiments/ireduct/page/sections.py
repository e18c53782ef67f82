"""The parts of the page on ireduct: the setting, and for each table its charts and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.ireduct.page import STEM
from experiments.shared.curves import curve
from experiments.shared.findings import Results
from experiments.shared.page_parts import capital, curve_table, entry, pictured

TITLES = {
    "synthetic": "made-up people of the paper's sizes",
    "acs": "American Community Survey 2018",
    "adult": "Adult",
}
DEFAULT_SHARE = 0.05
MISLED = (
    " The largest error hangs on the least count of each table: where noise makes that one look large, the table is "
    "left at a large scale, and no other cell of it tells."
)
ABOUT = {
    "synthetic": "Made up from a seed, with the sizes of the paper's Brazil: every attribute is skewed (a value of "
    "rank r has a weight of r to some power), and depends on one of two hidden numbers, where and how a person lives.",
    "acs": "A part of the public-use sample, in place of the paper's US census.",
    "adult": "All people of the training and the test part, nine of their attributes.",
}


def setting(results: Results) -> Iterator[str]:
    yield "## Setting"
    yield ""
    for name, part in results.items():
        facts = part["facts"]
        sizes = ", ".join(f"{attribute} {size}" for attribute, size in facts["attributes"].items())
        yield f"- `{name}`: {facts['records']:,} records; {sizes}. {ABOUT[name]}"
    some = next(iter(results.values()))["runs"]
    few = ", ".join(f"{part['runs']['2-way ireduct']} on {name}" for name, part in results.items())
    yield "- Education is in five levels everywhere, as in the paper, and is what the classifier predicts."
    yield (
        "- As in the paper: neighbours by replacing one record, lambda_max a tenth of the records, lambda_Delta a "
        "millionth, the sanity bound a 10,000th (except in figures 7 and 9), two-phase with shares 0.07 (1-way), 0.025 "
        "(2-way) and 0.03 (classifier). The number of records is public and costs nothing."
    )
    yield (
        "- Epsilon: the paper's text names 0.01 for 1-way marginals (figures 5 and 7) and 0.1 for 2-way ones (figure "
        "9); its axes are not in our copy. So epsilon goes from a fifth of these up to them, for the classifier as for "
        "1-way marginals, and sanity bounds from a quarter of the paper's to four times it. One point more lies at a "
        "twentieth; the verdicts leave it out. The paper has some ten million records. On smaller tables epsilon is "
        "larger by as much as there are fewer, so that noise and counts are in the same relation: errors depend on "
        "little else, for lambda_max, lambda_Delta and the sanity bound are shares of the records too. The larger "
        "epsilons for 2-way marginals of Adult protect nobody any more and are there to compare."
    )
    yield (
        f"- Runs per point: {some['1-way']} for 1-way marginals and figure 5, {some['2-way']} for 2-way ({few} for "
        "ireduct, where one run averages over many cells), ten folds for the classifier (the paper: 10 everywhere), "
        "its accuracy being judged by at most 20,000 people of each fold. ± is one standard error."
    )
    yield (
        "- `oracle` and `proportional` use the exact counts: they are not private, are no mechanisms and exist in this "
        "experiment only. `equal` is the paper's Dwork."
    )
    total = sum(part["seconds"] for part in results.values())
    yield f"- All of it took {total / 60:.0f} minutes of processor time."
    yield ""


def section(name: str, part: Results) -> Iterator[str]:
    yield f"## {capital(TITLES[name])}"
    yield ""
    yield "| marginals | tables | cells | below the sanity bound | largest epsilon |"
    yield "|---|---:|---:|---:|---:|"
    for kind, facts in part["facts"]["cases"].items():
        numbers = f"{facts['tables']} | {facts['cells']:,} | {facts['below']:,} | {facts['epsilon']:g}"
        yield f"| {kind} | {numbers} |"
    yield ""
    for key, figure in part["figures"].items():
        yield from pictured(figure, f"{STEM}-{name}-{key}.svg")
        yield from curve_table(figure, entry)
        yield ""
        if key == "5":
            yield from _best_shares(part)
    yield from _stated(part)
    yield from _worst(part)


def _best_shares(part: Results) -> Iterator[str]:
    said = []
    for kind, facts in part["facts"]["cases"].items():
        found = curve(part, "5", kind)
        least = min(found, key=lambda share: found[share])
        above = [f"{100 * (found[share] / found[least] - 1):.0f} %" for share in (facts["share"], DEFAULT_SHARE)]
        said.append(f"{kind} at {least:g} (the paper's {facts['share']:g} is {above[0]} above, our default {above[1]})")
    yield f"Least error: {'; '.join(said)}."
    yield ""


def _stated(part: Results) -> Iterator[str]:
    yield "### Intervals, consistency and time"
    yield ""
    yield (
        "At the largest epsilon. Covered: share of cells (all, or 20,000 of them at random) whose 95 % interval holds "
        "the truth, without and with `consistency`. Ratio: the overall error with consistency over that without, on "
        "the same noise. Seconds: processor time of one release, the counts being given; the least of the runs."
    )
    yield ""
    yield "| marginals | method | covered | with consistency | error | with consistency | ratio | seconds |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for kind, rows in part["stated"].items():
        for row in rows:
            covered = " | ".join(f"{100 * row[key][0]:.1f} %" for key in ("covered", "covered consistent"))
            errors = " | ".join(entry(*row[key]) for key in ("error", "error consistent", "gain"))
            yield f"| {kind} | {row['method']} | {covered} | {errors} | {row['seconds']:.2g} |"
    yield ""


def _worst(part: Results) -> Iterator[str]:
    yield "### The largest relative error of a cell, 1-way"
    yield ""
    yield (
        "Beyond the paper's figures: methods that aim at the largest error instead of the average. `proportional` "
        "gives every cell its own scale, so that all have the same relative error on average."
    )
    yield ""
    yield "| method | overall error | largest |"
    yield "|---|---:|---:|"
    for row in part["worst"]:
        yield f"| {row['method']} | {entry(*row['error'])} | {entry(*row['largest'])} |"
    yield ""
    largest = {row["method"]: row["largest"][0] for row in part["worst"]}
    aimed = largest["ireduct, maximum"]
    yield (
        f"Aimed at the largest error, ireduct has {aimed / largest['equal']:.2g} times that of equal and "
        f"{aimed / largest['ireduct']:.2g} times that of ireduct aimed at the average."
        + (MISLED if aimed > min(largest["equal"], largest["ireduct"]) else "")
    )
    yield ""
