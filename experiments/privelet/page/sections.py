"""The three parts of the page on ranges: settings, charts and tables, from nothing but the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from experiments.privelet.trials.splits import MOST_QUESTIONS
from experiments.shared.charts import label
from experiments.shared.page_parts import pictured

STEM = "ranges"
Results = Mapping[str, Any]


def setting(part: Results) -> Iterator[str]:
    for sentence in part["setting"]:
        yield f"- {sentence}"
    yield ""


def census_section(part: Results) -> Iterator[str]:
    yield "## Privelet, figures 9 to 12: a census table"
    yield ""
    yield from setting(part)
    sizes = sorted({row["times"] for row in part["stated"]})
    for kind in ("coverage", "selectivity"):
        for times in sizes:
            keys = [key for key in part["figures"] if key.startswith(f"{kind}-{times}-")]
            people = times * part["facts"]["people"]
            yield f"### Error by {kind}, {people:,} people"
            yield ""
            for key in keys:
                yield f"![{part['figures'][key]['title']}]({STEM}-{key}.svg)"
            yield ""
            yield from _fifths(part["figures"], keys, kind)
    yield from _stated(part)
    yield from _added_up(part)


def _fifths(figures: Results, keys: list[str], kind: str) -> Iterator[str]:
    names = [line["name"] for line in figures[keys[0]]["lines"]]
    yield f"| epsilon | mean {kind} | " + " | ".join(names) + " |"
    yield "|---:|---:|" + "---:|" * len(names)
    for key in keys:
        lines = figures[key]["lines"]
        for place, x in enumerate(lines[0]["x"]):
            errors = " | ".join(
                f"{line['y'][place]:,.3g}" if line["y"][place] < 1000 else f"{line['y'][place]:,.0f}" for line in lines
            )
            where = "0" if kind == "selectivity" and x <= 1e-6 else f"{x:.2g}"
            yield f"| {key.rsplit('-', 1)[1]} | {where} | {errors} |"
    yield ""


def _stated(part: Results) -> Iterator[str]:
    yield "### Stated and true errors"
    yield ""
    yield (
        "Share of the questions whose 95 % interval holds the truth, and in brackets the root mean square error over "
        "that of the stated standard errors. The questions of a column share one noisy table, so shares scatter. "
        "Thresholding is no part of the stated error: privelet* has the interval of the coefficients before it."
    )
    yield ""
    names = list(part["stated"][0]["methods"])
    yield "| people | epsilon | " + " | ".join(names) + " |"
    yield "|---:|---:|" + "---:|" * len(names)
    for row in part["stated"]:
        found = [row["methods"].get(name) for name in names]
        cells = " | ".join(f"{100 * one['covered']:.1f} % ({one['ratio']:.2f})" if one else "" for one in found)
        yield f"| {row['times'] * part['facts']['people']:,} | {row['epsilon']:g} | {cells} |"
    yield ""


def _added_up(part: Results) -> Iterator[str]:
    yield "### How errors add up"
    yield ""
    yield (
        f"Questions over all ages and both sexes are sums over {part['facts']['combinations']} pairs, up to "
        f"{MOST_QUESTIONS} of them in each fifth by coverage. Their mean absolute error, and in brackets what it would "
        "be if the errors of the pairs were as large as they are but independent."
    )
    yield ""
    yield "| people | epsilon | fifth by coverage | questions | privelet+ | privelet* |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for row in part["added_up"]:
        people = f"{row['times'] * part['facts']['people']:,}"
        plus, star = (row["methods"][name] for name in ("privelet+", "privelet*"))
        for fifth, one in plus.items():
            errors = " | ".join(f"{some['measured']:,.0f} ({some['independent']:,.0f})" for some in (one, star[fifth]))
            yield f"| {people} | {row['epsilon']:g} | {int(fifth) + 1} | {one['questions']} | {errors} |"
    yield ""


def vectors_section(part: Results) -> Iterator[str]:
    yield "## DPBench vectors"
    yield ""
    yield from setting(part)
    for key, title in (("1d", "One dimension"), ("2d", "Two dimensions")):
        found = part[key]
        names = list(found["rows"][0]["errors"])
        cells = " x ".join(f"{size:,}" for size in found["sizes"])
        yield f"### {title}, {cells} cells: scaled error in millionths"
        yield ""
        yield "| vector | records | questions | " + " | ".join(names) + " |"
        yield "|---|---:|---|" + "---:|" * len(names)
        for row in found["rows"]:
            errors = " | ".join(_millionths(*row["errors"][name]) for name in names)
            yield f"| {row['vector']} | {row['records']:,} | {row['workload']} | {errors} |"
        held = " | ".join(f"{100 * found['intervals'][name]:.1f} %" for name in names)
        yield f"| 95 % intervals that hold the truth | | | {held} |"
        yield ""
        left = ", ".join(f"by {name} {' and '.join(some) or 'none'}" for name, some in found["direct"].items())
        yield f"Left untransformed: {left}."
        yield ""


def _millionths(mean: float, error: float) -> str:
    shown = f"{1e6 * mean:,.3g}" if 1e6 * mean < 1000 else f"{1e6 * mean:,.0f}"
    return f"{shown} ± {_error(1e6 * error)}"


def _error(error: float) -> str:
    return f"{error:.1g}" if error < 9.5 else f"{error:,.0f}"


def dyadic_section(part: Results) -> Iterator[str]:
    yield "## Sparse summaries, figure 8: dyadic ranges"
    yield ""
    yield from setting(part)
    for key, figure in part["figures"].items():
        yield from pictured(figure, f"{STEM}-{key}.svg")
        lines = figure["lines"]
        yield f"| {figure['x']} | " + " | ".join(line["name"] for line in lines) + " |"
        yield "|---:|" + "---:|" * len(lines)
        for place, x in enumerate(lines[0]["x"]):
            yield f"| {label(x)} | " + " | ".join(_entry(line, place) for line in lines) + " |"
        if "kept" in lines[0]:
            yield "| *numbers held* | " + " | ".join(f"{line['kept']:,.0f}" for line in lines) + " |"
        yield ""
    yield "### Intervals"
    yield ""
    yield (
        "Share of the ranges, all sizes alike, whose 95 % interval holds the truth, the stated bias of filtered "
        "summaries added at both ends. In brackets half the width of that interval over the mean error: about 2.5 "
        "where the noise is all there is, more where an interval must allow for what a summary left out."
    )
    yield ""
    yield "| method | uniform | clustered |"
    yield "|---|---:|---:|"
    for name in part["intervals"]["8a"]:
        found = [part["intervals"][key][name] for key in ("8a", "8b")]
        shown = " | ".join(f"{100 * one['covered']:.1f} % ({one['width']:.1f})" for one in found)
        yield f"| {name} | {shown} |"
    yield ""


def _entry(line: Mapping[str, Any], place: int) -> str:
    value, error = line["y"][place], line["se"][place]
    shown = f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    return f"{shown} ± {_error(error)}" if error else shown
