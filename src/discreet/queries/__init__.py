"""Questions to a release, and their answers: one predicate at a time, or a file of many."""

from __future__ import annotations

from discreet.queries.binding import Where, bind
from discreet.queries.estimate import Estimate, Named
from discreet.queries.questions import Questions, cut_questions, picked, questions_of, read_questions
from discreet.queries.selection import Boxes, Selection

__all__ = [
    "Boxes",
    "Estimate",
    "Named",
    "Questions",
    "Selection",
    "Where",
    "bind",
    "cut_questions",
    "picked",
    "questions_of",
    "read_questions",
]
