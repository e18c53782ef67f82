"""Labels in bulk are those that attributes give one by one, and are read back as they would be."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.arrow import with_gaps
from discreet.errors import OutsideDomain
from discreet.schema import Attribute, Nominal, Ordinal
from discreet.summaries.labels import codes_of, labels_of

DAYS = (date(1, 1, 1), date(9999, 12, 31))
ATTRIBUTES: dict[str, Attribute] = {
    "integers": Ordinal(-5, 90),
    "many integers": Ordinal(-(10**17), 10**17),
    "integers and other": Ordinal(-5, 90, outside="other"),
    "bins of integers": Ordinal(-20, 19, 4, null="other"),
    "many bins of integers": Ordinal(-(10**9), 10**9 - 1, 5),
    "edges of integers": Ordinal(edges=[-7, -3, 0, 1, 18, 65, 120]),
    "reals": Ordinal(-1.0, 2.0, 0.1),
    "reals and other": Ordinal(0.0, 10.0, 0.25, outside="other"),
    "many reals": Ordinal(0.0, 1e8, 0.1),
    "large reals": Ordinal(0.0, 1e18, 1e10),
    "tiny reals": Ordinal(0.0, 1e-3, 1e-7),
    "edges of reals": Ordinal(edges=[-1e300, -0.5, 0.0, 1e-300, 2.5, 1e22]),
    "days": Ordinal(*DAYS),
    "days and other": Ordinal(date(999, 12, 1), date(2024, 3, 1), outside="other", null="other"),
    "weeks": Ordinal(date(2024, 1, 1), date(2024, 12, 29), "week"),
    "bins of days": Ordinal(date(1900, 1, 1), date(1900, 12, 31), 5),
    "months and other": Ordinal(date(2020, 1, 1), date(2024, 12, 31), "month", null="other"),
    "labels": Nominal(["a", "b, c", 'd"', "Ünï", "12", ""]),
    "labels and other": Nominal([f"{number:03}" for number in range(500)], outside="other"),
    "a hierarchy": Nominal(hierarchy={"North": ["Harbour", "Old Town"], "South": ["Hills", "Mill"]}, null="other"),
}


def one_by_one(attribute: Attribute, codes: list[int]) -> list[Any]:
    """As every label was made before: each by itself; beside "other" all are texts."""
    labels = [attribute.label(code) for code in codes]
    return [str(label) for label in labels] if attribute.has_other else list(labels)


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=list(ATTRIBUTES))
@pytest.mark.parametrize("many", [1, 40, 3000])
def test_labels_in_bulk_are_those_of_single_codes(attribute: Attribute, many: int) -> None:
    drawn = np.random.default_rng(7).integers(0, attribute.size, many)
    codes = np.concatenate([drawn, [0, attribute.size - 1, max(0, attribute.size - 2)]])
    column = labels_of(attribute, codes)
    assert column.to_pylist() == one_by_one(attribute, codes.tolist())
    assert codes_of(attribute, column).tolist() == codes.tolist()
    assert codes_of(attribute, pa.chunked_array([column[:1], column[1:]])).tolist() == codes.tolist()


@pytest.mark.parametrize("attribute", ATTRIBUTES.values(), ids=list(ATTRIBUTES))
def test_no_labels_have_the_type_of_all(attribute: Attribute) -> None:
    none = labels_of(attribute, np.empty(0, np.int64))
    assert none.type == labels_of(attribute, np.zeros(3, np.int64)).type
    assert codes_of(attribute, none).size == 0


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("integers", 91),
        ("many integers", 10**17 + 1),
        ("bins of integers", "-19..-16"),
        ("many bins of integers", "0-3"),
        ("edges of integers", "1-16"),
        ("reals", "[0.1, 0.3)"),
        ("many reals", "[0.1, 0.20000000000000001)"),
        ("many reals", "[nothing, 1)"),
        ("weeks", "2024-01-02..2024-01-08"),
        ("weeks", "2024-13-01..2024-13-08"),
        ("labels", "e"),
        ("labels", "other"),
        ("a hierarchy", "North"),
    ],
)
def test_what_is_no_label_is_refused(name: str, label: Any) -> None:
    attribute = ATTRIBUTES[name]
    for column in ([label], [attribute.label(0), label]):
        with pytest.raises(OutsideDomain):
            codes_of(attribute, pa.array(column))


@pytest.mark.parametrize("name", ["integers", "days", "labels", "reals"])
def test_gaps_are_those_that_arrow_makes(name: str) -> None:
    codes = np.arange(ATTRIBUTES[name].size)[:30]
    known = codes % 3 > 0
    labels = labels_of(ATTRIBUTES[name], codes)
    assert with_gaps(labels, known).equals(labels.take(pa.array(codes, mask=~known)))
    assert with_gaps(labels[:0], known[:0]).equals(labels[:0])
