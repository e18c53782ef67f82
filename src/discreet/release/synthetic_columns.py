"""From codes back to values as data have them, in columns of the type that the schema says.

A bin becomes the value in its middle. "other" becomes a missing value where the schema counts missing values there;
else it is the word "other", and its column is text.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.naming import OTHER
from discreet.schema import Attribute, Nominal, Ordinal

_TRUTHS = {"true": True, "false": False}


def value_column(attribute: Attribute, codes: NDArray[Any]) -> Any:
    """An Arrow array with a value for each code; texts are in a dictionary, so that each is there once."""
    import pyarrow as pa

    if attribute.size <= codes.size:
        occurring, index = np.arange(attribute.size), codes
    else:
        occurring, index = np.unique(codes, return_inverse=True)
    values = [_value(attribute, code) for code in occurring.tolist()]
    if isinstance(attribute, Nominal) and {label for label in values if label is not None} <= _TRUTHS.keys():
        values = [None if label is None else _TRUTHS[label] for label in values]
    types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    kinds = {type(value) for value in values if value is not None}
    if str in kinds or not kinds:
        return _texts([None if value is None else str(value) for value in values], index)
    return pa.array(values, types.get(kinds.pop(), pa.date32())).take(pa.array(index))


def _value(attribute: Attribute, code: int) -> Any:
    if attribute.has_other and code == attribute.size - 1:
        return None if attribute.null == OTHER else OTHER
    return attribute.middle(code) if isinstance(attribute, Ordinal) else attribute.label(code)


def _texts(values: list[str | None], index: NDArray[Any]) -> Any:
    import pyarrow as pa

    missing = np.array([value is None for value in values], np.bool_)
    known = [value for value in values if value is not None]
    places = np.cumsum(~missing) - 1
    indices = pa.array(places[index].astype(np.int32), mask=missing[index] if missing.any() else None)
    return pa.DictionaryArray.from_arrays(indices, pa.array(known, pa.string()))
