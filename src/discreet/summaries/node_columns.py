"""Nodes as columns that anyone can read, and back.

Of an ordinal attribute `age`, `age_first` and `age_last` are the ends of the range, both included; a Haar coefficient
has `age_middle` too, where its right half starts, and none for the total. Of a nominal attribute the column has the
name of the label or group, and none for all labels together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.arrow import valid
from discreet.naming import RESERVED
from discreet.schema import Attribute, Nominal, Schema
from discreet.schema.hierarchy import Node, walk
from discreet.summaries.labels import codes_of, labels_of
from discreet.transforms.axis import Integers
from discreet.transforms.haar_nodes import HaarNodes
from discreet.transforms.node_axis import NodeAxis
from discreet.transforms.tree_nodes import Branches, Parts


def column_names(schema: Schema) -> dict[str, tuple[str, str, str]]:
    """The names for first, middle and last of each ordinal attribute; none is that of another column."""
    taken = {*(name.casefold() for name in schema), *RESERVED}

    def free(name: str) -> str:
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        return name

    return {name: (free(f"{name}_first"), free(f"{name}_middle"), free(f"{name}_last")) for name in schema}


def to_columns(schema: Schema, axes: tuple[NodeAxis, ...], codes: Integers) -> dict[str, Any]:
    """Arrow arrays by name."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    names = column_names(schema)
    for i, (name, axis) in enumerate(zip(schema, axes, strict=True)):
        attribute, nodes = schema[name], np.ascontiguousarray(codes[:, i])
        if isinstance(axis, Branches):
            columns[name] = pa.array(_node_names(attribute, axis), pa.string()).take(pa.array(nodes))
            continue
        first, last = axis.ends(nodes)
        columns[names[name][0]] = labels_of(attribute, first)
        if isinstance(axis, HaarNodes):
            middles = axis.middles(nodes)
            rows = pa.array(np.arange(middles.size), mask=middles == 0)
            columns[names[name][1]] = labels_of(attribute, middles).take(rows)
        columns[names[name][2]] = labels_of(attribute, last)
    return columns


def from_columns(schema: Schema, axes: tuple[NodeAxis, ...], table: Any) -> Integers:
    """The nodes that `to_columns` wrote; ValueError or LookupError for what is no node."""
    names = column_names(schema)
    codes = np.empty((table.num_rows, len(axes)), np.int64)
    for i, (name, axis) in enumerate(zip(schema, axes, strict=True)):
        attribute, (first, middle, last) = schema[name], names[name]
        if isinstance(axis, Branches):
            known = {text: node for node, text in enumerate(_node_names(attribute, axis))}
            codes[:, i] = [known[text] for text in table[name].to_pylist()]
        elif isinstance(axis, HaarNodes):
            middles, column = np.zeros(table.num_rows, np.int64), table[middle]
            middles[valid(column)] = codes_of(attribute, column.drop_null())
            codes[:, i] = axis.numbers_of_middles(middles)
        else:
            assert isinstance(axis, Parts)
            codes[:, i] = axis.numbers(codes_of(attribute, table[first]), codes_of(attribute, table[last]))
    if np.any(codes < 0):
        raise ValueError("a row of the table is no node of its attributes")
    return codes


def _node_names(attribute: Attribute, axis: Branches) -> list[str | None]:
    """The name of each node: its label, or its group."""
    assert isinstance(attribute, Nominal)
    names: list[str | None] = [None] * axis.length
    groups = [entry.name for entry, _ in walk(attribute.tree) if isinstance(entry, Node)]
    if groups:
        first, last = np.array([attribute.node(name) for name in groups], np.int64).T
        for node, name in zip(axis.numbers(first, last).tolist(), groups, strict=True):
            names[node] = name
    for node, label in zip(axis.tree.leaves.tolist(), attribute.labels, strict=True):
        names[node] = label
    return names
