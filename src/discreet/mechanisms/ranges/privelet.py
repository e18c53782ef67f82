"""Noise on wavelet coefficients: Haar for ordinal attributes, the nominal wavelet for the others.

Source: privelet (Xiao, Wang, Gehrke), sections 4 to 6. Guarantee and numerics: see `range_dense`. Bias: none.
"""

from __future__ import annotations

from discreet.mechanisms.ranges.range_dense import WRITE, Transformed
from discreet.schema import Attribute, Nominal
from discreet.transforms import Axis, Haar, NominalWavelet, Tree


class Privelet(Transformed):
    method = "privelet"
    parameters = (WRITE,)

    def choose_axes(self) -> list[Axis]:
        return [wavelet(attribute) for attribute in self.request.schema.values()]


def wavelet(attribute: Attribute) -> Axis:
    if isinstance(attribute, Nominal):
        return NominalWavelet(Tree.of(attribute))
    return Haar(attribute.size)
