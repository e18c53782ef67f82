"""What the experiments recorded: the numbers from which their pages are made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def recorded(stem: str) -> dict[str, Any]:
    numbers: dict[str, Any] = json.loads((RESULTS / f"{stem}.json").read_text(encoding="utf-8"))
    return numbers
