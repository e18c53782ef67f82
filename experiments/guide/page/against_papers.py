"""The page "ours against the papers": the defaults beside the best paper's method, question by question."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from experiments.guide.page import STEM
from experiments.guide.page.ranking import ALSO_OURS, EPSILONS, OURS, WORDS, covered, milliseconds, percent, ranked
from experiments.shared.charts import bar_chart
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
    picture = bar_chart(title, "ratio: below 1 ours is better", bars)
    return {f"{FILE}.md": joined(_page(lines)), f"{FILE}.svg": picture}


def _in_picture(line: BesidePaper) -> bool:
    return line.epsilon == "1" and line.measure != "top"


def _page(lines: list[BesidePaper]) -> Iterator[str]:
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
    yield (
        f"Made by `python -m experiments.guide` from `{STEM}.json`, with {lines[0].job['runs']} trials of each method, "
        f"as is [which method]({STEM}.md), which has all methods. Data are made up for each job; on other data other "
        "methods may win. The jobs are older than our defaults. Of filters and samples a size is fixed beforehand; "
        "in the nearly empty table it is the number of occupied cells, which nobody would know. "
        "Time is processor time of a release and its answers, in milliseconds, on a busy machine: good for orders of "
        "magnitude."
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
    yield (
        "(?): within two standard errors. Of the share of the top 10 that is found, the ratio is the other way round, "
        "so that below 1 is better everywhere. Coverage of the papers' methods is that of the intervals which this "
        "library makes for them."
    )


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
