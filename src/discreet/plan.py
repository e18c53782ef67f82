"""What accuracy an epsilon buys, before any is spent, for the questions that people ask. Reads no data.

Where noise alone decides, errors are exact and follow from the law of the noise, whatever the size of the schema. Other
methods are rehearsed: really run on invented data that are drawn from public facts (`planning.stand_ins`), which gives
a range.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from discreet.errors import BadParameter, CannotAnswer, CountOverflow
from discreet.left_out import by_the_unit
from discreet.mechanisms import Mechanism, Request, mechanism_for, methods_for, why_auto
from discreet.mechanisms.guesses import Guess
from discreet.mechanisms.items.item_bounds import best_bound
from discreet.planning.asked import asked_of
from discreet.planning.odds import in_words
from discreet.planning.predicted import PlannedError, Rehearsal, exact_errors, noise_decides
from discreet.planning.question_classes import QuestionClass
from discreet.planning.stand_ins import StandIn, said, stand_ins
from discreet.privacy import as_text
from discreet.release.frame import Frame
from discreet.schema import Ordinal, Schema
from discreet.tasks import Items, Task

#: more items are not rehearsed, and no noise depends on how many there are
MOST_ITEMS = 5_000
#: where pairs of them are counted
MOST_PAIRED = 500
#: the share of answers that `within` is about, if nothing else is said
SHARE = 0.95

Progress = Callable[[str], None]
Classes = Sequence[QuestionClass]


@dataclass(frozen=True)
class MethodPlan:
    """What one method would give: an error for each class of questions, or why it cannot."""

    method: str
    errors: dict[str, PlannedError] = field(default_factory=dict)
    #: why `auto` takes it; empty for the others
    auto: str = ""
    parameters: str = ""
    note: str = ""
    refused: str = ""


@dataclass(frozen=True)
class Plan:
    """A row for each method; `table` has one for each method and class of questions."""

    epsilon: Fraction
    methods: list[MethodPlan]
    #: the classes of questions, and about how many cells a question of each adds up
    classes: dict[str, float]
    share: float
    words: str
    advice: list[str]

    @property
    def table(self) -> Frame:
        """For each method and class: the standard error, what `share` of the answers keep within, and on what basis."""
        rows: list[tuple[Any, ...]] = [
            (one.method, bool(one.auto), name, *error.ends(), error.basis, "")
            for one in self.methods
            for name, error in one.errors.items()
        ]
        rows += [
            (one.method, bool(one.auto), "", *[math.nan] * 4, "refused", one.refused)
            for one in self.methods
            if not one.errors
        ]
        names = ("method", "auto", "questions", "low", "high", "within low", "within high", "basis", "why not")
        return Frame({name: [row[place] for row in rows] for place, name in enumerate(names)})

    def _repr_html_(self) -> str:
        """The table, with what is said around it."""
        said = [f"epsilon {as_text(self.epsilon)}: standard errors, before anything is spent", self.words, *self.advice]
        return self.table._repr_html_() + "".join(f"<p>{html.escape(line)}</p>" for line in said)

    def __str__(self) -> str:
        head = f"epsilon {as_text(self.epsilon)}: standard errors, before anything is spent"
        return "\n".join([head, str(self.table), self.words, *self.advice])


def plan(
    task: Task,
    request: Request,
    *,
    questions: Any = None,
    like: StandIn | None = None,
    share: float = SHARE,
    progress: Progress = lambda stage: None,
) -> Plan:
    """What each method of the task, or the one that it names, would give for this request.

    `questions` are the user's own (predicates, or a CSV file or frame of them) in place of the task's natural ones;
    `like` stands in for the private data.
    """
    *_, whole = growing(task, request, questions=questions, like=like, share=share, progress=progress)
    return whole


def growing(
    task: Task,
    request: Request,
    *,
    questions: Any = None,
    like: StandIn | None = None,
    share: float = SHARE,
    progress: Progress = lambda stage: None,
) -> Iterator[Plan]:
    """The plan as it grows: with one method more each time, and last the whole of it, with its advice."""
    if not 0 < share < 1:
        raise BadParameter(f"share must lie between 0 and 1, such as 0.95, not {share}")
    guess = _guess(request)
    picked, why = why_auto(task, request)
    methods: list[str] = methods_of(task)
    tried = smaller(task, request) if like is None else request
    asked: Classes = []
    rehearsal: Rehearsal | None = None
    rows: list[MethodPlan] = []
    so_far = Plan(request.epsilon, rows, {}, share, in_words(request.epsilon, request.unit), [])
    for method in methods:
        progress(f"{method} at epsilon {as_text(request.epsilon)}")
        auto = why if method == picked else ""
        try:
            mechanism = made(task, tried, method)
            asked = asked or asked_of(task, mechanism, questions)
            if rehearsal is None and needs_rehearsal(mechanism, asked):
                rehearsal = rehearsal_of(task, tried, asked, like)
            errors = predicted(mechanism, asked, rehearsal, share)
            rows.append(MethodPlan(method, errors, auto, _parameters(mechanism), _note(mechanism)))
        except (BadParameter, CannotAnswer, CountOverflow) as error:
            rows.append(MethodPlan(method, auto=auto, refused=" ".join(str(error).split())))
        so_far = replace(so_far, methods=list(rows), classes=so_far.classes or {one.name: one.cells() for one in asked})
        yield so_far
    rehearsed = any(error.basis == "rehearsed" for one in rows for error in one.errors.values())
    advice = [*(_said(guess, like) if rehearsed else []), *_advice(task, request)]
    if tried is not request and tried.schema.cells < request.schema.cells:
        advice.append(f"It was planned for {tried.schema.sizes[0]:,} items, in place of {request.schema.sizes[0]:,}.")
    yield replace(so_far, advice=advice)


def methods_of(task: Task) -> list[str]:
    return methods_for(task) if task.method == "auto" else [task.method]


def made(task: Task, request: Request, method: str) -> Mechanism:
    """The method as it would be published: where `auto` takes it, with what it then chooses by itself."""
    if task.method == "auto" and method == why_auto(task, request)[0]:
        return mechanism_for(task, request)
    return mechanism_for(task, request, method)


def needs_rehearsal(mechanism: Mechanism, asked: Classes) -> bool:
    return not noise_decides(mechanism) or any(one.top is not None for one in asked)


def rehearsal_of(task: Task, request: Request, asked: Classes, like: StandIn | None) -> Rehearsal:
    guess = _guess(request)
    invented = stand_ins(request.schema, request.unit, guess, histories=isinstance(task, Items))
    return Rehearsal(asked, invented if like is None else [like])


def predicted(
    mechanism: Mechanism, asked: Classes, rehearsal: Rehearsal | None, share: float
) -> dict[str, PlannedError]:
    """An error for every class, exact wherever noise alone decides."""
    found = exact_errors(mechanism, asked, share) if noise_decides(mechanism) else {}
    left = [one for one in asked if one.name not in found]
    if left and rehearsal is not None:
        found |= rehearsal.errors(mechanism, left, share)
    return {one.name: found[one.name] for one in asked}


def smaller(task: Task, request: Request) -> Request:
    """The same request for fewer items, if there are very many: noise does not depend on how many there are."""
    schema = request.schema
    if not isinstance(task, Items):
        return request
    most = MOST_PAIRED if task.pairs else MOST_ITEMS
    if schema.sizes[0] <= most or "scores" in request.parameters:
        return request
    fewer: dict[str, Any] = dict(schema)
    fewer[schema.names[0]] = Ordinal(0, most - 1)
    return replace(request, schema=Schema(fewer))


def _parameters(mechanism: Mechanism) -> str:
    return ", ".join(f"{choice['name']} = {choice['value']}" for choice in mechanism.chosen)


def _note(mechanism: Mechanism) -> str:
    return "; ".join(one.sentence for one in mechanism.method_leaves_out())


def _guess(request: Request) -> Guess:
    """What is guessed, and how many rows there are if that is publicly known."""
    guess = Guess.read(request.parameters.get("guess"))
    known = None if request.known is None else request.known.everything
    return guess if known is None else replace(guess, rows=float(max(known, 1)))


def _said(guess: Guess, like: StandIn | None) -> list[str]:
    return said(guess) if like is None else [f"Ranges were rehearsed on {like.name}, public data of the same schema."]


def _advice(task: Task, request: Request) -> list[str]:
    if request.unit.is_row:
        return []
    if not isinstance(task, Items):
        rules = "; ".join(one.sentence for one in by_the_unit(request.unit))
        return [f"Errors are those of counts under the unit's rules: {rules}."]
    guess = Guess.read(request.parameters.get("guess"))
    if guess.users is None or guess.records is None or guess.popularity is None:
        return [
            "Say guess = { users = ..., records = ..., popularity = ... }, public numbers, to have the bound of sra or "
            "hpa worked out; even-shares finds its own privately."
        ]
    mechanism: Any = mechanism_for(task, request, "sra")
    best = best_bound(request.parameters["guess"], mechanism.epsilon_of("items"), request.unit)
    return [f"The bound of least error for the guess is {best} records of a user."]
