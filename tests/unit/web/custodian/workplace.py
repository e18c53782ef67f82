"""A small folder to work in: a table of people with canaries in it, its spec, and nothing published yet."""

from __future__ import annotations

from pathlib import Path

SPEC = """\
# A note that stays.
[data]
source = "people.csv"

[privacy]
unit = "row"
budget = 2.0   # all together
ledger = "town.ledger"

[attributes.age]
kind = "ordinal"
low = 0
high = 9

[attributes.sex]
kind = "nominal"
values = [
    "F",   # as the form has it
    "M",
]

[releases.by-age]
task = "table"
by = ["age", "sex"]
epsilon = 0.5
method = "geometric"

[releases.by-sex]
task = "table"
by = "sex"
epsilon = 0.25
"""
#: a value of a private row, which must show nowhere
CANARY = "Zebulon-4711"


def workplace(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [f"{age % 10},{'F' if age % 3 else 'M'},{CANARY}" for age in range(400)] + [f"99,{CANARY},{CANARY}"]
    (folder / "people.csv").write_text("age,sex,name\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "town.toml").write_text(SPEC, encoding="utf-8")
    return folder
