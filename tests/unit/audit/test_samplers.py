"""The scales that a release drew noise at, from what it declares."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.audit.samplers import MOST_TRIED, run_again, scales_of


def test_factors_multiply() -> None:
    law = {"law": "", "scale": "10", "factors": {"a": [1, 2], "b": [1, 3, 3]}}
    assert scales_of(law, {"scale": "99"}) == [10, 20, 30, 60]


def test_scales_are_found_wherever_the_summary_has_them() -> None:
    summary = {"tables": [{"scale": "1/3"}, {"scales": ["2", "7"]}], "selecting": "40/7", "counts": [5], "total": "8"}
    assert scales_of({"law": "x"}, summary) == [Fraction(1, 3), 2, Fraction(40, 7), 7]


def test_shares_divide() -> None:
    law = {"law": "s is `scale` divided by that look's share of epsilon", "scale": "2"}
    summary = {"trees": [{"scale": "2", "root_scale": "100", "shares": ["1/2", "1/4", "1/8"]}]}
    assert scales_of(law, summary) == [4, Fraction(16, 3), 8, 16, 100]


def test_of_many_scales_the_least_and_the_largest_are_tried() -> None:
    run = run_again({"law": "x", "s": [str(scale) for scale in range(3, 30)]}, {})
    assert run.declared == 27
    assert len(run.tried) == MOST_TRIED
    assert min(run.tried) == 3
    assert max(run.tried) == 29
    assert run.wrong == []
    assert run_again({"law": "x"}, {}).tried == {}


def test_a_scale_that_no_noise_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no noise has the scale"):
        run_again({"law": "x", "scale": str(10**30)}, {})
