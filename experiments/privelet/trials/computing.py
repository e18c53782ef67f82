"""The experiment of privelet, section 8.2 (figures 13 and 14): how long it takes, by rows and by cells."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.counts import Counts
from experiments.privelet.data.uniform_rows import four_attributes, uniform_rows
from experiments.shared.methods import Method, ready
from experiments.shared.records import Json, Runs, figure, line

ROWS = tuple(million * 10**6 for million in (1, 2, 3, 4, 5))
CELLS = tuple(2**power for power in (22, 23, 24, 25, 26))
MANY_ROWS, MANY_CELLS = ROWS[-1], CELLS[2]
TRIES = 5
UNIT = Unit(neighbours="replace")
#: nothing untransformed, as in the paper, which makes both take longest; and cells are written, not coefficients
METHODS: dict[str, Method] = {
    "geometric": ("geometric", {}),
    "privelet+": ("privelet+", {"direct": [], "write": "cells"}),
    "privelet*": ("privelet*", {"direct": [], "write": "cells"}),
}


def seconds(rows: int, cells: int, tries: int = TRIES) -> dict[str, float]:
    """Of each method, from rows to a noisy table: processor time, the least of some runs."""
    schema = four_attributes(cells)
    codes, ones = uniform_rows(schema, rows, rows + cells), np.ones(rows, np.int64)
    counting, found = list[float](), {}
    for _ in range(tries):
        start = time.process_time()
        counts = Counts.from_arrays(schema.sizes, codes, ones)
        counting.append(time.process_time() - start)
    for name, method in METHODS.items():
        made, taken = ready("ranges", schema, method, Fraction(1), UNIT), list[float]()
        for _ in range(tries):
            start = time.process_time()
            made.measure(counts, Noise())
            taken.append(time.process_time() - start)
        found[name] = min(counting) + min(taken)
    return found | {"counting": min(counting)}


def computing_experiment() -> Json:
    points = [(rows, MANY_CELLS) for rows in ROWS] + [(MANY_ROWS, cells) for cells in CELLS if cells != MANY_CELLS]
    found = {}
    seconds(10**4, CELLS[0], 1)  # compiles what is needed
    for rows, cells in points:
        found[rows, cells] = seconds(rows, cells)
        print(f"{rows:,} rows, {cells:,} cells", flush=True)
    by_rows = [found[rows, MANY_CELLS] for rows in ROWS]
    by_cells = [found[MANY_ROWS, cells] for cells in CELLS]
    true_cells = [float(four_attributes(cells).cells) for cells in CELLS]
    return {
        "setting": setting(),
        "figures": {
            "13": _figure(f"13 Seconds by rows, {MANY_CELLS:,} cells", "rows", [float(rows) for rows in ROWS], by_rows),
            "14": _figure(f"14 Seconds by cells, {MANY_ROWS:,} rows", "cells", true_cells, by_cells),
        },
    }


def _figure(title: str, x: str, places: list[float], found: list[dict[str, float]]) -> Json:
    names = [*METHODS, "counting"]
    lines = [line(name, places, [Runs([point[name]]) for point in found]) for name in names]
    return figure(title, x, "processor seconds", lines, log_x=False, log_y=False)


def setting() -> list[str]:
    sizes = ", ".join(f"{four_attributes(cells).sizes[0]}" for cells in CELLS)
    return [
        "Two ordinal attributes and two nominal ones in three levels, values all alike, made up as in the paper. Each "
        f"has the fourth root of the cells as its size, rounded: {sizes}. The ordinal ones are padded to a power of "
        "two, so the coefficients do not grow evenly with the cells.",
        f"Processor time from rows in memory to a noisy table, the least of {TRIES} runs, on two cores that others "
        "used as well. Rows are counted once for all methods (`counting`, part of each time); nothing is left "
        "untransformed, and the noisy cells are computed from the coefficients, as in the paper.",
    ]
