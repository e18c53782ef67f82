"""Noise-down one step at a time, against which whole descents are checked; `noise.down` has its law.

Numerics: exact. A float filters the choice among the four moves; near a border integers decide.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.noise import LARGEST_COUNT, Descent, Noise, descents
from discreet.noise.count_bounds import paired
from discreet.noise.down import Down, Moves
from discreet.noise.draw import CHUNK, Drawer, read_on
from discreet.noise.geometric import Digits, geometric_digits
from discreet.numbers.intervals import Rational
from discreet.privacy import Alpha, Number

Ints = NDArray[np.int64]

_RELATIVE, _ABSOLUTE = 2.0**-40, 2.0**-48


def noise_down(noise: Noise, noisy: Ints, exact: Ints, old: Number, new: Number, *, redrawn: bool = False) -> Ints:
    """Answers at the lower scale `new`, given those at `old`; with `redrawn`, given that each is redrawn."""
    before, after = Alpha.of(old), Alpha.of(new)
    noisy, exact = paired(noisy, exact)
    if before == after and not redrawn:  # the two scales are one in 64 bits
        return noisy.copy()
    drawer = Drawer(noise.source.stream(), noisy.size)
    moved = _taken_down(noisy.reshape(-1), exact.reshape(-1), Down(before, after), drawer, redrawn)
    return np.clip(moved, -LARGEST_COUNT, LARGEST_COUNT).reshape(noisy.shape)


def next_redraw(noise: Noise, noisy: Ints, exact: Ints, descent: Descent) -> Ints:
    """The step of the descent in which each answer is next redrawn, or steps + 1."""
    noisy, exact = paired(noisy, exact)
    distance = np.abs(noisy - exact).reshape(-1)
    found = descents.next_redraw(distance, np.zeros_like(distance), descent, noise.source.stream())
    return found.reshape(noisy.shape)


def _taken_down(noisy: Ints, exact: Ints, down: Down, drawer: Drawer, redrawn: bool) -> Ints:
    offset = noisy - exact
    side = np.where(offset < 0, -1, 1)
    distance = np.abs(offset)
    move = _moves(distance, down, drawer, redrawn)
    outward, across, inward = move == 2, move == 1, move == 0
    moved = distance.copy()
    jumps = geometric_digits(Rational(down.product))
    moved[outward] += _geometric(jumps, int(outward.sum()), drawer)
    moved[across] = -1 - _geometric(jumps, int(across.sum()), drawer)
    moved[inward] = _geometric_modulo(geometric_digits(Rational(down.ratio)), distance[inward], drawer)
    result: Ints = exact + side * moved
    return result


def _moves(distance: Ints, down: Down, drawer: Drawer, redrawn: bool) -> Ints:
    """One draw of `Moves` for every distance: by floats wherever these prove the answer."""
    keep, outward, ratio = down.keep, down.outward, down.ratio
    log_power = distance * (math.log1p(-float(1 - ratio)) if ratio > Fraction(1, 2) else math.log(ratio))
    power = np.exp(log_power)
    # 1 - keep * power without cancellation
    rest = float(1 - keep) - float(keep) * np.expm1(log_power) if redrawn else np.ones(distance.size)
    borders = [np.zeros(distance.size) if redrawn else float(keep) * power]
    borders.append(borders[0] + float(outward) * power / rest)
    borders.append(borders[1] + float(down.across) / rest)
    words = np.empty(distance.size, np.uint64)
    drawer.stream.fill(words)
    uniform = words * 2.0**-64
    move, near = np.zeros(distance.size, np.int64), np.zeros(distance.size, np.bool_)
    for border in borders:
        move += uniform < border
        near |= np.abs(uniform - border) <= _RELATIVE * border + _ABSOLUTE
    for i in np.flatnonzero(near).tolist():
        move[i] = read_on(Moves(down, int(distance[i]), redrawn), 0, int(words[i]), drawer.stream)
    return move


def _geometric(digits: Digits, count: int, drawer: Drawer) -> Ints:
    out = np.empty(count, np.int64)
    digits.fill(drawer, out)
    return out


def _geometric_modulo(digits: Digits, moduli: Ints, drawer: Drawer) -> Ints:
    """Geometric draws modulo each modulus, digit by digit, so that no draw is too large for 64 bits."""
    result = np.empty(moduli.size, np.int64)
    for start in range(0, moduli.size, CHUNK):
        modulus, value = moduli[start : start + CHUNK], result[start : start + CHUNK]
        drawer.draw(digits.top, value)
        value %= modulus
        place = np.empty_like(value)
        for table in digits.digits:
            drawer.draw(table, place)
            # 16 * 16 = 256 in two steps: the modulus may have 58 bits
            value *= 16
            value %= modulus
            value *= 16
            value += place
            value %= modulus
    return result
