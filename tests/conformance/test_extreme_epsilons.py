"""The smallest and largest epsilons through every mechanism: published, or clearly refused before the charge."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import DiscreetError
from discreet.release import load
from discreet.tasks import Task
from tests.conformance.examples import each_case
from tests.conformance.test_answers import askable, data

EPSILONS = ["1e-9", "1e-6", "1e6"]


def check_answer(found: Any) -> None:
    assert all(math.isfinite(number) for number in (found.value, found.stderr, found.low))
    assert 0 <= found.low <= found.value <= found.high
    assert found.stderr >= 0


@each_case
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_extreme_epsilons(task: Task, epsilon: str, tmp_path: Path) -> None:
    account = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            release = account.publish(task, epsilon)
        except DiscreetError as error:
            refused = str(error)
            assert account.ledger.spent == 0, refused
            assert len(refused) > 20, "it says why"
            return
        assert float(account.ledger.spent) == float(epsilon)
        again = load(release.save(tmp_path / "r"))
        for where in askable(task):
            assert again.count(where) == release.count(where)
            for level in (0.5, 0.95, 1 - 1e-9):
                check_answer(release.count(where, level=level))
        columns = release.to_arrow()
        for name in columns.schema.names:
            if columns[name].type == "double":
                values = columns[name].drop_null().to_numpy()
                assert np.all(np.isfinite(values))
