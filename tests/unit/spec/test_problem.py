"""A mistake in parts: where it is, what is wrong, how to mend it."""

from __future__ import annotations

import pytest

from discreet.spec.problem import Problem


@pytest.mark.parametrize(
    ("said", "place", "message", "fix"),
    [
        (
            "[attributes.age] high: 0 is not above low = 9; swap them",
            "attributes.age.high",
            "0 is not above low = 9",
            "swap them",
        ),
        ("daat: unknown key. Did you mean 'data'?", "daat", "unknown key", "Did you mean 'data'?"),
        ("[data] delimiter: '; ' is odd; use ';'", "data.delimiter", "'; ' is odd", "use ';'"),
        ('[data] source: must be "a. b"', "data.source", 'must be "a. b"', 'must be "a. b"'),
        (
            "[attributes.a b] values[3]: 'it. ' is twice; keep one",
            "attributes.a b.values[3]",
            "'it. ' is twice",
            "keep one",
        ),
        ("is not valid TOML; correct it", "", "is not valid TOML", "correct it"),
        ("[releases.a] the spec's name is odd; change it", "releases.a", "the spec's name is odd", "change it"),
    ],
)
def test_parts(said: str, place: str, message: str, fix: str) -> None:
    problem = Problem.of("adult.toml", said)
    assert problem == f"adult.toml: {said}"
    assert problem.to_dict() == {"place": place, "message": message, "fix": fix}
