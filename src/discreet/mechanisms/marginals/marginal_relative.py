"""What the methods for small relative error share: objective, sanity bound, weights, and a size to derive them from.

Errors are judged relative to max(count, sanity). Where the user gives no `sanity` or `start`, they follow from the
number of records: a public guess, `records`, or else a noisy total for a small share of the budget.
`iresamp` and `ireduct` also share a first scale for all tables, as large as could be acceptable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter
from discreet.mechanisms.base import Request
from discreet.mechanisms.marginals.marginal_method import TABLES, MarginalMethod
from discreet.noise import Noise
from discreet.parameters import Form, Parameter, Positive, choice
from discreet.privacy import LARGEST_SCALE, as_text, exact

SIZE_SHARE = Fraction(1, 100)
MOST_RECORDS = 2**61
LEAST = Fraction(1, 10**9)
#: steps may be no smaller than start divided by this
MOST_STEPS = 2**40
SANITY = Parameter(
    "sanity",
    Positive(LEAST, Fraction(MOST_RECORDS)),
    "Errors of smaller counts are judged as if the count were this large (delta)",
    otherwise="a 10,000th of the records",
)
RECORDS = Parameter(
    "records",
    Positive(Fraction(1), Fraction(MOST_RECORDS)),
    "A public guess of how many records there are",
    otherwise="a noisy total, for 1 % of epsilon",
)
OBJECTIVE = choice(
    "objective",
    ("average", "maximum"),
    "Whether to keep the average or the largest relative error of a table's cells low",
)
WEIGHTS = Parameter(
    "weights",
    Form("a list of numbers"),
    "A number for each table, in order: a table of weight 2 matters twice as much as one of weight 1",
    otherwise="all 1",
)
START = Parameter(
    "start",
    Positive(most=LARGEST_SCALE),
    "The scale that every table starts at (lambda_max)",
    otherwise="a tenth of the records",
)
RELATIVE = (*TABLES, SANITY, RECORDS, OBJECTIVE, WEIGHTS)


class Relative(MarginalMethod):
    """Keeps `sanity`, `weights` and the objective; knows how many records there are, or buys a noisy number."""

    rehearsal = "empty"
    spends_all = False  # scales are rounded up, or go down by steps, of which the last may not be affordable

    #: what may only be known after the total was measured, and the part of it that is the default
    needs_size: ClassVar[dict[Parameter[Fraction], int]] = {SANITY: 10_000}

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        asked = request.parameters
        self.objective = self.value(OBJECTIVE)
        self.weights = self._weights(asked.get("weights"))
        self.records = self.given(RECORDS)
        self.buys_size = self.records is None and any(parameter.name not in asked for parameter in self.needs_size)
        #: what is left for the tables, as a sum of 1 / scale
        self.left = self.budget * (1 - SIZE_SHARE) if self.buys_size else self.budget
        if self.buys_size:
            self.note_choice("records", "a noisy total", f"default: measured with {as_text(SIZE_SHARE)} of epsilon")
            self.check_scale(self.size_scale)
        self.known: dict[Parameter[Fraction], Fraction | None] = {}
        for parameter, part in self.needs_size.items():
            self.known[parameter] = self.given(parameter)
            if self.known[parameter] is None:
                self.note_choice(parameter.name, f"records / {part}", "default")

    def _weights(self, asked: Any) -> NDArray[np.float64]:
        if asked is None:
            return np.ones(len(self.cells))
        if not isinstance(asked, Sequence) or isinstance(asked, str) or len(asked) != len(self.cells):
            raise BadParameter(f"weights must be a list of {len(self.cells)} numbers, one for each table")
        self.note_choice("weights", list(asked), "given")
        weights = [exact(weight, "weights: each weight") for weight in asked]
        if not all(LEAST <= weight <= 1 / LEAST for weight in weights):
            raise BadParameter("weights: each weight must lie between 1e-9 and 1e9")
        return np.array([float(weight) for weight in weights])

    def size(self, tables: list[NDArray[np.int64]], noise: Noise) -> Fraction:
        """The number of records: the public guess, or a noisy total, at least so large that noise does not drown it."""
        if self.records is not None:
            return self.records
        if not self.buys_size:
            return Fraction(1)  # nothing is derived from it
        scale = self.size_scale
        total = np.array([tables[0].sum()])  # no more than one record changes in it
        return Fraction(max(int(noise.add(total, scale)[0]), math.ceil(scale), 1))

    @property
    def size_scale(self) -> Fraction:
        return 1 / (self.budget * SIZE_SHARE)

    @property
    def size_spent(self) -> list[Fraction]:
        return [1 / self.size_scale] if self.buys_size else []

    def sanity(self, size: Fraction) -> float:
        return float(self.known[SANITY] or max(Fraction(1), size / self.needs_size[SANITY]))

    def need_of_table(self, noisy: NDArray[Any], sanity: float, table: int) -> float:
        """What an error of one in every cell does to the objective."""
        needs = 1 / np.maximum(noisy, sanity)
        return float(self.weights[table] * (needs.max() if self.objective == "maximum" else needs.mean()))


class Starting(Relative):
    """Also has the `start` of all tables, and maybe a step that it goes down by."""

    given_step: Fraction | None = None
    needs_size: ClassVar[dict[Parameter[Fraction], int]] = {**Relative.needs_size, START: 10}

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.check_scale(self.least_start)
        given = self.known[START]
        if given is not None and given < self.least_start:
            raise BadParameter(
                f"start: {len(self.cells)} tables with noise of scale {as_text(given)} cost more than epsilon; "
                f"start at {float(self.least_start):.6g} or more, ask for fewer tables, or raise epsilon"
            )

    @property
    def least_start(self) -> Fraction:
        """At this scale all tables together cost what there is."""
        return len(self.cells) / self.left

    def start(self, size: Fraction) -> Fraction:
        """A tenth of the records, or what was given; never below what can be paid."""
        if (given := self.known[START]) is not None:
            return given
        tenth = round(size / self.needs_size[START] / self.grain)
        return min(max(tenth, math.ceil(self.least_start / self.grain)), self.most_grains) * self.grain

    @property
    def grain(self) -> Fraction:
        """A start that is not given is a multiple of this: a short number, so that all steps are exact in 64 bits."""
        return self.given_step or Fraction(1, 16)

    @property
    def most_grains(self) -> int:
        most = int(LARGEST_SCALE / self.grain)
        return min(most, MOST_STEPS) if self.given_step else most
