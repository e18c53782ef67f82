"""Numbers behind noise that are taken to be drawn from a mixture of normal laws around zero."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, kernel


@kernel
def fit(seen: Floats, unit: Floats, noise: Floats, scales: Floats, usual: Floats, trust: float, rounds: int) -> Floats:
    """How often each of the laws occurs, by expectation and maximisation.

    Number i has a deviation of scales[k] * unit[i] under law k, and noise of variance noise[i] on it. `usual` is what
    is expected beforehand, which counts as much as `trust` numbers.
    """
    count, laws = seen.size, scales.size
    likely = np.empty((count, laws))
    for i in range(count):
        best = -np.inf
        for k in range(laws):
            variance = (scales[k] * unit[i]) ** 2 + noise[i]
            likely[i, k] = -0.5 * (seen[i] ** 2 / variance + np.log(variance))
            best = max(best, likely[i, k])
        for k in range(laws):
            likely[i, k] = np.exp(likely[i, k] - best)
    weights = usual.copy()
    for _ in range(rounds):
        found = trust * usual
        for i in range(count):
            total = 0.0
            for k in range(laws):
                total += likely[i, k] * weights[k]
            for k in range(laws):
                found[k] += likely[i, k] * weights[k] / total
        weights = found / found.sum()
    return weights


@kernel
def means(seen: Floats, unit: Floats, noise: Floats, scales: Floats, weights: Floats, out: Floats) -> None:
    """out[i] is the mean of what is behind seen[i]."""
    laws = scales.size
    logs = np.empty(laws)
    for i in range(seen.size):
        best = -np.inf
        for k in range(laws):
            variance = (scales[k] * unit[i]) ** 2 + noise[i]
            logs[k] = np.log(max(weights[k], 1e-300)) - 0.5 * (seen[i] ** 2 / variance + np.log(variance))
            best = max(best, logs[k])
        total, kept = 0.0, 0.0
        for k in range(laws):
            chance = np.exp(logs[k] - best)
            prior = (scales[k] * unit[i]) ** 2
            total += chance
            kept += chance * prior / (prior + noise[i])
        out[i] = seen[i] * kept / total
