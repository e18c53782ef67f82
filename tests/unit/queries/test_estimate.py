"""How an estimate reads, and that it is plain data."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from discreet.queries.estimate import Estimate, Named


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(12345, 24, 12298, 12392), "12,345 ± 24 (95 %: 12,298 to 12,392)"),
        (Estimate(12345.4, 24.4, 12298.1, 12392.9), "12,345 ± 24 (95 %: 12,298 to 12,393)"),
        (Estimate(7, 2.25, 2.6, 11.4, 0.9), "7 ± 2.2 (90 %: 2.6 to 11.4)"),
        (Estimate(-0.2, 3.2, -6.5, 6.1, 0.999), "-0.2 ± 3.2 (99.9 %: -6.5 to 6.1)"),
        (Estimate(-0.2, 32, -64, 64), "0 ± 32 (95 %: -64 to 64)"),
        (Estimate(5, 0, 5, 5), "5 ± 0 (95 %: 5 to 5)"),
        (Estimate(0.0312, 0.0123, 0.007, 0.055), "0.031 ± 0.012 (95 %: 0.007 to 0.055)"),
        (Estimate(5, 2, 3, math.inf), "5 (95 %: 3 or more, no upper end can be promised)"),
        (
            Estimate(500, 40, 230, 5300, besides=Named("when each user counts at most 10 records", 244, 230, 258)),
            "500 ± 40 (95 %: 230 to 5,300); when each user counts at most 10 records: 244 (230 to 258)",
        ),
        (Estimate(5, 1, 3, 7, note="of 3 cells"), "5 ± 1 (95 %: 3 to 7); of 3 cells"),
    ],
)
def test_estimates_read_well(estimate: Estimate, text: str) -> None:
    assert str(estimate) == text


def test_the_format_of_a_number_is_that_of_number_and_error() -> None:
    estimate = Estimate(12345.44, 24.36, 12298, 12393)
    assert f"{estimate:,.1f} {estimate:.0f}" == "12,345.4 ± 24.4 12345 ± 24"
    assert f"{estimate}" == str(estimate)
    assert f"{Estimate(5, 2, 3, math.inf):.1f} {Estimate(5, math.nan, 2, 9, ends='bounds'):.1f}" == "5.0 5.0"


def test_an_estimate_is_plain_json() -> None:
    five: Any = np.int64(5)  # what numpy counts with, though the field says float
    named = Named("kept", 1, 0, 2)
    estimate = Estimate(five, np.float64(1.5), 2, math.inf, note="n", measured=-3.5, besides=named)
    details = {"measured": -3.5, "besides": {"name": "kept", "value": 1, "low": 0, "high": 2}}
    numbers = {"value": 5, "stderr": 1.5, "low": 2, "high": None, "level": 0.95}
    expected = {**numbers, "ends": "interval", "note": "n", "details": details}
    assert json.loads(json.dumps(estimate.to_dict())) == expected
    assert type(estimate.to_dict()["value"]) is int


def test_bounds_are_no_interval() -> None:
    estimate = Estimate(5, math.nan, 2, 9, note="n", ends="bounds")
    assert str(estimate) == "5 (bounds at 95 %: 2 to 9); n"
    assert estimate.to_dict()["stderr"] is None
    assert estimate.to_dict()["ends"] == "bounds"
