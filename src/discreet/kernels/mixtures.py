"""Numbers behind noise: drawn from a mixture of normal laws around zero, it is taken, or one given number."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, kernel


@kernel
def _log_likely(seen: float, given: float, unit: float, noise: float, scales: Floats, out: Floats) -> None:
    """Of one noisy number under each law; the last one is that it is `given`."""
    for k in range(scales.size):
        variance = (scales[k] * unit) ** 2 + noise
        out[k] = -0.5 * (seen**2 / variance + np.log(variance))
    out[scales.size] = -0.5 * ((seen - given) ** 2 / noise + np.log(noise))


@kernel
def fit(
    seen: Floats,
    given: Floats,
    unit: Floats,
    noise: Floats,
    scales: Floats,
    usual: Floats,
    trust: float,
    rounds: int,
) -> Floats:
    """How often each of the laws occurs, by expectation and maximisation.

    Number i has a deviation of scales[k] * unit[i] under law k, and noise of variance noise[i] on it; under the last
    law it is given[i]. `usual` is what is expected beforehand, which counts as much as `trust` numbers.
    """
    count, laws = seen.size, scales.size + 1
    likely = np.empty((count, laws))
    for i in range(count):
        _log_likely(seen[i], given[i], unit[i], noise[i], scales, likely[i])
        likely[i] = np.exp(likely[i] - likely[i].max())
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
def means(
    seen: Floats, given: Floats, unit: Floats, noise: Floats, scales: Floats, weights: Floats, out: Floats
) -> None:
    """out[i] is the mean of what is behind seen[i]."""
    laws = scales.size + 1
    logs = np.empty(laws)
    for i in range(seen.size):
        _log_likely(seen[i], given[i], unit[i], noise[i], scales, logs)
        logs += np.log(np.maximum(weights, 1e-300))
        chances = np.exp(logs - logs.max())
        chances /= chances.sum()
        found = chances[laws - 1] * given[i]
        for k in range(laws - 1):
            prior = (scales[k] * unit[i]) ** 2
            found += chances[k] * seen[i] * prior / (prior + noise[i])
        out[i] = found
