"""Sparse summaries of tree nodes and Haar coefficients: time and memory of the data, not of the domain.

10^6 occupied codes of mean 100 in a domain of 2^40, epsilon 0.1, a summary of 10^5; what is timed is `measure`, the
counts being given. About n log2(m/n) entries are not zero: that is theorem 5 of sparse-summaries.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

import discreet
from benchmarks.measure import Report, peak_bytes, seconds, yardstick
from benchmarks.sparse import occupied
from discreet.mechanisms import Request, registry
from discreet.mechanisms.ranges.range_sparse import Nodes
from discreet.noise import Noise
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.schema import Ordinal, Schema
from discreet.summaries.sparse_nodes import SparseNodes

EPSILON = Fraction(1, 10)
OCCUPIED = 10**6
BITS = 40
LIMIT = 60.0
#: of a number, or of a value
ENTRY_BYTES = 8
METHODS: dict[str, dict[str, Any]] = {
    "dyadic-filter": {},
    "dyadic-filter, unchecked": {"consistency": False},
    "dyadic-threshold": {},
    "dyadic-priority": {},
    "dyadic-filter-priority": {},
    "dyadic-filter-priority, unchecked": {"consistency": False},
    "wavelet-filter": {},
    "wavelet-priority": {},
    "wavelet-filter-priority": {},
}


def run(quick: bool) -> Report:
    many = OCCUPIED // 20 if quick else OCCUPIED
    report = Report(f"sparse ranges: {many:,} occupied codes of mean 100, epsilon 0.1, one core and more", quick)
    length = yardstick()
    report.note("L in seconds", length)
    schema = line(BITS)
    counts = occupied(schema, many)
    for method, parameters in METHODS.items():
        made = mechanism(method, schema, parameters)
        taken = seconds(partial(made.measure, counts, Noise()), runs=2 if quick else 3)
        report.at_most(f"{method}, 2^{BITS} codes: time / L", taken / length, LIMIT)
    _memory(report, schema, counts)
    _flat(report)
    _several_attributes(report, length)
    _asking(report, schema, counts)
    return report


def line(bits: int) -> Schema:
    return Schema(x=Ordinal(0, 2**bits - 1))


def mechanism(method: str, schema: Schema, parameters: dict[str, Any] | None = None) -> Nodes:
    request = Request(schema, discreet.Unit(), EPSILON, parameters or {})
    made = registry()["ranges", method.split(",")[0]](request)
    assert isinstance(made, Nodes)
    return made


def _memory(report: Report, schema: Schema, counts: Counts) -> None:
    many = counts.counts.size
    bound = many * math.log2(schema.cells / many)
    for method in ("dyadic-filter", "dyadic-filter-priority", "wavelet-filter-priority"):
        made = mechanism(method, schema)
        entries = made.occupied(counts)[1].size
        report.at_most(f"{method}: non-zero entries / n log2(m/n)", entries / bound, 2)
        peak = peak_bytes(partial(made.measure, counts, Noise()))
        report.at_most(f"{method}: peak memory in entries of 8 bytes / n log2(m/n)", peak / ENTRY_BYTES / bound, 8)


def _flat(report: Report) -> None:
    """With ten times the data in a domain of ten times the size, so that log(m/n) stays: about ten times the time."""
    small, large = line(30), Schema(x=Ordinal(0, 10 * 2**30 - 1))
    less = 10 if report.quick else 1
    few, many = occupied(small, 10**5 // less), occupied(large, 10**6 // less)
    taken = [
        seconds(partial(mechanism("dyadic-filter-priority", schema).measure, counts, Noise()), runs=4)
        for schema, counts in ((small, few), (large, many))
    ]
    slope = math.log10(taken[1] / taken[0])
    report.at_most("dyadic-filter-priority: time grows as n to the power", slope, 1.15)


def _several_attributes(report: Report, length: float) -> None:
    for sizes in ((2**20, 2**20), (2**15, 2**8, 2**3)):
        schema = Schema({f"a{i}": Ordinal(0, size - 1) for i, size in enumerate(sizes)})
        counts = occupied(schema, 5_000 if report.quick else 50_000)
        made = mechanism("dyadic-filter-priority", schema)
        taken = seconds(partial(made.measure, counts, Noise()), runs=2)
        entries = made.occupied(counts)[1].size
        name = " x ".join(f"{size:,}" for size in sizes)
        report.note(f"dyadic-filter-priority, {name}: time / L per 10^7 entries", taken / length / (entries / 10**7))


def _asking(report: Report, schema: Schema, counts: Counts) -> None:
    ends = np.sort(np.random.default_rng(3).integers(0, schema.cells, (40_000, 2)), axis=1)
    questions = Questions(ends[:, :1].copy(), ends[:, 1:].copy(), len(ends), np.arange(len(ends)))
    for method in ("dyadic-filter-priority", "wavelet-filter-priority"):
        summary = mechanism(method, schema).measure(counts, Noise())
        assert isinstance(summary, SparseNodes)
        taken = seconds(partial(summary.answer, questions, 0.95), runs=3)
        report.note(f"{method}: seconds for 40,000 random ranges", taken)
