"""Every method of the papers beside ours, job by job: error over ours, coverage and time."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.guide.page import STEM
from experiments.guide.page.ranking import ALSO_OURS, EPSILONS, OURS, covered, milliseconds, percent, ranked
from experiments.shared.records import Json

SHORT_WORDS = {"absolute": "", "relative": ", relative", "divergence": ", divergence", "top": ", top 10"}


def every_method(jobs: Json) -> Iterator[str]:
    yield "### Every method"
    yield ""
    yield (
        "The error of each method over that of ours, at epsilon 0.1 / 1 (of the top 10: ours over the method's share, "
        "so that above 1 is worse everywhere); the least share of its 95 % intervals that held the truth; processor "
        "time. Ours comes first, the others by their errors at epsilon 1."
    )
    yield ""
    for name, job in jobs.items():
        yield from _table(name, job)


def _table(name: str, job: Json) -> Iterator[str]:
    heads = [f"{workload}{SHORT_WORDS[measure]}" for workload, measure in job["measures"]]
    yield f"[{job['title']}]({STEM}.md#{name}), {job['runs']} trials:"
    yield ""
    yield f"| method | {' | '.join(heads)} | covers | ms |"
    yield "|---|" + "---:|" * (len(heads) + 2)
    workload, measure = job["measures"][0]
    order = [method for method, _ in ranked(job, workload, measure, "1")]
    ours = next(method for method in OURS if method in order)
    for method in [ours, *(one for one in order if one != ours)]:
        whose = " (ours)" if method == ours else " (ours, no default here)" if method in ALSO_OURS else ""
        ratios = [_ratios(job, workload, measure, method, ours) for workload, measure in job["measures"]]
        yield f"| `{method}`{whose} | {' | '.join(ratios)} | {_least(job, method)} | {milliseconds(job, method)} |"
    yield ""
    for method, why in job["refused"].items():
        yield f"`{method}` was left out: {why}"
        yield ""


def _ratios(job: Json, workload: str, measure: str, method: str, ours: str) -> str:
    found = []
    for epsilon in EPSILONS:
        errors = dict(ranked(job, workload, measure, epsilon))
        mine, its = errors[ours][0], errors[method][0]
        if measure == "top":
            mine, its = its, mine
        found.append(f"{its / mine:.3g}" if mine else "none found")
    return " / ".join(found)


def _least(job: Json, method: str) -> str:
    held = [covered(job, workload, method, epsilon) for workload, _ in job["measures"] for epsilon in EPSILONS]
    return percent(min((one for one in held if one is not None), default=None))
