"""The values that a guess of tau may have: four in each octave, 2**q times 1, 8/7, 8/6 and 8/5, numbered upwards.

One over a level is a whole number of 2**-(q + 3), so that 64 bits of U decide whether U is above size / level: sizes
are below 2**62, and levels of q > 61 are above every size.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

#: how many levels an octave has
OCTAVE = 4
#: the level numbered -1: none
NONE = -1
_EIGHTHS = (8, 7, 6, 5)


def eighths(level: int) -> int:
    """8 * 2**q / level, for the q of its octave."""
    return _EIGHTHS[level % OCTAVE]


def value(level: int) -> Fraction:
    return Fraction(1 << (level // OCTAVE + 3), eighths(level))


def below(level: int) -> int:
    """The next lower power of two."""
    return (level - 1) // OCTAVE * OCTAVE


#: every level to the nearest float, and zero for none
FLOATS = np.append((np.exp2(np.arange(3.0, 1003.0))[:, None] / np.array(_EIGHTHS)).reshape(-1), 0.0)
