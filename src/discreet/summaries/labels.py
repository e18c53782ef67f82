"""Labels of codes as columns of Arrow, and back, in bulk: whole columns at a time, whatever the kind of attribute.

What is made or read in bulk is what `attribute.label` and `attribute.code` say, one by one, which decide wherever bulk
does not: `tests/unit/summaries/test_labels.py` compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrow import array_of
from discreet.naming import OTHER
from discreet.schema import Attribute, Ordinal
from discreet.schema.bulk_edges import bins_from, edges_at
from discreet.summaries.bin_texts import BinTexts

Codes = NDArray[np.int64]
#: floats of such a size Arrow writes as Python does, and whole ones without .0
_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e9
#: a column whose labels come so often each is read label by label
_OFTEN = 4
#: so many are taken one by one
_FEW = 1 << 12
#: how the text of a bin begins
_STARTS = {"integer": r"^(?P<start>-?\d+)", "date": r"^(?P<start>\d{4}-\d\d-\d\d)", "real": r"^\[(?P<start>[^,]+), "}


def labels_of(attribute: Attribute, codes: Codes) -> Any:
    """A fresh Arrow array with the label of every code, of one type; only labels that occur are ever made."""
    import pyarrow as pa

    if isinstance(attribute, Ordinal) and attribute.first_number is not None:
        return pa.array(codes + attribute.first_number, pa.int64())
    if attribute.size <= codes.size:
        return _taken(_made(attribute, np.arange(attribute.size)), codes)
    if (texts := BinTexts.of(attribute, codes.size)) is not None:
        return texts.written(codes)
    occurring, index = np.unique(codes, return_inverse=True)
    return _taken(_made(attribute, occurring), index)


def _taken(labels: Any, places: Codes) -> Any:
    """`labels.take(places)`; where they are few without what Arrow loads for that."""
    import pyarrow as pa

    if places.size > _FEW:
        return labels.take(pa.array(places))
    values = labels.to_pylist()
    return pa.array([values[place] for place in places.tolist()], labels.type)


def codes_of(attribute: Attribute, column: Any) -> Codes:
    """The codes of a column that `labels_of` made; OutsideDomain for a label that the schema does not have."""
    import pyarrow as pa

    labels = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if labels.type == pa.string() and not labels.null_count and (texts := BinTexts.of(attribute, len(labels))):
        codes = texts.read(labels)
        if (unread := codes < 0).any():
            codes[unread] = _codes_by_label(attribute, labels.filter(_marks(unread)).dictionary_encode())
        return codes
    if pa.types.is_dictionary(labels.type):
        return _codes_by_label(attribute, labels)
    if attribute.size > len(labels) // _OFTEN or _are_values(attribute, labels):
        return _distinct_codes(attribute, labels)
    return _codes_by_label(attribute, labels.dictionary_encode())


def _codes_by_label(attribute: Attribute, encoded: Any) -> Codes:
    """The same of labels that come again and again."""
    return np.asarray(_distinct_codes(attribute, encoded.dictionary)[array_of(encoded.indices)], np.int64)


def _distinct_codes(attribute: Attribute, labels: Any) -> Codes:
    """The same of labels that do not come again and again; what bulk cannot read is asked for one by one."""
    codes = _read(attribute, labels)
    wrong = codes < 0
    if _are_values(attribute, labels):
        pass
    elif isinstance(attribute, Ordinal) and not wrong.all():  # what was read is right if it has this very label
        made, given = _bins_of_type(attribute, codes[~wrong]), labels.filter(_marks(~wrong)) if wrong.any() else labels
        wrong[~wrong] = True if made.type != given.type else _differ(made, given)
    if wrong.any():
        rest = labels.filter(_marks(wrong)).dictionary_encode()
        codes[wrong] = np.array([attribute.code(one) for one in rest.dictionary.to_pylist()])[array_of(rest.indices)]
    return codes


def _are_values(attribute: Attribute, labels: Any) -> bool:
    """Whether labels are the whole numbers or days themselves, which are read in one way only."""
    import pyarrow as pa

    if not isinstance(attribute, Ordinal) or attribute.has_other or not attribute.has_one_value_each:
        return False
    return bool(labels.type == (pa.int64() if attribute.kind == "integer" else pa.date32()))


def _made(attribute: Attribute, codes: Codes) -> Any:
    """Labels of ascending codes."""
    import pyarrow as pa

    if (texts := BinTexts.of(attribute, codes.size)) is not None:
        return texts.written(codes)
    if not isinstance(attribute, Ordinal):
        labels = attribute.labels
        return pa.array(labels if codes.size == len(labels) else [labels[code] for code in codes.tolist()], pa.string())
    bins = codes[codes < attribute.bins]
    found = _bins_of_type(attribute, bins)
    return found if bins.size == codes.size else pa.concat_arrays([found, pa.array([OTHER] * (codes.size - bins.size))])


def _bins_of_type(attribute: Ordinal, codes: Codes) -> Any:
    """The labels of declared bins; beside "other" numbers are texts, whether it occurs or not."""
    import pyarrow as pa

    found = _bins(attribute, codes)
    if found is None:
        return pa.array([str(attribute.label(code)) for code in codes.tolist()], pa.string())
    return _text(found) if attribute.has_other else found


def _bins(attribute: Ordinal, codes: Codes) -> Any:
    """The labels of declared bins; None where bulk cannot say."""
    import pyarrow as pa
    import pyarrow.compute as pc

    first, end = edges_at(attribute, codes), edges_at(attribute, codes + 1)
    if first is None or end is None:
        return None
    if attribute.kind == "real":
        closing = pc.if_else(_marks(codes == attribute.bins - 1), "]", ")")
        return pc.binary_join_element_wise("[", _reals(first), ", ", _reals(end), closing, "")
    kind = pa.int64() if attribute.kind == "integer" else pa.date32()
    starts, lasts = (pa.array(side.astype(np.int64)) for side in (first, end - 1))
    if attribute.kind == "date":
        starts, lasts = (side.cast(pa.int32()).cast(kind) for side in (starts, lasts))
    if attribute.has_one_value_each:
        return starts
    starts_text, lasts_text = _text(starts), _text(lasts)
    if attribute.kind == "date":
        return pc.binary_join_element_wise(starts_text, lasts_text, "..")
    between = pc.if_else(_marks(first >= 0), "-", "..")
    several = pc.binary_join_element_wise(starts_text, between, lasts_text, "")
    return pc.if_else(_marks(first == end - 1), starts_text, several)


def _text(column: Any) -> Any:
    """Numbers and days as Python writes them."""
    import pyarrow as pa

    return column.cast(pa.string())


def _reals(edges: NDArray[Any]) -> Any:
    """As `repr` writes them, whole ones without their .0."""
    import pyarrow as pa

    sizes = np.abs(edges)
    plain = (sizes == 0) | ((sizes >= _PLAIN_FROM) & (sizes < _PLAIN_TO))
    if not plain.all():
        return pa.array([repr(edge).removesuffix(".0") for edge in edges.tolist()], pa.string())
    return pa.array(edges).cast(pa.string())


def _read(attribute: Attribute, distinct: Any) -> Codes:
    """The codes that these labels look like, -1 for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unknown = np.full(len(distinct), -1)
    if not isinstance(attribute, Ordinal):
        if distinct.type != pa.string():
            return unknown
        return array_of(pc.index_in(distinct, pa.array(attribute.labels, pa.string())).fill_null(-1)).astype(np.int64)
    starts, known = distinct, np.ones(len(distinct), np.bool_)
    try:
        if distinct.type == pa.string():
            starts = pc.struct_field(pc.extract_regex(distinct, _STARTS[attribute.kind]), "start")
            known = array_of(starts.is_valid())
            kinds = {"integer": pa.int64(), "date": pa.date32(), "real": pa.float64()}
            starts = starts.drop_null().cast(kinds[attribute.kind])
        if starts.type == pa.date32():
            starts = starts.cast(pa.int32())
        found = bins_from(attribute, array_of(starts))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError, ValueError):
        return unknown
    unknown[known] = np.where((found >= 0) & (found < attribute.bins), found, -1)
    return unknown


def _marks(marks: NDArray[np.bool_]) -> Any:
    import pyarrow as pa

    return pa.array(marks)


def _differ(one: Any, other: Any) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return array_of(pc.not_equal(one, other).fill_null(True)).astype(np.bool_)
