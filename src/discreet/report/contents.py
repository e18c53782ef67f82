"""What is published, what is left out, and how exact answers are: from the release itself, without any truth."""

from __future__ import annotations

import math
from typing import Any

from discreet.charts.bars import bar_chart
from discreet.errors import DiscreetError
from discreet.left_out import LeftOut
from discreet.privacy import exact
from discreet.release.remarks import why_no_end
from discreet.report.error_sizes import ErrorRow, error_rows, large
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, bullets, facts, figure, joined, paragraph, table, tag
from discreet.report.protection import left_out
from discreet.schema import Nominal, Schema

_MOST_ATTRIBUTES = 60
_SHOWN_VALUES = 6


def published(evidence: Evidence) -> Markup:
    said = evidence.said
    schema = Schema.from_dict(said["schema"])
    pairs = [
        ("Task and method", f"{said['task']['task']}, {said['method']}{_auto(said)}"),
        ("Table", f"{large(schema.cells)} cells"),
        ("Parameters", _parameters(said["parameters"])),
    ]
    if known := said["task"].get("known"):
        count = len(known) if isinstance(known, list) else 1
        pairs.append(("Known totals", f"{count} that were declared public; answers agree with them exactly"))
    shown = list(schema.items())[:_MOST_ATTRIBUTES]
    rows = [
        [name, "nominal" if isinstance(one, Nominal) else "ordinal", f"{one.size:,}", _values(one)]
        for name, one in shown
    ]
    more = "" if len(schema) <= _MOST_ATTRIBUTES else f", the first {_MOST_ATTRIBUTES} of {len(schema):,}"
    others = [name for name in said["data_attributes"] if name not in schema][:_MOST_ATTRIBUTES]
    parts = [
        facts(pairs),
        table(f"Counted by{more}", ("attribute", "kind", "values", "from a declared domain"), rows, [2]),
        paragraph("Declared and not in this release: ", ", ".join(others) or "nothing", "."),
        tag("h3", "Left out"),
        bullets(left_out(evidence)) if said["leaves_out"] else paragraph("Nothing."),
        paragraph(
            "Nothing says how many rows this was: that would tell about the data. Intervals hold what the declared "
            "rules count."
        ),
    ]
    return joined(*parts)


def _auto(said: dict[str, Any]) -> str:
    return f" (auto: {said['auto']})" if "auto" in said else ""


def _parameters(chosen: list[Any]) -> str:
    found = [f"{one.get('name')} = {one.get('value')} ({one.get('origin')})" for one in chosen if isinstance(one, dict)]
    return "; ".join(found) or "none"


def _values(attribute: Any) -> str:
    labels = [str(attribute.label(code)) for code in range(min(attribute.size, _SHOWN_VALUES))]
    if attribute.size <= _SHOWN_VALUES:
        return ", ".join(labels)
    return f"{', '.join(labels[:3])}, …, {attribute.label(attribute.size - 1)}"


def accuracy(evidence: Evidence) -> Markup:
    """Errors by size of question."""
    if evidence.release is None:
        return paragraph("The release cannot be asked: its files are not as they were published.")
    try:
        rows = error_rows(evidence.release)
    except DiscreetError as error:
        return paragraph("The release does not answer these questions: ", error)
    if not rows:
        return paragraph("The release does not answer questions of this kind.")
    finite = [row for row in rows if math.isfinite(row.reach)]
    parts = [
        paragraph(
            "Asked of the release itself, so no true count is needed: how far the 95 % interval reaches from the "
            "answer. What is little beside a large count may be all there is of a small one."
        )
    ]
    if finite:
        title = "Reach of the 95 % interval, by what is asked"
        picture = bar_chart(
            title,
            [row.name for row in finite],
            [float(f"{row.reach:.3g}") for row in finite],
            [(row.reach,) * 2 for row in finite],
            axis="records",
        )
        parts.append(figure(picture, title))
    head = ("question", "cells", "typical error", "interval reaches", "at worst", "within 10 % from")
    parts.append(table("The same as numbers, in records", head, [_row(row) for row in rows], range(1, 6)))
    parts.append(
        paragraph(
            "Typical: the median over questions spread over the table. Within 10 % from: a count of that size or more "
            "has an interval of at most 10 % of it either way.",
        )
    )
    if len(finite) < len(rows):
        left = [LeftOut.from_dict(one) for one in evidence.said["leaves_out"]]
        parts.append(
            paragraph("No end: ", why_no_end(evidence.said["method"], left) or "the method promises none", ".")
        )
    return joined(*parts)


def _row(row: ErrorRow) -> list[str]:
    typical = _number(row.stderr if math.isfinite(row.reach) else math.nan)
    return [row.name, large(row.cells), typical, _number(row.reach), _number(row.worst), _number(10 * row.reach)]


def _number(value: float) -> str:
    if math.isnan(value):
        return "not told"
    if math.isinf(value):
        return "no end"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cost_words(evidence: Evidence) -> list[tuple[str, str]]:
    """What it costs, each as a fraction: declared, derived again, and charged."""
    said = evidence.said
    found = [("Epsilon it declares", f"{exact(said['epsilon'], 'epsilon')}")]
    if "cost" in said.get("guarantee", {}):
        found.append(("Cost it declares", said["guarantee"]["cost"]))
    if evidence.mechanism is not None:
        found.append(("Cost derived again from its method", str(evidence.mechanism.cost)))
    entries = evidence.account.entries if evidence.account else []
    mine = [entry for entry in entries if (entry.kind, entry.id) == ("charge", said["id"])]
    return found + [("Charged to the ledger", str(entry.epsilon)) for entry in mine]
