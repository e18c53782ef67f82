"""Whether two releases are about the same data, as far as their manifests tell."""

from __future__ import annotations

from typing import Any


def difference_of(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    """Why they are not about the same data set; None if they are: same name, period and ledger.

    Earlier versions did not write down which ledger a release was charged to; then the name decides.
    """
    if one["dataset"] != other["dataset"]:
        return f"one is about the data set {one['dataset']!r}, the other about {other['dataset']!r}"
    periods = [said["period"]["period"] if "period" in said else "all rows" for said in (one, other)]
    if periods[0] != periods[1]:
        return f"one is about {periods[0]}, the other about {periods[1]}"
    ledgers = one["ledger"].get("id"), other["ledger"].get("id")
    if None not in ledgers and ledgers[0] != ledgers[1]:
        return f"both are about data sets called {one['dataset']!r}, but were charged to different ledgers"
    return None


def chance_between(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    """Why they count different records although they are about the same data; None if chance has no part in it."""
    if one["unit"] != other["unit"]:
        return "these releases protect different units, or bound their rows differently"
    if one["id"] != other["id"] and one["unit"]["unit"] != "row":
        return "each of these releases counts rows of its own of every unit, chosen at random"
    return None
