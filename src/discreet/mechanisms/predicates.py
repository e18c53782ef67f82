"""A parameter that is a list of predicates: a public workload, or the queries to publish."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import BadParameter, DiscreetError
from discreet.queries import Questions, bind
from discreet.schema import Schema


def read_predicates(name: str, given: Any, schema: Schema) -> Questions:
    """A question for each predicate, text or dict; an error names the number of the predicate."""
    if not isinstance(given, list | tuple) or not given:
        raise BadParameter(f'{name} must be a list of predicates, such as ["age between 30 and 39", {{"sex": "f"}}]')
    boxes = []
    for number, where in enumerate(given, start=1):
        try:
            boxes.append(bind(where, schema).boxes(schema.sizes))
        except DiscreetError as error:
            raise BadParameter(f"{name}, question {number}: {error}") from None
    first, last = (np.concatenate([getattr(box, end) for box in boxes]) for end in ("first", "last"))
    return Questions(first, last, len(boxes), np.repeat(np.arange(len(boxes)), [len(box.first) for box in boxes]))
