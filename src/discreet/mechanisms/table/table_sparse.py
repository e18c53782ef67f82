"""What the sparse summaries share: noise on the occupied entries, survivors among the empty ones, one sorted result.

Source: the shortcut approach of sparse-summaries. Guarantee: pure epsilon; the measurement is a map of the table with
whole entries of which a record changes at most `weight` by one each (the identity on cells, unless a subclass says
otherwise), with noise of scale sensitivity * weight / epsilon on *all* entries, and each method is a post-processing of
it that is drawn directly. What a release shows is distributed exactly as if all noisy entries had been made and then
summarised. Which entries are called empty does not matter, as long as they are zero: noise on a zero has one law.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.left_out import LeftOut
from discreet.mechanisms.base import Request
from discreet.mechanisms.guesses import GUESSED_ROWS
from discreet.mechanisms.table.table_slices import SLICES, Sliceable
from discreet.mechanisms.table.table_stretches import cut, merged
from discreet.noise import Chosen, Field, Noise, Rule, Stretch
from discreet.noise.survivors import kept_share
from discreet.numbers.cell_numbers import CellNumbers
from discreet.parameters import Form, Parameter, Parameters, Positive, Whole, choice
from discreet.privacy import Alpha, cost, exact, scale_of
from discreet.private.bounded import Bounded
from discreet.private.cell_slices import CellSlices
from discreet.private.counts import Counts
from discreet.schema import Nominal, Schema
from discreet.summaries import Summary
from discreet.summaries.remainders import Totals
from discreet.summaries.sparse_cells import SparseCells

DEFAULT_SIZE = 100_000
MOST_SURVIVORS = 200_000_000
#: weights are about as large as the number of cells; their squares must fit a float
MOST_CELLS = 10**100
MOST_TAU = 10**100
#: how many occupied and kept entries make a stretch of the table that is worth a thread
WORTH_A_STRETCH = 1 << 19

SIDED = choice("sided", ("two", "one"), "'two' also keeps large negative values, 'one' only positive ones")
SIZE = Parameter("size", Whole(), "How many cells to keep", otherwise=f"{DEFAULT_SIZE:,}, or all if there are fewer")
THETA = Parameter(
    "theta",
    Whole(1, (1 << 60) - 1),
    "Cells whose noisy count is below theta are dropped",
    otherwise="the least at which an empty table would keep no more than `size` of them on average",
    advice="to keep every cell use method 'geometric'",
)
TAU = Parameter(
    "tau",
    Positive(Fraction(1, MOST_TAU), Fraction(MOST_TAU)),
    "Cells below tau are kept with probability count / tau",
    otherwise="such that an empty table would keep `size` of them on average",
)
TOTAL = Parameter(
    "total",
    Form("0, or a share of epsilon below 1"),
    "Which share of epsilon is spent on noisy totals, which bound what absent cells hold",
    otherwise="0",
)
#: totals of an attribute's outermost groups are measured if there are no more of these
MOST_GROUPS = 64
LARGEST = replace(
    SIZE,
    meaning="At most this many cells are kept, the largest ones; if theta is not given, it also sets theta",
    otherwise="no limit",
)
SAMPLE = replace(SIZE, meaning="If tau is not given: how many cells an empty table would keep on average")
GUESS = Parameter(
    "guess",
    GUESSED_ROWS,
    "How many records there are: if tau is not given, it is then for a table of so many, not for an empty one",
    otherwise="none",
)


def of(entry: str, *parameters: Parameter[Any]) -> Parameters:
    """The parameters of a method that keeps cells, nodes of trees or coefficients of wavelets, in its own words."""
    dense = {"cell": "geometric", "node": "dyadic", "coefficient": "privelet"}[entry]
    words = {"Cell": entry.capitalize(), "cell": entry, "geometric": dense}
    if entry == "coefficient":
        words["noisy count"] = "noisy value"

    def said(text: str) -> str:
        for word, other in words.items():
            text = text.replace(word, other)
        return text

    return tuple(replace(one, meaning=said(one.meaning), advice=said(one.advice)) for one in parameters)


class Sparse(Sliceable):
    """A method that keeps few of very many entries: of the cells of a table, or of what a subclass makes of them."""

    tasks: ClassVar[tuple[str, ...]] = ("table",)
    rehearsal = "empty"

    theta: int

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        #: about how many entries of an empty table are kept
        self.likely = 0.0
        self.sizes, weight = self.layout()
        self.set_scale(weight)
        self.slices = self.given(SLICES)
        self.total = self._total_share()
        if self.slices is not None and self.total:
            raise BadParameter("total: no slice knows a total of the whole table; leave out `total`, or `slices`")
        self.grouped = _top_groups(request.schema) if self.total else {}
        self.scale /= 1 - self.total
        self.alpha = Alpha.of(self.scale)
        # a record that is replaced moves no total of everything
        self.spends_all = not self.total or request.unit.neighbours == "add-remove"
        self.cells = math.prod(self.sizes)
        if self.cells > MOST_CELLS:
            raise BadParameter(f"a table may have at most 1e100 {self.entry}s; leave out attributes, or use wider bins")
        wide = [name for name, size in zip(request.schema, self.sizes, strict=True) if size >= 1 << 31]
        if wide and CellNumbers(self.sizes).wide:
            raise BadParameter(
                f"attribute {wide[0]} has more than 2**31 {self.entry}s; use wider bins for it in a table this large"
            )
        # a coefficient below zero matters as much as one above
        self.two_sided = SIDED not in self.parameters or self.value(SIDED) == "two"

    @property
    def cost(self) -> Fraction:
        totals = len(self.grouped) / self.total_scale if self.total else Fraction(0)
        return cost(self.request.unit, self.weight / self.scale + totals)

    @property
    def total_scale(self) -> Fraction:
        """Of the noise in each total; all kinds of totals have the same share."""
        share = self.request.epsilon * self.total / len(self.grouped)
        return scale_of(share, self.request.unit.sensitivity)

    def _total_share(self) -> Fraction:
        if TOTAL not in self.parameters:
            return Fraction(0)
        given = self.request.parameters.get("total")
        if given is None:
            share, origin = Fraction(0), "default"
        else:
            zero = not isinstance(given, bool) and given in (0, "0")
            share, origin = Fraction(0) if zero else exact(given, "total"), "given"
        if share >= 1:
            raise BadParameter(f"total must be 0, or a share of epsilon below 1 such as 0.03, not {given!r}")
        if share:
            self.note_choice("total", share, origin)
        return share

    def noisy_totals(self, counts: Counts, noise: Noise) -> list[Totals]:
        found = []
        for name, starts in self.grouped.items():
            if name is None:
                exact_totals = np.array([int(counts.counts.sum())], np.int64)
            else:
                place = self.request.schema.names.index(name)
                groups = np.searchsorted(starts, counts.codes[:, place], side="right") - 1
                exact_totals = np.zeros(starts.size, np.int64)
                np.add.at(exact_totals, groups, counts.counts)
            found.append(Totals(name, starts, noise.add(exact_totals, self.total_scale), self.total_scale))
        return found

    def layout(self) -> tuple[tuple[int, ...], int]:
        """How many entries each attribute has, and how many entries one record counts in at most."""
        return self.request.schema.sizes, 1

    @abstractmethod
    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], dict[str, Any]]:
        """What is kept of each stretch of noisy entries, and theta and tau as the summary needs them."""

    def measure(self, data: Bounded, noise: Noise) -> Summary:
        counts = data.table()
        totals = self.noisy_totals(counts, noise)
        found = [self.drawn(*part, noise) for part in self.drawn_slices.parts(*self.occupied(counts))]
        numbers, values = (
            one[0] if len(one) == 1 else np.concatenate(one) for one in list(zip(*found, strict=True))[:2]
        )
        facts = found[0][2]
        if totals:
            facts["totals"] = totals
        return self.finished(numbers, values, facts, noise)

    def drawn(
        self, cells: range, occupied: NDArray[Any], exact: NDArray[np.int64], noise: Noise
    ) -> tuple[NDArray[Any], NDArray[np.int64], dict[str, Any]]:
        """Numbers (rising) and noisy values of what is kept of these entries, and theta and tau."""
        stretches, fields = self.noisy_stretches(cells, occupied, exact, noise)
        kept, facts = self.keep(fields, noise)
        return *merged(self.sizes, stretches, [field.values for field in fields], kept), facts

    def noisy_stretches(
        self, cells: range, occupied: NDArray[Any], exact: NDArray[np.int64], noise: Noise
    ) -> tuple[list[Stretch], list[Field]]:
        """These entries in stretches for each core, and their noise."""
        parts = min(noise.cores, int(len(exact) + self.likely / self.drawn_slices.many) // WORTH_A_STRETCH)
        stretches = cut(occupied, exact, cells, max(1, parts))
        return stretches, noise.side_by_side(lambda stretch: noise.noisy(stretch, self.scale), stretches)

    @property
    def drawn_slices(self) -> CellSlices:
        """In which slices one process draws the table."""
        return self.cell_slices

    def entry_sizes(self) -> tuple[int, ...]:
        return self.sizes

    def slice_table(self, cells: range, drawn: Any) -> Any:
        return self._cells(*drawn).stored()

    def slice_facts(self) -> dict[str, Any]:
        none = self._cells(CellNumbers(self.sizes).empty(0), np.empty(0, np.int64), self.slice_rule())
        return {"shape": none.shape, **none.facts()}

    def slice_rule(self) -> dict[str, Any]:
        """Theta and tau, where these are known before anything is drawn."""
        raise TypeError(f"{self.method} keeps what all cells together decide")

    def _cells(self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any]) -> Summary:
        return self.summary(numbers, values, {**self._law(), **facts})

    def finished(
        self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any], noise: Noise
    ) -> Summary:
        """What is published of the entries that were kept: post-processing."""
        return self.summary(numbers, values, {**self._law(), **facts})

    def _law(self) -> dict[str, Any]:
        return {"alpha": str(self.alpha.numerator), "two_sided": self.two_sided}

    def summary(self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any]) -> Summary:
        totals = facts.pop("totals", ())
        return SparseCells(self.request.schema, numbers, values, facts, totals)

    def passing(self, fields: Sequence[Field], noise: Noise, limit: Fraction | None = None) -> list[Chosen]:
        """All that theta lets through, or a sample of it."""
        rule = self.rule(self.theta, limit)
        return noise.side_by_side(lambda field: noise.kept(field, rule, self.rare_theta), fields)

    @cached_property
    def rare_theta(self) -> int:
        """The least theta that at most one cell of an empty table passes, in expectation."""
        return self._least_theta(1)

    def rule(self, theta: int = 1, limit: Fraction | None = None) -> Rule:
        return Rule(self.alpha, theta, limit, self.two_sided)

    def expected(self, rule: Rule) -> float:
        """How many cells of an empty table the rule would keep: a public number."""
        return kept_share(rule) * self.cells

    def check_expected(self, rule: Rule) -> None:
        self.likely = self.expected(rule)
        if self.likely / self.cell_slices.many > MOST_SURVIVORS:
            raise BadParameter(
                f"{self.method}: about {self.likely:.3g} of {self.cells:.3g} {self.entry}s would be kept even of an "
                "empty table; raise theta or tau, or give a smaller size"
            )

    def method_leaves_out(self) -> list[LeftOut]:
        found = [] if self.two_sided else [LeftOut("one-sided", {"entry": self.entry})]
        if THETA.name in (parameter.name for parameter in self.parameters):
            value = "value" if self.entry == "coefficient" else "count"
            found.append(LeftOut("below-theta", {"entry": self.entry, "value": value, "theta": self.theta}))
        return found

    def size_or_default(self) -> int:
        origin = f"default: {DEFAULT_SIZE:,}, or the number of {self.entry}s"
        return self.value(SIZE, min(DEFAULT_SIZE, self.cells), origin)

    def theta_for(self, size: int) -> int:
        theta = self._least_theta(size)
        origin = f"default: an empty table would keep at most {size:,} {self.entry}s in expectation"
        self.note_choice("theta", theta, origin)
        return theta

    def _least_theta(self, size: int) -> int:
        """The least theta at which an empty table keeps at most `size` cells in expectation."""
        low, high = 0, 1
        while self.expected(self.rule(high)) > size:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.expected(self.rule(middle)) > size else (low, middle)
        return high

    def tau_for(self, size: int, theta: int = 1, rows: float = 0) -> Fraction:
        """A tau at which a table of so many records keeps `size` cells in expectation, within a few parts in 2**20.

        Records are taken to add a part 1 / tau of a cell each, as in the paper: in cells larger than tau they add less.
        """
        if self.expected(self.rule(theta)) + rows <= size:
            tau = Fraction(1)
        else:
            # expected(tau) is at most cells * E|v| / tau, so this upper end keeps fewer than `size`
            high = max(2.0, 2.0 * (self.cells * (float(self.scale) + theta) + rows) / size)
            low = 1.0
            while high / low > 1 + 2.0**-20:
                middle = math.sqrt(low * high)
                fewer = self.expected(self.rule(theta, Fraction(middle))) + rows / middle <= size
                low, high = (low, middle) if fewer else (middle, high)
            tau = Fraction(f"{high:.6g}")
        whose = f"a table of {rows:,.0f} records" if rows else "an empty table"
        self.note_choice("tau", tau, f"default: {whose} would keep {size:,} {self.entry}s in expectation")
        return tau


def _top_groups(schema: Schema) -> dict[str | None, NDArray[np.int64]]:
    """Where the outermost groups of hierarchies start, by attribute; and of everything, by none."""
    found: dict[str | None, NDArray[np.int64]] = {None: np.zeros(1, np.int64)}
    for name, attribute in schema.items():
        if isinstance(attribute, Nominal) and attribute.depth > 1:
            starts = np.array([first for _, first, _ in attribute.level(0)], np.int64)
            if 1 < starts.size <= MOST_GROUPS:
                found[name] = starts
    return found
