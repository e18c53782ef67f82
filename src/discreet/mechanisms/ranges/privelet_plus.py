"""`privelet` with some attributes left untransformed: those of few codes do better that way.

Source: privelet, section 6.4. Guarantee and numerics: see `range_dense`. Bias: none.
Which attributes: named by the user, or by the least exact mean variance over a public workload, or the paper's rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, ClassVar

from discreet.errors import BadParameter
from discreet.mechanisms.predicates import read_predicates
from discreet.mechanisms.ranges.privelet import wavelet
from discreet.mechanisms.ranges.range_dense import WRITE, Transformed
from discreet.mechanisms.ranges.range_workload import spread_workload
from discreet.naming import did_you_mean
from discreet.parameters import Form, Parameter, Parameters
from discreet.queries import Questions
from discreet.schema import Attribute, Nominal
from discreet.transforms import Axis, Direct
from discreet.transforms.noise_moments import NoiseMoments

_ALL_TRIED = 6
DIRECT = Parameter(
    "direct",
    Form("a list of attributes, or 'paper' for the rule of the paper"),
    "The attributes to leave untransformed",
    otherwise="those with the least mean variance over the workload",
)
WORKLOAD = Parameter(
    "workload",
    Form("a list of predicates"),
    "The questions that the choice of `direct` should serve best",
    otherwise="all ranges and hierarchy nodes, equally often",
)


class PriveletPlus(Transformed):
    method = "privelet+"
    parameters: ClassVar[Parameters] = (DIRECT, WORKLOAD, WRITE)

    def choose_axes(self) -> list[Axis]:
        schema, asked = self.request.schema, self.request.parameters
        if "direct" in asked and "workload" in asked:
            raise BadParameter("`direct` is chosen to suit the workload, so give only one of the two")
        given = asked.get("direct")
        if given is None and "workload" in asked:
            direct = self._best(read_predicates("workload", asked["workload"], schema))
            origin = "default: least mean variance over your workload"
        elif given is None:
            direct = self._best(spread_workload(schema))
            origin = "default: least mean variance over an even workload"
        elif given == "paper":
            direct = {name for name in schema if _small(schema[name])}
            origin = "given: the rule |A| <= P(A)**2 H(A) of privelet"
        else:
            direct, origin = self._named(given), "given"
        self.note_choice("direct", [name for name in schema if name in direct], origin)
        return self._axes(direct)

    def _axes(self, direct: Iterable[str]) -> list[Axis]:
        schema = self.request.schema
        return [Direct(schema[name].size) if name in direct else wavelet(schema[name]) for name in schema]

    def _named(self, given: Any) -> set[str]:
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise BadParameter(f"direct must be a list of attributes, or 'paper', not {given!r}")
        for name in names:
            if name not in self.request.schema:
                hint = did_you_mean(name, self.request.schema)
                raise BadParameter(f"direct: {name!r} is not among the release's attributes.{hint}")
        return set(names)

    def _best(self, questions: Questions) -> set[str]:
        """The choice of least mean variance: among all, or for many attributes by changing one at a time."""

        def error(direct: Iterable[str]) -> float:
            axes = self._axes(direct)
            # any epsilon gives the same order; this scale keeps the noise far from its steps
            scale = Fraction(1000 * math.prod(axis.weight for axis in axes))
            return float(NoiseMoments(axes, scale).of(questions)[0].mean())

        names = list(self.request.schema)
        if len(names) <= _ALL_TRIED:
            sizes = range(len(names) + 1)
            return set(min((some for r in sizes for some in itertools.combinations(names, r)), key=error))
        best = {name for name in names if _small(self.request.schema[name])}
        least = error(best)
        while True:
            found, choice = min((error(best ^ {name}), name) for name in names)
            if found >= least:
                return best
            best, least = best ^ {choice}, found


def _small(attribute: Attribute) -> bool:
    """The rule of privelet: |A| <= P(A)**2 H(A), with the padded size for ordinal attributes."""
    axis = wavelet(attribute)
    bound = 4.0 if isinstance(attribute, Nominal) else (1 + axis.weight) / 2
    return attribute.size <= axis.weight**2 * bound
