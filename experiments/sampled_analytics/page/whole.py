"""The page on sampled-analytics: Markdown and charts, from nothing but the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from experiments.sampled_analytics.checks.statements import findings
from experiments.sampled_analytics.checks.verdicts import NEW, beats_the_mean, values
from experiments.sampled_analytics.page import STEM
from experiments.sampled_analytics.page.beyond import beyond
from experiments.sampled_analytics.page.sections import (
    CHARTED,
    DAYS,
    MEASURES,
    TITLES,
    by_data_set,
    measures,
    others,
    popularity,
    setting,
    weekly,
)
from experiments.sampled_analytics.trials.releases import METHODS
from experiments.shared.charts import grouped_bars, line_chart
from experiments.shared.findings import Finding, Results
from experiments.shared.page_parts import appendix, joined, opening, verdict_tables
from experiments.shared.records import short

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def render(results: Results) -> dict[str, str]:
    """Every generated file by its name."""
    files = {f"{STEM}.md": joined(_page(results))}
    files |= {f"{STEM}-{name}.svg": text for name, text in _charts(results)}
    return files


def _charts(results: Results) -> Iterator[tuple[str, str]]:
    lines = [{**part["figures"]["5"]["lines"][0], "name": name} for name, part in results.items()]
    yield "5", line_chart({**next(iter(results.values()))["figures"]["5"], "lines": lines, "most": 1.0})
    for name, part in results.items():
        if name in CHARTED["6"]:
            yield f"6-{name}", line_chart(_both(name, part))
        if name in CHARTED["9"]:
            ninth: dict[str, Any] = part["figures"]["9"]
            yield f"9-{name}", line_chart({**ninth, "title": f"{ninth['title']}: {TITLES[name]}", "most": 1.0})
    for figure, kind in (("7", "items"), ("8", "edges")):
        names = [name for name, part in results.items() if kind in part["methods"]]
        if not names:
            continue
        for letter, (measure, unit) in zip("abc", MEASURES.items(), strict=True):
            found = [values(results[name], kind, measure) for name in names]
            bars = {method: [one[method] for one in found] for method in METHODS}
            title = f"Figure {figure}({letter}): {unit} of {kind}"
            yield f"{figure}{letter}", grouped_bars(title, unit, names, bars, log=measure == "mse")
    kept = {method: [100 * part["kept"][method][0] for part in results.values()] for method in NEW}
    yield "10", grouped_bars("Figure 10: records that are kept", "% of all records", list(results), kept)
    for name, part in weekly(results).items():
        if name not in CHARTED["11"]:
            continue
        bars = {how: [100 * share for share in shares] for how, shares in part["contexts"].items()}
        yield f"11-{name}", grouped_bars(f"Figure 11: days, {TITLES[name]}", "% of records", DAYS, bars)


def _both(name: str, part: Results) -> dict[str, Any]:
    """Figure 6(a) and (b) in one chart."""
    kinds = [kind for kind in ("items", "edges") if f"6-{kind}" in part["figures"]]
    lines = [
        {**line, "name": f"{line['name']}, {kind}"} for kind in kinds for line in part["figures"][f"6-{kind}"]["lines"]
    ]
    title = f"Figure 6: error by records kept of a user: {TITLES[name]}"
    return {**part["figures"]["6-items"], "title": title, "lines": lines}


def _page(results: Results) -> Iterator[str]:
    yield "# Few records of each user: the paper's experiments, again"
    yield ""
    verdicts = list(findings(results))
    yield from opening(verdicts, f"{STEM}-7c.svg", "How many of the true top 10 each method finds")
    yield (
        "Section 6 of *A Practical Framework for Privacy-Preserving Data Analytics* (Fan, Jin), figures 5 to 11 and "
        f"table 5, with this library's mechanisms. This page is generated from [{STEM}.json]({STEM}.json) by "
        "`python -m experiments.sampled_analytics --data FOLDER`; no number is typed by hand. The folder holds "
        "`online_retail` and `docword_kos`. `--part gowalla` (or another data set) does one again, `--page-only` none. "
        "Made-up data and all noise come from recorded seeds, so the same program gives the same numbers; a real "
        "release has no seed."
    )
    yield ""
    yield from _in_short(results)
    yield from setting(results)
    yield from _verdicts(verdicts)
    yield from appendix()
    yield from popularity(results)
    yield from by_data_set(results, "6", "Figure 6: the error by l")
    yield from measures(results, "7", "items")
    yield from measures(results, "8", "edges")
    yield from by_data_set(results, "9", "Figure 9: precision of the top K items")
    yield from others(results)
    yield from beyond(results)


def _in_short(results: Results) -> Iterator[str]:
    yield "## The best methods"
    yield ""
    yield "The best of the five methods by each measure."
    yield ""
    columns = [(kind, measure) for kind in ("items", "edges") for measure in MEASURES]
    yield "| data set | " + " | ".join(f"{MEASURES[measure]}, {kind}" for kind, measure in columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for name, part in results.items():
        yield f"| {name} | " + " | ".join(_best(part, kind, measure) for kind, measure in columns) + " |"
    yield ""
    for kind in ("items", "edges"):
        below = [
            name for name, part in results.items() if kind in part["methods"] and not beats_the_mean(kind)(part)[0]
        ]
        if below:
            yield (
                f"- With these l, sra or hpa has a larger squared error of {kind} than a table with the mean count "
                f"everywhere on {', '.join(below)}. What they find there is the most popular {kind}, not all counts."
            )
    yield ""


def _best(part: Results, kind: str, measure: str) -> str:
    if kind not in part["methods"]:
        return "none"
    found = values(part, kind, measure)
    best = max(found.values()) if measure == "top" else min(found.values())
    names = ", ".join(method for method, number in found.items() if number == best)
    return f"{names}: {100 * best:.0f} %" if measure == "top" else f"{names}: {short(best, 3):g}"


def _verdicts(verdicts: list[Finding]) -> Iterator[str]:
    held = sum(verdict.holds for verdict in verdicts)
    ours = [verdict for verdict in verdicts if verdict.figure.startswith("ours")]
    paper = [verdict for verdict in verdicts if verdict not in ours]
    yield "## What agrees with the paper and what does not, and why"
    yield ""
    yield (
        f"Statements are put in our words, and each is tested on every data set it is about: {len(verdicts)} tests, of "
        f"which {held} agree and {len(verdicts) - held} do not. Of what the paper says, {_tally(paper)} agree; of what "
        f"we expected, marked `ours`, {_tally(ours)}. A statement may be in both tables, for different data."
    )
    wanted = dict.fromkeys(verdict.reason for verdict in verdicts if verdict.reason)
    reasons = dict(zip(wanted, LETTERS, strict=False))
    yield from verdict_tables(_by_statement(verdicts), "it is said", lambda verdict: _letter(reasons, verdict.reason))
    for reason, letter in reasons.items():
        yield f"- ({letter}) {reason}"
    yield ""


def _tally(verdicts: list[Finding]) -> str:
    return f"{sum(verdict.holds for verdict in verdicts)} of {len(verdicts)}"


def _by_statement(verdicts: Iterable[Finding]) -> list[Finding]:
    """One row for what all data sets say alike of a statement."""
    found: dict[tuple[str, str, bool], list[Finding]] = {}
    for verdict in verdicts:
        found.setdefault((verdict.figure.split(", ")[0], verdict.says, verdict.holds), []).append(verdict)
    return [
        replace(
            rows[0], figure=figure, numbers="<br>".join(f"{row.figure.split(', ')[1]}: {row.numbers}" for row in rows)
        )
        for (figure, _, _), rows in found.items()
    ]


def _letter(reasons: dict[str, str], reason: str) -> str:
    return f"({reasons[reason]})" if reason else "not known"
