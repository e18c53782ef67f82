"""Values, names and texts as SQL: nothing that is written here can end a literal or a name before its end."""

from __future__ import annotations

import math
from datetime import date
from typing import Any


def quoted(text: str, mark: str = '"') -> str:
    """A name for SQL or, between single quotes, a text."""
    return mark + text.replace(mark, 2 * mark) + mark


def text_literal(text: str) -> str:
    """A text; a character that ends a text for some readers of SQL is named by its number."""
    parts = [quoted(part, "'") for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else f"({' || chr(0) || '.join(parts)})"


def written(value: Any) -> str:
    """A value as a literal that means exactly this value."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(int(value)) if value >= 0 else f"({int(value)})"
    if isinstance(value, float):
        return _real(float(value))
    if isinstance(value, str):
        return text_literal(value)
    if type(value) is date:
        return f"MAKE_DATE({value.year}, {value.month}, {value.day})"
    raise TypeError(f"no literal of SQL is a {type(value).__name__}")


def _real(value: float) -> str:
    """With an exponent, since DuckDB takes other numbers with a point for decimals of few digits."""
    if not math.isfinite(value):
        return f"CAST('{value}' AS DOUBLE)"
    text = repr(value)
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text
