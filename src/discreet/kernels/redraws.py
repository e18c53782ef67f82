"""Noise-down along a path of scales, in floats that say when they are not sure: when is an answer redrawn, and to what?

The path is scale(t) = (start - t * step) / unit in whole numbers. Law and names: see `noise.down` and `noise.descents`.
Every `sure` is False where a rounding, an unread bit or the rounding of alpha to 64 bits could change the outcome.
"""

from __future__ import annotations

import math

from discreet.kernels.float_draws import LOG_WORD, ROUND, TINY, settle_down
from discreet.kernels.jit import Ints, Marks, Words, kernel

#: start, step and unit
Path = tuple[int, int, float]

INWARD, ACROSS, OUTWARD = 0, 1, 2


@kernel
def _scale(t: int, path: Path) -> float:
    start, step, unit = path
    return float(start - t * step) / unit


@kernel
def _around(to: int, path: Path) -> tuple[float, float, float]:
    """The scales before and after step `to`, and by how much 1 / scale rises in it."""
    old, new = _scale(to - 1, path), _scale(to, path)
    return old, new, path[1] / path[2] / (old * new)


@kernel
def _log_kept(distance: int, old: float, new: float, gap: float) -> float:
    """ln of (b/a)**(d+1) (1 - a*a) / (1 - b*b) from scale `old` down to `new`, which is `gap` lower."""
    rise = gap / (old * new)
    squares = math.exp(-2.0 / old) * -math.expm1(-2.0 * rise)  # a*a - b*b
    gone = squares / -math.expm1(-2.0 / new)
    # 1 - gone cancels where little is left
    rest = math.log1p(-gone) if gone < 0.5 else math.log(math.expm1(-2.0 / old) / math.expm1(-2.0 / new))
    return -(distance + 1.0) * rise + rest


@kernel
def _rounding(scale: float) -> float:
    """How far the logarithm of alpha may be from -1 / scale, for alpha is rounded up to 64 bits."""
    return TINY * (3.0 if scale >= 1.0 else math.exp(min(1.0 / scale, 700.0)))


@kernel
def _kept_error(distance: int, old: float, new: float, gap: float) -> float:
    rise, rounding = gap / (old * new), _rounding(new)
    return 4.0 * ((distance + 1.0) * (rounding + ROUND * rise) + rounding * (old + 1.0) + ROUND)


@kernel
def redraw_steps(distance: Ints, at: Ints, words: Words, path: Path, steps: int, out: Ints, sure: Marks) -> None:
    """out[i]: the step after `at` in which an answer at this distance is redrawn, or steps + 1."""
    start, step, unit = path
    width = step / unit
    for i in range(distance.size):
        d, t0 = distance[i], at[i]
        word = max(float(words[i]), 1.0)
        target, unread = math.log(word) - LOG_WORD, 2.0 / word
        old, end = _scale(t0, path), _scale(steps, path)
        found = steps + 1
        if t0 < steps and _log_kept(d, old, end, (steps - t0) * width) <= target:
            x = _root(d, old, target, 1.0 / end)
            found = math.ceil((float(start) - unit / x) / step)
            found = min(max(found, t0 + 1), steps)
        before, after, settled = 0.0, 0.0, False
        for _ in range(4):  # the root may be a step off
            gap = (found - 1 - t0) * width
            before = _log_kept(d, old, _scale(found - 1, path), gap)
            after = _log_kept(d, old, _scale(found, path), gap + width) if found <= steps else -math.inf
            if found > t0 + 1 and before <= target:
                found -= 1
            elif after > target:
                found += 1
            else:
                settled = True
                break
        ok = settled and words[i] > 0
        if found > t0 + 1:
            new, gap = _scale(found - 1, path), (found - 1 - t0) * width
            ok = ok and target + unread + _kept_error(d, old, new, gap) < before
        if found <= steps:
            new, gap = _scale(found, path), (found - t0) * width
            ok = ok and target - unread - _kept_error(d, old, new, gap) > after
        out[i], sure[i] = found, ok


