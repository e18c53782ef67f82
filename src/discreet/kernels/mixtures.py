"""Numbers behind noise: drawn from a mixture of normal laws around zero, it is taken, or one given number."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats

#: numbers that are looked at together
_BLOCK = 1 << 14


def _log_likely(seen: Floats, given: Floats, unit: Floats, noise: Floats, scales: Floats) -> Floats:
    """Of every noisy number under each law; the last one is that it is `given`."""
    logs = np.empty((seen.size, scales.size + 1))
    variances = np.square(scales * unit[:, None]) + noise[:, None]
    logs[:, :-1] = -0.5 * (np.square(seen)[:, None] / variances + np.log(variances))
    logs[:, -1] = -0.5 * (np.square(seen - given) / noise + np.log(noise))
    return logs


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
    likely = np.empty((seen.size, scales.size + 1))
    for start in range(0, seen.size, _BLOCK):
        some = slice(start, start + _BLOCK)
        likely[some] = _chances(_log_likely(seen[some], given[some], unit[some], noise[some], scales))
    weights = usual.copy()
    for _ in range(rounds):
        found = trust * usual
        for start in range(0, seen.size, _BLOCK):
            some = slice(start, start + _BLOCK)
            found += weights * ((1.0 / (likely[some] @ weights)) @ likely[some])
        weights = found / found.sum()
    return weights


def means(
    seen: Floats, given: Floats, unit: Floats, noise: Floats, scales: Floats, weights: Floats, out: Floats
) -> None:
    """out[i] is the mean of what is behind seen[i]."""
    logs_of_weights = np.log(np.maximum(weights, 1e-300))
    for start in range(0, seen.size, _BLOCK):
        some = slice(start, start + _BLOCK)
        logs = _log_likely(seen[some], given[some], unit[some], noise[some], scales)
        chances = _chances(logs + logs_of_weights)
        chances /= chances.sum(axis=1, keepdims=True)
        priors = np.square(scales * unit[some, None])
        parts = chances[:, :-1] * (priors / (priors + noise[some, None]))
        out[some] = chances[:, -1] * given[some] + seen[some] * parts.sum(axis=1)


def _chances(logs: Floats) -> Floats:
    """In proportion to each other, the largest of each number 1."""
    return np.asarray(np.exp(logs - logs.max(axis=1, keepdims=True)))
