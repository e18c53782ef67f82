"""The page "which method for which job", made from its record."""

from __future__ import annotations

from experiments.guide.page import STEM
from experiments.shared.charts import bar_chart
from experiments.shared.records import Json

#: methods within this factor of the best are named beside it
NEAR = 1.1
WORDS = {
    "absolute": "mean absolute error",
    "relative": "mean relative error (counts below 50 as 50)",
    "divergence": "Kullback-Leibler divergence",
    "top": "share of the true top 10 that is found",
}
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
        f"Made by `python -m experiments.guide` from `{STEM}.json`; nothing here is typed by hand. Every "
        "method of a task on data made up for the job, by the same trials as `discreet evaluate`. Errors include what "
        "a bound per user takes away. Ranges are two standard errors over trials.",
        "",
        "| job | judged by | epsilon 0.1 | epsilon 1 |",
        "|---|---|---|---|",
    ]
    for name, job in results.items():
        for workload, measure in job["measures"]:
            best = [_winners(job, workload, measure, epsilon) for epsilon in ("0.1", "1")]
            text.append(f"| [{job['title']}](#{name}) | {WORDS[measure]}, {workload} | {best[0]} | {best[1]} |")
    text += ["", "The papers' own experiments, with what agrees and what does not:", ""]
    text += [f"- [{stem}]({stem}.md): {about}" for stem, about in PAPERS.items()]
    text += ["", "The published claims as checks that can fail: [claims](claims.md).", ""]
    for name, job in results.items():
        text += [f'<a id="{name}"></a>', "", f"## {job['title']}", "", f"{job['setting']}. {job['runs']} trials.", ""]
        for place, (workload, measure) in enumerate(job["measures"]):
            text += _table(job, workload, measure)
            bars = [(method, value[0]) for method, value in _ranked(job, workload, measure, "1") if value[0] > 0]
            if bars:
                file = f"{STEM}-{name}-{place}.svg"
                files[file] = bar_chart(f"{job['title']}: {workload}, epsilon 1", WORDS[measure], bars)
                text += [f"![{workload}, {measure}]({file})", ""]
        text += [f"- `{method}` was left out: {why}" for method, why in job["refused"].items()]
        text += [""] if job["refused"] else []
    return {f"{STEM}.md": "\n".join(text).rstrip() + "\n", **files}


def _ranked(job: Json, workload: str, measure: str, epsilon: str) -> list[tuple[str, list[float]]]:
    """Methods and their errors, best first."""
    found = [
        (row["method"], row[measure])
        for row in job["rows"]
        if row["workload"] == workload and row["epsilon"] == epsilon and measure in row
    ]
    return sorted(found, key=lambda one: -one[1][0] if measure == "top" else one[1][0])


def _winners(job: Json, workload: str, measure: str, epsilon: str) -> str:
    ranked = _ranked(job, workload, measure, epsilon)
    if not ranked:
        return ""
    best = ranked[0][1][0]
    near = [
        method for method, (value, _) in ranked if (value * NEAR >= best if measure == "top" else value <= best * NEAR)
    ]
    return f"`{near[0]}` ({best:,.3g})" + (f", near: {', '.join(f'`{one}`' for one in near[1:])}" if near[1:] else "")


def _table(job: Json, workload: str, measure: str) -> list[str]:
    by_epsilon = {epsilon: dict(_ranked(job, workload, measure, epsilon)) for epsilon in ("0.1", "1")}
    methods = [method for method, _ in _ranked(job, workload, measure, "1")]
    lines = [
        f"{WORDS[measure].capitalize()}, {workload}:",
        "",
        "| method | epsilon 0.1 | epsilon 1 |",
        "|---|---:|---:|",
    ]
    for method in methods:
        shown = [_shown(by_epsilon[epsilon].get(method)) for epsilon in ("0.1", "1")]
        lines.append(f"| `{method}` | {shown[0]} | {shown[1]} |")
    return [*lines, ""]


def _shown(value: list[float] | None) -> str:
    return "" if value is None else f"{value[0]:,.3g} ± {2 * value[1]:,.2g}"
