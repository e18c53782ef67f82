"""The few public shapes a mechanism may return, by the name they carry in release.json."""

from __future__ import annotations

import importlib

from discreet.summaries.base import Answers, Summary

#: shape -> the module that it comes from; a module is loaded when a release has that shape
SHAPES = {
    "agreed-tables": "agreed_tables",
    "blocks": "adaptive_blocks",
    "coefficients": "coefficients",
    "dense-cells": "dense_cells",
    "fourier-items": "smoothed_items",
    "grouped-items": "smoothed_items",
    "item-tables": "item_tables",
    "marginal-tables": "marginal_tables",
    "query-answers": "query_answers",
    "restored-cells": "coefficients",
    "selected-counts": "selected_counts",
    "shared-counts": "shared_counts",
    "shared-edges": "shared_edges",
    "shrunk-cells": "shrunk",
    "shrunk-coefficients": "shrunk",
    "sketch": "sketch_cells",
    "sparse-cells": "sparse_cells",
    "sparse-nodes": "sparse_nodes",
    "tree-counts": "coefficients",
    "weighted-cells": "weighted_levels",
    "weighted-levels": "weighted_levels",
}


def summary_of(shape: str) -> type[Summary]:
    """The class of that shape; a KeyError if there is none."""
    module = importlib.import_module(f"{__name__}.{SHAPES[shape]}")
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Summary)]
    return next(kind for kind in kinds if getattr(kind, "shape", None) == shape)


__all__ = ["SHAPES", "Answers", "Summary", "summary_of"]
