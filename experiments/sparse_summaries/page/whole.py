"""The page on sparse-summaries: Markdown and charts, from nothing but the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.shared.charts import bar_chart, line_chart
from experiments.shared.findings import Finding, Results
from experiments.shared.page_parts import (
    appendix,
    bullets,
    curve_table,
    entry,
    joined,
    opening,
    pictured,
    verdict_tables,
)
from experiments.sparse_summaries.checks.statements import findings
from experiments.sparse_summaries.page import STEM


def render(results: Results) -> dict[str, str]:
    """Every generated file by its name."""
    files = {f"{STEM}.md": joined(_page(results))}
    for key, figure in results["figures"].items():
        files[f"{STEM}-{key}.svg"] = line_chart(figure)
    for key, cost in results["costs"].items():
        for part, unit in (("seconds", "seconds"), ("cells", "cells in the summary")):
            bars = [(row["name"], row[part]) for row in cost["rows"]]
            files[f"{STEM}-{key}-{part}.svg"] = bar_chart(f"{cost['title']}: {part}", unit, bars)
    return files


def _page(results: Results) -> Iterator[str]:
    verdicts = list(findings(results))
    yield "# Sparse summaries: the paper's experiments, again"
    yield ""
    yield from opening(verdicts, f"{STEM}-5a.svg", "Error by size of the subset: five methods on one table")
    yield (
        "Section 4 of *Differentially private summaries for sparse data* (Cormode, Procopiuc, Srivastava, Tran), "
        "figures 3 to 7, with this library's mechanisms. This page is generated from "
        f"[{STEM}.json]({STEM}.json) by `python -m experiments.sparse_summaries`; no number is typed by hand."
    )
    yield ""
    yield from _setting(results)
    yield from _verdicts(verdicts)
    yield from appendix()
    for key in sorted({*results["figures"], *results["costs"]}):
        if key in results["figures"]:
            yield from _figure(key, results["figures"][key])
        else:
            yield from _cost(key, results["costs"][key])


def _setting(results: Results) -> Iterator[str]:
    yield "## Setting"
    yield ""
    absent = (f"Absent: {sentence}" for sentence in results["absent"].values())
    yield from bullets([*results["setting"], *results["data"].values(), *absent])


def _verdicts(verdicts: list[Finding]) -> Iterator[str]:
    held = sum(verdict.holds for verdict in verdicts)
    yield "## What agrees with the paper and what does not, and why"
    yield ""
    yield f"Of {len(verdicts)} statements tested (put in our words), {held} hold and {len(verdicts) - held} do not."
    yield from verdict_tables(verdicts, "the paper says", lambda verdict: verdict.reason or "Not known.")


def _figure(key: str, figure: Results) -> Iterator[str]:
    yield from pictured(figure, f"{STEM}-{key}.svg")
    lines = figure["lines"]
    if all(line["x"] == lines[0]["x"] for line in lines):
        yield from curve_table(figure, entry)
    else:
        for line in lines:
            extra = "theta" in line
            yield (
                f"| {line['name']}: {figure['x']} |"
                + (" theta |" if extra else "")
                + f" {figure['y']} | relative error |"
            )
            yield "|---:|" + ("---:|" if extra else "") + "---:|---:|"
            for place, x in enumerate(line["x"]):
                theta = f" {line['theta'][place]} |" if extra else ""
                shown = entry(line["y"][place], line["se"][place])
                yield f"| {x:,.0f} |{theta} {shown} | {100 * line['relative'][place]:.3g} % |"
            yield ""
    if any("kept" in line for line in lines):
        kept = ", ".join(f"{line['name']} {line['kept']:,.0f}" for line in lines if "kept" in line)
        yield ""
        yield f"Cells in the summary, on average: {kept}."
    yield ""


def _cost(key: str, cost: Results) -> Iterator[str]:
    yield f"### {cost['title']}"
    yield ""
    yield f"![{cost['title']}: seconds]({STEM}-{key}-seconds.svg)"
    yield f"![{cost['title']}: cells]({STEM}-{key}-cells.svg)"
    yield ""
    yield "| method | seconds | cells in the summary |"
    yield "|---|---:|---:|"
    for row in cost["rows"]:
        name = f"{row['name']} (in proportion)" if row.get("extrapolated") else row["name"]
        yield f"| {name} | {row['seconds']:.3g} | {row['cells']:,} |"
    yield ""
