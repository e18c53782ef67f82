"""Errors of methods as charts: bars of text for a terminal, and SVG for a page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from discreet.charts import Curve, bar_chart, curve_chart
from discreet.evaluate.error_measures import Json

#: a bar of the longest kind, in letters; errors of more than so many times the least one are cut off there
BAR, CUT = 40, 10


def panels(table: Sequence[Json]) -> dict[str, list[Json]]:
    """The rows of each workload."""
    found: dict[str, list[Json]] = {}
    for row in table:
        found.setdefault(row["workload"], []).append(row)
    return found


def text_chart(table: Sequence[Json]) -> Iterator[str]:
    """For each workload and epsilon a bar for each method, the best first; as long as its mean absolute error."""
    for workload, rows in panels(table).items():
        for epsilon in sorted({row["epsilon"] for row in rows}, key=Fraction):
            mine = sorted((row for row in rows if row["epsilon"] == epsilon), key=lambda row: float(row["absolute"]))
            yield f"{workload}, epsilon {epsilon}: mean absolute error"
            longest = _longest(mine)
            width = max(len(row["method"]) for row in mine)
            for row in mine:
                error = row["absolute"]
                bar = "█" * round(BAR * min(error / longest, 1.0)) + ("…" if error > longest else "")
                yield f"  {row['method']:<{width}}  {bar or '▏'} {error:,.4g}"
            yield ""


def svg_charts(table: Sequence[Json]) -> Iterator[tuple[str, str]]:
    """For each workload its name and a chart: bars for one epsilon, else lines of error against epsilon."""
    for workload, rows in panels(table).items():
        yield workload, _lines(rows) if len({row["epsilon"] for row in rows}) > 1 else _bars(rows)


def _longest(rows: Sequence[Json]) -> float:
    errors = [row["absolute"] for row in rows]
    positive = [error for error in errors if error > 0]
    return min(max(errors), CUT * min(positive)) if positive else 1.0


def _bars(rows: Sequence[Json]) -> str:
    ordered = sorted(rows, key=lambda row: float(row["absolute"]))
    names, errors = [row["method"] for row in ordered], [float(row["absolute"]) for row in ordered]
    title = f"{ordered[0]['workload']}: mean absolute error"
    return bar_chart(title, names, errors, list(map(_ends, ordered)), axis="error", cut_off=_longest(ordered)).svg


def _lines(rows: Sequence[Json]) -> str:
    """Both axes by powers of ten; a stroke spans two standard errors up and down."""
    curves = []
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = sorted((row for row in rows if row["method"] == method), key=lambda row: Fraction(row["epsilon"]))
        budgets = [float(Fraction(row["epsilon"])) for row in mine]
        curves.append(Curve(method, budgets, [row["absolute"] for row in mine], list(map(_ends, mine))))
    title = f"{rows[0]['workload']}: mean absolute error"
    return curve_chart(title, curves, log=True, axes=("epsilon", "error"), points=True).svg


def _ends(row: Json) -> tuple[float, float]:
    return max(row["absolute"] - 2 * row["absolute se"], 0.0), row["absolute"] + 2 * row["absolute se"]
