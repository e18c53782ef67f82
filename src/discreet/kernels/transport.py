"""Tables with given margins: the nearest one of at least zero, and one whose margins fit to the last digit."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, kernel, light_kernel


@kernel
def level(values: Floats, total: float) -> float:
    """u with the sum of max(values - u, 0) = total: Newton's method from below, which ends after few steps."""
    n = values.size
    rest = -total
    for k in range(n):
        rest += values[k]
    u, before = rest / n, n + 1
    while True:
        rest, above = -total, 0
        for k in range(n):
            if values[k] > u:
                rest += values[k]
                above += 1
        if above == 0 or above >= before:
            return u
        u, before = rest / above, above


@light_kernel("table", 8_192)
def nearest(table: Floats, rows: Floats, columns: Floats, most: int, tolerance: float, out: Floats) -> int:
    """out = max(table - u_i - v_j, 0), with u and v solved in turn until the columns fit; returns how often."""
    height, width = table.shape
    u, v = np.zeros(height), np.zeros(width)
    line = np.empty(max(height, width))
    for round_ in range(most):
        for j in range(width):
            for i in range(height):
                line[i] = table[i, j] - u[i]
            v[j] = level(line[:height], columns[j])
        for i in range(height):
            for j in range(width):
                line[j] = table[i, j] - v[j]
            u[i] = level(line[:width], rows[i])
        off = 0.0
        for j in range(width):
            total = 0.0
            for i in range(height):
                out[i, j] = max(table[i, j] - u[i] - v[j], 0.0)
                total += out[i, j]
            off = max(off, abs(total - columns[j]))
        if off <= tolerance:
            return round_ + 1
    return most


@light_kernel("table", 16_384)
def rake(table: Floats, rows: Floats, columns: Floats, rounds: int) -> None:
    """Rows and columns scaled in turn; then down to their margins at most, and what is missing is spread over all.

    So margins fit whatever the table was, as long as `rows` and `columns` add up to the same.
    """
    height, width = table.shape
    for round_ in range(rounds + 1):
        most = 1.0 if round_ == rounds else np.inf
        for i in range(height):
            total = table[i].sum()
            if total > 0.0:
                table[i] *= min(rows[i] / total, most)
        for j in range(width):
            total = 0.0
            for i in range(height):
                total += table[i, j]
            if total > 0.0:
                factor = min(columns[j] / total, most)
                for i in range(height):
                    table[i, j] *= factor
    missing = np.empty(width)
    for j in range(width):
        total = 0.0
        for i in range(height):
            total += table[i, j]
        missing[j] = max(columns[j] - total, 0.0)
    every = missing.sum()
    if every > 0.0:
        for i in range(height):
            lacks = max(rows[i] - table[i].sum(), 0.0)
            for j in range(width):
                table[i, j] += lacks * (missing[j] / every)
