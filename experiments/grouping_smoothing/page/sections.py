"""The parts of the page on grouping-smoothing: the setting, and for each data set its charts and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.grouping_smoothing.checks.verdicts import above_best, shown
from experiments.grouping_smoothing.page import STEM
from experiments.grouping_smoothing.trials.figures import BEST_RHO, FOUND, PAPER
from experiments.shared.curves import line_of
from experiments.shared.findings import Results
from experiments.shared.page_parts import capital, curve_table, pictured

TITLES = {
    "checkin": "made-up check-ins, fewer than the paper's",
    "checkin-full": "made-up check-ins of the paper's sizes",
    "document": "made-up documents, fewer than the paper's",
    "netflix": "made-up film ratings of the paper's sizes",
    "trajectory": "made-up trajectories of the paper's sizes",
    "documents": "blog entries and their words (KOS)",
    "retail": "customers of an online shop and what they bought",
}
#: what the paper states of the relative error at ln 2: of GS, LPA and FPA
STATED = {
    "checkin": (0.007, None, None),
    "checkin-full": (0.007, None, None),
    "document": (0.024, None, None),
    "netflix": (0.73, 31.87, 6.82),
    "trajectory": (0.27, None, None),
}


def _skew(name: str, facts: Results) -> str:
    shift = f", r being {facts['shift']:g} more" if facts.get("shift") else ""
    return f"{facts['skew']:g} on {name}{shift}"


def setting(results: Results) -> Iterator[str]:
    yield "## Setting"
    yield ""
    yield from _sizes(results)
    made_up = [name for name, part in results.items() if part["facts"]["synthetic"]]
    skews = ", ".join(_skew(name, results[name]["facts"]) for name in made_up)
    yield (
        f"- Made up from a seed: {', '.join(f'`{name}`' for name in made_up)}. Their users, items, ones and Delta are "
        "those of the paper's table 2, or a part of them as said below. How many items users have are quantiles of a "
        "lognormal law; the sum and the maximum settle its two parameters. Which items: one after the other without "
        "repeats, an item of rank r in "
        f"proportion to r to the power of minus a skew ({skews}). A skew without a shift was chosen beforehand and "
        "not fitted to anything. The two numbers of document follow from three of words: of the paper's number of "
        "documents the rarest word is in 10 (its vocabulary has none that occurs less often), the most common one in "
        "0.62 of them, as in `documents`, and the mean count is the paper's. "
        "Items are numbered at random, so neighbours have nothing in common. The paper's own data are not here; where "
        "numbers depend on more than these sizes, ours say nothing about theirs."
    )
    for name in made_up:
        yield from _fewer(name, results[name]["facts"])
    yield (
        "- Real: `documents` in place of the paper's Document, one 1 for each word that a document has; `retail`, all "
        "lines that name a customer, one 1 for each stock code that a customer bought. Words and stock codes are in "
        "the order of their numbers."
    )
    yield (
        "- As in the paper: users are counted, Delta (the most ones of a user) is the true maximum and taken as "
        "public, sanity bound 0.1 % of the users, epsilon 0.1, ln 2 and ln 3 (as 0.693 and 1.099). A real release "
        "must not take Delta from its data."
    )
    runs = ", ".join(f"{part['runs']} on {name}" for name, part in results.items())
    figures = {name: part["figures"]["8"] for name, part in results.items()}
    fewer = "".join(f"; figure 8: {one['runs']} on {name}" for name, one in figures.items() if "runs" in one)
    yield (
        f"- Runs per point: {runs}{fewer} (the paper: 200). ± is one standard error. Data and noise come from recorded "
        "seeds; the same runs give the same numbers."
    )
    yield (
        f"- `{BEST_RHO}` knows the truth: of 16 numbers of frequencies it takes the best. It is not private, as in the "
        "paper. `fpa` draws the number privately. `gs` scales the sample by the mean number of ones of a user, found "
        "with 2 % of epsilon; `gs, mean given` by the true mean, to three digits, as a public guess; "
        f"`{PAPER}` by Delta and takes its noise for differences, as printed."
    )
    total = sum(part["seconds"] for part in results.values())
    yield f"- All of it took {total / 60:.0f} minutes of processor time."
    yield ""


def _fewer(name: str, facts: Results) -> Iterator[str]:
    factor = facts["factor"]
    if factor > 1 and facts["items too"]:
        yield (
            f"- `{name}` has {factor} times fewer users and items than the paper's, for time. Counts, Delta and noise "
            "are as they are there, but tuned groups are smaller, for they grow with the number of items; the sanity "
            "bound, 0.1 % of the users, is as many times smaller. `checkin-full` has all of them, and fewer runs; "
            "where the two differ, it is the one to go by."
        )
    elif factor > 1:
        yield (
            f"- `{name}` has {factor} times fewer users than the paper's, for memory, so its counts are as much "
            f"smaller and noise is {factor} times larger in relation to them, as if epsilon were {factor} times "
            "smaller."
        )


def _sizes(results: Results) -> Iterator[str]:
    yield "| data set | users | items | ones | Delta | mean of a user | mean count | largest count | users per item |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, part in results.items():
        facts = part["facts"]
        sizes = " | ".join(f"{facts[key]:,}" for key in ("users", "items", "ones", "bound"))
        counts = f"{shown(facts['mean count'])} | {facts['largest count']:,}"
        sampled = shown(facts["users"] / facts["items"])
        yield f"| {name} | {sizes} | {facts['mean of a user']} | {counts} | {sampled} |"
    yield ""
    yield (
        "Users per item is the mean count in a sample of one item of each user, by which gs-s and gs find their "
        "groups. The noise in it has the scale 2 / epsilon: 20, 2.9 and 1.8."
    )
    yield ""


def stated(results: Results) -> Iterator[str]:
    """The few numbers that the paper's text gives, beside ours."""
    yield "## Relative errors at ln 2"
    yield ""
    yield "The paper's text gives these; its charts are not in our copy."
    yield ""
    yield f"| data set | GS, paper | gs | {PAPER} | LPA, paper | lpa | FPA, paper | {BEST_RHO} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for name, part in results.items():
        gs, lpa, fpa = (_percent(value) for value in STATED.get(name, (None, None, None)))
        ours = {method: _percent(line_of(part, "10", method)["y"][1]) for method in (FOUND, PAPER, "lpa", BEST_RHO)}
        yield (f"| {name} | {gs} | {ours[FOUND]} | {ours[PAPER]} | {lpa} | {ours['lpa']} | {fpa} | {ours[BEST_RHO]} |")
    yield ""


