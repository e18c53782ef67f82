"""Exact noise against numpy's inexact noise (the yardstick L). A quick run has fewer repetitions, of the same size."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from functools import partial

import numpy as np

from benchmarks.measure import YARDSTICK, Report, growth, peak_bytes, seconds, yardstick
from discreet.noise import Noise, to_integers
from discreet.noise.geometric import laplace_digits
from discreet.numbers.intervals import Rational
from discreet.privacy import Alpha

LIMITS = {"1": 0.5, "0.1": 0.5, "0.01": 1.0}
FIRST_CALL = """
import time
import numpy, numba, discreet.noise as noise
start = time.perf_counter()
noise.Noise().laplace('{scale}', 100_000)
print(time.perf_counter() - start)
"""


def run(quick: bool) -> Report:
    report, noise, runs = Report("noise: 10^7 exact samples, one core", quick), Noise(), 3 if quick else 5
    length = yardstick()
    report.note("L in seconds", length)
    for epsilon, limit in LIMITS.items():
        scale = 1 / Fraction(epsilon)
        noise.laplace(scale, 10)
        taken = seconds(partial(noise.laplace, scale, YARDSTICK), runs)
        report.at_most(f"epsilon {epsilon}: time / L", taken / length, limit, any_size=True)
        rise = peak_bytes(partial(noise.laplace, scale, YARDSTICK))
        report.at_most(f"epsilon {epsilon}: peak memory / output", rise / (8 * YARDSTICK), 3, any_size=True)
    for large in (10**5, 10**9, 10**12):
        noise.laplace(large, 10)
        taken = seconds(partial(noise.laplace, large, YARDSTICK), runs)
        report.note(f"scale {large:.0e}: time / L", taken / length)
    report.note("time grows as the samples to the power", _growth(noise, runs))

    rare = Rational(Fraction(1, 10**24))
    noise.positions(rare, 10**26)
    taken = seconds(lambda: to_integers(noise.positions(rare, 10**30)), runs)
    report.at_most("10^6 positions out of 10^30, as Python integers: time / L", taken / length, 4, any_size=True)
    taken = seconds(lambda: noise.positions(rare, 10**30), runs)
    report.note("the same, left as limbs: time / L", taken / length)

    for text in ("1", "100", "1000000"):
        first = min(_first_call(text) for _ in range(2))
        report.at_most(f"first call of a process at scale {text}, kernels cached: seconds", first, 1, any_size=True)
    first = min(_first_call("1", cold=True) for _ in range(2))
    report.at_most("first call of all, nothing cached: seconds", first, 1, any_size=True)
    taken = seconds(_build_tables, runs=3)
    report.at_most("building the tables for scale 250: seconds", taken, 1, any_size=True)
    return report


def _growth(noise: Noise, runs: int) -> float:
    sizes = [YARDSTICK // 100, YARDSTICK // 10, YARDSTICK]
    return growth(sizes, [seconds(partial(noise.laplace, 1, size), runs) for size in sizes])


def _build_tables() -> None:
    laplace_digits.__wrapped__(
        Alpha.of(Fraction(250) + Fraction(int(np.random.default_rng().integers(1, 10**6)), 10**7))
    )


def _first_call(scale: str, cold: bool = False) -> float:
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "NUMBA_CACHE_DIR": empty} if cold else dict(os.environ)
        code = [sys.executable, "-c", FIRST_CALL.format(scale=scale)]
        return float(subprocess.run(code, capture_output=True, check=True, text=True, env=environment).stdout)
