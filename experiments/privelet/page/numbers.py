"""How the tables of the page write a number and its standard error."""

from __future__ import annotations


def in_short(value: float) -> str:
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def error_text(error: float) -> str:
    return f"{error:.1g}" if error < 9.5 else f"{error:,.0f}"
