"""The account: what was spent, for what and by whom, step by step, under which cap."""

from __future__ import annotations

from fractions import Fraction

from discreet.charts import Picture
from discreet.charts.curves import Curve, curve_chart
from discreet.errors import LedgerError
from discreet.ledger import Entry
from discreet.ledger.amounts import NANO, decimal
from discreet.ledger.entries import ACTS
from discreet.ledger.standing import State
from discreet.privacy import as_text
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, facts, figure, joined, paragraph, table, tag

_MOST = 40
_TITLE = "Spent after each charge"


def budget(evidence: Evidence) -> Markup:
    said, account = evidence.said.get("ledger", {}), evidence.account
    pairs: list[tuple[object, object]] = []
    if said:
        pairs = [
            ("Spent before this release", said.get("spent_before") or "not written down by the version that made it"),
            ("Spent after it", said.get("spent_after") or "not written down by the version that made it"),
            ("Cap when it was charged", said.get("cap") or ("none" if "cap" in said else "not written down")),
        ]
    if account is None:
        why = "No ledger that can be read was given, so this is what the release says of its account."
        return joined(facts(pairs), paragraph(why))
    if account.state is not None:
        pairs += _now(account.state)
    steps = _steps(account.entries)
    parts: list[object] = [facts(pairs)]
    if account.state is None:
        parts.append(paragraph(tag("strong", "The ledger is damaged: what it lists below cannot be relied on.")))
    elif len(steps) > 2:
        parts.append(figure(_drawn(steps, account.state.budget), _TITLE))
    parts.append(_listed(account.entries, str(evidence.said.get("id", ""))))
    return joined(*parts)


def _now(state: State) -> list[tuple[object, object]]:
    spent, cap = decimal(state.spent), state.budget
    left = "no cap" if cap is None else f"{decimal(cap)}, of which {decimal(max(cap - state.spent, 0))} is left"
    pairs: list[tuple[object, object]] = [("Spent so far, by all releases", spent), ("Cap now", left)]
    pairs.append(("Data sets under this cap", ", ".join(state.datasets)))
    if state.periods:
        pairs.append(("Periods", "rows of different periods are different rows: of each, the largest sum counts"))
    if state.closed is not None:
        pairs.append(("Closed", f"by {state.closed.who} on {state.closed.time[:10]}: no more charges"))
    return pairs


def _steps(entries: list[Entry]) -> list[tuple[str, Fraction]]:
    """After each charge, what no unit has lost more than."""
    found, state = [("opened", Fraction(0))], State()
    for entry in entries:
        try:
            state = state.after(entry, "the ledger")
        except LedgerError:
            return []
        if entry.kind == "charge":
            found.append((entry.id, Fraction(state.spent, NANO)))
    return found


def _drawn(steps: list[tuple[str, Fraction]], cap: int | None) -> Picture:
    """What was spent, as steps, below the cap."""
    places, spent = [0.0], [float(steps[0][1])]
    for place, (_, after) in enumerate(steps[1:], start=1):
        places += [place, place]
        spent += [spent[-1], float(after)]
    curves = [Curve("spent", places, spent)]
    curves += [] if cap is None else [Curve("cap", [0.0, float(len(steps) - 1)], [cap / NANO] * 2)]
    labels = [name for name, _ in steps]
    return curve_chart(_TITLE, curves, labels=labels, axes=("", "epsilon"))


def _listed(entries: list[Entry], mine: str) -> Markup:
    shown = [one for one in entries if one.kind in ("opened", "charge", *ACTS)]
    kept = shown if len(shown) <= _MOST else [one for one in shown[:-_MOST] if one.id == mine] + shown[-_MOST:]
    rows = []
    for one in kept:
        amount = "" if one.epsilon is None or one.kind not in ("opened", "charge", "raised") else as_text(one.epsilon)
        rows.append([one.time[:10], _kind(one), _what(one, mine), one.who, amount])
    more = "" if len(kept) == len(shown) else f": the last {_MOST} of {len(shown):,}"
    return table(
        f"Entries of the ledger{more}", ("day", "entry", "release, data set or reason", "by", "epsilon"), rows, [4]
    )


def _what(entry: Entry, mine: str) -> str:
    """The release or data set that it is about; of what changes the account, the data set or the reason."""
    if entry.kind not in ("charge", "dataset-added"):
        return entry.what
    return f"{entry.id} (this release)" if (entry.kind, entry.id) == ("charge", mine) else entry.id


def _kind(entry: Entry) -> str:
    kinds = {"opened": "opened, with this cap", "raised": "cap raised to", "dataset-added": "data set added"}
    return kinds.get(entry.kind, entry.kind)
