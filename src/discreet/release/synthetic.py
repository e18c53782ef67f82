"""Rows that fit what was published. Post-processing: it sees a release and nothing else, and costs nothing.

Its randomness decides nothing that protects anybody, so that anyone may give a seed: the same seed gives the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import BadParameter, CannotAnswer
from discreet.release.synthetic_boxes import rows_of_boxes
from discreet.release.synthetic_columns import value_column
from discreet.release.synthetic_rows import SyntheticRows
from discreet.release.synthetic_tables import rows_of_tables
from discreet.summaries import Summary
from discreet.summaries.mass_boxes import halved
from discreet.summaries.query_answers import QueryAnswers

if TYPE_CHECKING:
    from discreet.release.release import Release

MOST_ROWS = 10**9
NOTE = (
    "synthetic rows, drawn to fit the counts of a release; no row is a record. Use them to try out code, to look "
    "around and to train models. For a count ask the release: its answers have error bars, and rows have none"
)
NOT_PRIVATE = "NOT PRIVATE: the release was made with test noise; do not publish these rows"

Progress = Callable[[str], None]


def synthetic_rows(release: Release, n: int | None, seed: int | None, progress: Progress) -> SyntheticRows:
    """n rows that fit the release; as many as it has records, if no number is given."""
    _refuse(release)
    wanted = _wanted(release, n)
    chosen = _checked(seed)
    random = np.random.Generator(np.random.PCG64(chosen))
    codes = _codes(release.summary, wanted, random, progress)
    progress("giving rows their values")
    return SyntheticRows(_table(release, codes), _facts(release, wanted, chosen))


def _refuse(release: Release) -> None:
    if release.manifest["task"]["task"] == "items":
        raise CannotAnswer(
            "rows: a release of Items counts records of users who have many; rows would have to say which of them "
            "belong to one user, which it does not tell. Publish a Table, Ranges or Marginals for rows"
        )
    if isinstance(release.summary, QueryAnswers):
        raise CannotAnswer(
            "rows: this release holds answers to a list of queries, and no table that rows could fit. Publish "
            "Marginals without `queries` for rows"
        )


def _wanted(release: Release, n: int | None) -> int:
    if n is None:
        found = int(release.count(whole=True).value)
        if found < 1:
            raise CannotAnswer("rows: the release has about 0 records; say how many rows you want")
        return found
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST_ROWS:
        raise BadParameter(f"rows: n must be a whole number from 1 to {MOST_ROWS:,}, not {n!r}")
    return n


def _checked(seed: int | None) -> int:
    if seed is None:
        # not more than any reader of JSON takes for a whole number
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 16
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise BadParameter(f"rows: a seed is a whole number from 0 to 2**63 - 1, not {seed!r}")
    return seed


def _codes(summary: Summary, n: int, random: Any, progress: Progress) -> Any:
    """A row of codes for each row. A summary says itself what to draw from, or is asked about ever smaller boxes."""
    progress("reading the release")
    if (tables_of := getattr(summary, "fitted_tables", None)) is not None:
        tables = tables_of()
        if not all(table.sum() > 0 for _, table in tables):
            raise _nothing()
        return rows_of_tables(summary.schema.sizes, tables, n, random, progress)
    boxes_of = getattr(summary, "fitted_boxes", None)
    boxes = halved(summary, n) if boxes_of is None else boxes_of(n)
    if not boxes.mass.sum() > 0:
        raise _nothing()
    progress("drawing rows")
    return rows_of_boxes(boxes, n, random)


def _nothing() -> CannotAnswer:
    return CannotAnswer("rows: all that this release holds is noise around zero, so there is nothing for rows to fit")


def _table(release: Release, codes: Any) -> Any:
    import pyarrow as pa

    schema = release.schema
    return pa.table({name: value_column(schema[name], codes[:, place]) for place, name in enumerate(schema)})


def _facts(release: Release, n: int, seed: int) -> dict[str, Any]:
    """The mark: what the rows are, and all that is needed to make them again."""
    said = release.manifest
    which = {key: said.get(key) for key in ("id", "seal", "dataset", "time", "method", "epsilon")}
    return {
        "synthetic": True,
        **({} if release.publishable else {"not_private": NOT_PRIVATE}),
        "note": NOTE,
        "rows": n,
        "seed": seed,
        "release": {**which, "task": said["task"]["task"], "publishable": release.publishable},
        "software": f"discreet {version('discreet')}",
    }
