"""The parts of the page on sampled-analytics: the setting, and for each figure its charts and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.sampled_analytics.checks.verdicts import NEW
from experiments.sampled_analytics.page import STEM
from experiments.sampled_analytics.trials.releases import METHODS
from experiments.shared.charts import label
from experiments.shared.findings import Results
from experiments.shared.page_parts import capital
from experiments.shared.records import short

TITLES = {
    "gowalla": "made-up Gowalla",
    "foursquare": "made-up Foursquare",
    "netflix": "made-up Netflix",
    "netflix-part": "made-up Netflix, a part of its users",
    "movielens": "made-up MovieLens",
    "retail": "Online Retail",
    "documents": "documents and words",
}
ABOUT = {
    "gowalla": "Made up, of the published size.",
    "foursquare": "Made up, of the published size.",
    "netflix": "Made up, with {times} times fewer users than published, and so with an epsilon {times} times larger: "
    "noise and counts are in the same relation as in the whole, and squared errors are {square} times smaller.",
    "netflix-part": "The same users, with the paper's epsilon.",
    "movielens": "Made up, of the published size. As in the paper, there are no users of few records.",
    "retail": "Real: customers of a shop and what they bought, line by line, by day of the week.",
    "documents": "Real: a document is a user, a word in it an item. There is no context, so items get all of epsilon.",
}
#: the data sets whose curves or days have a chart; the others have tables only
CHARTED = {
    "6": ("foursquare", "netflix", "retail"),
    "9": ("foursquare", "netflix", "movielens", "retail"),
    "11": ("foursquare", "retail"),
}
MEASURES = {"mse": "mean squared error", "kl": "divergence", "top": "precision of the top 10"}
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def entry(pair: list[float], *, percent: bool = False) -> str:
    value, error = (100 * number if percent else number for number in pair)
    text = f"{value:.1f}" if percent else f"{short(value, 3):g}"
    return text + (f" ± {short(error, 1):g}" if error else "")


def weekly(results: Results) -> dict[str, Any]:
    return {name: part for name, part in results.items() if list(part["facts"]["contexts"]) == ["day"]}


def setting(results: Results) -> Iterator[str]:
    yield "## Setting"
    yield ""
    yield "| data set | users | items | records | most of one user | median | least | contexts | l | d | epsilon |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|"
    for name, part in results.items():
        facts = part["facts"]
        contexts = " x ".join(f"{context} ({size})" for context, size in facts["contexts"].items()) or "none"
        numbers = " | ".join(f"{facts[key]:,}" for key in ("users", "items", "records", "most"))
        rest = f"{facts['median']:g} | {facts['least']} | {contexts} | {facts['bound']} | {facts['probe']}"
        yield f"| {name} | {numbers} | {rest} | {facts['epsilon']} |"
    yield ""
    for name, part in results.items():
        times = part["facts"]["epsilon"]
        yield f"- `{name}`: {ABOUT[name].format(times=times, square=times**2)}"
    some = next(iter(results.values()))
    yield (
        "- Made-up data have the published numbers of users, items and records, and the published most and least of "
        "one user. Nothing else of the real data is in them: how popular items are (a power of their rank), how often "
        "users return to one, days and tastes are made up, and were not changed once results were seen."
    )
    yield (
        "- As in the paper: records are counted, `sra` has half of epsilon for items and half for edges, `hpa` a tenth "
        "for the popularity and 0.45 for each. `lpa`, `fpa` (the paper's DFT) and `gs` have a half for each; the most "
        "records of one user is a public number for them, which is too good for what it is: in truth it is private. "
        "`fpa` draws the number of its coefficients with a twentieth of its half."
    )
    yield (
        "- Divergence: Kullback-Leibler, in natural units, of the released shares from the true ones, with 0.01 for "
        "counts of zero or less. The paper's words can be read either way, so the reverse, of the true shares from the "
        "released ones, is tested too. Precision: the share of the K largest noisy counts that is among the K largest "
        "true ones; equal counts are in random order. For edges it is the mean over the values of the context."
    )
    total = sum(part["seconds"] for part in results.values())
    yield (
        f"- {some['runs']} trials, as in the paper ({some['frequencies']['items']['runs']} for the last table), with "
        f"seed {some['seed']}; ± is one standard error. "
        f"All of it took {total / 60:.0f} minutes of processor time."
    )
    yield ""


def popularity(results: Results) -> Iterator[str]:
    yield "## Figure 5: what the popularity step of hpa finds"
    yield ""
    yield f"![Figure 5]({STEM}-5.svg)"
    yield ""
    curves = {name: part["figures"]["5"]["lines"][0] for name, part in results.items()}
    points = next(iter(curves.values()))["x"]
    yield "| % of the top K | " + " | ".join(f"K = {many}" for many in points) + " |"
    yield "|---|" + "---:|" * len(points)
    for name, curve in curves.items():
        pairs = zip(curve["y"], curve["se"], strict=True)
        yield f"| {name} | " + " | ".join(entry(list(pair), percent=True) for pair in pairs) + " |"
    yield ""


def by_data_set(results: Results, figure: str, title: str) -> Iterator[str]:
    """A chart and a table of curves for each data set."""
    yield f"## {title}"
    yield ""
    for name, part in results.items():
        yield f"### {title.split(':')[0]}, {TITLES[name]}"
        yield ""
        if name in CHARTED[figure]:
            yield f"![Figure {figure}]({STEM}-{figure}-{name}.svg)"
            yield ""
        keys = [key for key in part["figures"] if key == figure or key.startswith(f"{figure}-")]
        lines = [(key, line) for key in keys for line in part["figures"][key]["lines"]]
        heads = [line["name"] + (f", {key.split('-')[1]}" if "-" in key else "") for key, line in lines]
        yield f"| {part['figures'][keys[0]]['x']} | " + " | ".join(heads) + " |"
        yield "|---:|" + "---:|" * len(lines)
        for place, x in enumerate(lines[0][1]["x"]):
            cells = [entry([line["y"][place], line["se"][place]], percent=figure == "9") for _, line in lines]
            yield f"| {label(x)} | " + " | ".join(cells) + " |"
        yield ""


def measures(results: Results, figure: str, kind: str) -> Iterator[str]:
    found = {name: part["methods"][kind] for name, part in results.items() if kind in part["methods"]}
    if not found:
        return
    yield f"## Figure {figure}: all methods on {kind}"
    yield ""
    yield "The mean alone: the error of a table that has the mean count everywhere, without noise. It is no method."
    yield ""
    shown = [("a", "mse"), ("b", "kl"), ("", "kl back"), ("c", "top")]
    for letter, measure in shown:
        unit = MEASURES.get(measure, "reverse divergence")
        yield f"### {capital(unit)}" + (", %" if measure == "top" else "")
        yield ""
        if letter:
            yield f"![Figure {figure}({letter})]({STEM}-{figure}{letter}.svg)"
            yield ""
        extra = " the mean alone |" if measure == "mse" else ""
        yield "| data set | " + " | ".join(METHODS) + f" |{extra}"
        yield "|---|" + "---:|" * (len(METHODS) + bool(extra))
        for name, methods in found.items():
            cells = [entry(methods[method][measure], percent=measure == "top") for method in METHODS]
            cells += [f"{short(results[name]['facts']['mean alone'][kind], 3):g}"] if extra else []
            yield f"| {name} | " + " | ".join(cells) + " |"
        yield ""


def others(results: Results) -> Iterator[str]:
    yield "## Figure 10: how much of the data is kept"
    yield ""
    yield f"![Figure 10]({STEM}-10.svg)"
    yield ""
    yield "| data set | users with no more than l records, % | " + " | ".join(f"{one}, %" for one in NEW) + " |"
    yield "|---|---:|" + "---:|" * len(NEW)
    for name, part in results.items():
        kept = " | ".join(entry(part["kept"][method], percent=True) for method in NEW)
        yield f"| {name} | {100 * part['facts']['within']:.1f} | {kept} |"
    yield ""
    yield "## Figure 11: the days of what is kept"
    yield ""
    for name, part in weekly(results).items():
        if name in CHARTED["11"]:
            yield f"![Figure 11]({STEM}-11-{name}.svg)"
            yield ""
        yield f"| {name}, % | " + " | ".join(DAYS) + " |"
        yield "|---|" + "---:|" * len(DAYS)
        for how, shares in part["contexts"].items():
            yield f"| {how} | " + " | ".join(f"{100 * share:.2f}" for share in shares) + " |"
        yield ""
    yield "## Table 5: the top ten of one context"
    yield ""
    yield (
        "For MovieLens the context is (male, under 25), for others the first day. Items by their numbers, with their "
        "true rank in that context in brackets. The lists are those of the first trial; how many are right (ties in "
        "random order) is the mean of all trials."
    )
    yield ""
    for name, part in results.items():
        if "lists" in part and name in ("movielens", "retail"):
            yield from _lists(name, part["lists"])
    yield "| of ten agree | " + " | ".join(NEW) + " |"
    yield "|---|" + "---:|" * len(NEW)
    for name, part in results.items():
        if "lists" in part:
            yield f"| {name} | " + " | ".join(entry(part["lists"]["agree"][method]) for method in NEW) + " |"
    yield ""


def _lists(name: str, lists: Results) -> Iterator[str]:
    yield f"| {name} | raw | " + " | ".join(NEW) + " |"
    yield "|---:|---|" + "---|" * len(NEW)
    for place, items in enumerate(zip(*(lists["top"][how] for how in ("raw", *NEW)), strict=True), start=1):
        yield f"| {place} | " + " | ".join(f"{item} ({lists['ranks'][str(item)]})" for item in items) + " |"
    yield ""