def _percent(share: float | None) -> str:
    return "" if share is None else f"{shown(100 * share)} %"


def section(name: str, part: Results) -> Iterator[str]:
    yield f"## {capital(TITLES[name])}"
    yield ""
    for key, figure in part["figures"].items():
        yield from pictured(figure, f"{STEM}-{name}-{key}.svg")
        yield from _tuning(part) if key == "8" else curve_table(figure, _entry)
        yield ""
        if key == "9":
            yield from _rho(part)


def _entry(value: float, error: float) -> str:
    return shown(value) + (f" ± {error:,.0f}" if error >= 1 else f" ± {error:.1g}" if error else "")


def _tuning(part: Results) -> Iterator[str]:
    yield (
        "The sizes that gs chose, and its error beside that of the best size in the chart (with half of epsilon for "
        "the sample, as gs has it)."
    )
    yield ""
    heads = ("method", "one stands for", "group: median, least, most", "error", "best", "above it")
    yield f"| epsilon | {' | '.join(heads)} |"
    yield "|---:|---|---:|---:|---:|---:|---:|"
    for row in part["tuning"]:
        groups = ", ".join(f"{size:,}" for size in row["groups"])
        numbers = f"{shown(row['stands for'])} | {groups} | {_entry(*row['error'])}"
        best = f"{row['best group']:,} | {100 * above_best(row):.1f} %"
        yield f"| {row['epsilon']:g} | {row['method']} | {numbers} | {best} |"


def _rho(part: Results) -> Iterator[str]:
    chosen = ", ".join(f"{rho:,} at epsilon {epsilon}" for epsilon, rho in part["rho"].items())
    yield f"The best numbers of frequencies: {chosen}."
    yield ""
