"""Flags for large relative errors: by stderr, and by the interval where that tells of more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.errors import BadParameter
from discreet.queries.reliability import flags, legend, read_thresholds, relative_errors


def test_the_relative_error_is_that_of_stderr_or_of_the_interval_whichever_is_larger() -> None:
    found = relative_errors([100.0, 100.0, 100.0], [10.0, 10.0, np.nan], [80.4, 0.0, 60.8], [119.6, 500.0, 139.2])
    assert found == pytest.approx([0.1, 400 / 1.959964 / 100, 0.2], rel=1e-4)


def test_no_count_and_no_upper_end_have_no_finite_error_and_a_known_count_has_none() -> None:
    found = relative_errors(
        [0.0, 50.0, 0, 70, -3.0], [1.0, 1.0, 0.0, 0.0, 1.0], [0, 40, 0, 70, 0], [3, np.inf, 0, 70, 2]
    )
    assert found.tolist() == [np.inf, np.inf, 0.0, 0.0, np.inf]


def test_the_flag_is_that_of_the_highest_threshold_passed() -> None:
    thresholds = read_thresholds({"unreliable": 0.5, "caution": 0.25})
    assert thresholds == {"caution": 0.25, "unreliable": 0.5}
    assert flags(np.array([0.1, 0.25, 0.26, 0.5, 0.51, np.inf]), thresholds) == [
        "", "", "caution", "caution", "unreliable", "unreliable",
    ]  # fmt: skip
    assert legend(thresholds) == "caution: relative error above 25 %, unreliable: relative error above 50 %"
    assert read_thresholds(0.3) == {"unreliable": 0.3}
    assert read_thresholds(None) is None


@pytest.mark.parametrize("given", [0, -1, True, "0.3", float("nan"), float("inf"), {}, {"": 0.3}, {"a": "b"}, {3: 0.3}])
def test_what_is_no_threshold_is_refused(given: Any) -> None:
    with pytest.raises(BadParameter, match=r"reliable: .*such as"):
        read_thresholds(given)
