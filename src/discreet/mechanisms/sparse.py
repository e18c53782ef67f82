"""What the sparse summaries share: noise on the occupied cells, survivors among the empty ones, one sorted result.

Source: the shortcut approach of sparse-summaries. Guarantee: pure epsilon; the measurement is the identity with scale
sensitivity / epsilon on *all* cells, and each method is a post-processing of it that is drawn directly. What a release
shows is distributed exactly as if the whole noisy table had been made and then summarised.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Mechanism, Request
from discreet.mechanisms.cell_numbers import CellNumbers
from discreet.privacy import Alpha, as_text, cost, exact, scale_of

if TYPE_CHECKING:
    from discreet.counts import Counts
    from discreet.noise import Noise, Rule
    from discreet.summaries.sparse_cells import SparseCells

DEFAULT_SIZE = 100_000
MOST_SURVIVORS = 200_000_000

SIDED = "'two' (default) keeps large negative values too, 'one' only positive ones"
SIZE = "how many cells to keep"
THETA = "cells whose noisy count is below theta are dropped; a whole number of at least 1"
TAU = "cells below tau are kept with probability count / tau; any number above 0"


@dataclass(frozen=True, eq=False)
class Kept:
    """What a method keeps: indices of occupied cells, ranks of empty ones and their values, tau if it found one."""

    chosen: NDArray[np.int64]
    ranks: NDArray[Any]
    values: NDArray[np.int64]
    tau: float | None = None


def below_counts_as_zero(theta: int) -> str:
    return f"cells whose noisy count is below {theta} count as zero; `bias` of an answer bounds what that hides"


class Sparse(Mechanism):
    """A method of `Table` that keeps few of very many cells."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.scale = scale_of(request.epsilon, request.unit.sensitivity)
        self.alpha = Alpha.of(self.scale)
        self.cells = request.schema.cells
        self._chosen: list[dict[str, Any]] = []
        wide = [name for name in request.schema if request.schema[name].size >= 1 << 31]
        if wide and CellNumbers(request.schema.sizes).wide:
            raise BadParameter(f"attribute {wide[0]} has more than 2**31 values; use wider bins in so large a table")
        self.two_sided = self._sided()

    @property
    def cost(self) -> Fraction:
        return cost(self.request.unit, 1 / self.scale)

    @abstractmethod
    def keep(self, noisy: NDArray[np.int64], empty: int, noise: Noise) -> Kept:
        """Which noisy values are kept, and which empty cells with which values."""

    @abstractmethod
    def summary_facts(self, tau: float | None) -> dict[str, Any]:
        """theta and tau as the summary needs them."""

    def measure(self, counts: Counts, noise: Noise) -> SparseCells:
        from discreet.noise import cells_of_ranks, merged_order, same_form
        from discreet.summaries.sparse_cells import SparseCells

        numbers = CellNumbers(self.request.schema.sizes)
        occupied = numbers.encode(counts.codes)
        noisy = noise.add(counts.counts, self.scale)
        kept = self.keep(noisy, self.cells - len(noisy), noise)
        raised = cells_of_ranks(kept.ranks, occupied)
        order = merged_order(*same_form(occupied[kept.chosen], raised))
        codes = np.concatenate([counts.codes[kept.chosen], numbers.decode(raised)])[order]
        values = np.concatenate([noisy[kept.chosen], kept.values])[order]
        facts = {"alpha": str(self.alpha.numerator), "two_sided": self.two_sided, **self.summary_facts(kept.tau)}
        return SparseCells(self.request.schema, codes, values, facts)

    def strengths(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.abs(noisy) if self.two_sided else noisy

    def rule(self, theta: int = 1, limit: Fraction | None = None) -> Rule:
        from discreet.noise import Rule

        return Rule(self.alpha, theta, limit, self.two_sided)

    def expected(self, rule: Rule) -> float:
        """How many cells of an empty table the rule would keep: a public number."""
        from discreet.noise.survivors import kept_share

        return kept_share(rule) * self.cells

    def check_expected(self, rule: Rule) -> None:
        if (expected := self.expected(rule)) > MOST_SURVIVORS:
            raise BadParameter(
                f"{self.method}: about {expected:.3g} of {self.cells:.3g} cells would be kept even of an empty table; "
                "raise theta or tau, or give a smaller size"
            )

    def noise_law(self) -> dict[str, Any]:
        return {
            "law": "discrete Laplace: Pr[x] = (1 - alpha) / (1 + alpha) * alpha**|x|, independent in every cell",
            "scale": as_text(self.scale),
            "alpha": f"{self.alpha.numerator}/2**64",
        }

    def chosen(self) -> list[dict[str, Any]]:
        return self._chosen

    def bias(self) -> list[str]:
        if self.two_sided:
            return []
        return ["negative noisy counts are left out (one-sided), so sums over many cells are too high; see `bias`"]

    def note_choice(self, name: str, value: Any, origin: str) -> None:
        self._chosen.append({"name": name, "value": value, "origin": origin})

    # parameters, each validated, and noted with its origin

    def _sided(self) -> bool:
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
            self.note_choice("size", size, f"default: {DEFAULT_SIZE:,}, or the number of cells")
        return size

    def given_theta(self) -> int | None:
        theta = self.request.parameters.get("theta")
        if theta is None:
            return None
        if isinstance(theta, bool) or not isinstance(theta, int) or not 1 <= theta < 1 << 60:
            raise BadParameter(
                f"theta must be a whole number of at least 1, not {theta!r}; to keep every cell use method 'geometric'"
            )
        self.note_choice("theta", theta, "given")
        return theta

    def theta_for(self, size: int) -> int:
        """The least theta at which an empty table keeps at most `size` cells in expectation."""
        low, high = 0, 1
        while self.expected(self.rule(high)) > size:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.expected(self.rule(middle)) > size else (low, middle)
        self.note_choice("theta", high, f"default: an empty table would keep at most {size:,} cells in expectation")
        return high

    def given_tau(self) -> Fraction | None:
        if "tau" not in self.request.parameters:
            return None
        tau = exact(self.request.parameters["tau"], "tau")
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
        self.note_choice("tau", as_text(tau), f"default: an empty table would keep {size:,} cells in expectation")
        return tau
