"""What the pages of results share: figures with their charts and numbers, and what agrees with a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from experiments.shared.charts import label, line_chart
from experiments.shared.findings import Finding


def titled_charts(stem: str, results: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, str]:
    """The charts of all figures by their files' names; each title says which data it is about."""
    files = {}
    for name, part in results.items():
        for key, figure in part["figures"].items():
            titled = {**figure, "title": f"{figure['title']}: {titles[name]}"}
            files[f"{stem}-{name}-{key}.svg"] = line_chart(titled)
    return files


def pictured(figure: Mapping[str, Any], file: str) -> Iterator[str]:
    """A figure's heading and its chart."""
    yield f"### {figure['title']}"
    yield ""
    yield f"![{figure['title']}]({file})"
    yield ""


def verdict_tables(
    verdicts: Sequence[Finding], says: str, why: Callable[[Finding], str], where: str = "figure"
) -> Iterator[str]:
    """What agrees and what does not, with why it does not; `says` heads the statements, `where` their places."""
    for holds, title in ((True, "What agrees"), (False, "What does not")):
        yield ""
        yield f"### {title}"
        yield ""
        yield f"| {where} | {says} | measured |" + ("" if holds else " why |")
        yield "|---|---|---|" + ("" if holds else "---|")
        for verdict in verdicts:
            if verdict.holds == holds:
                reason = "" if holds else f" {why(verdict)} |"
                statement = verdict.says.replace("|", r"\|")
                yield f"| {verdict.figure} | {statement} | {verdict.numbers} |{reason}"
    yield ""


def opening(verdicts: Sequence[Finding], picture: str, shows: str) -> Iterator[str]:
    """What a reader in a hurry needs: how much agrees, what does not, and one picture."""
    held = sum(verdict.holds for verdict in verdicts)
    failed: dict[str, list[str]] = {}
    for verdict in verdicts:
        if not verdict.holds:
            failed.setdefault(verdict.says, []).append(verdict.figure)
    yield (
        f"**In short.** Of {len(verdicts)} checks of what is said, {held} hold with this library's mechanisms and "
        f"{len(verdicts) - held} do not. "
        + ("What does not, first of all:" if failed else "The paper's figures can be taken as they are.")
    )
    yield ""
    for says, figures in list(failed.items())[:5]:
        yield f"- {figures[0]}{f' (and {len(figures) - 1} more)' if len(figures) > 1 else ''}: {says}"
    if left := list(failed.values())[5:]:
        yield f"- and {len(left)} more, in {sum(map(len, left))} checks, each with its numbers and why, below"
    yield ""
    yield f"![{shows}]({picture})"
    yield ""


def appendix() -> Iterator[str]:
    """Before the long part of a page."""
    yield "## Appendix"
    yield ""
    yield "Every figure with its numbers, for whoever wants to look something up."
    yield ""


def curve_table(figure: Mapping[str, Any], shown: Callable[[float, float], str]) -> Iterator[str]:
    """A row for each x, a column for each line; `shown` writes a value and its standard error."""
    lines = figure["lines"]
    yield f"| {figure['x']} | " + " | ".join(line["name"] for line in lines) + " |"
    yield "|---:|" + "---:|" * len(lines)
    for place, x in enumerate(lines[0]["x"]):
        yield f"| {label(x)} | " + " | ".join(shown(line["y"][place], line["se"][place]) for line in lines) + " |"


def entry(value: float, error: float) -> str:
    """A number with its standard error, if it has one."""
    return f"{value:.3g}" + (f" ± {error:.1g}" if error else "")


def bullets(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        yield f"- {sentence}"
    yield ""


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def joined(lines: Iterable[str]) -> str:
    """The text of a page."""
    return "\n".join(lines) + "\n"
