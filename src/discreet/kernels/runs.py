"""Sums of neighbours that have the same key."""

from __future__ import annotations

from discreet.kernels.jit import Ints, kernel


@kernel
def merge_runs(runs: Ints, keys: Ints, values: Ints, to_runs: Ints, to_keys: Ints, to_values: Ints) -> int:
    """Neighbours of one run and one key become one; returns how many are left. No runs given: all are one run."""
    last = -1
    for i in range(keys.size):
        fresh = last < 0 or keys[i] != to_keys[last]
        if runs.size > 0 and not fresh:
            fresh = runs[i] != to_runs[last]
        if fresh:
            last += 1
            to_keys[last], to_values[last] = keys[i], values[i]
            if runs.size > 0:
                to_runs[last] = runs[i]
        else:
            to_values[last] += values[i]
    return last + 1
