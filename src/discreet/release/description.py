"""What a reader of a release should know first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.release.answer_columns import known_note
from discreet.schema import Schema


def described(manifest: dict[str, Any], schema: Schema, leaves_out: Sequence[str]) -> dict[str, str]:
    """By heading, in words."""
    unit = manifest["unit"]
    who = "one row" if unit["unit"] == "row" else f"one {unit['unit']}, of at most {unit['max_rows']} rows"
    auto = f"; {manifest['auto']}" if "auto" in manifest else ""
    facts = {
        "counts by": ", ".join(f"{name} ({schema[name].size:,})" for name in schema),
        "method": f"{manifest['method']} ({manifest['task']['task']}){auto}",
        "protects": f"{who} ({unit['neighbours']}), epsilon {manifest['epsilon']}",
        "noise": manifest["noise"]["law"],
        "leaves out": "; ".join(leaves_out) or "nothing",
        **({"known totals": known_note(manifest)} if "known" in manifest["task"] else {}),
    }
    publishable = bool(manifest["noise"]["publishable"])
    return facts if publishable else {"NOT PRIVATE": "made with test noise; do not publish", **facts}
