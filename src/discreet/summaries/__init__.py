"""The few public shapes a mechanism may return, by the name they carry in release.json."""

from __future__ import annotations

from discreet.summaries.base import Answers, Summary
from discreet.summaries.coefficients import Coefficients
from discreet.summaries.dense_cells import DenseCells
from discreet.summaries.sketch_cells import SketchCells
from discreet.summaries.sparse_cells import SparseCells

SHAPES: dict[str, type[Summary]] = {
    summary.shape: summary for summary in (DenseCells, SparseCells, SketchCells, Coefficients)
}

__all__ = ["SHAPES", "Answers", "Summary"]
