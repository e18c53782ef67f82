"""The page "ours against the papers": the defaults beside the best paper's method, question by question."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from experiments.guide.data.real_jobs import REAL_JOBS
from experiments.guide.page import STEM
from experiments.guide.page.every_method import every_method
from experiments.guide.page.ranking import ALSO_OURS, EPSILONS, OURS, WORDS, covered, milliseconds, percent, ranked
from experiments.shared.charts import ratio_chart
from experiments.shared.page_parts import joined
from experiments.shared.records import Json

FILE = f"{STEM}-ours-and-the-papers"


@dataclass(frozen=True)
class BesidePaper:
    """One measure of one job at one epsilon: ours, and the best of the papers'."""

    name: str
    job: Json
    workload: str
    measure: str
    epsilon: str
    ours: str
    best: str
    ours_error: list[float]
    best_error: list[float]

    @property
    def ratio(self) -> float:
        """Below 1 where ours errs less."""
        ours, best = self.ours_error[0], self.best_error[0]
        return best / max(ours, 1e-9) if self.measure == "top" else ours / best

    @property
    def is_clear(self) -> bool:
        """Whether the two differ by more than two standard errors of the difference."""
        apart = abs(self.ours_error[0] - self.best_error[0])
        return apart > 2 * math.hypot(self.ours_error[1], self.best_error[1])


def compared(results: Json) -> list[BesidePaper]:
    found = []
    for name, job in results.items():
        for workload, measure in job["measures"]:
            for epsilon in EPSILONS:
                order = ranked(job, workload, measure, epsilon)
                errors = dict(order)
                ours = next(method for method in OURS if method in errors)
                best = next(method for method, _ in order if method not in (*OURS, *ALSO_OURS))
                found.append(BesidePaper(name, job, workload, measure, epsilon, ours, best, errors[ours], errors[best]))
    return found


def against_papers(results: Json) -> dict[str, str]:
    """The page and its picture, by file name."""
    lines = compared(results)
    bars = [(f"{line.name}: {line.workload}, {line.measure}", line.ratio) for line in lines if _in_picture(line)]
    title = "Error of our default / error of the best paper's method, epsilon 1"
    picture = ratio_chart(title, "ratio: to the left of 1 ours errs less, to the right the paper's", bars)
    return {f"{FILE}.md": joined(_page(lines, results)), f"{FILE}.svg": picture}


def _in_picture(line: BesidePaper) -> bool:
    return line.epsilon == "1" and line.measure != "top"


def _page(lines: list[BesidePaper], jobs: Json) -> Iterator[str]:
    better = [line for line in lines if line.is_clear and line.ratio < 1]
    worse = sorted((line for line in lines if line.is_clear and line.ratio > 1), key=lambda line: -line.ratio)
    least = min(held for line in lines if (held := _covered(line, line.ours)) is not None)
    yield "# Ours against the papers"
    yield ""
    yield (
        f"**In short.** Of {len(lines)} comparisons of our default with the best of all the papers' methods, ours "
        f"errs less in {len(better)}, more in {len(worse)}, and in {len(lines) - len(better) - len(worse)} the two "
        "cannot be told apart (two standard errors). The best paper's method is picked afterwards, by its error on "
        "this very data, which nobody could do before publishing; the default was fixed. Intervals of 95 % of the "
        f"defaults held the truth in {percent(least)} of cases or more."
    )
    yield ""
    if worse:
        yield "Where a paper's method does better, the largest difference first:"
        yield ""
        for line in worse[:6]:
            yield (
                f"- {line.job['title']} ({WORDS[line.measure]}, {line.workload}, epsilon {line.epsilon}): "
                f"`{line.ours}` has {line.ours_error[0]:.3g}, `{line.best}` {line.best_error[0]:.3g}"
            )
        yield ""
    yield f"![Ratios of errors, a bar for each job]({FILE}.svg)"
    yield ""
    real = [line for line in lines if line.name in REAL_JOBS]
    runs = sorted({line.job["runs"] for line in lines})
    yield (
        f"Made by `python -m experiments.guide` from `{STEM}.json`, with {' or '.join(map(str, runs))} trials of each "
        f"method, as is [which method]({STEM}.md). On real data of the papers' kinds ({len(real)} of the comparisons) "
        f"ours errs less in {sum(line.is_clear and line.ratio < 1 for line in real)} and more in "
        f"{sum(line.is_clear and line.ratio > 1 for line in real)}; the other data are made up for the job. On other "
        "data other methods may win. Some of the real data were at hand while our defaults were made. Of filters and "
        "samples a size is fixed beforehand; in the nearly empty tables it is about the number of occupied cells, "
        "which nobody would know. Time is processor time of a release and its answers, in milliseconds, on a busy "
        "machine: good for orders of magnitude."
    )
    yield ""
    yield "## Appendix"
    yield ""
    yield (
        "| job | judged by | epsilon | ours | error | best paper's | error | ratio | ours covers | it covers "
        "| ours, ms | it, ms |"
    )
    yield "|---|---|---:|---|---:|---|---:|---:|---:|---:|---:|---:|"
    for line in lines:
        yield _line(line)
    yield ""
    yield from _legend()
    yield from every_method(jobs)


def _legend() -> Iterator[str]:
    yield (
        "(?): within two standard errors. Of the share of the top 10 that is found, the ratio is the other way round, "
        "so that below 1 is better everywhere. Coverage of the papers' methods is that of the intervals which this "
        "library makes for them."
    )
    yield ""


def _line(line: BesidePaper) -> str:
    cells = [
        f"[{line.job['title']}]({STEM}.md#{line.name})",
        f"{WORDS[line.measure]}, {line.workload}",
        line.epsilon,
        f"`{line.ours}`",
        f"{line.ours_error[0]:,.3g}",
        f"`{line.best}`",
        f"{line.best_error[0]:,.3g}",
        f"{line.ratio:.2f}{'' if line.is_clear else ' (?)'}",
        *(percent(_covered(line, method)) for method in (line.ours, line.best)),
        *(milliseconds(line.job, method) for method in (line.ours, line.best)),
    ]
    return f"| {' | '.join(cells)} |"


def _covered(line: BesidePaper, method: str) -> float | None:
    return covered(line.job, line.workload, method, line.epsilon)
