"""Releases of sparse nodes: huge domains, the columns and the file, what is refused, what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet.errors import BadParameter, CannotAnswer
from discreet.noise import ZeroNoise
from discreet.private.publish import Data
from discreet.schema import Schema
from discreet.summaries.sparse_nodes import SparseNodes

LARGE = 2**40
LINE = Schema(x=discreet.Ordinal(0, LARGE - 1))
#: each keeps every entry that is not zero
COMPLETE: dict[str, dict[str, Any]] = {
    "dyadic-filter": {"theta": 1},
    "dyadic-threshold": {"tau": 1},
    "dyadic-priority": {"size": 10**6},
    "dyadic-filter-priority": {"theta": 1, "size": 10**6},
    "wavelet-filter": {"theta": 1},
    "wavelet-priority": {"size": 10**6},
    "wavelet-filter-priority": {"theta": 1, "size": 10**6},
}


def nobody(schema: Schema = LINE) -> Data:
    return discreet.from_counts(schema, [], [])


def test_a_huge_domain_from_counts_to_a_folder(tmp_path: Path) -> None:
    dice = np.random.default_rng(4)
    codes = np.unique(dice.integers(0, LARGE, 500))
    data = discreet.from_counts(LINE, codes[:, None], np.full(codes.size, 3))
    for method, parameters in COMPLETE.items():
        # epsilon so large that even here an empty table would keep next to nothing
        release = data.publish(discreet.Ranges("x", method=method, **parameters), 1000, noise=ZeroNoise())
        for low, high in ((0, LARGE - 1), (5, LARGE // 3), (int(codes[7]), int(codes[7])), (LARGE // 2, LARGE - 9)):
            inside = 3 * np.count_nonzero((low <= codes) & (codes <= high))
            assert release.count({"x": (low, high)}).value == pytest.approx(inside, abs=1e-6)
        again = discreet.load(release.save(tmp_path / method))
        assert np.array_equal(again.summary.codes, release.summary.codes)  # type: ignore[attr-defined]
        assert again.to_arrow().equals(release.to_arrow())


def test_a_table_of_a_huge_attribute_is_refused_and_one_beside_it_works() -> None:
    schema = Schema(x=discreet.Ordinal(0, 2**30 - 1), sex=discreet.Nominal(["f", "m"]))
    data = discreet.from_counts(schema, [[5, 0], [2**29, 1]], [40, 30])
    release = data.publish(discreet.Ranges(["x", "sex"], method="dyadic-filter"), 1000, noise=ZeroNoise())
    with pytest.raises(CannotAnswer, match="x has 1,073,741,824 values"):
        release.table("x")
    assert list(release.table("sex", {"x": (0, 2**29)})["count"]) == [40, 30]


def test_columns_can_be_read_by_anyone(tmp_path: Path) -> None:
    schema = Schema(
        age=discreet.Ordinal(0, 6, outside="other"),
        age_first=discreet.Nominal(["f", "m"]),
        place=discreet.Nominal(hierarchy={"north": ["a", "b"], "south": ["c"]}, outside="other"),
    )
    data = discreet.from_counts(schema, [[3, 0, 1], [7, 1, 3]], [5, 6])
    release = data.publish(discreet.Ranges(list(schema), method="dyadic-filter", theta=1), 1, noise=ZeroNoise())
    table = release.to_arrow()
    assert table.column_names == ["age_first_", "age_last", "age_first", "place", "count"]
    rows = {tuple(row.values()) for row in table.to_pylist()}
    assert ("0", "other", None, None, 11) in rows
    assert ("2", "3", "f", "north", 5) in rows
    assert ("other", "other", "m", "other", 6) in rows
    wavelet = data.publish(discreet.Ranges(["age", "place"], method="wavelet-filter", theta=1), 1, noise=ZeroNoise())
    rows = {tuple(row.values()) for row in wavelet.to_arrow().to_pylist()}
    assert ("0", None, "other", None, 11) in rows
    assert ("0", "4", "other", "north", 5) in rows
    for i, each in enumerate((release, wavelet)):
        again = discreet.load(each.save(tmp_path / str(i)))
        assert np.array_equal(again.summary.codes, each.summary.codes)  # type: ignore[attr-defined]


def test_a_row_that_is_no_node_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x_first": [0, 1], "x_last": [7, 2], "count": [5, 6]}), tmp_path / "t.parquet")
    facts = {"axes": {"x": {"kind": "parts", "base": 2}}, "alpha": "5", "two_sided": True, "theta": 1}
    with pytest.raises(ValueError, match="is no node"):
        SparseNodes.read(Schema(x=discreet.Ordinal(0, 7)), facts, tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("method", "parameters", "said"),
    [
        ("dyadic-filter", {"base": 1}, "base must be a whole number"),
        ("dyadic-threshold", {"base": True}, "base must be a whole number"),
        ("dyadic-filter", {"consistency": "yes"}, "consistency must be true or false"),
        ("dyadic-filter-priority", {"theta": 1, "size": 5}, "would be kept even of an empty table"),
        ("dyadic-filter", {"theta": 0}, "to keep every node use method 'dyadic'"),
        ("wavelet-filter", {"theta": 0}, "to keep every coefficient use method 'privelet'"),
        ("wavelet-filter", {"sided": "one"}, "no parameter 'sided'"),
        ("dyadic-priority", {"consistency": True}, "no parameter 'consistency'"),
    ],
)
def test_bad_parameters_are_refused_before_the_charge(method: str, parameters: dict[str, Any], said: str) -> None:
    data = nobody()
    with pytest.raises(BadParameter, match=said):
        data.publish(discreet.Ranges("x", method=method, **parameters), 1)
    assert data.ledger.spent == 0


def test_domains_that_cannot_work_are_refused() -> None:
    two = nobody(Schema(x=discreet.Ordinal(0, LARGE), y=discreet.Ordinal(0, LARGE)))
    with pytest.raises(BadParameter, match=r"x has more than 2\*\*31 nodes"):
        two.publish(discreet.Ranges(["x", "y"], method="dyadic-filter"), 1)
    many = nobody(Schema({f"a{i}": discreet.Ordinal(0, 999) for i in range(5)}))
    with pytest.raises(BadParameter, match="one record would count in 161,051 coefficients"):
        many.publish(discreet.Ranges([f"a{i}" for i in range(5)], method="wavelet-filter"), 1)
    assert two.ledger.spent == many.ledger.spent == 0


def test_a_release_says_what_was_chosen_and_what_it_leaves_out() -> None:
    data = nobody()
    release = data.publish(discreet.Ranges("x", method="dyadic-filter"), 1)
    chosen = {entry["name"]: entry["value"] for entry in release.manifest["parameters"]}
    assert chosen == {"base": 2, "sided": "two", "size": 100_000, "theta": 694, "consistency": True}
    assert any("nodes below a missing one" in sentence for sentence in release.leaves_out)
    assert release.manifest["noise"]["scale"] == "41"
