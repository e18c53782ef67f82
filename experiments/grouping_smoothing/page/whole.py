"""The page on grouping-smoothing: Markdown and charts, from nothing but the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.grouping_smoothing.checks.statements import findings
from experiments.grouping_smoothing.checks.verdicts import above_best, ratios, spread, tuning
from experiments.grouping_smoothing.page import STEM
from experiments.grouping_smoothing.page.sections import TITLES, section, setting, stated
from experiments.grouping_smoothing.trials.figures import BEST_RHO, FOUND, GIVEN, MIDDLE, PAPER
from experiments.shared.findings import Finding, Results
from experiments.shared.page_parts import appendix, joined, opening, titled_charts, verdict_tables

SHORT = ((FOUND, "lpa"), (FOUND, BEST_RHO), (FOUND, "gs-r"), (FOUND, "gs-s"), (PAPER, FOUND))


def render(results: Results) -> dict[str, str]:
    """Every generated file by its name."""
    return {f"{STEM}.md": joined(_page(results)), **titled_charts(STEM, results, TITLES)}


def _page(results: Results) -> Iterator[str]:
    yield "# Counts per item by grouping and smoothing: the paper's experiments, again"
    yield ""
    verdicts = list(findings(results))
    last = list(results)[-1]
    yield from opening(verdicts, f"{STEM}-{last}-9.svg", f"Mean absolute error by epsilon: {TITLES[last]}")
    yield (
        "Section 5 of *Practical differential privacy via grouping and smoothing* (Kellaris, Papadopoulos), figures 7 "
        f"to 10, with this library's mechanisms. This page is generated from [{STEM}.json]({STEM}.json) by `python -m "
        "experiments.grouping_smoothing --data FOLDER`; no number is typed by hand. The folder holds `docword_kos` and "
        "`online_retail`. `--part NAME` does one data set again, `--page-only` none."
    )
    yield ""
    yield from _in_short(results)
    yield from setting(results)
    yield from _verdicts(verdicts)
    yield from appendix()
    yield from stated(results)
    for name, part in results.items():
        yield from section(name, part)


def _in_short(results: Results) -> Iterator[str]:
    yield "## Ratios"
    yield ""
    yield (
        "Ratios of mean absolute errors, from the least to the most over epsilon; and how far the error of the tuned "
        f"group size is above that of the best size, at epsilon {float(MIDDLE):g}."
    )
    yield ""
    tuned = (FOUND, GIVEN, PAPER)
    heads = [*(f"{one} / {other}" for one, other in SHORT), *(f"above best: {method}" for method in tuned)]
    yield f"| data set | {' | '.join(heads)} |"
    yield "|---|" + "---:|" * len(heads)
    for name, part in results.items():
        found = [spread(ratios(part, "9", one, other)) for one, other in SHORT]
        rows = [next(row for row in tuning(part, method) if row["epsilon"] == float(MIDDLE)) for method in tuned]
        above = [f"{100 * above_best(row):.1f} %" for row in rows]
        yield f"| {name} | {' | '.join([*found, *above])} |"
    yield ""


def _verdicts(verdicts: list[Finding]) -> Iterator[str]:
    held = sum(verdict.holds for verdict in verdicts)
    yield "## What agrees with the paper and what does not, and why"
    yield ""
    yield (
        f"Of {len(verdicts)} statements tested (put in our words, each on every data set that it is about), {held} "
        f"hold and {len(verdicts) - held} do not. One method beats another if its mean error is below, by more than "
        "two standard errors, at every epsilon. Statements on GS are tested of the method as printed, and of `gs` as "
        "this library has it. Those of the errata and ours are not the paper's."
    )
    numbers: dict[str, int] = {}

    def why(verdict: Finding) -> str:
        reasons = verdict.reason.splitlines()
        return ", ".join(f"({numbers.setdefault(one, len(numbers) + 1)})" for one in reasons) or "not known"

    yield from verdict_tables(verdicts, "statement", why)
    for reason, number in numbers.items():
        yield f"- ({number}) {reason}"
    yield ""
