"""Questions to a release, and their answers: one predicate at a time, or a file of many."""

from __future__ import annotations

from discreet.binding import Where, bind
from discreet.estimate import Estimate
from discreet.questions import Questions, read_questions
from discreet.selection import Boxes, Selection

__all__ = ["Boxes", "Estimate", "Questions", "Selection", "Where", "bind", "read_questions"]
