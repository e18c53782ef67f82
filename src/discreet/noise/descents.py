"""Many noisy answers taken down a path of scales together, from redraw to redraw instead of step by step.

Source: the errata on ireduct; `down` has the law of one step, `redraws` that of the step in which an answer is redrawn.
An answer at distance d from its exact count keeps its value until it is redrawn. Then it moves, on the side it is on,
    outward to d + Geometric(ab), across to -1 - Geometric(ab), or inward to j < d with probability ~ (b/a)**j,
where a and b are the alphas before and after that step. So a path of any number of steps costs as many draws as there
are redraws, about twice the logarithm of how far the scale falls.
Numerics: exact. Floats decide what they prove (`kernels.redraws`), integers the rest, from the same bits and more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.kernels import redraws as kernels
from discreet.noise.down import Moves
from discreet.noise.draw import read_on
from discreet.noise.ladders import Geometric, Ladder
from discreet.noise.redraws import Descent, Path, next_redraw
from discreet.noise.source import Stream
from discreet.numbers.intervals import Interval, Rational, Real

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Redraws:
    """What happened: `answer` took the value exact + offset in `step`. In the order of steps for each answer."""

    answer: Ints
    step: Ints
    offset: Ints


@dataclass(frozen=True)
class Truncated(Ladder):
    """Pr[J >= j] = (ratio**j - ratio**size) / (1 - ratio**size) for j below size."""

    ratio: Real
    size: int

    @property
    def outcomes(self) -> int:  # type: ignore[override]
        return self.size

    def rung(self, j: int, bits: int) -> Interval:
        work = 2 * bits
        while True:
            ratio = self.ratio.bracket(work + self.size.bit_length())
            last = (ratio**self.size).to(work)
            whole = Interval.of(1, work) - last
            if whole.low >> bits:
                return (((ratio**j).to(work) - last) / whole).to(bits)
            work += bits

    def rungs(self, bits: int) -> object:  # type: ignore[override]
        return (self.rung(j, bits) for j in range(1, self.size))


def descend(offsets: Ints, descent: Descent, stream: Stream) -> Redraws:
    """Every redraw of answers that start at these offsets from their exact counts."""
    path = Path.of(descent)
    answer, offset = np.arange(offsets.size), offsets.copy()
    at = np.zeros(offsets.size, np.int64)
    found: list[tuple[Ints, Ints, Ints]] = []
    while answer.size:
        to = next_redraw(np.abs(offset), at, path, stream)
        falling = to <= descent.steps
        answer, at, offset = answer[falling], to[falling], offset[falling]
        offset = _moved(offset, at, path, stream)
        found.append((answer, at, offset))
    if not found:
        return Redraws(answer, at, offset)
    return Redraws(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _words(count: int, stream: Stream) -> NDArray[np.uint64]:
    words = np.empty(count, np.uint64)
    stream.fill(words)
    return words


def _moved(offset: Ints, to: Ints, path: Path, stream: Stream) -> Ints:
    """New offsets of answers that are redrawn in step `to`."""
    distance, side = np.abs(offset), np.where(offset < 0, -1, 1)
    words = _words(offset.size, stream)
    move, sure = np.empty_like(offset), np.empty(offset.size, np.bool_)
    kernels.redraw_moves(distance, to, words, *path.numbers, move, sure)
    for i in np.flatnonzero(~sure).tolist():
        move[i] = read_on(Moves(path.down(int(to[i])), int(distance[i]), True), 0, int(words[i]), stream)
    moved = np.empty_like(offset)
    jumping = np.flatnonzero(move != kernels.INWARD)
    jump = _jumps(to[jumping], path, stream)
    moved[jumping] = np.where(move[jumping] == kernels.OUTWARD, distance[jumping] + jump, -1 - jump)
    inward = np.flatnonzero(move == kernels.INWARD)
    moved[inward] = _inward(distance[inward], to[inward], path, stream)
    return side * moved


def _jumps(to: Ints, path: Path, stream: Stream) -> Ints:
    words = _words(to.size, stream)
    out, least, sure = np.empty_like(to), np.empty_like(to), np.empty(to.size, np.bool_)
    kernels.geometric_jumps(to, words, *path.numbers, out, least, sure)
    for i in np.flatnonzero(~sure).tolist():
        ladder = Geometric(Rational(path.down(int(to[i])).product))
        out[i] = read_on(ladder, int(least[i]), int(words[i]), stream)
    return out


def _inward(distance: Ints, to: Ints, path: Path, stream: Stream) -> Ints:
    words = _words(to.size, stream)
    out, least, sure = np.empty_like(to), np.empty_like(to), np.empty(to.size, np.bool_)
    kernels.inward_moves(distance, to, words, *path.numbers, out, least, sure)
    for i in np.flatnonzero(~sure).tolist():
        ladder = Truncated(Rational(path.down(int(to[i])).ratio), int(distance[i]))
        out[i] = read_on(ladder, int(least[i]), int(words[i]), stream)
    return out
