"""The page on ranges: Markdown and charts, from nothing but the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.privelet.checks.statements import findings
from experiments.privelet.page import STEM
from experiments.privelet.page.census import census_section
from experiments.privelet.page.computing import computing_section
from experiments.privelet.page.dyadic import dyadic_section
from experiments.privelet.page.vectors import vectors_section
from experiments.privelet.trials.dyadic import CHECKED
from experiments.shared.charts import line_chart
from experiments.shared.findings import Finding, Results
from experiments.shared.page_parts import appendix, joined, opening, verdict_tables

THRESHOLDS = (
    "How words were read: comparable or similar is a ratio of errors between 0.8 and 1.25, considerably better one "
    "below 0.8, far or much better one below 0.5, insensitive or weakly at most a factor of 3 over coverage and of 2 "
    "over sizes of ranges, two orders of magnitude a factor of at least 50, linear a power above 0.9, about 10 % is 5 "
    "to 15 %, much faster a factor of 1.5, several is three; times are linear if none is farther than a fifth of "
    "itself from one straight line. The statements on figure 8(c) hold if they do at most points, all others if they "
    "do everywhere. The census has one noisy table per epsilon, so ratios near a border may fall on either side of it "
    "in another run."
)

SECTIONS = {
    "census": census_section,
    "computing": computing_section,
    "vectors": vectors_section,
    "dyadic": dyadic_section,
}


def render(results: Results) -> dict[str, str]:
    """Every generated file by its name."""
    files = {f"{STEM}.md": joined(_page(results))}
    for name in ("census", "computing", "dyadic"):
        for key, figure in results.get(name, {"figures": {}})["figures"].items():
            # a legend has no room for the whole word
            lines = [{**line, "name": line["name"].replace(CHECKED, " ✓")} for line in figure["lines"]]
            files[f"{STEM}-{key}.svg"] = line_chart({**figure, "lines": lines})
    return files


def _page(results: Results) -> Iterator[str]:
    yield "# Ranges: the papers' experiments, again"
    yield ""
    verdicts = list(findings(results))
    yield from opening(verdicts, f"{STEM}-8a.svg", "Error by length of the range, occupied cells anywhere")
    yield (
        "Section 8 of *Differential privacy via wavelet transforms* (Xiao, Wang, Gehrke), section 5.3 of "
        "*Differentially private summaries for sparse data* (Cormode, Procopiuc, Srivastava, Tran), and the vectors of "
        f"the DPBench study, with this library's mechanisms. This page is generated from [{STEM}.json]({STEM}.json) by "
        f"`python -m experiments.privelet --data FOLDER`; no number is typed by hand. The folder holds "
        "`acs_income_2018` and `dpbench`. `--part census`, `computing`, `vectors` or `dyadic` does one part again, "
        "`--page-only` none. Data and questions come from seeds; the noise is the library's own and has no seed."
    )
    yield ""
    yield from _verdicts(verdicts)
    yield from appendix()
    for name, section in SECTIONS.items():
        if name in results:
            yield from section(results[name])


def _verdicts(verdicts: list[Finding]) -> Iterator[str]:
    held = sum(verdict.holds for verdict in verdicts)
    yield "## What agrees with the papers and what does not, and why"
    yield ""
    yield f"Of {len(verdicts)} statements tested (put in our words), {held} hold and {len(verdicts) - held} do not."
    yield ""
    yield THRESHOLDS
    yield from verdict_tables(verdicts, "the paper says", lambda verdict: verdict.reason or "Not known.", where="where")
