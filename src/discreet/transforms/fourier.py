"""The orthonormal real Fourier basis: 1, cos, sin, cos 2, sin 2, ..., each scaled to length one.

Lengths are padded to a product of 2, 3 and 5, for which the error of the transform has a bound that holds for sure:
relative to the length of the vector, a small multiple of log2(n) times the precision of the numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.transforms.axis import Floats

#: the widest floats of the machine: 64 bits of precision where there are such, else 53
WIDE: Any = np.longdouble
#: each pass of a mixed-radix transform errs by less than this many roundings
_ROUNDINGS = 16
#: entries of the basis that are written out
_MOST_BASIS = 2 * 10**7


def padded_length(size: int) -> int:
    """The least product of powers of 2, 3 and 5 that is at least `size`."""
    best = 1 << max(0, (size - 1).bit_length())
    fives = 1
    while fives < best:
        threes = fives
        while threes < best:
            twos = threes << max(0, (-(-size // threes) - 1).bit_length())
            best = min(best, twos)
            threes *= 3
        fives *= 5
    return best


def relative_error(length: int) -> Fraction:
    """The most by which a coefficient can be off, for a vector of length (root of the sum of squares) one."""
    return Fraction(float(np.finfo(WIDE).eps)) * _ROUNDINGS * max(1, math.ceil(math.log2(length)))


def coefficients(values: NDArray[Any], length: int) -> NDArray[Any]:
    """All coefficients of the values, padded with zeros to `length`, in the order of the basis."""
    wide = np.zeros(length, WIDE)
    wide[: values.size] = values
    spectrum = np.fft.rfft(wide, norm="ortho")
    out = np.empty(length, WIDE)
    out[0] = spectrum[0].real
    pairs = (length - 1) // 2
    root = np.sqrt(WIDE(2))
    out[1 : 2 * pairs + 1 : 2] = spectrum[1 : pairs + 1].real * root
    out[2 : 2 * pairs + 1 : 2] = -spectrum[1 : pairs + 1].imag * root
    if length % 2 == 0 and length > 1:
        out[-1] = spectrum[-1].real
    return out


def restored(kept: NDArray[Any], length: int, size: int) -> Floats:
    """The first `size` values from the first coefficients; the others are zero."""
    spectrum = np.zeros(length // 2 + 1, np.complex128)
    every = np.zeros(length)
    every[: kept.size] = kept
    pairs = (length - 1) // 2
    spectrum[0] = every[0]
    spectrum[1 : pairs + 1] = (every[1 : 2 * pairs + 1 : 2] - 1j * every[2 : 2 * pairs + 1 : 2]) / math.sqrt(2)
    if length % 2 == 0 and length > 1:
        spectrum[-1] = every[-1]
    return np.fft.irfft(spectrum, length, norm="ortho")[:size]


def restored_at(kept: Floats, length: int, size: int, cells: NDArray[np.int64]) -> Floats:
    """For each row of coefficients the values of some cells: `restored`, or less work where few are asked for."""
    if kept.shape[1] * cells.size > _MOST_BASIS:
        return np.stack([restored(row, length, size)[cells] for row in kept])
    return kept @ _basis(kept.shape[1], length, cells)


def _basis(count: int, length: int, cells: NDArray[np.int64]) -> Floats:
    """count x cells: the first vectors of the basis, at some cells."""
    number = np.arange(count)
    turns = np.outer((number + 1) // 2, cells) % length  # whole numbers, so that nothing is lost over many turns
    waves = np.asarray(turns * (2 * math.pi / length), np.float64)
    sines = (number % 2 == 0) & (number > 0)
    waves[~sines], waves[sines] = np.cos(waves[~sines]), np.sin(waves[sines])
    alone = (number == 0) | ((number == length - 1) & (length % 2 == 0))
    waves *= (np.where(alone, 1.0, math.sqrt(2)) / math.sqrt(length))[:, None]
    return waves


def squared_length(cells: NDArray[np.bool_] | Floats, kept: int, length: int) -> float:
    """The squared length of what is left of a vector when only the first coefficients are kept."""
    first = coefficients(np.asarray(cells), length)[:kept].astype(np.float64)
    return float(first @ first)
