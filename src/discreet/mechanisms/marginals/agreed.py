"""Tables that add up, none below zero: all of them measured, or those pairs that say most, and the rest follows.

Source: our own, see the card. Guarantee: pure epsilon. What is measured (a total, tables, strengths of pairs) costs
sensitivity * sum of 1 / scale, since one record changes each of these by one; what is measured next depends on
noisy values only. Numerics: exact noise on whole numbers, shares that are fractions; strengths are differences to
products of noisy margins that were rounded before. Bias: measurements have none; the numbers shown are shrunk and made
non-negative, see the card.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.guesses import GUESSED_ROWS, guessed_rows
from discreet.mechanisms.marginals.marginal_budget import (
    HARD,
    SINGLES_POWER,
    TOTAL_SHARE,
    by_cells,
    hardness,
    singles_share,
    strengths_share,
)
from discreet.mechanisms.marginals.marginal_method import QUERIES, SETS, WAYS, MarginalMethod
from discreet.mechanisms.marginals.marginal_selection import strength, whole_product, worth_measuring
from discreet.naming import refuse_columns
from discreet.numbers.laws import DiscreteLaplace
from discreet.parameters import Parameter, ZeroToOne, choice
from discreet.privacy import as_text, cost
from discreet.private.bounded import Bounded
from discreet.summaries import Summary
from discreet.summaries.agreed_estimates import AgreedEstimates
from discreet.summaries.agreed_tables import NOISY, AgreedTables, PairStrengths
from discreet.summaries.marginal_tables import Part

if TYPE_CHECKING:
    from discreet.noise import Noise

Names = tuple[str, ...]
Ints = NDArray[np.int64]

POWER = Parameter(
    "power",
    ZeroToOne(),
    "Where all tables are measured, their shares of epsilon are in proportion to their cells to this power: 0 favours "
    "small tables",
    Fraction(1, 6),
)
MEASURE = choice(
    "measure",
    ("auto", "all", "pairs"),
    "All tables that are asked for; or one-way tables, and of the pairs inside of these tables those that depend on "
    "each other most; or what public facts and the number of records say",
)
GUESS = Parameter(
    "guess",
    GUESSED_ROWS,
    "How many records there are, for the plan",
    otherwise=f"a noisy total, for {as_text(100 * TOTAL_SHARE)} % of epsilon",
)
#: no hardness is higher, as far as shares go
_HARDEST = 1e9


@dataclass(frozen=True)
class _Shares:
    """Of epsilon, where pairs are chosen."""

    singles: Fraction
    strengths: Fraction
    pairs: Fraction

    @classmethod
    def of(cls, hard: float, total: Fraction) -> _Shares:
        singles = singles_share(hard)
        strengths = strengths_share(singles)
        return cls(singles, strengths, 1 - total - singles - strengths)


class Agreed(MarginalMethod):
    method = "agreed"
    parameters = (WAYS, SETS, QUERIES, MEASURE, POWER, GUESS)

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        if self.families is not None:
            for parameter in (MEASURE, POWER, GUESS):
                if parameter.name in request.parameters:
                    raise BadParameter(f"{parameter.name} is about tables; with `queries` leave it out")
            return
        refuse_columns(request.schema, (NOISY,), self.method)
        self.rehearsal = "none"
        self.singles: list[Names] = [(name,) for name in request.schema]
        inside = {pair for names in self.sets for pair in itertools.combinations(names, 2)}
        # an attribute of one value makes no pair worth choosing, as long as there are others
        varied = {pair for pair in inside if all(request.schema[name].size > 1 for name in pair)}
        #: pairs inside of the tables that are asked for, in the schema's order
        self.pairs: list[Names] = sorted(
            varied or inside, key=lambda pair: [request.schema.names.index(name) for name in pair]
        )
        self.measures = self.value(MEASURE)
        self.shares = by_cells(self.cells, self.value(POWER))
        self.rows = guessed_rows(self.given(GUESS))
        open_plan = bool(self.pairs) and self.measures != "all"
        #: of epsilon, for a total; nothing if the plan does not depend on it
        self.total = TOTAL_SHARE if open_plan and self.rows is None else Fraction(0)
        if self.total:
            self.note_choice("records", "a noisy total", f"default: measured with {as_text(self.total)} of epsilon")
        elif self.rows is not None:
            hard = self._hardness(self.rows)
            self.note_choice("plan", self._plan(hard), f"hardness {hard:.4g}, against {HARD} where pairs are chosen")
        self._check_scales()

    def _hardness(self, records: float) -> float:
        return min(hardness(self.cells, self.budget, records), _HARDEST)

    def _plan(self, hard: float) -> str:
        """What is measured: all tables, or chosen pairs."""
        if not self.pairs:
            return "all"
        return self.measures if self.measures != "auto" else "pairs" if hard >= HARD else "all"

    def _check_scales(self) -> None:
        """Whatever the total says, no scale is beyond what there is: shares are least at one of these ends."""
        if self.total:
            self.check_scale(1 / (self.budget * self.total))
        for hard in [self._hardness(self.rows)] if self.rows is not None else [0.0, HARD, _HARDEST]:
            for scale in self._scales(hard):
                self.check_scale(scale)

    def _scales(self, hard: float) -> list[Fraction]:
        """The largest that may be needed at this hardness."""
        if self._plan(hard) == "all":
            return self._table_scales()
        shares = _Shares.of(hard, self.total)
        parts = (shares.strengths, shares.pairs)
        return [*self._single_scales(shares), *(len(self.pairs) / (self.budget * part) for part in parts)]

    def _table_scales(self) -> list[Fraction]:
        return [1 / (self.budget * (1 - self.total) * share) for share in self.shares]

    def _single_scales(self, shares: _Shares) -> list[Fraction]:
        sizes = [self.request.schema[name].size for (name,) in self.singles]
        return [1 / (self.budget * shares.singles * part) for part in by_cells(sizes, SINGLES_POWER)]

    def drawn_tables(self, tables: list[Ints], noise: Noise) -> list[Part]:
        """The answers of families of queries, all with the same noise."""
        scale = Fraction(len(tables)) / self.budget
        return [Part.single(noise.add(table, scale), scale) for table in tables]

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        if self.families is not None:
            return super().measure(data, noise)
        schema = self.request.schema
        places = [[schema.names.index(name) for name in names] for names in self.sets]
        exact = _Exact({names: table.dense() for names, table in zip(self.sets, data.tables(places), strict=True)})
        looks: dict[Names, Part] = {}
        if self.total:
            scale = 1 / (self.budget * self.total)
            looks[()] = Part.single(noise.add(exact.over(()), scale), scale)
        records = self.rows or (max(float(looks[()].values[0]), 1.0) if looks else 1.0)
        hard, strengths = self._hardness(records), None
        if self._plan(hard) == "all":
            looks |= exact.noisy(self.sets, self._table_scales(), noise)
        else:
            strengths = self._look_at_pairs(exact, hard, looks, noise)
        drawn = [scale for part in looks.values() for scale in part.scales]
        drawn += [] if strengths is None else [strengths.scale] * len(strengths.pairs)
        self.check_paid(cost(self.request.unit, sum((1 / scale for scale in drawn), Fraction(0))))
        plan = {"measured": self._plan(hard), "records": records, "hardness": hard} if self.pairs else {}
        return AgreedTables(schema, self.sets, looks, strengths, plan)

    def _look_at_pairs(self, exact: _Exact, hard: float, looks: dict[Names, Part], noise: Noise) -> PairStrengths:
        """One-way tables, then noisy strengths of all pairs, then the pairs that these choose; adds to `looks`."""
        shares = _Shares.of(hard, self.total)
        looks |= exact.noisy(self.singles, self._single_scales(shares), noise)
        margins = AgreedEstimates.of(self.request.schema, looks)
        # fixed from here on: products of noisy margins, in whole numbers
        products = [whole_product(margins.product_of(pair)) for pair in self.pairs]
        found = [strength(exact.over(pair), product) for pair, product in zip(self.pairs, products, strict=True)]
        scale = len(self.pairs) / (self.budget * shares.strengths)
        noisy = noise.add(np.array(found, np.int64), scale)
        left = self.budget * shares.pairs
        cells = np.array([product.size for product in products])
        worth = worth_measuring(noisy, cells, DiscreteLaplace.of(scale).variance, float(left), margins.total)
        looks |= exact.noisy([self.pairs[number] for number in worth], [len(worth) / left] * len(worth), noise)
        return PairStrengths(tuple(self.pairs), noisy, scale)

    def method_leaves_out(self) -> list[LeftOut]:
        return [] if self.families is not None else [LeftOut("pulled-together")]

    def noise_law(self) -> dict[str, Any]:
        law = super().noise_law()
        return law if self.families is not None else {**law, "strengths of pairs": "noise of the same law"}


class _Exact:
    """The exact counts of the tables that were asked for, and of smaller tables inside of them."""

    def __init__(self, tables: dict[Names, Ints]) -> None:
        self._tables = tables

    def over(self, names: Names) -> Ints:
        """Flat, in whole numbers."""
        held = min((held for held in self._tables if set(names) <= set(held)), key=lambda held: self._tables[held].size)
        gone = tuple(axis for axis, name in enumerate(held) if name not in names)
        return np.asarray(self._tables[held].sum(axis=gone)).reshape(-1)

    def noisy(self, sets: Sequence[Names], scales: Sequence[Fraction], noise: Noise) -> dict[Names, Part]:
        drawn = noise.add_blocks([self.over(names) for names in sets], list(scales))
        return {names: Part.single(values, scale) for names, values, scale in zip(sets, drawn, scales, strict=True)}
