"""Whom the release protects and how well, in words: unit, neighbours, bounds, and epsilon as odds."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.left_out import LeftOut
from discreet.planning.odds import at_most, in_words, percent, posterior
from discreet.privacy import Unit, as_text
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, bullets, facts, joined, paragraph, table

_SUSPICIONS = (0.01, 0.1, 0.5)


def whom(unit: Unit) -> str:
    """Who is protected, in a few words."""
    return "each row of the data" if unit.is_row else f"each {unit.column}, with all of its rows"


def relation(unit: Unit) -> str:
    if unit.neighbours == "add-remove":
        return f"add-remove: {_one(unit)} is in the data or is not"
    return f"replace: {_one(unit)} is there as it is, or another in its place"


def _one(unit: Unit) -> str:
    return "one row" if unit.is_row else f"one {unit.column}, with all of its rows,"


def protection(evidence: Evidence) -> Markup:
    unit, said = evidence.unit, evidence.said
    bound = "one row, which counts once" if unit.is_row else f"at most {unit.most} of its rows, chosen at random"
    in_cell = "" if unit.in_cell is None or unit.is_row else f", and at most {unit.in_cell} of them in one cell"
    rows = [
        ("Protected", whom(unit)),
        ("Neighbours", relation(unit)),
        ("Counts of one unit", bound + in_cell),
        ("Sensitivity", f"one unit moves all counts together by at most {said['sensitivity']}"),
        ("Definition", said.get("guarantee", {}).get("definition", "pure epsilon-differential privacy")),
        ("Delta", said.get("guarantee", {}).get("delta_in_words", "zero, as every release of this software has it")),
    ]
    if "period" in said and isinstance(said["period"], dict):
        rows.append(("Rows", _period(said["period"])))
    remarks = []
    if unit.is_row:
        remarks.append(
            "A row is protected, not a person. Somebody with k rows is protected as if epsilon were k times as large. "
            "Ask whether each person has one row."
        )
    else:
        remarks.append(
            f"Rows belong together by the column {unit.column}. Somebody under two values of it is protected for each "
            "of them apart. Ask whether everybody has one."
        )
    return joined(facts(rows), bullets(remarks))


def _period(period: dict[str, object]) -> str:
    adds = "what is spent for other periods adds up with it" if period.get("adds_up") else "each row is in one period"
    return f"only those of {period.get('period')}, by {period.get('attribute')}; {adds}"


def odds_line(evidence: Evidence) -> str:
    """What a suspicion can become by this release, in one sentence."""
    said = in_words(evidence.epsilon, evidence.unit).removeprefix("In words: ")
    return said[:1].upper() + said[1:]


def odds(evidence: Evidence) -> Markup:
    """Epsilon as what a suspicion can become, for this release and for all so far."""
    unit, epsilon, spent = evidence.unit, evidence.epsilon, evidence.spent
    parts = [paragraph(odds_line(evidence))]
    columns = [("this release", epsilon)]
    if spent is not None and spent > 0:
        live = evidence.account is not None and evidence.account.state is not None
        when = "all releases so far" if live else "all releases up to this one"
        together = in_words(spent, unit, when).removeprefix("In words: ")
        parts.append(paragraph(together[:1].upper() + together[1:]))
        columns.append((when, spent))
    head = ["a suspicion of", *(f"becomes at most, by {name}" for name, _ in columns)]
    rows = [[percent(start), *(at_most(posterior(e, start)) for _, e in columns)] for start in _SUSPICIONS]
    rows.append(["epsilon", *(as_text(e) for _, e in columns)])
    rows.append(["odds grow by at most", *(_factor(e) for _, e in columns)])
    parts.append(table("What somebody can at most learn of one unit", head, rows, range(1, len(head))))
    parts.append(
        paragraph(
            "This holds whatever else is known, now or later, and whatever is done with the release. It is about what "
            "a unit's own data add; what is learned about people in general is not a loss of privacy in this sense."
        )
    )
    return joined(*parts)


def _factor(epsilon: Fraction) -> str:
    return f"exp({as_text(epsilon)}) = {math.exp(min(float(epsilon), 700.0)):.4g}"


def left_out(evidence: Evidence) -> list[str]:
    return [LeftOut.from_dict(one).sentence for one in evidence.said["leaves_out"]]
