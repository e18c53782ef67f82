"""Items and edges with independent noise in every count: what lpa, sra and hpa publish."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.items.item_method import ItemMethod
from discreet.naming import RESCALED_COLUMNS
from discreet.noise import Noise
from discreet.parameters import Flag, Parameter
from discreet.private.kept import Histories, Kept
from discreet.summaries import Summary
from discreet.summaries.item_tables import ItemTables, Total
from discreet.summaries.marginal_tables import Part

TOTAL_SHARE = Fraction(1, 50)
RESCALE = Parameter(
    "rescale",
    Flag(),
    "Whether counts are multiplied so that they add up to a noisy total of all records, for a share of epsilon",
    False,
)


class ItemCells(ItemMethod):
    """Noise of one scale for all items, of another for all edges; `select` says which records are kept."""

    def __init__(self, request: Request) -> None:
        self.rescales = request.parameters.get("rescale") is True
        self.columns = RESCALED_COLUMNS if self.rescales else ()
        super().__init__(request)
        self.needs_rows |= self.rescales
        self.looks += self.rescales
        if self.rescales and self.pairs:
            raise BadParameter("rescale: a total of records cannot correct counts of pairs; leave rescale out")

    def default_shares(self) -> dict[str, Fraction]:
        total = {"total": TOTAL_SHARE} if self.rescales else {}
        return {**total, **self.for_each_table({"items": 1 - sum(total.values(), Fraction(0))})}

    def select(self, histories: Histories, bound: int, noise: Noise) -> Kept:
        return self.kept(histories, bound, noise)

    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        tables = self.tables(self.select(histories, bound, noise), bound)
        units = [self.unit_of(bound), self.edge_unit(bound)]
        parts = []
        for table, step, unit in zip(tables, self.steps, units, strict=False):
            scale = self.scale(step, unit)
            if step == "edges" and self.pairs:
                noisy = self._noisy_pairs(table, scale, noise)
            else:
                noisy = noise.add(table, scale)
            parts.append(Part.single(noisy, scale))
        total = self._total(histories, noise) if self.rescales else None
        left = self.left_records(bound)
        return ItemTables(self.release_schema, self.views, parts, left=left, pairs=self.pair_kind, total=total)

    def _total(self, histories: Histories, noise: Noise) -> Total:
        """A noisy number of all records, up to the unit's own bound."""
        most = self.request.unit.most
        scale = self.scale("total", self.unit_of(most))
        return Total(self.noisy_total(self.kept(histories, most, noise), most, noise, scale), scale)

    def method_leaves_out(self) -> list[LeftOut]:
        found = super().method_leaves_out()
        if not self.rescales:
            return found
        others = [one for one in found if one.kind != "user-bound"]
        return [LeftOut("rescaled", {"bound": str(self.bound)}), *others]

    def _noisy_pairs(self, table: NDArray[np.int64], scale: Fraction, noise: Noise) -> NDArray[np.int64]:
        """An item makes no pair with itself. Where users are counted, a pair is one count, whichever comes first."""
        items = self.sizes["items"]
        square = table.reshape(items, items)
        if self.distinct:
            upper = np.triu_indices(items, 1)
            noisy = np.zeros_like(square)
            noisy[upper] = noise.add(square[upper], scale)
            return (noisy + noisy.T).reshape(-1)
        noisy = noise.add(square, scale)
        np.fill_diagonal(noisy, 0)
        return noisy.reshape(-1)

    @property
    def pair_kind(self) -> str:
        """none: contexts; both: pairs of items; second: records of the second item by users of the first."""
        return ("both" if self.distinct else "second") if self.pairs else "none"
