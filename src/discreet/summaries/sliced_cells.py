"""Tables whose release is in slices: loaded like others if they are small, else asked where they are, file by file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import CannotAnswer
from discreet.numbers import written
from discreet.numbers.cell_numbers import CellNumbers
from discreet.privacy import Alpha
from discreet.queries import Boxes
from discreet.schema import Schema
from discreet.summaries.base import Summary
from discreet.summaries.columns import opened, read_column
from discreet.summaries.dense_cells import DenseCells
from discreet.summaries.listed_files import ListedFile, ListedFiles
from discreet.summaries.mass_boxes import MassBoxes
from discreet.summaries.sparse_cells import SparseCells
from discreet.summaries.sparse_law import rule_of

#: tables of more rows are not loaded
MOST_LOADED = 1 << 24


def read_slices(schema: Schema, facts: dict[str, Any], folder: Path) -> Summary:
    """The summary whose table the listed files make up, in their order; a ValueError if they do not fit together."""
    shapes: Mapping[str, Any] = {DenseCells.shape: _dense, SparseCells.shape: _sparse}
    paths, rows = zip(*((folder / one["file"], one["rows"]) for one in facts["slices"]), strict=True)
    for path, many in zip(paths, rows, strict=True):
        with opened(path) as file:
            if file.metadata.num_rows != many:
                raise ValueError(f"{path.name} has {file.metadata.num_rows} rows where the manifest says {many}")
    found: Summary = shapes[facts["shape"]](schema, facts, paths, rows)
    return found


def _dense(schema: Schema, facts: dict[str, Any], paths: Sequence[Path], rows: Sequence[int]) -> DenseCells:
    if sum(rows) != schema.cells:
        raise ValueError(f"the slices have {sum(rows)} rows where the schema has {schema.cells} cells")
    alpha = written.alpha(facts)
    if schema.cells > MOST_LOADED:
        files = [ListedFile(*one) for one in zip(paths, rows, accumulate(rows, initial=0), strict=False)]
        return DenseCellsOnDisk(schema, files, alpha)
    parts = zip(paths, rows, strict=True)
    values = [read_column(path, "count", many, "the manifest has others", np.int64) for path, many in parts]
    return DenseCells(schema, np.concatenate(values), alpha)


def _sparse(schema: Schema, facts: dict[str, Any], paths: Sequence[Path], rows: Sequence[int]) -> SparseCells:
    if sum(rows) > MOST_LOADED:
        files = [ListedFile(path, many, None) for path, many in zip(paths, rows, strict=True)]
        return SparseCellsOnDisk(schema, files, rule_of(facts))
    return SparseCells.read_all(schema, facts, paths)


class DenseCellsOnDisk(DenseCells):
    """Every cell, in files in the schema's order."""

    def __init__(self, schema: Schema, files: Sequence[ListedFile], alpha: Alpha) -> None:
        self.schema, self.alpha, self.listed = schema, alpha, ListedFiles(schema, files)

    def _box_sums(self, boxes: Boxes) -> NDArray[Any]:
        return self.listed.whole_sums(boxes)

    def to_arrow(self) -> Any:
        raise _too_many(self.schema.cells)


class SparseCellsOnDisk(SparseCells):
    """The kept cells, in files."""

    def __init__(self, schema: Schema, files: Sequence[ListedFile], rule: dict[str, Any]) -> None:
        super().__init__(schema, CellNumbers(schema.sizes).empty(0), np.empty(0, np.int64), rule)
        self.listed = ListedFiles(schema, files)

    def _box_columns(self, boxes: Boxes) -> NDArray[np.float64]:
        sums = self.listed.sums(boxes, self._columns_in_sql)
        for share, drawn in ((2, 4), (3, 5)):  # what is left of differences of sums where nothing is
            sums[:, share] = np.where(sums[:, drawn] > 0, np.maximum(sums[:, share], 0.0), 0.0)
        return sums

    @property
    def _columns_in_sql(self) -> list[str]:
        """What `_columns` has of each cell."""
        tau, size, sign = repr(float(self.law.tau)), "abs(count)", "sign(count)"
        missed = f"(1 - least({size} / {tau}, 1.0))" if self.law.tau else "0.0"
        sides = [f"CASE WHEN {sign} = {side} THEN {{}} ELSE 0 END" for side in (1, -1)]
        drawn = f"({missed} > 0)::DOUBLE"
        return [
            "count",
            f"{sign} * greatest({size}, {tau})",
            *(side.format(column) for column in (missed, drawn) for side in sides),
            f"greatest({tau} / greatest({size}, 1), 1.0)",
            "1",
        ]

    @cached_property
    def _seen(self) -> float:
        last = np.array([self.schema.sizes]) - 1
        weight = f"CASE WHEN count = 0 THEN 0 ELSE greatest(abs(count), {float(self.law.tau)!r}) END"
        held = self.listed.sums(Boxes(np.zeros_like(last), last), [weight])
        return max(float(held[0, 0]), 10.0 * self.law.theta)

    def fitted_boxes(self, rows: int) -> MassBoxes:
        raise _too_many(sum(file.rows for file in self.listed.files))

    def to_arrow(self) -> Any:
        raise _too_many(sum(file.rows for file in self.listed.files))


def _too_many(rows: int) -> CannotAnswer:
    return CannotAnswer(
        f"the release has {rows:,} cells, too many to load (at most {MOST_LOADED:,}): ask it for counts and tables, or "
        "read its files with an engine of your own, such as DuckDB"
    )
