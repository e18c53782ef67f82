"""The page of the claims, and the line that is printed for one: from nothing but the recorded verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from experiments.claims.page import STEM
from experiments.claims.rules import FAILS, HOLDS, OPEN
from experiments.shared.charts import grouped_bars
from experiments.shared.findings import Results
from experiments.shared.page_parts import capital, joined

PICTURE = f"{STEM}.svg"
TITLES = {
    "sparse-summaries": "Differentially private summaries for sparse data (Cormode, Procopiuc, Srivastava, Tran)",
    "privelet": "Differential privacy via wavelet transforms (Xiao, Wang, Gehrke)",
    "ireduct": "iReduct: differential privacy with reduced relative errors (Xiao, Bender, Hay, Gehrke)",
    "sampled-analytics": "A practical framework for privacy-preserving data analytics (Fan, Jin)",
    "grouping-smoothing": "Practical differential privacy via grouping and smoothing (Kellaris, Papadopoulos)",
}


def wanted(claim: Results) -> str:
    """Where the figure must lie."""
    above, below = claim["above"], claim["below"]
    if above is None:
        return f"below {below:g}"
    return f"above {above:g}" if below is None else f"{above:g} to {below:g}"


def found(claim: Results) -> str:
    """The estimate, and the interval that decided."""
    if claim["low"] is None:
        return f"{claim['estimate']:.3g} (no interval)"
    return f"{claim['estimate']:.3g} ({claim['low']:.3g} to {claim['high']:.3g})"


def sentence(claim: Results) -> str:
    """The line that is printed for a claim."""
    after = f", after {claim['trials']} trials" if claim["verdict"] == OPEN else ""
    return (
        f"{claim['verdict']:<13}  {claim['place']}: {claim['says']}; {claim['shows']}: {found(claim)}, must be "
        f"{wanted(claim)}{after} [{claim['key']}]"
    )


def render(results: Results) -> dict[str, str]:
    """Every generated file by its name."""
    return {f"{STEM}.md": joined(_page(results)), PICTURE: _picture(results["claims"])}


def _picture(claims: list[Results]) -> str:
    """How many claims of each paper got which verdict."""
    bars = {
        verdict: [sum(claim["paper"] == paper and claim["verdict"] == verdict for claim in claims) for paper in TITLES]
        for verdict in (HOLDS, FAILS, OPEN)
    }
    return grouped_bars(
        "Claims of each paper by verdict", "claims", [paper.partition("-")[0] for paper in TITLES], bars
    )


def _page(results: Results) -> Iterator[str]:
    claims = results["claims"]
    numbers = {verdict: sum(claim["verdict"] == verdict for claim in claims) for verdict in (HOLDS, FAILS, OPEN)}
    yield "# The papers' claims as checks"
    yield ""
    yield (
        f"**In short.** Of {len(claims)} claims of five papers (put in our words, some marked as ours), "
        f"{numbers[HOLDS]} hold, {numbers[FAILS]} do not hold and {numbers[OPEN]} are undecided, at reduced sizes and "
        "with this library's mechanisms. Below, each has its numbers, and those that fail a reason."
    )
    yield ""
    yield f"![Claims of each paper: how many hold, do not hold, and are undecided]({PICTURE})"
    yield ""
    yield (
        f"This page is generated from [{STEM}.json]({STEM}.json) by `python -m experiments.claims --page`; no number "
        "is typed by hand. The full experiments have pages of their own."
    )
    yield ""
    yield from _rule(results)
    for paper, title in TITLES.items():
        mine = [claim for claim in claims if claim["paper"] == paper]
        if mine:
            yield from _section(paper, title, mine, results["settings"])


def _rule(results: Results) -> Iterator[str]:
    percent, wrong = 100 * results["confidence"], 1 - results["confidence"]
    claims = results["claims"]
    yield "## How a claim is decided"
    yield ""
    yield (
        "- A trial gives one figure, in which the methods are compared on the same data and questions. The claim says "
        "on which side of a bound the median of this figure lies."
    )
    yield (
        f"- In brackets are two bounds on the median, each right with a confidence of at least {percent:g} %. They "
        "come from the sign test, so they are exact whatever the law of the figure. A claim holds if the whole "
        "interval is where the figure must be, does not hold if none of it is, and is undecided otherwise."
    )
    yield (
        f"- So a verdict on one claim is wrong with a chance of at most {wrong:.2g}; of {len(claims)} verdicts "
        f"{wrong * len(claims):.1f} may be wrong on average, if all were as close as can be."
    )
    yield (
        "- Data are made up. Those of sparse-summaries and privelet are made afresh for every trial; those of the "
        "other papers are the same in all trials, as in the papers, and only the noise is fresh."
    )
    times = "" if results["factor"] == 1 else f", {results['factor']:g} times the usual trials"
    yield (
        f"- Data and noise come from seed {results['seed']}{times}: the same seed gives the same figures, but for "
        f"those of time. The run took {results['seconds']} seconds of processor time."
    )
    yield (
        "- `--strict` ends with an error if a claim that is recorded here as holding no longer does. `--seed`, "
        "`--trials` and `--confidence` ask again in another way."
    )
    yield ""


def _section(paper: str, title: str, claims: list[Results], settings: Mapping[str, str]) -> Iterator[str]:
    held = sum(claim["verdict"] == HOLDS for claim in claims)
    yield f"## {paper}"
    yield ""
    yield f"*{title}*. {held} of {len(claims)} claims hold."
    yield ""
    trials = {claim["setting"]: claim["trials"] for claim in claims}
    places = {key: place for place, key in enumerate(trials, start=1)}
    yield "| where | the paper says | setting | figure | must be | median (interval) | verdict |"
    yield "|---|---|---:|---|---|---|---|"
    for claim in claims:
        verdict = claim["verdict"] if claim["verdict"] == HOLDS else f"**{claim['verdict']}**"
        cells = (claim["place"], claim["says"], str(places[claim["setting"]]), claim["shows"], wanted(claim))
        yield f"| {' | '.join(cells)} | {found(claim)} | {verdict} |"
    yield ""
    yield "Settings:"
    yield ""
    for key, number in trials.items():
        yield f"{places[key]}. {capital(settings[key])}. {number} trials."
    yield ""
    reasons = [claim for claim in claims if claim["verdict"] == FAILS]
    if reasons:
        yield "Why some do not hold:"
        yield ""
        for claim in reasons:
            yield f"- {claim['place']}, {claim['says']}: {claim['reason'] or 'not known.'}"
        yield ""
