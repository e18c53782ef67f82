"""What checks read from recorded figures: curves by their names, ratios of two, and how far they spread."""

from __future__ import annotations

from collections.abc import Iterable

from experiments.shared.findings import Results

#: between these, a ratio of errors is called comparable, similar or alike
COMPARABLE = (0.8, 1.25)


def line_of(part: Results, figure: str, name: str) -> Results:
    """One recorded line of a figure; a KeyError if it was not recorded."""
    lines: dict[str, Results] = {line["name"]: line for line in part["figures"][figure]["lines"]}
    return lines[name]


def curve(part: Results, figure: str, name: str) -> dict[float, float]:
    """One curve of a figure: y by x."""
    line = line_of(part, figure, name)
    return dict(zip(line["x"], line["y"], strict=True))


def ratios_of(part: Results, figure: str, name: str, to: str) -> dict[float, float]:
    """One curve over another, by x."""
    one, other = curve(part, figure, name), curve(part, figure, to)
    return {place: value / other[place] for place, value in one.items()}


def comparable(found: Iterable[float]) -> bool:
    values = list(found)
    return min(values) >= COMPARABLE[0] and max(values) <= COMPARABLE[1]


def spread(found: Iterable[float], digits: int = 2) -> str:
    """From the least to the most, as a reader wants it."""
    values = list(found)
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"
