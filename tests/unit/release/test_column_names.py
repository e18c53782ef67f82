"""No attribute takes the name of a column that a release or an answer has of its own."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import discreet
from discreet.errors import BadParameter
from discreet.private.publish import Data
from tests.law.item_cases import METHODS

OF_GROUPS = [(method, name) for method in ("gs-r", "gs-s", "gs") for name in ("group", "Group_Count")]


def people(*names: str) -> Data:
    frame = pd.DataFrame({"who": [1, 1, 2, 3], **{name: ["a", "b", "a", "c"] for name in names}})
    schema = discreet.Schema({name: discreet.Nominal(["a", "b", "c", "d"]) for name in names})
    return discreet.open(frame, schema, unit=discreet.Unit("who", max_rows=2))


def refused(source: Data, task: Any, name: str) -> None:
    with pytest.raises(BadParameter, match=f"'{name}'.*rename"):
        source.publish(task, 1)
    assert source.ledger.spent == 0


@pytest.mark.parametrize("name", ["marginal", "Consistent_Count"])
def test_names_that_tables_of_several_need(name: str) -> None:
    source = people(name, "town")
    refused(source, discreet.Marginals(ways=1), name)
    refused(source, discreet.Items("town", context=name), name)


@pytest.mark.parametrize(
    ("method", "name"),
    [*((method, name) for method in METHODS for name in ("rank", "certainty")), *OF_GROUPS, ("fpa", "coefficient")],
)
def test_names_that_items_need(method: str, name: str) -> None:
    source = people(name, "town")
    refused(source, discreet.Items(name, method=method), name)
    refused(source, discreet.Items("town", context=name, method=method), name)


def test_the_name_of_rescaled_counts() -> None:
    source = people("rescaled_count")
    refused(source, discreet.Items("rescaled_count", method="lpa", rescale=True), "rescaled_count")
    assert len(source.publish(discreet.Items("rescaled_count", method="lpa"), 1).top(2)) == 2


@pytest.mark.parametrize("name", ["group", "rank", "certainty", "coefficient"])
def test_names_are_free_where_no_column_has_them(name: str) -> None:
    source = people(name)
    release = source.publish(discreet.Table(name, method="geometric"), 1)
    assert release.table()[name] == ["a", "b", "c", "d"]
    assert release.to_arrow()[name].to_pylist() == ["a", "b", "c", "d"]


def test_items_may_be_groups_where_they_are_not_grouped() -> None:
    release = people("group", "town").publish(discreet.Items("group", context="town", method="sra"), 1)
    assert set(release.top(4)["group"]) == {"a", "b", "c", "d"}
    assert set(release.to_arrow()["group"].to_pylist()) == {"a", "b", "c", "d"}
