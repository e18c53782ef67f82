"""Labels of codes as Arrow columns of one type, and back; only labels that occur are ever made."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.schema import Attribute


def labels_of(attribute: Attribute, codes: NDArray[np.int64]) -> Any:
    """A fresh Arrow array with the label of every code."""
    import pyarrow as pa

    if attribute.size <= codes.size:
        occurring, index = np.arange(attribute.size), codes
    else:
        occurring, index = np.unique(codes, return_inverse=True)
    labels = [attribute.label(code) for code in occurring.tolist()]
    # "other" next to numbers makes the column text, whether it occurs or not: the type is the schema's
    kind = type(attribute.label(0))
    if attribute.has_other and kind is not str:
        labels, kind = [str(label) for label in labels], str
    types = {int: pa.int64(), str: pa.string()}
    return pa.array(labels, types.get(kind, pa.date32())).take(pa.array(index))


def codes_of(attribute: Attribute, column: Any) -> NDArray[np.int64]:
    """The codes of a column that `labels_of` made; OutsideDomain for a label that the schema does not have."""
    encoded = column.combine_chunks().dictionary_encode()
    codes = np.array([_code(attribute, label) for label in encoded.dictionary.to_pylist()], np.int64)
    index = encoded.indices.to_numpy(zero_copy_only=False)
    return codes[index] if codes.size else np.empty(0, np.int64)


def _code(attribute: Attribute, label: Any) -> int:
    return attribute.size - 1 if attribute.has_other and label == "other" else attribute.code(label)
