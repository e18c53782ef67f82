"""Items in groups: each group's count with noise, shared out evenly. What gs-r, gs-s and gs have in common.

Linear map: group sums, in which every record counts once; so noise of scale s costs the bound of records over s. The
mean of a group of w then has 1 / w of the noise. Which items are grouped follows from public chance (gs-r) or from a
noisy sample of the records that is paid for (gs-s, gs), never from the exact counts.
Bias: smoothing. Items of a group get the same count, whatever theirs is; intervals allow for that.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.grouping import group_sums
from discreet.mechanisms.items.item_method import ItemMethod
from discreet.naming import GROUP_COLUMNS
from discreet.noise import Noise
from discreet.parameters import Parameter, Whole
from discreet.private.kept import Histories, Kept
from discreet.summaries import Summary
from discreet.summaries.smoothed_items import GroupedCounts, Groups, OwnSample

GROUP = Parameter("group", Whole(), "How many items make a group (w)", otherwise="the bound")


@dataclass(frozen=True)
class Grouping:
    """Items in an order in which neighbours are grouped by `size`; `facts` on how it was found, for the release."""

    order: NDArray[np.int64]
    size: int
    facts: dict[str, float]
    #: what it was found by, which is published too
    sample: OwnSample | None = None


class GroupedItems(ItemMethod):
    takes_pairs = False
    columns: tuple[str, ...] = GROUP_COLUMNS
    always_leaves_out = ("groups",)

    @abstractmethod
    def grouping(self, kept: Kept, step: str, bound: int, noise: Noise) -> Grouping:
        """How to group the counts of a step, "items" or "edges"."""

    def published(self, histories: Histories, bound: int, noise: Noise) -> Summary:
        kept = self.kept(histories, bound, noise)
        views = []
        for step in self.steps:
            found = self.grouping(kept, step, bound, noise)
            groups, sums = np.empty(found.order.size, np.int32), np.zeros(found.order.size // found.size, np.int64)
            group_sums(found.order, self.sample_table(kept, step, bound), found.size, groups, sums)
            scale = self.scale(step, self.unit_of(bound))
            facts = {"group": found.size, **found.facts}
            views.append(Groups(groups, noise.add(sums, scale), scale, facts, found.sample))
        return GroupedCounts(self.release_schema, self.views, views, left=self.left_records(bound))

    def sample_table(
        self, kept: Kept, step: str, first: int, chosen: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """The counts of a step, of the first records of every user, or of every chosen one."""
        table = kept.table(first, chosen)
        return table if step == "edges" else self.per_item(table)

    def group_size(self, count: int, bound: int) -> int:
        """The given size, or the bound, at which one user moves all group means together by at most one."""
        return min(int(self.request.parameters.get("group", bound)), count)

    def check_group(self) -> None:
        if "group" in self.request.parameters:
            self.up_to(GROUP, self.request.schema.cells)
        else:
            self.note_choice("group", "the bound", "default")
