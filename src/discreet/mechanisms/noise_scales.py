"""How a mechanism's scales follow from epsilon: one scale for everything, or several that share a budget."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

from discreet.errors import BadParameter, DiscreetError
from discreet.mechanisms.base import Mechanism, Request
from discreet.privacy import LARGEST_SCALE, Alpha, as_text, cost, scale_of


class OneScale(Mechanism):
    """Noise of one law in every entry of a map, in which a record weighs `weight` at most."""

    #: what an entry is called
    entry: ClassVar[str] = "cell"

    def set_scale(self, weight: int = 1) -> None:
        self.weight = weight
        self.scale = scale_of(self.request.epsilon, self.request.unit.sensitivity) * weight
        self.alpha = Alpha.of(self.scale)

    @property
    def cost(self) -> Fraction:
        return cost(self.request.unit, self.weight / self.scale)

    def noise_law(self) -> dict[str, Any]:
        law = "discrete Laplace: Pr[x] = (1 - alpha) / (1 + alpha) * alpha**|x|"
        return {
            "law": f"{law}, independent in every {self.entry}",
            "scale": as_text(self.scale),
            "alpha": f"{self.alpha.numerator}/2**64",
        }


class SharedBudget(Mechanism):
    """Noise of several scales, which may be chosen while measuring: 1 / scale of all adds up to at most `budget`."""

    #: what a user can do about too much noise
    less_noise: str

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.budget = 1 / scale_of(request.epsilon, request.unit.sensitivity)

    @property
    def cost(self) -> Fraction:
        """What all steps together may cost; `check_paid` makes sure that the scales in use do not exceed it."""
        return cost(self.request.unit, self.budget)

    def check_scale(self, scale: Fraction) -> None:
        """Refuses what would need wider noise than there is, before anything is charged."""
        if scale > LARGEST_SCALE:
            raise BadParameter(f"{self.method}: this needs noise of a scale above 2**52; {self.less_noise}")

    def check_paid(self, epsilon: Fraction) -> None:
        """Refuses to publish if what was drawn, derived again from the scales, costs more than was charged."""
        if epsilon > self.request.epsilon:
            raise DiscreetError("the scales of the noise cost more than epsilon; nothing is published")
