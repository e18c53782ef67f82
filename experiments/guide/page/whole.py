"""The page "which method for which job", made from its record."""

from __future__ import annotations

from experiments.guide.page import STEM
from experiments.guide.page.against_papers import FILE, against_papers
from experiments.guide.page.ranking import ALSO_OURS, EPSILONS, OURS, WORDS, covered, milliseconds, percent, ranked
from experiments.shared.charts import bar_chart
from experiments.shared.records import Json

#: methods within this factor of the best are named beside it
NEAR = 1.1
PAPERS = {
    "sparse-summaries": "tables of any size",
    "ranges": "ranges and roll-ups",
    "ireduct": "marginals with small relative error",
    "grouping-smoothing": "items: grouping and smoothing",
    "sampled-analytics": "items: sampling, top-K, contexts",
}


def render(results: Json) -> dict[str, str]:
    """The page and its charts, by file name."""
    files: dict[str, str] = {}
    text = [
        "# Which method for which job",
        "",
        *_verdict(results),
        "",
        f"Made by `python -m experiments.guide` from `{STEM}.json`; nothing here is typed by hand. Every "
        "method of a task on data for the job, by the same trials as `discreet evaluate`. Errors include what "
        "a bound per user takes away. Ranges are two standard errors over trials.",
        "",
        "| job | judged by | epsilon 0.1 | epsilon 1 |",
        "|---|---|---|---|",
    ]
    for name, job in results.items():
        for workload, measure in job["measures"]:
            best = [_winners(job, workload, measure, epsilon) for epsilon in EPSILONS]
            text.append(f"| [{job['title']}](#{name}) | {WORDS[measure]}, {workload} | {best[0]} | {best[1]} |")
    text += ["", "The papers' own experiments, with what agrees and what does not:", ""]
    text += [f"- [{stem}]({stem}.md): {about}" for stem, about in PAPERS.items()]
    text += ["", "The published claims as checks that can fail: [claims](claims.md).", ""]
    for name, job in results.items():
        text += [f'<a id="{name}"></a>', "", f"## {job['title']}", "", f"{job['setting']}. {job['runs']} trials.", ""]
        for place, (workload, measure) in enumerate(job["measures"]):
            text += _table(job, workload, measure)
            bars = [(method, value[0]) for method, value in ranked(job, workload, measure, "1") if value[0] > 0]
            if bars:
                file = f"{STEM}-{name}-{place}.svg"
                files[file] = bar_chart(f"{job['title']}: {workload}, epsilon 1", WORDS[measure], bars)
                text += [f"![{workload}, {measure}]({file})", ""]
        text += [f"- `{method}` was left out: {why}" for method, why in job["refused"].items()]
        text += [""] if job["refused"] else []
    return {f"{STEM}.md": "\n".join(text).rstrip() + "\n", **files, **against_papers(results)}


def _verdict(results: Json) -> list[str]:
    """How often the default is the best, or nearly, and what else there is to say in a few lines."""
    places = [
        (job, workload, measure, epsilon)
        for job in results.values()
        for workload, measure in job["measures"]
        for epsilon in EPSILONS
    ]
    near = [place for place in places if _wins(OURS, *place)]
    also = [place for place in places if _wins(ALSO_OURS, *place) and not _wins(OURS, *place)]
    return [
        f"**In short.** Leave `method` out. Of {len(places)} comparisons below, the default is the best of all "
        f"methods, or within {NEAR - 1:.0%} of it, in {len(near)}"
        + (f", and `weighted`, which is unbiased, in {len(also)} more" if also else "")
        + f". [Ours against the papers]({FILE}.md) has each of them beside the best paper's method, with coverage and "
        "time. Where another method wins, the table says which; name it if your job is that one.",
        "",
        f"![Error of our defaults over that of the best paper's method]({FILE}.svg)",
    ]


def _wins(methods: tuple[str, ...], job: Json, workload: str, measure: str, epsilon: str) -> bool:
    return any(f"`{one}`" in _winners(job, workload, measure, epsilon) for one in methods)


def _winners(job: Json, workload: str, measure: str, epsilon: str) -> str:
    order = ranked(job, workload, measure, epsilon)
    if not order:
        return ""
    best = order[0][1][0]
    near = [
        method for method, (value, _) in order if (value * NEAR >= best if measure == "top" else value <= best * NEAR)
    ]
    return f"`{near[0]}` ({best:,.3g})" + (f", near: {', '.join(f'`{one}`' for one in near[1:])}" if near[1:] else "")


def _table(job: Json, workload: str, measure: str) -> list[str]:
    by_epsilon = {epsilon: dict(ranked(job, workload, measure, epsilon)) for epsilon in EPSILONS}
    methods = [method for method, _ in ranked(job, workload, measure, "1")]
    lines = [
        f"{WORDS[measure].capitalize()}, {workload}:",
        "",
        "| method | epsilon 0.1 | epsilon 1 | 95 % intervals that hold, 0.1 | at 1 | ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for method in methods:
        shown = [_shown(by_epsilon[epsilon].get(method)) for epsilon in EPSILONS]
        held = [percent(covered(job, workload, method, epsilon)) for epsilon in EPSILONS]
        lines.append(f"| `{method}` | {' | '.join([*shown, *held])} | {milliseconds(job, method)} |")
    return [*lines, ""]


def _shown(value: list[float] | None) -> str:
    return "" if value is None else f"{value[0]:,.3g} ± {2 * value[1]:,.2g}"
