"""The few public shapes a mechanism may return, by the name they carry in release.json."""

from __future__ import annotations

from discreet.summaries.base import Answers, Summary
from discreet.summaries.coefficients import Coefficients
from discreet.summaries.dense_cells import DenseCells
from discreet.summaries.item_tables import ItemTables
from discreet.summaries.marginal_tables import MarginalTables
from discreet.summaries.query_answers import QueryAnswers
from discreet.summaries.restored_cells import RestoredCells
from discreet.summaries.shrunk import Shrunk
from discreet.summaries.shrunk_cells import ShrunkCells
from discreet.summaries.sketch_cells import SketchCells
from discreet.summaries.smoothed_items import FourierCounts, GroupedCounts
from discreet.summaries.sparse_cells import SparseCells
from discreet.summaries.sparse_nodes import SparseNodes
from discreet.summaries.tree_counts import TreeCounts

_ALL: tuple[type[Summary], ...] = (
    DenseCells,
    SparseCells,
    SparseNodes,
    SketchCells,
    Coefficients,
    RestoredCells,
    Shrunk,
    ShrunkCells,
    TreeCounts,
    MarginalTables,
    QueryAnswers,
    ItemTables,
    GroupedCounts,
    FourierCounts,
)
SHAPES: dict[str, type[Summary]] = {summary.shape: summary for summary in _ALL}

__all__ = ["SHAPES", "Answers", "Summary"]
