"""Labels of very many bins, written and read letter by letter: those of single codes, and no other text is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import OutsideDomain
from discreet.schema import Ordinal
from discreet.summaries.bin_texts import MANY, BinTexts
from discreet.summaries.labels import codes_of, labels_of

ATTRIBUTES = {
    "bins of integers": Ordinal(0, 4 * 10**9 - 1, 4),
    "below zero": Ordinal(-(10**9), 10**9 - 1, 5),
    "longest integers": Ordinal(-(10**18) + 1, 10**18 - 2, 2),
    "single integers and other": Ordinal(-5, 10**6, outside="other"),
    "bins and other": Ordinal(-40, 10**6 - 1, 4, null="other"),
    "tenths": Ordinal(-1e6, 1e7, 0.1),
    "quarters": Ordinal(-1.0, 1e6, 0.25),
    "ten thousandths": Ordinal(-1.0, 10.0, 0.0001),
    "whole reals": Ordinal(0.0, 1e6, 2.0),
    "longest reals": Ordinal(0.0, 99999999999.9999, 0.0001),
    "reals and other": Ordinal(0.0, 1e5, 0.5, outside="other"),
}


def texts_of(attribute: Ordinal) -> BinTexts:
    texts = BinTexts.of(attribute, MANY)
    assert texts is not None
    return texts


def some_codes(attribute: Ordinal, many: int = MANY) -> Any:
    """Anywhere, with both ends and around zero."""
    codes = np.random.default_rng(3).integers(0, attribute.size, many)
    texts = texts_of(attribute)
    zero = min(max(-texts.start // texts.step, 0), attribute.size - 1)
    near = [0, 1, attribute.size - 2, attribute.size - 1, *range(max(zero - 25, 0), min(zero + 25, attribute.size))]
    codes[: len(near)] = near
    return codes


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=list(ATTRIBUTES))
def test_texts_in_bulk_are_the_labels_of_single_codes(attribute: Ordinal) -> None:
    codes = some_codes(attribute)
    column = texts_of(attribute).written(codes)
    assert column.to_pylist() == [str(attribute.label(code)) for code in codes.tolist()]
    column.validate(full=True)
    assert labels_of(attribute, codes).equals(column)
    bins = np.where(codes < attribute.bins, codes, -1)
    assert texts_of(attribute).read(column).tolist() == bins.tolist()
    assert texts_of(attribute).read(column[3:99]).tolist() == bins[3:99].tolist()
    assert codes_of(attribute, column).tolist() == codes.tolist()


@settings(max_examples=60)
@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 4), st.integers(MANY, 10**9))
def test_reals_of_any_width_have_the_labels_of_single_codes(low: int, width: int, decimals: int, bins: int) -> None:
    """Also where an edge has fewer decimals than others, and on both sides of zero."""
    unit = 10**decimals
    attribute = Ordinal(low / unit, (low + width * bins) / unit, width / unit)
    codes = some_codes(attribute, 80)
    column = texts_of(attribute).written(codes)
    assert column.to_pylist() == [attribute.label(code) for code in codes.tolist()]
    assert texts_of(attribute).read(column).tolist() == codes.tolist()


@pytest.mark.parametrize(
    "attribute",
    [
        Ordinal(0, 10**6),
        Ordinal(-(10**18), 10**18 - 1, 2),
        Ordinal(0.0, 1e15, 0.5),
        Ordinal(0.0, 1.0, 1e-5),
        Ordinal(edges=[0, 18, 65, 120]),
        Ordinal(edges=[0.0, 0.1, 0.3]),
    ],
    ids=["numbers", "too long to read", "beyond 15 digits", "with an exponent", "edges", "edges of reals"],
)
def test_labels_that_are_made_in_another_way(attribute: Ordinal) -> None:
    assert BinTexts.of(attribute, MANY) is None
    codes = np.random.default_rng(5).integers(0, attribute.size, MANY)
    column = labels_of(attribute, codes)
    assert column.to_pylist()[:99] == [attribute.label(code) for code in codes.tolist()[:99]]
    assert codes_of(attribute, column).tolist() == codes.tolist()


WRONG = {
    "bins of integers": [
        *("", "-", "0", "0-", "0-4", "1-4", "4-3", "00-3", "0-03", "+0-3", " 0-3", "0-3 ", "0..3", "-0-3", "0--3"),
        *("4000000000-4000000003", "18446744073709551616-18446744073709551619", "0-3x", "x", "0.0-3", "٠-٣"),
    ],
    "below zero": [
        *("-5--1", "-5..-2", "-5..-01", "-5..-1.", "-5.-1", "-0..4", "0..4", "--5..-1", "-1000000005..-1000000001"),
    ],
    "single integers and other": ["1-1", "-0", "01", "1.0", "-6", "1000001", "Other", "other "],
    "tenths": [
        *("[0, 0.2)", "[0.0, 0.1)", "[0, 0.10)", "[0, .1)", "[0., 0.1)", "[-0, 0.1)", "[0, 0.1]", "[0,0.1)"),
        *("[0, 0.1", "[0, 0.1) ", "[00, 0.1)", "[0.05, 0.15)", "[1e0, 1.1)", "[0.1, 0.20000000000000001)", "[", "[0, "),
        *("(0, 0.1)", "[nan, 0.1)", "[1e308, 1e308)", "[inf, inf]"),
        *("[9999999.9, 10000000)", "[10000000, 10000000.1)", "[1844674407370955161.6, 1844674407370955161.7)", "nan"),
    ],
    "ten thousandths": ["[0.0001, 0.0003)", "[0.00010, 0.0002)", "[1e-04, 0.0002)"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "label"), [(name, label) for name, labels in WRONG.items() for label in labels])
def test_what_is_not_a_label_to_the_letter_is_refused_among_many(name: str, label: str) -> None:
    """By bulk; and then, asked for by itself, it has no code either."""
    attribute = ATTRIBUTES[name]
    labels = [*(str(attribute.label(code)) for code in some_codes(attribute)), label]
    found = texts_of(attribute).read(pa.array(labels))
    assert found[-1] == -1
    if label not in ("0", "01", "1.0", "-0", "+0-3"):  # single values that a question may name
        with pytest.raises(OutsideDomain):
            codes_of(attribute, pa.array(labels))


def test_missing_labels_are_not_taken_for_others() -> None:
    attribute = ATTRIBUTES["tenths"]
    labels = labels_of(attribute, some_codes(attribute)).to_pylist()
    with pytest.raises(LookupError):
        codes_of(attribute, pa.array([*labels, None]).dictionary_encode())
    with pytest.raises((OutsideDomain, LookupError)):
        codes_of(attribute, pa.array([*labels, None]))


@pytest.mark.parametrize("code", [-1, 30])
def test_codes_that_the_attribute_does_not_have_are_refused(code: int) -> None:
    attribute = Ordinal(0.0, 3.0, 0.1)
    with pytest.raises(OutsideDomain, match=r"outside 0\.\.29"):
        texts_of(attribute).written(np.array([0, code]))
