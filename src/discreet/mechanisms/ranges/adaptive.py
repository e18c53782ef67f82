"""A hierarchy of blocks that is divided only where noisy counts are large.

Guarantee: pure epsilon. A noisy total costs its share; then every tree of blocks costs its own: a record lies in one
block of each generation, and the looks at these blocks have shares that add up to the tree's, whatever was divided.
What is divided, and with `guess` left out the plan itself, depends on noisy counts only. Numerics: whole numbers, exact
noise, shares that are fractions. Bias: what is said of a block is centred on its count up to a correction that is exact
for blocks whose children are not divided; see the card.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.guesses import GUESSED_ROWS, guessed_rows
from discreet.mechanisms.noise_scales import SharedBudget
from discreet.mechanisms.predicates import read_predicates
from discreet.mechanisms.ranges.range_block_levels import read_levels
from discreet.mechanisms.ranges.range_block_plan import MOST_SHIFT, Planner, share_of_total
from discreet.mechanisms.ranges.range_blocks import MOST_CHILDREN, looked_at
from discreet.naming import refuse_columns
from discreet.parameters import Form, Parameter, Parameters, Share
from discreet.privacy import as_text, cost, exact, scale_of
from discreet.private.bounded import Bounded
from discreet.summaries.adaptive_blocks import AdaptiveBlocks
from discreet.summaries.block_columns import BLOCK_COLUMNS
from discreet.transforms.block_rules import LookScales, Stop
from discreet.transforms.block_tree import Generation, TreePlan, divided

if TYPE_CHECKING:
    from discreet.noise import Noise

TOTAL = Parameter(
    "total",
    Share(),
    "The share of epsilon for a noisy total of all records",
    otherwise="0.07 for one attribute, 0.1 if it has a hierarchy; 0.02 for several, 0.04 if one has a hierarchy or the "
    "attributes have at most 16,384 cells together",
)
SINGLES = Parameter(
    "singles",
    Share(),
    "The share of epsilon for the trees of single attributes, all together",
    otherwise="0.1 for two attributes, 0.2 for three, 0.3 for more; less where every cell has many records",
)
LEVELS = Parameter(
    "levels",
    Form('a list with a level each, such as [64, 8, 1] or [{age = 10, place = "county"}, {age = 1}]'),
    "How the tree of all attributes is divided: widths of ranges, or levels of a hierarchy, by name or number",
    otherwise="from the sizes, hierarchies and special values of the attributes, and the number of records",
)
SHARES = Parameter(
    "shares",
    Form("a list of numbers above 0, one for each level"),
    "How the tree of all attributes shares its part of epsilon among its levels, in proportion",
    otherwise="by the blocks of each level that a question needs",
)
WORKLOAD = Parameter(
    "workload",
    Form("a list of predicates"),
    "The questions that the shares of levels should serve best",
    otherwise="ranges of all sizes",
)
STOP = Parameter(
    "stop",
    Form("two numbers of at least 0"),
    "How large a noisy count must be for its block to be divided, in units of the noise of its children and of its own",
    otherwise="[2.5, 3]",
)
GUESS = Parameter(
    "guess",
    GUESSED_ROWS,
    "How many records there are, for the plan of levels",
    otherwise="the noisy total",
)


class Adaptive(SharedBudget):
    tasks = ("ranges", "table")
    method = "adaptive"
    rehearsal = "none"
    parameters: ClassVar[Parameters] = (TOTAL, SINGLES, LEVELS, SHARES, WORKLOAD, STOP, GUESS)
    less_noise = "raise epsilon, or give fewer attributes"

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        refuse_columns(request.schema, BLOCK_COLUMNS, self.method)
        self.scale = scale_of(request.epsilon, request.unit.sensitivity)
        self.stop = self._stop()
        self.rows = guessed_rows(self.given(GUESS))
        self.planner = self._planner()
        for plan in self._possible_plans():
            if (most := divided(plan, Generation.root(plan)).children[0]) > MOST_CHILDREN:
                raise BadParameter(
                    f"levels: the first level has {most:.3g} blocks, too many to look at (at most {MOST_CHILDREN:,}); "
                    "begin with wider ones"
                )
            for level in range(plan.depth):  # in the plans for numbers of records between as well
                self.check_scale(LookScales(plan, self.scale).scale(level, level + 1) * MOST_SHIFT)
        self.check_scale(self.scale / self.planner.total)

    def _possible_plans(self) -> list[TreePlan]:
        """That of the guess; without one those for the fewest and the most records, which levels may differ in."""
        numbers = [self.rows] if self.rows else [1.0, math.inf]
        return [plan for rows in numbers for plan in self.planner.trees(rows)]

    def _stop(self) -> Stop:
        given = self.given(STOP)
        if given is None:
            self.note_choice("stop", [2.5, 3], "default")
            return Stop(2.5, 3.0)
        if not _two_numbers(given) or min(given) < 0:
            raise BadParameter(f"stop must be two numbers of at least 0, such as [2.5, 3], not {given!r}")
        return Stop(*map(float, given))

    def _planner(self) -> Planner:
        schema = self.request.schema
        total = self.value(TOTAL, share_of_total(schema), "default: for sums of nearly everything")
        singles = Fraction(0)
        if len(schema) > 1:
            usual = min(Fraction(len(schema) - 1, 10), Fraction(3, 10))
            singles = self.value(SINGLES, usual, "default: for roll-ups")
        elif "singles" in self.request.parameters:
            raise BadParameter("singles: a table by one attribute has one tree only; leave `singles` out")
        if total + singles >= 1:
            raise BadParameter("total and singles together must leave something for the tree of all attributes")
        levels = read_levels(self.given(LEVELS), schema)
        workload = self.given(WORKLOAD)
        asked = None if workload is None else read_predicates("workload", workload, schema)
        free = "singles" not in self.request.parameters
        table = self.request.task == "table"
        planner = Planner(schema, self.scale, total, singles, levels, workload=asked, free=free, table=table)
        shares = self.given(SHARES)
        if shares is None:
            return planner
        if asked is not None:
            raise BadParameter("`shares` are chosen to suit the workload, so give only one of the two")
        depth = len(levels or planner.trees(1.0)[0].levels)
        if not isinstance(shares, list | tuple) or len(shares) != depth:
            raise BadParameter(f"shares must be {depth} numbers above 0, one for each level, not {shares!r}")
        return replace(planner, weights=tuple(exact(share, "shares: each") for share in shares))

    @property
    def cost(self) -> Fraction:
        """Of the total, and of one way down each tree, with as many looks as there are levels."""
        return cost(self.request.unit, self._weight(self.planner.trees(self.rows or 1.0)))

    def _weight(self, plans: list[TreePlan]) -> Fraction:
        """What one record weighs: 1 / scale of all looks that it can be in."""
        looks = [LookScales(plan, self.scale) for plan in plans]
        ways = (1 / one.scale(level, level + 1) for one in looks for level in range(one.plan.depth))
        return sum(ways, self.planner.total / self.scale)

    def measure(self, data: Bounded, noise: Noise) -> AdaptiveBlocks:
        counts = data.table()
        scale = self.scale / self.planner.total
        total = noise.add(counts.counts.sum(keepdims=True), scale)
        plans = self.planner.trees(self.rows or max(float(total[0]), 1.0))
        self.check_paid(cost(self.request.unit, self._weight(plans)))
        found = []
        for number, plan in enumerate(plans):
            table = counts if len(plan.places) == len(self.request.schema) else counts.marginal(list(plan.places))
            root = np.zeros(1, np.int64) if number else total
            drawn = looked_at(LookScales(plan, self.scale), self.stop, table, root, noise)
            found.append(drawn if number else replace(drawn, root_scale=scale))
        return AdaptiveBlocks(self.request.schema, found)

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] proportional to exp(-|x| / s), independent in every look at a block; s is "
            "`scale` divided by that look's share of epsilon",
            "scale": as_text(self.scale),
        }


def _two_numbers(given: Any) -> bool:
    two = isinstance(given, list | tuple) and len(given) == 2
    return two and all(isinstance(one, int | float) and not isinstance(one, bool) and one < math.inf for one in given)
