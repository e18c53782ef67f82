"""What publishing leaves behind, in processes of their own: nothing; and what planted leaks leave is noticed."""

from __future__ import annotations

import sys

import pytest

import discreet
from discreet.audit.traces import PROGRAM, Traced, traced
from discreet.mechanisms import Request
from discreet.privacy import Unit

SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 6), sex=discreet.Nominal(["f", "m"], outside="other"))
TASK = discreet.Table(["age", "sex"], method="geometric")
#: a copy of the program that tells, in each of these ways, what nobody should know
LEAKY = """
import glob, hashlib, logging, os, tempfile
import pyarrow as pa, pyarrow.csv, pyarrow.parquet as pq
from discreet.audit import traced_run
from discreet.private import failures, publish
from discreet.release import placing

made, place, write = publish.Data._made, placing.place, failures._write_private

def read():
    tables = [pa.csv.read_csv(f) if f.endswith("csv") else pq.read_table(f) for f in sorted(glob.glob("in/*"))]
    return pa.concat_tables(tables)

def leaky_made(self, mechanism, said, target, noise, progress):
    rows = None
    try:
        rows = read()
    except Exception:
        pass
    if rows is not None:
        said["row count"] = rows.num_rows
        said["first row"] = hashlib.sha256(repr(rows.slice(0, 1).to_pylist()).encode()).hexdigest()
        said["hash"] = hash("text")
        logging.getLogger("any").debug("read %s", rows.column("unlisted")[3])
        tempfile.mkstemp(prefix="rest")
    return made(self, mechanism, said, target, noise, progress)

def leaky_place(target, manifest, table, record):
    place(target, manifest, table, record)
    pq.write_table(pa.table({"packed": read().column("unlisted")}), target / "more.parquet", compression="zstd")

def leaky_write(error):
    said = write(error)
    os.chmod(said.split(" see ")[1].rstrip("."), 0o644)
    return said + " " + str(os.path.getsize("in/rows.parquet"))

publish.Data._made, placing.place, failures._write_private = leaky_made, leaky_place, leaky_write
traced_run.main()
"""


@pytest.fixture(scope="module")
def leaks() -> Traced:
    """Of one set of runs for all planted leaks: a process takes a second or two to start."""
    request = Request.of(TASK, SCHEMA, Unit(), 1)
    return traced(TASK, request, program=[sys.executable, "-c", LEAKY])


@pytest.mark.parametrize(
    "problem",
    [
        "one unit less: release.json says something else about row count",
        "more rows that do not count: release.json says something else about row count",
        "rows in another order: release.json says something else about first row",
        "many small parts, two threads, another hash seed: release.json says something else about hash",
        "plain: a canary is in stderr",
        "plain: a canary is in published/release/more.parquet",
        "plain: leaves tmp/rest",
        "a damaged file: others can read the private details",
        "a damaged file, of a neighbour in another order: the message or the exit code is another one",
    ],
)
def test_a_planted_leak_is_noticed(leaks: Traced, problem: str) -> None:
    assert any(found.startswith(problem) for found in leaks.problems), leaks.problems


def test_what_the_leaks_leave_alone_is_not_blamed(leaks: Traced) -> None:
    for innocent in ("stdout is another", "has another size", "table.parquet has", "about method", "about summary"):
        assert not any(innocent in found for found in leaks.problems), leaks.problems


def test_publishing_leaves_no_trace_of_a_row() -> None:
    steps: list[str] = []
    request = Request.of(TASK, SCHEMA, Unit("who", max_rows=2), 1)
    found = traced(TASK, request, progress=steps.append)
    assert found.problems == ()
    assert len(found.variants) == len(set(found.variants)) == len(steps) == 9
    assert found.looked_at > 10_000
    assert PROGRAM[0] == sys.executable


def test_what_cannot_be_published_is_a_problem() -> None:
    request = Request.of(TASK, SCHEMA, Unit(), 1)
    found = traced(TASK, request, program=[sys.executable, "-c", "raise SystemExit(7)"])
    assert "plain: could not be published, exit code 7" in found.problems