@kernel
def _root(d: int, old: float, target: float, high: float) -> float:
    """x = 1 / scale at which the logarithm of the kept probability is `target`; any good guess will do.

    For scales well above 1 that logarithm is near d (x0 - x) + ln(x0 / x), x0 = 1 / old, which a few cheap steps solve.
    """
    low = 1.0 / old
    goal = d * low + math.log(low) - target
    y = max(math.log(low), min(goal, math.log(goal / d)) if d > 0 and goal > 0.0 else goal)
    for _ in range(6):
        e = d * math.exp(y)
        move = (e + y - goal) / (e + 1.0)
        y -= move
        if abs(move) < 1e-9:
            break
    x = min(max(math.exp(y), low), high)
    for _ in range(60):
        new = 1.0 / x
        value = _log_kept(d, old, new, old - new) - target
        if value > 0.0:
            low = x
        else:
            high = x
        ahead = x + value / ((d + 1.0) + 2.0 / math.expm1(2.0 * x))
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        if abs(ahead - x) <= 1e-13 * x:
            return ahead
        x = ahead
    return x


@kernel
def redraw_moves(distance: Ints, to: Ints, words: Words, path: Path, move: Ints, sure: Marks) -> None:
    """Where an answer goes that is redrawn in step `to`: outward, across or inward."""
    for i in range(distance.size):
        d = float(distance[i])
        old, new, rise = _around(to[i], path)
        a, b = math.exp(-1.0 / old), math.exp(-1.0 / new)
        apart = a * -math.expm1(-rise)
        log_same = -rise + 2.0 * math.log1p(-apart / -math.expm1(-1.0 / new))
        product = math.exp(-1.0 / old - 1.0 / new)
        leave = -math.expm1(log_same) * -math.expm1(-1.0 / new) / (1.0 + b) / -math.expm1(-1.0 / old - 1.0 / new)
        rest = -math.expm1(_log_kept(distance[i], old, new, path[1] / path[2]))
        outward = leave * math.exp(-d * rise) / rest
        across = outward + leave * product / rest
        uniform = float(words[i]) * 2.0**-64
        move[i] = OUTWARD if uniform < outward else (ACROSS if uniform < across else INWARD)
        # alpha's rounding moves `rise`, which cancels but for terms of the second order
        loose = _rounding(new) / rise
        margin = 2.0**-38 + 8.0 * (loose + ROUND) * (d + 2.0 * old + 2.0) * rise
        near = abs(uniform - outward) <= margin or abs(uniform - across) <= margin
        sure[i] = not near and loose < 0.01 and new > 0.04


@kernel
def geometric_jumps(to: Ints, words: Words, path: Path, out: Ints, least: Ints, sure: Marks) -> None:
    """Geometric draws of ratio ab, the alphas before and after step `to`; `least` is proved to be no larger."""
    for i in range(to.size):
        old, new, _ = _around(to[i], path)
        rate = 1.0 / old + 1.0 / new
        word = max(float(words[i]), 1.0)
        value = (LOG_WORD - math.log(word)) / rate
        error = value * (ROUND + 2.0 * _rounding(new) / rate) + (2.0 / word + ROUND) / rate
        settle_down(value, error, words[i] > 0, i, out, least, sure)


@kernel
def inward_moves(distance: Ints, to: Ints, words: Words, path: Path, out: Ints, least: Ints, sure: Marks) -> None:
    """j < distance with probability proportional to r**j, r = b/a."""
    for i in range(to.size):
        d = float(distance[i])
        _, new, rise = _around(to[i], path)
        share = (float(~words[i]) + 1.0) * 2.0**-64  # 1 - U, near zero too
        whole = -math.expm1(-d * rise)
        left = 1.0 - share * whole
        value = -math.log1p(-share * whole) / rise
        loose = _rounding(new) / rise
        unread = (2.0**-50 * share + 2.0**-62) * whole / (rise * left)
        error = value * (ROUND + d * rise * loose) + unread + 2.0**-40
        # the number of j >= 1 below the value
        settle_down(value, error, loose < 0.01 and left > 2.0**-40, i, out, least, sure)
        out[i] = min(out[i], distance[i] - 1)
        least[i] = min(least[i], distance[i] - 1)
