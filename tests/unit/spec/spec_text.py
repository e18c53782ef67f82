"""A spec as the text of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.privacy import as_text
from discreet.spec import Spec
from discreet.spec.checking import DRAFT_MARK
from discreet.spec.toml import toml_key, toml_table


def dump_spec(spec: Spec) -> str:
    """The TOML text of a spec; `load_spec` gives the same spec back."""
    budget = None if spec.budget is None else as_text(spec.budget)
    tables: dict[str, Mapping[str, Any]] = {
        "data": {"source": spec.source, "name": spec.dataset, "delimiter": spec.delimiter, "encoding": spec.encoding},
        "privacy": {**spec.unit.to_dict(), "budget": budget, "ledger": spec.ledger},
    }
    for name, fields in spec.schema.to_dict().items():
        tables[f"attributes.{toml_key(name)}"] = fields
    for release in spec.releases.values():
        fields = {**release.task.to_dict(), "epsilon": as_text(release.epsilon)}
        tables[f"releases.{toml_key(release.name)}"] = fields
    mark = [f"{DRAFT_MARK} = true\n"] if spec.drafted else []
    return "\n".join(mark + [_table(name, fields) for name, fields in tables.items()])


def _table(name: str, fields: Mapping[str, Any]) -> str:
    return toml_table(name, {key: value for key, value in fields.items() if value is not None})
