"""Which classes of questions a plan is about: the task's natural ones, or the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from discreet.errors import BadParameter
from discreet.mechanisms import Mechanism
from discreet.mechanisms.marginals.marginal_method import MarginalMethod
from discreet.planning.question_classes import (
    QuestionClass,
    fixed,
    item_classes,
    marginal_classes,
    range_classes,
    table_classes,
)
from discreet.queries import questions_of, read_questions
from discreet.queries.questions import picked
from discreet.schema import Schema
from discreet.tasks import Items, Task

#: so many questions of one's own are shown one by one
MOST_APART = 12


def asked_of(task: Task, mechanism: Mechanism, own: Any = None) -> list[QuestionClass]:
    schema = mechanism.release_schema
    if own is not None:
        return _own(own, schema)
    if isinstance(mechanism, MarginalMethod) and mechanism.families is not None:
        return _own(mechanism.request.parameters["queries"], schema)
    if isinstance(mechanism, MarginalMethod):
        return marginal_classes(schema, mechanism.sets)
    if isinstance(task, Items):
        return item_classes(schema, task.pairs)
    return table_classes(schema) if task.name == "table" else range_classes(schema)


def _own(given: Any, schema: Schema) -> list[QuestionClass]:
    """Each question for itself if they are few, else all of them as one class."""
    predicates = list(given) if isinstance(given, list | tuple) else None
    asked = read_questions(given, schema) if predicates is None else questions_of(predicates, schema)
    if not asked.count:
        raise BadParameter("questions: there are none; give at least one")
    if asked.count > MOST_APART:
        name = Path(given).name if isinstance(given, str | Path) else "questions"
        return [fixed(f"{name}, all {asked.count:,}", asked)]
    names = [_shown(one) for one in predicates] if predicates else [f"question {n + 1}" for n in range(asked.count)]
    return [fixed(name, picked(asked, np.array([place]))) for place, name in enumerate(names)]


def _shown(predicate: Any) -> str:
    if not isinstance(predicate, dict):
        return str(predicate)
    return " and ".join(f"{name} = {value!r}" for name, value in predicate.items())
