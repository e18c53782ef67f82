"""The low bits of a geometric variable of a very large mean, which are nearly uniform: many bits in one draw, exact.

Law: D = G mod n for n = 2**bits, so Pr[D >= j] = Q_j = (r**j - r**n) / (1 - r**n), independent of G // n.
How: with y = j / n and x = -n log r, Q_j is a convex function of y from 1 to 0, of second derivative at most x (1 + x)
if x <= 1, so it lies below 1 - y by at most x (1 + x) / 8 <= x / 4 <= n (1 - r) / 2 if r >= 1/2. Hence D is the largest
j with U < 1 - j / n, which the first bits of U say, unless U is as close as that below its 1 - j / n. There the rungs
themselves decide; that happens less than once in 2**24 draws, or the residue is not taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.kernels.jit import Ints
from discreet.kernels.walks import residues
from discreet.noise.draw import Drawer, read_on
from discreet.noise.ladders import Digit
from discreet.numbers.intervals import Complement, Power, Real

_SELDOM = 24
#: fewer bits than a digit has are left to digits
_LEAST_BITS, _MOST_BITS = 8, 40
_PRECISE = 256


@dataclass(frozen=True)
class Residue:
    """The low bits of a geometric of this ratio; draws less than `margin` (in 2**-64) below an edge are undecided."""

    ratio: Real
    bits: int
    margin: int

    def draw(self, drawer: Drawer, out: Ints) -> None:
        drawn, near = drawer.uniform(out.size)
        found = residues(drawn, self.bits, np.uint64(self.margin), out, near)
        for i in near[:found].tolist():  # the answer is this residue, or one less
            out[i] = read_on(Digit(self.ratio, 1 << self.bits), max(int(out[i]) - 1, 0), int(drawn[i]), drawer.stream)


@lru_cache(maxsize=64)
def low_residues(ratio: Real) -> tuple[Residue, ...]:
    """Residues from the lowest bits on, as long as they have eight bits or more: what is above them is left."""
    found: list[Residue] = []
    while True:
        missing = Complement(ratio).bracket(_PRECISE).high  # at least 1 - r, in 2**-256
        # the chance to be undecided is about n margin / 2**64 = n**2 (1 - r) / 2
        bits = min(_MOST_BITS, (_PRECISE + 1 - _SELDOM - missing.bit_length()) // 2)
        if bits < _LEAST_BITS:
            return tuple(found)
        margin = ((missing << bits) >> (_PRECISE + 1 - 64)) + 2
        found.append(Residue(ratio, bits, margin))
        ratio = Power(ratio, 1 << bits)
