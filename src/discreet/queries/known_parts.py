"""Questions cut by parts of the cells whose counts are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.queries.box_cuts import Codes, ranked_owners, summed, volumes, without
from discreet.queries.questions import Questions, picked
from discreet.queries.selection import Boxes

if TYPE_CHECKING:
    from discreet.queries.known_totals import KnownTotals

#: of a question with more boxes it is not worked out what it leaves of known groups
_MOST_CUTS = 64


@dataclass(frozen=True, eq=False)
class KnownParts:
    """Questions against parts: `met` are the boxes they share, each of a question and a pair of question and part."""

    known: KnownTotals
    questions: Questions
    met: Boxes
    #: of each box in `met`: the question, and the number of the pair
    asked: Codes
    pair: Codes
    #: of each pair: question, part, shared cells, whether all of a known part is asked for, or only some
    of: Codes
    part: Codes
    cells: NDArray[Any]
    whole: NDArray[np.bool_]
    some: NDArray[np.bool_]

    @property
    def exact(self) -> NDArray[np.float64]:
        """What is known of each question: the parts that lie in it wholly."""
        return self._per_question(self.whole, self.known.counts)

    @property
    def around(self) -> NDArray[np.float64]:
        """The known count of all parts of which it asks for some."""
        return self._per_question(self.some, self.known.counts)

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether a question holds a known part."""
        return self._any(self.whole)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Whether nothing of it is open."""
        return self.holds & ~self._any(~self.whole)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Whether all that is open lies in known parts, so that these tell of it."""
        return self._any(self.some) & ~self._any(~self.whole & ~self.some)

    def open(self) -> Questions:
        """Of each question what is not known."""
        cut = self.holds
        keep, there = ~cut[self.questions.owner], cut[self.asked] & ~self.whole[self.pair]
        owner = np.concatenate([self.questions.owner[keep], self.asked[there]])
        first, last = (
            np.concatenate([getattr(self.questions, end)[keep], getattr(self.met, end)[there]])
            for end in ("first", "last")
        )
        order = np.argsort(owner, kind="stable")
        return Questions(first[order], last[order], self.questions.count, owner[order])

    def surroundings(self, which: Codes) -> Questions:
        """Of some questions all parts of which they ask for some; one box where that is everything."""
        number = np.full(self.questions.count, -1)
        number[which] = np.arange(which.size)
        mine = self.some & (number[self.of] >= 0)
        lengths = np.bincount(self.known.part_of, minlength=self.known.counts.size)
        starts = np.cumsum(lengths) - lengths
        pairs = np.flatnonzero(mine)
        pair, rank = ranked_owners(lengths[self.part[pairs]])
        boxes, owner = starts[self.part[pairs]][pair] + rank, number[self.of[pairs]][pair]
        every = np.bincount(number[self.of[pairs]], minlength=which.size) == np.unique(self.known.part_of).size
        keep = ~every[owner]
        ends = np.zeros((int(every.sum()), len(self.known.sizes)), np.int64)
        first = np.concatenate([self.known.parts.first[boxes[keep]], ends])
        last = np.concatenate([self.known.parts.last[boxes[keep]], ends + np.array(self.known.sizes) - 1])
        owners = np.concatenate([owner[keep], np.flatnonzero(every)])
        order = np.argsort(owners, kind="stable")
        return Questions(first[order], last[order], which.size, owners[order])

    def rest(self, which: Codes, around: Questions) -> Questions:
        """What these questions leave of their surroundings."""
        taken = picked(self.questions, which)
        boxes, owner = without(around, around.owner, taken, taken.owner)
        return Questions(boxes.first, boxes.last, which.size, owner)

    def workable(self, which: Codes) -> NDArray[np.bool_]:
        """Whether what a question leaves of its surroundings is worked out."""
        return np.bincount(self.questions.owner, minlength=self.questions.count)[which] <= _MOST_CUTS

    def sums(self) -> tuple[Codes, Codes]:
        """The questions in groups, and what those of each group add up to; -1 where that is not known.

        Questions are of one group if some part has cells of both. The sum is known if they hold these parts wholly.
        """
        label, parts = np.arange(self.questions.count), np.full(self.known.counts.size, self.questions.count)
        open_pairs = np.flatnonzero(~self.whole)
        of, part = self.of[open_pairs], self.part[open_pairs]
        while True:  # the least number of a question spreads over what is connected
            np.minimum.at(parts, part, label[of])
            before = label.copy()
            np.minimum.at(label, of, parts[part])
            if np.array_equal(before, label):
                break
        exact, covered = self.exact, summed(part, self.cells[open_pairs], self.known.counts.size)
        whole = summed(self.known.part_of, volumes(self.known.parts, self.known.sizes), self.known.counts.size)
        sums = np.bincount(label, weights=exact, minlength=label.size).astype(np.int64)
        for one in np.unique(part).tolist():
            if self.known.counts[one] < 0 or covered[one] != whole[one]:
                sums[parts[one]] = -1
            elif sums[parts[one]] >= 0:
                sums[parts[one]] += self.known.counts[one]
        unmet = np.setdiff1d(np.arange(label.size), self.of)  # about no cell at all
        sums[unmet] = 0
        return label, sums

    def _per_question(self, pairs: NDArray[np.bool_], counts: Codes) -> NDArray[np.float64]:
        return np.bincount(self.of[pairs], counts[self.part[pairs]], self.questions.count).astype(np.float64)

    def _any(self, pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.bincount(self.of[pairs], minlength=self.questions.count) > 0
