"""Wavelets and trees in privelet's own settings: time against filling the table with noise, memory, saving, asking.

2**22 to 2**26 cells over two ordinal and two nominal attributes, and the domain of the Brazil table, 1.03 * 10^8 cells;
a quick run has 2**16 to 2**20, and a twentieth of Brazil.
What is timed is `measure`, the counts being given; of `privelet*` also the thresholds, computed from the result.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import discreet
from benchmarks.measure import Report, growth, peak_bytes, seconds
from discreet.mechanisms import Mechanism, Request, registry
from discreet.noise import Noise
from discreet.private.counts import Counts
from discreet.queries import Questions
from discreet.release import files as folder
from discreet.schema import Nominal, Ordinal, Schema

POWERS = (22, 24, 26)
ROWS = 5_000_000
QUICK_POWERS = (16, 18, 20)
QUICK_ROWS = 500_000
QUESTIONS = 40_000
METHODS: dict[str, dict[str, Any]] = {"privelet": {}, "privelet*": {"direct": []}}
LIMITS = {"privelet": 4.0, "privelet*": 12.0}


def run(quick: bool) -> Report:
    report = Report("ranges: noise on coefficients, two cores", quick)
    _over_cells(report)
    if not quick:
        _over_rows(report)
    _long_trees(report)
    _brazil(report)
    return report


def square(power: int) -> Schema:
    """About 2**power cells: four attributes of equal size, two of them with a hierarchy of three levels."""
    side = round(2 ** (power / 4))
    return Schema(
        a=Ordinal(0, side - 1), b=Ordinal(0, side - 1), c=_three_levels("c", side), d=_three_levels("d", side)
    )


def _three_levels(name: str, size: int) -> Nominal:
    groups = round(size**0.5)
    leaves = [f"{name}{place}" for place in range(size)]
    return Nominal(
        hierarchy={f"{name}-{g}": leaves[g * size // groups : (g + 1) * size // groups] for g in range(groups)}
    )


def uniform(schema: Schema, rows: int) -> Counts:
    dice = np.random.default_rng(1)
    codes = np.stack([dice.integers(0, size, rows) for size in schema.sizes], axis=1)
    return Counts.from_arrays(schema.sizes, codes, np.ones(rows, np.int64))


def mechanism(method: str, schema: Schema) -> Mechanism:
    parameters: dict[str, Any] = METHODS.get(method, {})
    return registry()["ranges", method](Request(schema, discreet.Unit(), Fraction(1), parameters))


def work(method: str, schema: Schema, counts: Counts) -> Callable[[], Any]:
    made = mechanism(method, schema)
    if method == "privelet*":
        return lambda: made.measure(counts, Noise()).coefficients  # type: ignore[attr-defined]
    return lambda: made.measure(counts, Noise())


def fill_seconds(cells: int) -> float:
    generator = np.random.default_rng()
    return seconds(lambda: generator.laplace(size=cells), 3)


def _over_cells(report: Report) -> None:
    taken: dict[str, list[float]] = {method: [] for method in METHODS}
    powers, rows = (QUICK_POWERS, QUICK_ROWS) if report.quick else (POWERS, ROWS)
    for power in powers:
        schema = square(power)
        counts = uniform(schema, rows)
        fill = fill_seconds(schema.cells)
        for method, times in taken.items():
            job = work(method, schema, counts)
            job()
            times.append(seconds(job, 3))
            ratio = times[-1] / fill
            name = f"{method}, 2^{power} cells: time / Generator.laplace of as many"
            if power == powers[-1] and method in LIMITS:
                report.at_most(name, ratio, LIMITS[method])
            else:
                report.note(name, ratio)
    sizes = [square(power).cells for power in powers]
    for method, times in taken.items():
        report.at_most(f"{method}: time grows as the cells to the power", growth(sizes, times), 1.1)
    schema = square(powers[-1])
    counts = uniform(schema, rows)
    made = mechanism("privelet", schema)
    peak = peak_bytes(lambda: made.measure(counts, Noise()))
    report.at_most(f"privelet, 2^{powers[-1]} cells: peak memory / dense array", peak / (8 * schema.cells), 2.5)


def _over_rows(report: Report) -> None:
    schema, rows = square(24), (1_000_000, 5_000_000)
    times = []
    for count in rows:
        job = work("privelet", schema, uniform(schema, count))
        job()
        times.append(seconds(job, 3))
    report.note("privelet, 2^24 cells: time at 5 million rows / at 1 million", times[1] / times[0])


def _long_trees(report: Report) -> None:
    """One attribute of many codes: a tree is built, measured and made to agree."""
    powers = (14, 16, 18) if report.quick else (20, 22, 24)
    times = []
    for power in powers:
        schema = Schema(a=Ordinal(0, 2**power - 1))
        counts = uniform(schema, 100_000)
        ask = Questions(np.array([[5]]), np.array([[2**power // 3]]), 1, np.arange(1))

        def job(schema: Schema = schema, counts: Counts = counts, ask: Questions = ask) -> None:
            mechanism("dyadic", schema).measure(counts, Noise()).answer(ask, 0.95)

        job()
        times.append(seconds(job, 3))
        text = f"dyadic, one attribute of 2^{power} codes, from the request to an answer: time / Generator.laplace"
        report.note(f"{text} of as many as nodes", times[-1] / fill_seconds(2 ** (power + 1)))
    report.at_most("dyadic: time grows as the codes to the power", growth([2**power for power in powers], times), 1.15)


def brazil(pays: int = 1001) -> Schema:
    jobs = _three_levels("job", 512)
    return Schema(age=Ordinal(0, 100), sex=Nominal(["f", "m"]), job=jobs, pay=Ordinal(0, pays - 1))


def _brazil(report: Report) -> None:
    schema = brazil(51) if report.quick else brazil()
    counts = uniform(schema, QUICK_ROWS if report.quick else ROWS)
    cells = f"{schema.cells:.3g} cells"
    fill = fill_seconds(schema.cells)
    made = mechanism("privelet", schema)
    peak = peak_bytes(lambda: made.measure(counts, Noise()))
    report.at_most(f"privelet, {cells}: peak memory in GB", peak / 1e9, 4)
    report.note(f"privelet, {cells}: time / fill", seconds(lambda: made.measure(counts, Noise()), 2) / fill)
    summary = made.measure(counts, Noise())
    _asking(report, schema, summary, cells)
    _saving(report, summary, cells)


def _asking(report: Report, schema: Schema, summary: Any, cells: str) -> None:
    """The paper's questions: 1 to 4 predicates, each a random range or a random hierarchy node below the root."""
    dice = np.random.default_rng(2)
    first = np.zeros((QUESTIONS, len(schema)), np.int64)
    last = np.broadcast_to(np.array(schema.sizes) - 1, first.shape).copy()
    for question in range(QUESTIONS):
        for place in dice.choice(len(schema), dice.integers(1, 5), replace=False):
            attribute = schema[schema.names[place]]
            if isinstance(attribute, Nominal):
                nodes = [node for depth in range(attribute.depth) for node in attribute.level(depth)]
                _, first[question, place], last[question, place] = nodes[dice.integers(len(nodes))]
            else:
                ends = np.sort(dice.integers(0, attribute.size, 2))
                first[question, place], last[question, place] = ends
    questions = Questions(first, last, QUESTIONS, np.arange(QUESTIONS))
    table = np.zeros(schema.sizes, np.int64)
    one_pass = seconds(lambda: np.add(table, 1, out=table), 3)
    cold = seconds(lambda: summary.answer(questions, 0.95), 1)
    warm = seconds(lambda: summary.answer(questions, 0.95), 3)
    report.note(f"40,000 questions, {cells}, first time (makes running sums): time / one pass", cold / one_pass)
    report.at_most(f"40,000 questions, {cells}: time / one pass over the array", warm / one_pass, 5)


def _saving(report: Report, summary: Any, cells: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as temporary:
        bare = pa.table({"x": summary.values.reshape(-1)})
        plain = seconds(lambda: pq.write_table(bare, Path(temporary) / "bare.parquet"), 2)

        def save() -> None:
            _, contents = folder.sealed({"id": "benchmark"}, summary)
            packed = contents[folder.TABLE]
            assert isinstance(packed, bytes)
            (Path(temporary) / "table.parquet").write_bytes(packed)

        report.at_most(f"saving {cells}: time / bare Parquet", seconds(save, 2) / plain, 3)
