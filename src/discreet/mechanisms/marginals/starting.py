"""What `iresamp` and `ireduct` share: a first scale for all tables, as large as anybody would accept."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from discreet.errors import BadParameter
from discreet.mechanisms.marginals.relative import Relative
from discreet.mechanisms.request import Request
from discreet.parameters import Parameter, Positive
from discreet.privacy import LARGEST_SCALE, as_text, exact

START = Parameter(
    "start",
    Positive(),
    "The scale that every table starts at (lambda_max)",
    otherwise="a tenth of the records",
)


class Starting(Relative):
    needs_size: ClassVar[dict[Parameter[Fraction], int]] = {**Relative.needs_size, START: 10}

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.check_scale(self.least_start)
        if "start" in request.parameters:
            given = exact(request.parameters["start"], "start")
            if given < self.least_start:
                raise BadParameter(
                    f"start: {len(self.cells)} tables with noise of scale {as_text(given)} cost more than epsilon; "
                    f"start at {float(self.least_start):.6g} or more, ask for fewer tables, or raise epsilon"
                )
            if given > LARGEST_SCALE:
                raise BadParameter("start must be at most 2**52")

    @property
    def least_start(self) -> Fraction:
        """At this scale all tables together cost what there is."""
        return len(self.cells) / self.left

    def start(self, size: Fraction) -> Fraction:
        """A tenth of the records, or what was given; never below what can be paid."""
        given = self.request.parameters.get("start")
        if given is not None:
            return exact(given, "start")
        tenth = round(size / self.needs_size[START] / self.grain)
        return min(max(tenth, math.ceil(self.least_start / self.grain)), self.most_grains) * self.grain

    @property
    def grain(self) -> Fraction:
        """A start that is not given is a multiple of this: a short number, so that all steps are exact in 64 bits."""
        return Fraction(1, 16)

    @property
    def most_grains(self) -> int:
        return int(LARGEST_SCALE / self.grain)
