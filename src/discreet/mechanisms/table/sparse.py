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
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Mechanism, Request
from discreet.numbers.cell_numbers import CellNumbers
from discreet.privacy import Alpha, as_text, cost, exact, scale_of

if TYPE_CHECKING:
    from discreet.noise import Chosen, Field, Noise, Rule
    from discreet.private.counts import Counts
    from discreet.summaries import Summary

DEFAULT_SIZE = 100_000
MOST_SURVIVORS = 200_000_000
#: weights are about as large as the number of cells; their squares must fit a float
MOST_CELLS = 10**100
MOST_TAU = 10**100
#: how many occupied and kept entries make a stretch of the table that is worth a thread
WORTH_A_STRETCH = 1 << 19

SIDED = "'two' (default) keeps large negative values too, 'one' only positive ones"
SIZE = "how many cells to keep"
THETA = "cells whose noisy count is below theta are dropped; a whole number of at least 1"
TAU = "cells below tau are kept with probability count / tau; any number above 0"


def below_counts_as_zero(theta: int, entry: str) -> str:
    value = "value" if entry == "coefficient" else "count"
    return f"{entry}s whose noisy {value} is below {theta} count as zero; `bias` of an answer bounds what that hides"


class Sparse(Mechanism):
    """A method that keeps few of very many entries: of the cells of a table, or of what a subclass makes of them."""

    rehearsal = "empty"

    #: what an entry is called, and the method that keeps every one
    entry: ClassVar[str] = "cell"
    dense: ClassVar[str] = "geometric"
    theta: int

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._chosen: list[dict[str, Any]] = []
        #: about how many entries of an empty table are kept
        self.likely = 0.0
        self.sizes, self.weight = self.layout()
        self.scale = scale_of(request.epsilon, request.unit.sensitivity) * self.weight
        self.alpha = Alpha.of(self.scale)
        self.cells = math.prod(self.sizes)
        if self.cells > MOST_CELLS:
            raise BadParameter(f"a table may have at most 1e100 {self.entry}s; leave out attributes, or use wider bins")
        wide = [name for name, size in zip(request.schema, self.sizes, strict=True) if size >= 1 << 31]
        if wide and CellNumbers(self.sizes).wide:
            raise BadParameter(
                f"attribute {wide[0]} has more than 2**31 {self.entry}s; use wider bins in so large a table"
            )
        self.two_sided = self._sided()

    def layout(self) -> tuple[tuple[int, ...], int]:
        """How many entries each attribute has, and how many entries one record counts in at most."""
        return self.request.schema.sizes, 1

    @property
    def cost(self) -> Fraction:
        return cost(self.request.unit, self.weight / self.scale)

    @abstractmethod
    def keep(self, fields: Sequence[Field], noise: Noise) -> tuple[list[Chosen], float | None]:
        """What is kept of each stretch of noisy entries, and tau if it was found on the way."""

    @abstractmethod
    def summary_facts(self, tau: float | None) -> dict[str, Any]:
        """theta and tau as the summary needs them."""

    def measure(self, counts: Counts, noise: Noise) -> Summary:
        from discreet.mechanisms.table.stretches import cut, merged
        from discreet.noise import Field

        occupied, exact = self.occupied(counts)
        parts = min(noise.cores, int(len(exact) + self.likely) // WORTH_A_STRETCH)
        stretches = cut(occupied, exact, self.cells, max(1, parts))
        noisy = noise.side_by_side(lambda stretch: noise.add(stretch.exact, self.scale), stretches)
        fields = [Field(values, stretch.empty) for values, stretch in zip(noisy, stretches, strict=True)]
        kept, tau = self.keep(fields, noise)
        return self.finished(*merged(self.sizes, stretches, noisy, kept), tau, noise)

    def occupied(self, counts: Counts) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The numbers (rising) and the exact values of the entries that may be other than zero."""
        return CellNumbers(self.sizes).encode(counts.codes), counts.counts

    def finished(self, numbers: NDArray[Any], values: NDArray[np.int64], tau: float | None, noise: Noise) -> Summary:
        """What is published of the entries that were kept: post-processing."""
        return self.summary(numbers, values, self.facts(tau))

    def facts(self, tau: float | None) -> dict[str, Any]:
        return {"alpha": str(self.alpha.numerator), "two_sided": self.two_sided, **self.summary_facts(tau)}

    def summary(self, numbers: NDArray[Any], values: NDArray[np.int64], facts: dict[str, Any]) -> Summary:
        from discreet.summaries.sparse_cells import SparseCells

        return SparseCells(self.request.schema, numbers, values, facts)

    def survivors(self, rule: Rule, empty: int, noise: Noise) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Ranks and values of the empty cells that the rule keeps.

        A filter that hardly any empty cell passes is drawn as a lower one, of which the rest is dropped: the law is the
        same, and no gap between two survivors is far longer than the table.
        """
        if rule.theta <= self.rare_theta:
            return noise.survivors(rule, empty)
        ranks, values = noise.survivors(replace(rule, theta=self.rare_theta), empty)
        passing = np.abs(values) >= rule.theta
        return ranks[passing], values[passing]

    def passing(self, fields: Sequence[Field], noise: Noise) -> list[Chosen]:
        """All that theta lets through."""
        from discreet.noise import Chosen

        rule = self.rule(self.theta)
        return noise.side_by_side(
            lambda field: Chosen(self.reaching(field.values), *self.survivors(rule, field.empty, noise)), fields
        )

    @cached_property
    def rare_theta(self) -> int:
        """The least theta that at most one cell of an empty table passes, in expectation."""
        return self._least_theta(1)

    def reaching(self, noisy: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether noisy values are at least theta, or at most minus theta if both sides count."""
        there = noisy >= self.theta
        if self.two_sided:
            there |= noisy <= -self.theta
        return there

    def rule(self, theta: int = 1, limit: Fraction | None = None) -> Rule:
        from discreet.noise import Rule

        return Rule(self.alpha, theta, limit, self.two_sided)

    def expected(self, rule: Rule) -> float:
        """How many cells of an empty table the rule would keep: a public number."""
        from discreet.noise.survivors import kept_share

        return kept_share(rule) * self.cells

    def check_expected(self, rule: Rule) -> None:
        self.likely = self.expected(rule)
        if self.likely > MOST_SURVIVORS:
            raise BadParameter(
                f"{self.method}: about {self.likely:.3g} of {self.cells:.3g} {self.entry}s would be kept even of an "
                "empty table; raise theta or tau, or give a smaller size"
            )

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] = (1 - alpha) / (1 + alpha) * alpha**|x|, independent in "
            f"every {self.entry}",
            "scale": as_text(self.scale),
            "alpha": f"{self.alpha.numerator}/2**64",
        }

    def chosen(self) -> list[dict[str, Any]]:
        return self._chosen

    def bias(self) -> list[str]:
        if self.two_sided:
            return []
        said = f"negative noisy counts are left out (one-sided), so sums over many {self.entry}s are too high"
        return [f"{said}; see `bias`"]

    def note_choice(self, name: str, value: Any, origin: str) -> None:
        self._chosen.append({"name": name, "value": value, "origin": origin})

    # parameters, each validated, and noted with its origin

    def _sided(self) -> bool:
        if "sided" not in self.parameters:
            return True
        sided = self.request.parameters.get("sided", "two")
        if sided not in ("two", "one"):
            raise BadParameter(f"sided must be 'two' or 'one', not {sided!r}")
        self.note_choice("sided", sided, "given" if "sided" in self.request.parameters else "default")
        return bool(sided == "two")

    def given_size(self) -> int | None:
        size = self.request.parameters.get("size")
        if size is None:
            return None
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise BadParameter(f"size must be a whole number of at least 1, not {size!r}")
        self.note_choice("size", size, "given")
        return size

    def size_or_default(self) -> int:
        size = self.given_size()
        if size is None:
            size = min(DEFAULT_SIZE, self.cells)
            self.note_choice("size", size, f"default: {DEFAULT_SIZE:,}, or the number of {self.entry}s")
        return size

    def given_theta(self) -> int | None:
        theta = self.request.parameters.get("theta")
        if theta is None:
            return None
        if isinstance(theta, bool) or not isinstance(theta, int) or not 1 <= theta < 1 << 60:
            raise BadParameter(
                f"theta must be a whole number from 1 to 2**60, not {theta!r}; to keep every {self.entry} use method "
                f"{self.dense!r}"
            )
        self.note_choice("theta", theta, "given")
        return theta

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

    def given_tau(self) -> Fraction | None:
        if "tau" not in self.request.parameters:
            return None
        tau = exact(self.request.parameters["tau"], "tau")
        if not Fraction(1, MOST_TAU) <= tau <= MOST_TAU:
            raise BadParameter("tau must lie between 1e-100 and 1e100")
        self.note_choice("tau", as_text(tau), "given")
        return tau

    def tau_for(self, size: int, theta: int = 1) -> Fraction:
        """A tau at which an empty table keeps `size` cells in expectation, within a few parts in 2**20."""
        if self.expected(self.rule(theta)) <= size:
            tau = Fraction(1)
        else:
            # expected(tau) is at most cells * E|v| / tau, so this upper end keeps fewer than `size`
            high = max(2.0, 2.0 * self.cells * (float(self.scale) + theta) / size)
            low = 1.0
            while high / low > 1 + 2.0**-20:
                middle = math.sqrt(low * high)
                fewer = self.expected(self.rule(theta, Fraction(middle))) <= size
                low, high = (low, middle) if fewer else (middle, high)
            tau = Fraction(float(f"{high:.6g}"))
        origin = f"default: an empty table would keep {size:,} {self.entry}s in expectation"
        self.note_choice("tau", as_text(tau), origin)
        return tau
