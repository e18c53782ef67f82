"""What the pages of results share: a chart for each figure of each data set, and a figure's numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from discreet.evaluate.charts import label, line_chart


def titled_charts(stem: str, results: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, str]:
    """The charts of all figures by their files' names; each title says which data it is about."""
    files = {}
    for name, part in results.items():
        for key, figure in part["figures"].items():
            titled = {**figure, "title": f"{figure['title']}: {titles[name]}"}
            files[f"{stem}-{name}-{key}.svg"] = line_chart(titled)
    return files


def curve_table(figure: Mapping[str, Any], entry: Callable[[float, float], str]) -> Iterator[str]:
    """A row for each x, a column for each line; `entry` writes a value and its standard error."""
    lines = figure["lines"]
    yield f"| {figure['x']} | " + " | ".join(line["name"] for line in lines) + " |"
    yield "|---:|" + "---:|" * len(lines)
    for place, x in enumerate(lines[0]["x"]):
        yield f"| {label(x)} | " + " | ".join(entry(line["y"][place], line["se"][place]) for line in lines) + " |"
    yield ""
