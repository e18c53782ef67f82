"""The few public shapes a mechanism may return, by the name they carry in release.json."""

from __future__ import annotations

from discreet.summaries.adaptive_blocks import AdaptiveBlocks
from discreet.summaries.agreed_tables import AgreedTables
from discreet.summaries.base import Answers, Summary
from discreet.summaries.coefficients import Coefficients, RestoredCells, TreeCounts
from discreet.summaries.dense_cells import DenseCells
from discreet.summaries.item_tables import ItemTables
from discreet.summaries.marginal_tables import MarginalTables
from discreet.summaries.query_answers import QueryAnswers
from discreet.summaries.selected_counts import SelectedCounts
from discreet.summaries.shared_counts import SharedCounts
from discreet.summaries.shared_edges import SharedEdges
from discreet.summaries.shrunk import Shrunk, ShrunkCells
from discreet.summaries.sketch_cells import SketchCells
from discreet.summaries.smoothed_items import FourierCounts, GroupedCounts
from discreet.summaries.sparse_cells import SparseCells
from discreet.summaries.sparse_nodes import SparseNodes
from discreet.summaries.weighted_levels import WeightedCells, WeightedLevels

_TABLES = (DenseCells, SparseCells, SketchCells, MarginalTables, QueryAnswers, ItemTables, GroupedCounts, FourierCounts)
_DENSE = (Coefficients, RestoredCells, Shrunk, ShrunkCells, TreeCounts, WeightedLevels, WeightedCells)
_SHARED = (SharedCounts, SharedEdges)
SHAPES: dict[str, type[Summary]] = {
    summary.shape: summary
    for summary in (*_TABLES, *_DENSE, *_SHARED, SparseNodes, AdaptiveBlocks, AgreedTables, SelectedCounts)
}

__all__ = ["SHAPES", "Answers", "Summary"]
