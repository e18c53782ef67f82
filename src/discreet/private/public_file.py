"""A public file of the same schema, counted as private data are, to rehearse methods on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discreet.planning.stand_ins import StandIn, users_per_item
from discreet.privacy import Unit
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import Limits
from discreet.private.rows import Rows
from discreet.schema import Schema

#: which of a user's rows count is decided by it; nothing here is secret
_SALT = b"no secrets here."


def stand_in_of(
    source: Any, schema: Schema, unit: Unit, *, items: bool, delimiter: str | None = None, encoding: str | None = None
) -> StandIn:
    """All of its rows are the truth; `items` where users are counted for each item."""
    rows = Rows(open_source(source, delimiter=delimiter, encoding=encoding), Limits(None, None))
    rows.check(schema, unit)
    data = rows.bounded(schema, unit, _SALT)
    users = users_per_item(data.histories(1), schema.sizes) if items and not unit.is_row else None
    name = Path(source).name if isinstance(source, str | Path) else "the data given as `like`"
    return StandIn(name, data, rows.bounded(schema, Unit(), _SALT).table(), users)
