"""Items: all group sizes for six million items; bounding and counting a hundred million records.

The first is `measure` of gs at the size of the Gowalla check-ins (196,591 users, 5,977,758 items, 6.4 million records),
what is kept of users being given. The second are sra, hpa and even-shares over a Parquet file of the size of the
Netflix ratings (480,189 users, 17,770 items; made up, zipf-like), from the file to the published counts, against
DuckDB's bare count per item over the same file. A quick run stops at 10^6 records and a tenth of the check-ins.
"""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Report, growth, peak_bytes, seconds, yardstick
from discreet.mechanisms import Request, registry
from discreet.noise import Noise
from discreet.privacy import Unit
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import Limits
from discreet.private.kept import Kept, KeptRecords
from discreet.private.rows import Rows
from discreet.schema import Ordinal, Schema
from experiments.shared.bounded import OnlyHistories

CHECKIN_USERS, CHECKIN_ITEMS, CHECKIN_RECORDS, CHECKIN_MOST = 196_591, 5_977_758, 6_442_892, 2_175
FILM_USERS, FILMS, RATINGS = 480_189, 17_770, 10**8
DAYS = 7
_BLOCK = 5 * 10**6


def run(quick: bool) -> Report:
    report = Report("items: two cores", quick)
    length = yardstick()
    report.note("L in seconds", length)
    _grouping(report, length)
    _streaming(report)
    return report


class Given:
    """Histories of which everything is already known."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def kept(self, most: int, *, distinct: bool, scores: Any, salt: bytes) -> Kept:
        return self._kept


def _grouping(report: Report, length: float) -> None:
    part = 10 if report.quick else 1
    given, places = Given(checkins(part)), CHECKIN_ITEMS // part
    schema = Schema(place=Ordinal(0, places - 1))
    unit = Unit("user", max_rows=CHECKIN_MOST)

    def publish() -> None:
        request = Request(schema, unit, Fraction(7, 10), {"count": "users"})
        registry()["items", "gs"](request).measure(OnlyHistories(given), Noise())

    report.at_most(f"gs, {places:,} items, all sizes of groups: time / L", seconds(publish, 3) / length, 20)
    report.at_most("gs: peak memory in arrays of all items", peak_bytes(publish) / (8 * places), 10)


def checkins(part: int = 1) -> KeptRecords:
    """One part in so many of the whole."""
    dice, many = np.random.default_rng(1), CHECKIN_ITEMS // part
    weights = np.minimum(dice.pareto(1.1, CHECKIN_USERS // part) + 1, CHECKIN_MOST)
    each = np.maximum(1, weights * (CHECKIN_RECORDS // part / weights.sum())).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.minimum(each, CHECKIN_MOST))])
    places = np.minimum(dice.zipf(1.2, int(starts[-1])), many) - 1
    return KeptRecords((many,), starts, dice.permutation(many)[places])


def _streaming(report: Report) -> None:
    import duckdb

    connection: Any = duckdb.connect()
    sizes = [10**5, 10**6] if report.quick else [10**6, 10**7, RATINGS]
    times: dict[str, list[float]] = {"sra": [], "hpa": [], "even-shares": []}
    with tempfile.TemporaryDirectory() as temporary:
        for records in sizes:
            file = Path(temporary) / f"ratings-{records}.parquet"
            write_ratings(file, records)
            query = f"SELECT film, count(*) FROM '{file}' GROUP BY film"
            bare = seconds(lambda query=query: connection.sql(query).fetchnumpy(), 3)  # type: ignore[misc]
            for method, found in times.items():
                found.append(seconds(lambda file=file, method=method: publish(file, method), 2))  # type: ignore[misc]
                text = f"{method}, {records:.0e} records: time / DuckDB's count per item"
                if records == sizes[-1]:
                    report.at_most(text, found[-1] / bare, 15 if method == "even-shares" else 10)
                else:
                    report.note(text, found[-1] / bare)
            last = file
        for method, found in times.items():
            slope = growth(sizes[-2:], found[-2:])
            report.at_most(f"{method}: growth exponent from {sizes[-2]:.0e} to {sizes[-1]:.0e} records", slope, 1.15)
            peak = peak_bytes(lambda method=method: publish(last, method))  # type: ignore[misc]
            report.at_most(f"{method}, {sizes[-1]:.0e} records: peak memory in GB", peak / 1e9, 6)


def publish(file: Path, method: str) -> None:
    schema = Schema(film=Ordinal(1, FILMS), day=Ordinal(0, DAYS - 1))
    unit = Unit("user", max_rows=10)
    if method == "even-shares":  # timed as usual: without contexts, and with all records
        schema, unit = schema.select(["film"]), Unit("user", max_rows=5000)
    made = registry()["items", method](Request(schema, unit, Fraction(1), {}))
    made.measure(Rows(open_source(str(file)), Limits()).bounded(schema, unit, Noise().salt()), Noise())


def write_ratings(file: Path, records: int, users: int | None = None) -> None:
    """Users and films by their weights, records in no order; by default as many users as among the ratings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    dice = np.random.default_rng(2)
    many = users or max(1, FILM_USERS * records // RATINGS)
    activity = np.cumsum(np.minimum(dice.pareto(1.0, many) + 0.2, 80.0))
    popularity = np.cumsum(1 / np.arange(1, FILMS + 1) ** 0.9)
    names = dice.permutation(FILMS) + 1
    schema = pa.schema([("user", pa.int64()), ("film", pa.int32()), ("day", pa.int8())])
    with pq.ParquetWriter(file, schema) as writer:
        for start in range(0, records, _BLOCK):
            count = min(_BLOCK, records - start)
            film = names[_drawn(popularity, count, dice)].astype(np.int32)
            user = _drawn(activity, count, dice) * 7 + 3
            day = dice.integers(0, DAYS, count).astype(np.int8)
            writer.write_table(pa.table([user, film, day], schema=schema))


def _drawn(running: NDArray[np.float64], count: int, dice: Any) -> NDArray[np.int64]:
    found = np.searchsorted(running, dice.random(count) * running[-1])
    return np.asarray(np.minimum(found, running.size - 1), np.int64)
