"""How far the tree of a single attribute is to be believed about what lies inside of blocks of a tree of several.

Blocks that were not divided are compared with their siblings that were not divided either: if they differ as margins
say, margins will be right inside of them as well; if a few large cells elsewhere make up a margin, they do not. Least
squares says how much of a margin fits best, attribute by attribute. Margins of nominal attributes are always believed:
values side by side may well have even counts, names need not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.transforms.axis import Floats, Integers
from discreet.transforms.block_tree import BlockTree

#: large siblings were divided, so that those left differ less than all would: what fits is raised by this
_RAISED = 2.0
#: trust to begin with is whole; that weighs as much as differences of so many squared standard errors
_BEFORE = 10.0


def trust_in(
    margins: Sequence[tuple[Integers, Floats]],
    ordinal: Sequence[bool],
    tree: BlockTree,
    estimate: Floats,
    variance: Floats,
) -> Floats:
    """For each attribute from 0, records lie evenly, to 1, as its margin says."""
    trust, asked = np.ones(len(margins)), np.flatnonzero(ordinal)
    parents = np.flatnonzero(tree.refined)
    fanout = np.prod(tree.parts[parents], axis=1)
    of = np.repeat(parents, fanout)  # of every block but the root, for children stand in the order of their parents
    stopped = 1 + np.flatnonzero(~tree.refined[1:] & (tree.blocks.end[1:] < tree.plan.depth))
    if not stopped.size or not asked.size:
        return trust
    family = np.unique(of[stopped - 1], return_inverse=True)[1]
    first, last = tree.blocks.first[stopped], tree.blocks.last[stopped]
    together = np.maximum(np.bincount(family, estimate[stopped]), 0.0)[family]
    sizes = np.prod((last - first + 1.0) / np.array(tree.plan.sizes), axis=1)
    even = sizes / np.bincount(family, sizes)[family]
    told = np.empty((stopped.size, len(margins)))
    for axis, (codes, before) in enumerate(margins):
        mass = np.interp(last[:, axis] + 1.0, codes, before) - np.interp(first[:, axis], codes, before)
        weight = sizes * mass / (last[:, axis] - first[:, axis] + 1.0)
        whole = np.bincount(family, weight)[family]
        told[:, axis] = together * (np.divide(weight, whole, out=even.copy(), where=whole > 0) - even)
    left = estimate[stopped] - together * even - told[:, ~np.array(ordinal)].sum(axis=1)
    told = told[:, asked]
    scaled = told / variance[stopped, None]
    found = np.linalg.solve(scaled.T @ told + _BEFORE * np.eye(asked.size), scaled.T @ left + _BEFORE)
    trust[asked] = np.clip(_RAISED * found, 0.0, 1.0)
    return trust
