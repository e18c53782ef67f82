"""Do publicly known totals count what the rows have under the declared rules? Private, for the custodian only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from discreet.kernels.sorted_rows import sparse_box_sums
from discreet.private.fit_report import FitWarning
from discreet.queries.known_entries import shown
from discreet.queries.known_totals import given_groups
from discreet.schema import Schema
from discreet.summaries.base import per_question
from discreet.tasks import Task

_FIX = (
    "answers would be wrong by that much: it counts something else, so leave it out, or declare the rules that it "
    "counts by; never put in what the rows have"
)


def known_warnings(name: str, task: Task, schema: Schema, bounded: Any) -> Iterator[FitWarning]:
    """One for each total that is not what the rows have. How far it is off is said only roughly: see the fix."""
    if not task.known:
        return
    asked, table = given_groups(task.known, schema), bounded.table()
    sums = np.zeros((len(asked.first), 1), np.int64)
    first, last = (np.ascontiguousarray(side) for side in (asked.first, asked.last))
    sparse_box_sums(np.ascontiguousarray(table.codes), table.counts[:, None].copy(), first, last, sums)
    for entry, true in zip(task.known, per_question(asked, sums[:, 0]).tolist(), strict=True):
        if (off := true - entry["count"]) == 0:
            continue
        rough = 100 * abs(off) / max(true, 1)
        size = "under 1 %" if rough < 1 else "over 10 %" if rough > 10 else "1 to 10 %"
        said = f"known: {shown(entry)} is not {entry['count']:,}: the rows that count are {size} "
        yield FitWarning(f"releases.{name}", said + ("more" if off > 0 else "fewer"), _FIX)
