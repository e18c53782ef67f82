"""Every count with noise in proportion to how many records of one user may count.

Source: the Laplace perturbation of grouping-smoothing and sampled-analytics. Guarantee: see `item_method`; one user
changes the counts by at most the bound. Numerics: exact noise on whole numbers. Bias: records above the bound.
"""

from __future__ import annotations

from discreet.mechanisms.items.item_cells import RESCALE, ItemCells
from discreet.mechanisms.items.item_method import ITEMS


class Lpa(ItemCells):
    method = "lpa"
    parameters = (*ITEMS, RESCALE)
