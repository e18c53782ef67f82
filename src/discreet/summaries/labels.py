"""Labels of codes as Arrow columns of one type, and back; only labels that occur are ever made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.schema import Attribute, Schema


def labels_of(attribute: Attribute, codes: NDArray[np.int64]) -> Any:
    """A fresh Arrow array with the label of every code."""
    import pyarrow as pa

    labels: list[Any]
    if attribute.size <= codes.size:
        labels, index = list(attribute.labels), codes
    else:
        occurring, index = np.unique(codes, return_inverse=True)
        labels = [attribute.label(code) for code in occurring.tolist()]
    # "other" next to numbers makes the column text, whether it occurs or not: the type is the schema's
    kind = type(attribute.label(0))
    if attribute.has_other and kind is not str:
        labels, kind = [str(label) for label in labels], str
    types = {int: pa.int64(), str: pa.string()}
    return pa.array(labels, types.get(kind, pa.date32())).take(pa.array(index))


def labelled(schema: Schema, sets: Sequence[Sequence[str]], columns: Sequence[Mapping[str, Any]]) -> Any:
    """Several tables one below the other: which it is, labels of its attributes (null for others), and its columns."""
    import pyarrow as pa

    tables = [_labelled(schema, names, mine) for names, mine in zip(sets, columns, strict=True)]
    return pa.concat_tables(tables, promote_options="default").combine_chunks()


def _labelled(schema: Schema, names: Sequence[str], columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    shape = [schema[name].size for name in names]
    codes = np.indices(shape).reshape(len(shape), -1)
    rows = codes.shape[1]
    found = {"marginal": pa.array([" x ".join(names)] * rows, pa.string())}
    for name in schema:
        empty = labels_of(schema[name], np.empty(0, np.int64))
        held = name in names
        found[name] = labels_of(schema[name], codes[list(names).index(name)]) if held else pa.nulls(rows, empty.type)
    return pa.table({**found, **{name: pa.array(column) for name, column in columns.items()}})


def codes_of(attribute: Attribute, column: Any) -> NDArray[np.int64]:
    """The codes of a column that `labels_of` made; OutsideDomain for a label that the schema does not have."""
    encoded = column.combine_chunks().dictionary_encode()
    codes = np.array([_code(attribute, label) for label in encoded.dictionary.to_pylist()], np.int64)
    index = encoded.indices.to_numpy(zero_copy_only=False)
    return codes[index] if codes.size else np.empty(0, np.int64)


def _code(attribute: Attribute, label: Any) -> int:
    return attribute.size - 1 if attribute.has_other and label == "other" else attribute.code(label)
