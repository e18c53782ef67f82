"""People by age, sex, occupation and income: a census extract in place of the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.private.counts import Counts
from discreet.schema import Nominal, Ordinal, Schema
from experiments.shared.tables import Truth

INCOME_WIDTH = 500
INCOME_BINS = 1001
YOUNGEST, OLDEST = 17, 95
GROUP_MARK = "-"


def census(folder: Path) -> Truth | None:
    """People by age, sex, occupation and income; None where the file is absent.

    The file has no occupation codes, only titles such as MGR-Financial Managers. What stands before the dash is the
    group that the leading digits of a code stand for, so it makes the middle level. A title without one hangs from the
    root.
    """
    path = folder / "acs_income_2018" / "acs-income-2018-holdout.parquet"
    if not path.exists():
        return None
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["Age", "Gender", "Occupation", "Income"]).unify_dictionaries()
    titles = table["Occupation"].chunk(0).dictionary.to_pylist()
    schema = Schema(
        {
            "age": Ordinal(YOUNGEST, OLDEST),
            "sex": Nominal(["Male", "Female"]),
            "occupation": _occupations(titles),
            "income": Ordinal(edges=[INCOME_WIDTH * place for place in range(INCOME_BINS + 1)]),
        }
    )
    codes = [
        table["Age"].to_numpy().astype(np.int64) - YOUNGEST,
        _codes(schema["sex"], table["Gender"]),
        _codes(schema["occupation"], table["Occupation"]),
        np.minimum(table["Income"].to_numpy().astype(np.int64) // INCOME_WIDTH, INCOME_BINS - 1),
    ]
    rows = np.stack(codes, axis=1)
    return Truth(schema, Counts.from_arrays(schema.sizes, rows, np.ones(len(rows), np.int64)))


def _occupations(titles: Sequence[str]) -> Nominal:
    groups: dict[str, list[str]] = {}
    alone: list[str] = []
    for title in sorted(titles):
        group, mark, _ = title.partition(GROUP_MARK)
        if mark and len(group) == 3 and group.isupper():
            groups.setdefault(group, []).append(title)
        else:
            alone.append(title)
    return Nominal(hierarchy=[groups, *alone])


def _codes(attribute: object, column: object) -> NDArray[np.int64]:
    """The codes of a dictionary column of labels."""
    import pyarrow as pa

    assert isinstance(attribute, Nominal)
    assert isinstance(column, pa.ChunkedArray)
    combined = column.combine_chunks()
    labels = combined.dictionary.to_pylist()
    codes = np.array([attribute.code(label) if label in attribute.labels else -1 for label in labels])
    return np.asarray(codes[combined.indices.to_numpy().astype(np.int64)])


def enlarged(truth: Truth, times: int) -> Truth:
    """The same table with every record `times` over."""
    counts = truth.counts
    return Truth(truth.schema, Counts(counts.sizes, counts.codes, times * counts.counts))
