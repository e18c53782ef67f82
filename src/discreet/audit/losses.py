"""What the difference of two neighbours costs: from their draws alone, whatever the mechanism says of itself.

Both tapes have the same noisy values. A number that noise of scale s went on has noisy value y with a chance in
proportion to exp(-|y - x| / s), so moving x by d changes the chance by a factor of at most exp(d / s), and some y does.
Draws that follow each other multiply, so their losses add up. Tables taken down a path cost what their last scale
does: earlier values tell nothing beyond it (the theorem of ireduct), so the noise they started with is not counted too.
A choice has the loss of its worst outcome. Of the k largest with one-sided noise, each may need its noise changed by as
much as the counts' changes differ, so that the same are picked. What only sampled units can change costs
log(1 + p (exp(loss) - 1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.audit.tape import Added, Chose, Flipped, PickedLargest, Sparsely, TakenDown, Tape, TapeStep
from discreet.privacy import Alpha

Ints = NDArray[np.int64]

_DIGITS = 60
#: more than floats get wrong in the law of a choice
_ROUNDING = Fraction(1, 10**11)


@dataclass(frozen=True)
class Loss:
    """What one draw costs; `exact` unless it is the upper end of a number that no fraction is."""

    what: str
    epsilon: Fraction
    exact: bool = True


_COIN = Loss("coin", Fraction(0))


def losses(first: Tape, second: Tape) -> list[Loss]:
    """One for each draw of two runs of the same requests, in their order; draws of pure chance cost nothing."""
    superseded = {_beginning(first.steps, i) for i, step in enumerate(first.steps) if isinstance(step, TakenDown)}
    found = []
    for place, (one, other) in enumerate(zip(first.steps, second.steps, strict=True)):
        if place not in superseded and (loss := _of(one, other)) is not None:
            found.append(loss)
    return found


def sampled_losses(heads: Sequence[Loss], tails: Sequence[Loss], coins: Sequence[Fraction]) -> list[Loss]:
    """Losses where units are sampled: `heads` if all are, `tails` if none is; a coin stands before what it decides."""
    found: list[Loss] = []
    waiting, chance, hanging = iter(coins), Fraction(1), Fraction(0)
    for one, none in [*zip(heads, tails, strict=True), (_COIN, _COIN)]:
        if one == _COIN:  # what hangs on one coin is lost together, or not at all
            if hanging:
                found.append(Loss("draws of sampled units", _amplified(hanging, chance), exact=False))
            chance, hanging = next(waiting, Fraction(1)), Fraction(0)
        elif none.epsilon == 0:
            hanging += one.epsilon
        else:
            found.append(max(one, none, key=lambda loss: loss.epsilon))
    return found


def _beginning(steps: Sequence[TapeStep], place: int) -> int | None:
    """The draw in which a path down began: the same numbers, with noise of the path's first scale."""
    down = steps[place]
    assert isinstance(down, TakenDown)
    for i in range(place - 1, -1, -1):
        step = steps[i]
        if isinstance(step, Added) and step.scale == down.descent.scale:
            pairs = ((step.exact, down.exact), (step.noisy, down.noisy))
            if all(np.array_equal(one.reshape(-1), other.reshape(-1)) for one, other in pairs):
                return i
    return None


def _of(one: TapeStep, other: TapeStep) -> Loss | None:
    if isinstance(one, Added) and isinstance(other, Added):
        return Loss(f"{one.exact.size:,} numbers", Fraction(_distance(one.exact, other.exact)) / one.scale)
    if isinstance(one, Sparsely) and isinstance(other, Sparsely):
        cells = one.exact.keys() | other.exact.keys()
        moved = sum(abs(one.exact.get(cell, 0) - other.exact.get(cell, 0)) for cell in cells)
        return Loss("a sparse table", Fraction(moved) / one.scale)
    if isinstance(one, TakenDown) and isinstance(other, TakenDown):
        ends = np.cumsum(one.paths.cells)[:-1]
        tables = zip(np.split(one.exact, ends), np.split(other.exact, ends), one.reached, strict=True)
        cost = sum((Fraction(_distance(a, b)) / one.descent.at(depth) for a, b, depth in tables), Fraction(0))
        return Loss(f"{len(one.paths.cells)} tables taken down", cost)
    if isinstance(one, Chose) and isinstance(other, Chose):
        return Loss("a choice", _choice(one, other), exact=bool(np.array_equal(one.losses, other.losses)))
    if isinstance(one, PickedLargest) and isinstance(other, PickedLargest):
        apart = int(np.ptp(other.exact - one.exact))
        return Loss(f"{one.picked.size} largest", Fraction(one.picked.size * apart) / one.scale)
    if isinstance(one, Flipped):
        return _COIN
    return None


def _distance(one: Ints, other: Ints) -> int:
    """The sum of absolute differences, which may be beyond 64 bits."""
    flat, rest = one.reshape(-1), other.reshape(-1)
    differing = np.flatnonzero(flat != rest)
    pairs = zip(flat[differing].tolist(), rest[differing].tolist(), strict=True)
    return sum(abs(a - b) for a, b in pairs)


def _choice(one: Chose, other: Chose) -> Fraction:
    """The largest |log| of the ratio of chances of an outcome, rounded up; chances are in proportion to alpha**loss."""
    if np.array_equal(one.losses, other.losses):
        return Fraction(0)
    ratio = float(Alpha.of(one.scale).fraction)
    logs = []
    for losses_ in (one.losses, other.losses):
        powers = (losses_ - losses_.min()).astype(np.float64) * np.log(ratio)
        logs.append(powers - np.log(np.exp(powers).sum()))
    return Fraction(float(np.abs(logs[0] - logs[1]).max())) + _ROUNDING


def _amplified(epsilon: Fraction, chance: Fraction) -> Fraction:
    """log(1 + chance (exp(epsilon) - 1)), rounded up."""
    if chance == 0 or epsilon == 0:
        return Fraction(0)
    with localcontext() as context:
        context.prec = _DIGITS + 10
        one = Decimal(1)
        loss = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        share = Decimal(chance.numerator) / Decimal(chance.denominator)
        value = (one + share * (loss.exp() - one)).ln()
        return Fraction(value) + Fraction(1, 10**_DIGITS)
