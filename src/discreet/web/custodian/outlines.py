"""A first spec of a file, from the names and types of its columns alone: no row is read."""

from __future__ import annotations

from pathlib import Path

from discreet.errors import BadParameter, DiscreetError
from discreet.private.engines.opening import open_source
from discreet.spec.toml import toml_key, toml_table, toml_value
from discreet.web.custodian.spec_files import write
from discreet.web.shell.workspace import Workspace

_NUMBERS = ("int", "uint", "float", "double", "decimal", "date", "timestamp")
_HEAD = """\
# Made from the names of the columns of {file}, and from nothing else of it. Say what each may hold, from public
# knowledge; what is missing is listed as a mistake until then.

"""
_PRIVACY = """\
[privacy]
# Whose presence is hidden: one row. If a person has several rows, name the column that tells people apart, and how many
# rows of each may count: unit = "person_id", max_rows = 10
unit = "row"
neighbours = "add-remove"
budget = 1.0
ledger = {ledger}

"""
_MOST_COLUMNS = 2_000


def outline(workspace: Workspace, name: str) -> str:
    """Writes a spec beside a data file of the list, and gives its name there."""
    path = workspace.data_files().get(name)
    if path is None:
        raise BadParameter("there is no file of rows of this name here; the list is on the first page")
    try:
        columns = _columns(path)
    except DiscreetError as error:
        raise type(error)(str(error).replace(str(path), name)) from None
    if len(columns) > _MOST_COLUMNS:
        raise BadParameter(
            f"{name} has {len(columns):,} columns; here are at most {_MOST_COLUMNS:,}: write a spec by hand"
        )
    parts = [_HEAD.format(file=path.name), toml_table("data", {"source": path.name}), "\n"]
    parts.append(_PRIVACY.format(ledger=toml_value(f"{path.stem}.ledger")))
    for column, ordered in columns.items():
        parts.append(
            f"[attributes.{toml_key(column)}]\n" + ('kind = "ordinal"\n' if ordered else 'kind = "nominal"\n') + "\n"
        )
    target = path.with_name(f"{path.name.split('.')[0]}.toml")
    write(target, "".join(parts), instead=False)
    return next(one for one, known in workspace.specs().items() if known == target)


def _columns(path: Path) -> dict[str, bool]:
    """By name: whether its declared type is one of numbers or dates. CSV declares none."""
    names = [name for name in open_source(str(path)).columns if name]
    types: dict[str, str] = {}
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet as pq

        types = {field.name: str(field.type) for field in pq.read_schema(path)}
    return {name: types.get(name, "").startswith(_NUMBERS) for name in names}
