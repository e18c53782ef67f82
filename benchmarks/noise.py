"""Exact noise against numpy's inexact noise (the yardstick L) and OpenDP's integer Laplace."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import YARDSTICK, Report, peak_bytes, seconds, yardstick
from discreet.intervals import Rational
from discreet.noise import Noise, to_integers
from discreet.noise.geometric import laplace_digits
from discreet.privacy import Alpha

LIMITS = {"1": 0.5, "0.1": 0.5, "0.01": 1.0}
FIRST_CALL = """
import time
import numpy, numba, discreet.noise as noise
start = time.perf_counter()
noise.Noise().laplace('{scale}', 100_000)
print(time.perf_counter() - start)
"""


def run() -> int:
    report, noise = Report("noise: 10^7 exact samples, one core"), Noise()
    length = yardstick()
    report.note("L in seconds", length)
    for epsilon, limit in LIMITS.items():
        scale = 1 / Fraction(epsilon)
        noise.laplace(scale, 10)
        taken = seconds(lambda scale=scale: noise.laplace(scale, YARDSTICK))
        report.at_most(f"epsilon {epsilon}: time / L", taken / length, limit)
        rival = _opendp_seconds(float(scale))
        if rival is None:
            print("opendp is not installed here: pip install opendp to compare")
        else:
            report.at_least(f"epsilon {epsilon}: times as fast as OpenDP", rival / taken, 300)
        rise = peak_bytes(lambda scale=scale: noise.laplace(scale, YARDSTICK))
        report.at_most(f"epsilon {epsilon}: peak memory / output", rise / (8 * YARDSTICK), 3)
    for scale in (10**5, 10**9, 10**12):
        noise.laplace(scale, 10)
        report.note(
            f"scale {scale:.0e}: time / L", seconds(lambda scale=scale: noise.laplace(scale, YARDSTICK)) / length
        )

    rare = Rational(Fraction(1, 10**24))
    noise.positions(rare, 10**26)
    taken = seconds(lambda: to_integers(noise.positions(rare, 10**30)))
    report.at_most("10^6 positions out of 10^30, as Python integers: time / L", taken / length, 4)
    taken = seconds(lambda: noise.positions(rare, 10**30))
    report.note("the same, left as limbs: time / L", taken / length)

    for scale in ("1", "100", "1000000"):
        first = [_first_call(scale) for _ in range(2)]
        report.at_most(f"first call of a process at scale {scale}, kernels cached: seconds", min(first), 1)
    report.at_most("first call of all, nothing cached: seconds", min(_first_call("1", cold=True) for _ in range(2)), 1)
    report.at_most("building the tables for scale 250: seconds", seconds(_build_tables, runs=3), 1)
    return report.show()


def _build_tables() -> None:
    laplace_digits.__wrapped__(Alpha.of(Fraction(250) + Fraction(np.random.default_rng().integers(1, 10**6), 10**7)))


def _first_call(scale: str, cold: bool = False) -> float:
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "NUMBA_CACHE_DIR": empty} if cold else dict(os.environ)
        code = [sys.executable, "-c", FIRST_CALL.format(scale=scale)]
        return float(subprocess.run(code, capture_output=True, check=True, text=True, env=environment).stdout)


def _opendp_seconds(scale: float, size: int = 20_000) -> float | None:
    """OpenDP's discrete Laplace over a vector of integers, scaled up to 10^7 values."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space: Any = (dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int))
    measure, zeros = dp.m.make_laplace(*space, scale=scale), [0] * size
    return seconds(lambda: measure(zeros), runs=2) * YARDSTICK / size
