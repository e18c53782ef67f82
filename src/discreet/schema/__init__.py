"""Declared domains: what each attribute may be, in public, before any data is seen."""

from __future__ import annotations

from discreet.schema.nominal import Nominal
from discreet.schema.ordinal import Ordinal
from discreet.schema.reading import Reading
from discreet.schema.schema import Attribute, Schema, attribute_from_dict

__all__ = ["Attribute", "Nominal", "Ordinal", "Reading", "Schema", "attribute_from_dict"]
