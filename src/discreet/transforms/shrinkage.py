"""Thresholding of noisy coefficients, subband by subband: what is probably noise goes to zero.

Source: section 7 of privelet with the corrected CompThresh (errata). A subband is what stands on the same level of
every transformed attribute, for one code of each untransformed one. Coefficients are first divided by the factors of
their noise, so that all have noise of the same scale. The base, and a subband of one coefficient, are left alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.shrinkage import hard_thresholds, shrink, soft_thresholds
from discreet.numbers.laws import DiscreteLaplace
from discreet.transforms.axis import Axis, Direct, Floats


def shrunk(axes: Sequence[Axis], values: NDArray[np.int64], scale: Fraction, *, soft: bool) -> Floats:
    """The coefficients after thresholding."""
    table = values.astype(np.float64)
    rule = soft_thresholds if soft else hard_thresholds
    untransformed = [isinstance(axis, Direct) for axis in axes]
    order = np.argsort(np.logical_not(untransformed), kind="stable")  # untransformed attributes first
    codes = math.prod(axis.size for axis in axes if isinstance(axis, Direct))
    for band, noise, factors in _subbands(axes, scale):
        part, factors = table[band].transpose(order), factors.transpose(order)
        rows = np.ascontiguousarray(part / factors).reshape(codes, -1)
        if rows.shape[1] < 2:
            continue
        thresholds = np.empty(len(rows))
        rule(rows, noise, thresholds)
        shrink(rows, thresholds, soft)
        part[...] = rows.reshape(part.shape) * factors
    return table


def _subbands(axes: Sequence[Axis], scale: Fraction) -> Iterator[tuple[tuple[slice, ...], float, Floats]]:
    """Every subband but the base: where it is, the mean variance of its noise over its factor squared, its factors."""
    lines = [np.concatenate([np.full(run.stop - run.start, float(f)) for run, f in axis.runs]) for axis in axes]
    for band in itertools.product(*(axis.levels for axis in axes)):
        if all(isinstance(axis, Direct) or level == axis.levels[0] for axis, level in zip(axes, band, strict=True)):
            continue
        parts = [line[level] for line, level in zip(lines, band, strict=True)]
        kinds = [np.unique(part, return_counts=True) for part in parts]
        noise = 0.0
        for combination in itertools.product(*(zip(*kind, strict=True) for kind in kinds)):
            factor = math.prod(int(f) for f, _ in combination)
            share = math.prod(int(count) for _, count in combination) / math.prod(part.size for part in parts)
            noise += share * DiscreteLaplace.of(scale * factor).variance / factor**2
        shaped = [part.reshape([-1 if i == place else 1 for i in range(len(axes))]) for place, part in enumerate(parts)]
        yield band, noise, np.asarray(math.prod(shaped), np.float64)
