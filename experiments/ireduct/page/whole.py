"""The page on ireduct: Markdown and charts, from nothing but the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.ireduct.checks.statements import findings
from experiments.ireduct.checks.verdicts import ratios
from experiments.ireduct.page import STEM
from experiments.ireduct.page.sections import TITLES, section, setting
from experiments.shared.curves import spread
from experiments.shared.findings import Finding, Results
from experiments.shared.page_parts import appendix, joined, opening, titled_charts, verdict_tables

SHORT = (
    ("ireduct", "oracle"),
    ("two-phase", "oracle"),
    ("iresamp", "oracle"),
    ("equal", "oracle"),
    ("two-phase", "ireduct"),
    ("iresamp", "equal"),
)


def render(results: Results) -> dict[str, str]:
    """Every generated file by its name."""
    return {f"{STEM}.md": joined(_page(results)), **titled_charts(STEM, results, TITLES)}


def _page(results: Results) -> Iterator[str]:
    yield "# Marginals of small relative error: the paper's experiments, again"
    yield ""
    verdicts = list(findings(results))
    last = list(results)[-1]
    yield from opening(verdicts, f"{STEM}-{last}-8.svg", f"Two-way tables of {TITLES[last]}: error by epsilon")
    yield (
        "Section 6 of *iReduct: Differential privacy with reduced relative errors* (Xiao, Bender, Hay, Gehrke), "
        f"figures 5 to 11, with this library's mechanisms. This page is generated from [{STEM}.json]({STEM}.json) by "
        "`python -m experiments.ireduct --data FOLDER`; no number is typed by hand. The folder holds "
        "`acs_income_2018` and `adult`. `--part synthetic`, `acs` or `adult` does one table again, `--page-only` none. "
        "Made-up data come from a seed; the noise is the library's own and has no seed."
    )
    yield ""
    yield from _in_short(results)
    yield from setting(results)
    yield from _verdicts(verdicts)
    yield from appendix()
    for name, part in results.items():
        yield from section(name, part)


def _in_short(results: Results) -> Iterator[str]:
    yield "## Ratios"
    yield ""
    yield "Ratios of overall errors, from the least to the most over epsilon, the smallest one left out."
    yield ""
    yield "| table | marginals | " + " | ".join(f"{one} / {other}" for one, other in SHORT) + " |"
    yield "|---|---|" + "---:|" * len(SHORT)
    for name, part in results.items():
        for kind, key in (("1-way", "6"), ("2-way", "8"), ("classifier", "10")):
            found = " | ".join(spread(ratios(part, key, one, other)) for one, other in SHORT)
            yield f"| {name} | {kind} | {found} |"
    yield ""


def _verdicts(verdicts: list[Finding]) -> Iterator[str]:
    held = sum(verdict.holds for verdict in verdicts)
    yield "## What agrees with the paper and what does not, and why"
    yield ""
    yield (
        f"Of {len(verdicts)} statements tested (put in our words, each on every table, at all epsilons but the "
        f"smallest), {held} hold and {len(verdicts) - held} do not. Ratios are those of overall errors."
    )
    given: set[str] = set()

    def why(verdict: Finding) -> str:
        reason = "See above." if verdict.reason in given else verdict.reason or "Not known."
        given.update({verdict.reason} - {""})
        return reason

    yield from verdict_tables(verdicts, "the paper says", why)
