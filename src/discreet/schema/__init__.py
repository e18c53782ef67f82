"""Declared domains: what each attribute may be, in public, before any data is seen."""

from __future__ import annotations

from discreet.schema.nominal import Nominal
from discreet.schema.ordinal import Ordinal
from discreet.schema.periods import Periods, Span
from discreet.schema.reading import Reading
from discreet.schema.schema import Attribute, Schema, attribute_from_dict

__all__ = ["Attribute", "Nominal", "Ordinal", "Periods", "Reading", "Schema", "Span", "attribute_from_dict"]
