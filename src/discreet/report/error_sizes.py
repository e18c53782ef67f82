"""How far answers may be off, by size of question: asked of the release at places spread over its whole table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DiscreetError
from discreet.queries import Questions
from discreet.release import Release

Ints = NDArray[np.int64]

#: a box has this power of the number of cells, so of each attribute about this power of its values
_POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_ASKED = 24
_MOST_ROWS = 12


@dataclass(frozen=True)
class ErrorRow:
    """Questions of one size: how many cells each adds up, and the median and largest of their errors."""

    name: str
    cells: float
    stderr: float
    reach: float
    worst: float


def error_rows(release: Release) -> list[ErrorRow]:
    """From the smallest question to the largest; what the release does not answer is left out."""
    found = []
    for name, cells, asked in _classes(release):
        try:
            answers = release.answers(asked, 0.95)
        except (DiscreetError, MemoryError):
            continue
        reach = np.maximum(answers.high - answers.value, answers.value - answers.low)
        reach = reach[~np.isnan(reach)]
        if len(reach):
            stderr = answers.stderr[~np.isnan(answers.stderr)]
            typical = float(np.median(stderr)) if len(stderr) else math.nan
            found.append(ErrorRow(name, cells, typical, float(np.median(reach)), float(reach.max())))
    return found


def _classes(release: Release) -> Iterator[tuple[str, float, Questions]]:
    sizes = [release.schema[name].size for name in release.schema]
    summary = release.manifest["summary"]
    if "queries" in summary:
        yield from _own(release, summary["queries"])
        return
    tables = summary.get("tables")
    sets = [one.get("attributes") for one in tables if isinstance(one, dict)] if isinstance(tables, list) else []
    named = [[name for name in some if name in release.schema] for some in sets if isinstance(some, list)]
    if release.manifest["task"]["task"] == "marginals" and any(named):
        for some in _spread_over(sorted(named, key=len), _MOST_ROWS):
            open_ones = [name not in some for name in release.schema]
            first, last = _boxes(sizes, [0 if not free else 1 for free in open_ones])
            cells = float(np.prod(last[0] - first[0] + 1.0))
            yield f"one cell of {' × '.join(some)}", cells, _questions(first, last)
    else:
        seen = set()
        for power in _POWERS[:-1]:
            first, last = _boxes(sizes, [power] * len(sizes))
            cells = float(np.prod(last[0] - first[0] + 1.0))
            if cells not in seen and cells < float(np.prod(np.array(sizes, float))):
                seen.add(cells)
                yield "one cell" if cells == 1 else f"{large(cells)} cells together", cells, _questions(first, last)
    first, last = _boxes(sizes, [1] * len(sizes))
    yield "everything", float(np.prod(np.array(sizes, float))), _questions(first[:1], last[:1])


def _own(release: Release, queries: Sequence[dict[str, list[list[int]]]]) -> Iterator[tuple[str, float, Questions]]:
    """The questions that such a release answers, one by one."""
    said = release.manifest["task"].get("queries", [])
    for place in _spread_over(range(len(queries)), _MOST_ROWS):
        first, last = (np.array(queries[place][end], np.int64) for end in ("first", "last"))
        name = str(said[place]) if place < len(said) else f"query {place + 1}"
        yield (
            name,
            float(np.prod(last - first + 1.0, axis=1).sum()),
            Questions(first, last, 1, np.zeros(len(first), np.int64)),
        )


def _boxes(sizes: Sequence[int], powers: Sequence[float]) -> tuple[Ints, Ints]:
    """Boxes of one size: of each attribute so many values in a row, starting where multiples of a root fall."""
    first, last = [], []
    for place, (size, power) in enumerate(zip(sizes, powers, strict=True)):
        width = size if power == 1 else min(max(round(size**power), 1), size)
        step = math.sqrt((2, 3, 5, 7, 11, 13, 17, 19)[place % 8]) / (1 + place // 8)
        starts = np.floor(np.arange(1, _ASKED + 1) * step % 1.0 * (size - width + 1)).astype(np.int64)
        first.append(np.minimum(starts, size - width))
        last.append(first[-1] + width - 1)
    return np.stack(first, axis=1), np.stack(last, axis=1)


def _questions(first: Ints, last: Ints) -> Questions:
    return Questions(first, last, len(first), np.arange(len(first)))


def _spread_over(some: Sequence[Any], most: int) -> list[Any]:
    step = max(1, -(-len(some) // most))
    return list(some[::step])


def large(cells: float) -> str:
    """A number of cells, which may have more digits than anybody reads."""
    if cells < 1e9:
        return f"{cells:,.0f}"
    digits, _, power = f"{float(cells):.1e}".partition("e")
    return f"{digits} × 10^{int(power)}"
