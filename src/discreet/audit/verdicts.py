"""The two words that end an audit, and numbers as it writes them."""

from __future__ import annotations

from typing import Any

from discreet.privacy import as_text

HOLDS, BROKEN = "HOLDS", "BROKEN"


def number(value: Any) -> str:
    """A fraction for people: short where it is, else to six digits."""
    text = as_text(value)
    return text if len(text) <= 12 else f"{float(value):.6g}"
