"""Few records of each user, chosen at random, and so little noise.

Source: SRA of sampled-analytics, algorithm 1. Guarantee: see `item_method`; with the bound enforced this is lpa with a
bound that is small on purpose. Numerics: exact noise on whole numbers. Bias: counts are of the kept records only.
"""

from __future__ import annotations

from discreet.mechanisms.items.item_cells import RESCALE, ItemCells
from discreet.mechanisms.items.item_method import ITEMS


class Sra(ItemCells):
    method = "sra"
    parameters = (*ITEMS, RESCALE)
