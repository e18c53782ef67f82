"""Counts by some attributes, real and made up: where tables and ranges are tried."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.accuracy import commuting, people
from benchmarks.accuracy.shapes import FOLDERS, MADE_UP, Ints, Shape, columns, folder, half, shapes
from discreet.private.counts import Counts
from discreet.schema import Nominal, Ordinal, Schema
from discreet.tasks import Ranges, Table, Task

#: sizes of made-up tables, and numbers of records in them
SIZES: tuple[tuple[int, ...], ...] = (
    *((size,) for size in (6, 16, 32, 64, 100, 256, 1024)),
    *((4, 3), (12, 10), (32, 32), (100, 50), (7, 24, 12), (6, 9, 16, 15)),
)
RECORDS = (1_000, 30_000, 3_000_000)
#: of the shapes of dpbench, which are 4,096 values or 256 x 256 cells
GRID_RECORDS = {1: (1_000, 100_000, 10_000_000), 2: (10_000, 1_000_000)}
ADULT: dict[type[Task], tuple[tuple[str, ...], ...]] = {
    Table: (
        ("sex", "income>50K"),
        ("education-num", "sex", "race"),
        ("age", "sex", "income>50K"),
        ("workclass", "occupation", "education-num"),
        ("age", "hours-per-week"),
        ("age", "education-num", "occupation"),
        ("age", "hours-per-week", "sex", "race"),
        ("workclass", "education-num", "marital-status", "occupation", "relationship"),
        ("workclass", "education-num", "marital-status", "occupation", "relationship", "race", "sex", "income>50K"),
    ),
    Ranges: (
        ("education-num",),
        ("age",),
        ("age", "sex"),
        ("age", "hours-per-week"),
        ("age", "education-num", "sex"),
        ("capital-gain", "age"),
    ),
}
SURVEY: dict[type[Task], tuple[tuple[str, ...], ...]] = {
    Table: (
        ("Gender", "Race"),
        ("State", "Gender"),
        ("Age", "Education", "Gender"),
        ("State", "Age"),
        ("State", "Education", "Marital Status", "Race"),
        ("State", "Age", "Education", "Gender", "Race"),
    ),
    Ranges: (("Income",), ("Age",), ("Age", "Income"), ("State", "Age"), ("Age", "Income", "Education")),
}
#: codes of these have an order
ORDERED = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week", "Age", "Income")


@dataclass(frozen=True, eq=False)
class Counted:
    """A table of counts, and the task that it is tried with."""

    name: str
    half: str
    task: type[Task]
    schema: Schema
    counts: Counts


@cache
def counted(quick: bool) -> tuple[Counted, ...]:
    """Real ones first; a quick run has some that are soon made."""
    if quick:
        return (*_sales(), *_made_up())[::13]
    return (*_adult(), *_survey(), *_jobs(), *_sales(), *_grids(), *_made_up())


def _adult() -> Iterator[Counted]:
    if (where := folder("adult")) is not None:
        names, sizes, codes = _adult_codes(where)
        yield from _by_columns("adult", "A", names, sizes, codes, ADULT)


def _adult_codes(where: Path) -> tuple[tuple[str, ...], tuple[int, ...], Ints]:
    sizes = json.loads((where / "adult_discretised-domain.json").read_text(encoding="utf-8"))
    codes = columns(where / "adult_discretised.csv", tuple(sizes))
    return tuple(sizes), tuple(sizes.values()), np.array([codes[name] for name in sizes]).astype(np.int64).T


def _survey() -> Iterator[Counted]:
    if (where := folder(people.ACS)) is not None:
        found = people.survey(where)
        yield from _by_columns("survey", "B", people.ACS_COLUMNS, found.sizes, found.codes, SURVEY)


def _by_columns(
    what: str,
    which: str,
    names: Sequence[str],
    sizes: Sequence[int],
    codes: Ints,
    wanted: dict[type[Task], tuple[tuple[str, ...], ...]],
) -> Iterator[Counted]:
    for task, sets in wanted.items():
        for some in sets:
            places = [list(names).index(name) for name in some]
            kinds = {name: _kind(name, sizes[place]) for name, place in zip(some, places, strict=True)}
            counts = Counts.from_arrays(
                tuple(sizes[place] for place in places), codes[:, places], np.ones(len(codes), np.int64)
            )
            yield Counted(f"{what}, {task.name} by {' x '.join(some)}", which, task, Schema(kinds), counts)


def _kind(name: str, size: int) -> Nominal | Ordinal:
    return Ordinal(0, size - 1) if name in ORDERED else Nominal([str(code) for code in range(size)])


def _jobs() -> Iterator[Counted]:
    """Where people work and live: blocks in tracts in counties."""
    if (where := folder("lodes_ri_2019")) is None:
        return
    blocks, cells, jobs = commuting.read(where)
    spans = blocks.level("tract")
    tract = np.repeat(np.arange(len(spans)), [last - first + 1 for _, first, last in spans])
    tree: dict[str, list[str]] = {}
    for name, _, _ in spans:
        tree.setdefault(name[:5], []).append(name)
    tracts = Nominal(hierarchy=tree, levels=["county", "tract"])
    by_tract = Schema(home=tracts, work=tracts)
    flows = Counts.from_arrays(by_tract.sizes, tract[cells], jobs)
    homes = Schema(home=blocks)
    at_home = Counts.from_arrays(homes.sizes, cells[:, :1], jobs)
    yield Counted("jobs, table by home block", "B", Table, homes, at_home)
    yield Counted("jobs, ranges by home block", "B", Ranges, homes, at_home)
    yield Counted("jobs, table by home and work tract", "B", Table, by_tract, flows)
    yield Counted("jobs, ranges by home and work tract", "B", Ranges, by_tract, flows)


def _sales() -> Iterator[Counted]:
    """Lines of invoices by weekday and hour, and by country and month."""
    if (where := folder("online_retail")) is None:
        return
    import pyarrow.parquet as pq

    rows = pq.read_table(where / "online_retail.parquet", columns=["InvoiceDate", "Country"]).to_pandas()
    when, country = rows["InvoiceDate"].astype("datetime64[ns]").dt, np.unique(rows["Country"], return_inverse=True)
    ones, countries = np.ones(len(rows), np.int64), Nominal(list(map(str, country[0])))
    hours = np.stack([when.weekday, when.hour], axis=1).astype(np.int64)
    by_hour = Schema(weekday=Nominal(list("1234567")), hour=Ordinal(0, 23))
    months = np.stack([country[1], (when.year - 2010) * 12 + when.month - 12], axis=1).astype(np.int64)
    by_month = Schema(country=countries, month=Ordinal(0, 12))
    for task in (Table, Ranges):
        for schema, codes in ((by_hour, hours), (by_month, months)):
            name = f"sales, {task.name} by {' x '.join(schema)}"
            yield Counted(name, "B", task, schema, Counts.from_arrays(schema.sizes, codes, ones))


def _grids() -> Iterator[Counted]:
    for ways in FOLDERS:
        sizes = (4096,) if ways == 1 else (256, 256)
        for shape in shapes(sizes):
            if shape.name not in MADE_UP:
                for records in GRID_RECORDS[ways]:
                    yield from _of_shape(shape, sizes, records)


def _made_up() -> Iterator[Counted]:
    """Of every size and number of records, two shapes: one of each half."""
    names = {which: [name for name in MADE_UP if half(name) == which] for which in "AB"}
    for number, (sizes, records) in enumerate((sizes, records) for sizes in SIZES for records in RECORDS):
        for some in names.values():
            name = some[number % len(some)]
            yield from _of_shape(Shape(name, MADE_UP[name](sizes)), sizes, records)


def _of_shape(shape: Shape, sizes: tuple[int, ...], records: int) -> Iterator[Counted]:
    schema = Schema({f"x{place}": Ordinal(0, size - 1) for place, size in enumerate(sizes)})
    counts = Counts.from_dense(sizes, shape.records(records).reshape(-1))
    said = " x ".join(map(str, sizes))
    for task in (Table, Ranges):
        yield Counted(f"{shape.name}, {task.name} of {said}, {records:,} records", shape.half, task, schema, counts)
