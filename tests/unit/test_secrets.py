"""A password in an address shows nowhere: not in an error, a log, a repr, a file of ours or the ledger."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet
from discreet.errors import BadSpec, DiscreetError, SourceError, without_secrets
from discreet.ledger import Ledger
from discreet.private.draft import draft_spec
from discreet.private.engines.opening import open_source
from discreet.private.engines.session import unreadable
from discreet.private.failures import privately
from discreet.release import load
from discreet.spec import load_spec
from tests.unit.cli.cli_runs import Cli, cli

__all__ = ["cli"]

SECRET = "hunter2"
ADDRESSES = [
    f"postgres://user:{SECRET}@host:5432/db",
    f"postgresql+psycopg://user:pa/ss:{SECRET}@host/db?sslmode=require",
    f"postgres://user:{SECRET}@odd@host/db",
    f"postgres://user:two words {SECRET}@host/db",
    f"https://host/people.csv?token={SECRET}",
    f"https://host/people.csv?sv=1&anything={SECRET}#x",
    f"s3://bucket/people.parquet?secret={SECRET}",
    f"jdbc:sqlserver://host;user=me;password={SECRET}",
    f"host=h user=me password={SECRET}",
    f"host=h password='two {SECRET}'",
    f"Driver=x;UID=me;PWD={SECRET}",
]
SCHEMA = discreet.Schema(age=discreet.Ordinal(0, 9))
TABLE = pa.table({"age": [1, 2, 3]})


def _spec(address: str, folder: Path, where: str = "source") -> Path:
    lines = [
        '[attributes.age]\nkind = "ordinal"\nlow = 0\nhigh = 9',
        '[releases.a]\ntask = "table"\nby = ["age"]\nepsilon = 1',
    ]
    source, ledger, name = (address if one == where else "plain" for one in ("source", "ledger", "name"))
    lines.append(f"[data]\nsource = {source!a}\nname = {name!a}\n[privacy]\nledger = {ledger!a}")
    if where == "values_csv":
        lines.append(f'[attributes.ward]\nkind = "nominal"\nvalues_csv = {address!a}')
    text = "\n".join(lines).replace('\\"', "'") + "\n"
    (folder / "spec.toml").write_text(text)
    return folder / "spec.toml"


PLACES: dict[str, Callable[[str, Path], Any]] = {
    "source": lambda address, folder: open_source(address),
    "source as a path": lambda address, folder: open_source(Path(address)),
    "one of several sources": lambda address, folder: open_source(["a.csv", address][1:]),
    "open": lambda address, folder: discreet.open(address, SCHEMA),
    "ledger": lambda address, folder: discreet.open(TABLE, SCHEMA, ledger=address),
    "ledger to read": lambda address, folder: Ledger.read(address),
    "ledger as a path": lambda address, folder: Ledger.open(Path(address), "data", None),
    "dataset": lambda address, folder: discreet.open(TABLE, SCHEMA, ledger=folder / "l", dataset=address),
    "release": lambda address, folder: discreet.open(TABLE, SCHEMA, ledger=folder / "l").publish(
        discreet.Table(["age"]), 1, name=address
    ),
    "folder": lambda address, folder: load(address),
    "encoding": lambda address, folder: open_source(_csv(folder), encoding=address),
    "delimiter": lambda address, folder: open_source(_csv(folder), delimiter=address),
    "draft": lambda address, folder: draft_spec(address),
    "column": lambda address, folder: discreet.open(TABLE, SCHEMA, unit=discreet.Unit(address, max_rows=1)).publish(
        discreet.Table(["age"]), 1
    ),
    "values_csv": lambda address, folder: load_spec(_spec(address, folder, "values_csv")),
    "engine": lambda address, folder: _raise(unreadable(RuntimeError(f"connection to {address} failed"), "the table")),
    "after the charge": lambda address, folder: privately(lambda: _raise(RuntimeError(f"no {address}")), "release"),
}


def _csv(folder: Path) -> Path:
    (folder / "rows.csv").write_text("age\n1\n")
    return folder / "rows.csv"


def _raise(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("place", PLACES)
def test_no_error_shows_it(
    place: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises((DiscreetError, OSError)) as caught:
        PLACES[place](address, tmp_path)
    if isinstance(caught.value, DiscreetError):
        assert SECRET not in f"{caught.value} {caught.value!r} {caught.value.args} {vars(caught.value)}"
    assert SECRET not in caplog.text
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in ("spec.toml",)]
    assert not any(SECRET.encode() in path.read_bytes() for path in written)
    assert not any(SECRET in path.name for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("where", ["source", "ledger", "name"])
def test_no_repr_of_a_spec_shows_it(where: str, address: str, tmp_path: Path) -> None:
    spec = load_spec(_spec(address, tmp_path, where))
    if where != "name":
        assert SECRET not in repr(spec)


def test_the_ledger_keeps_no_task_with_it(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "l", "data", None)
    ledger.charge("a", "digest", discreet.privacy.exact("1", "epsilon"), "me", f"Table of {ADDRESSES[0]}")
    assert SECRET not in repr(ledger.entries()) + repr(ledger)
    assert not any(SECRET.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_data_and_sources_have_plain_reprs(tmp_path: Path) -> None:
    import ibis

    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    backend.raw_sql("CREATE TABLE t (age BIGINT)").close()
    table = backend.table("t")
    data = discreet.open(table, SCHEMA)
    assert repr(data.origin).startswith("Rows(source=Source('the ibis table (sqlite)')")
    assert str(tmp_path) not in repr(data)
    backend.disconnect()


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_command_shows_it(cli: Cli, address: str, tmp_path: Path) -> None:
    """A spec that names an address; a command that is given one in place of a file."""
    spec = _spec(address, tmp_path).name
    given = [(command, one) for command in ("check", "plan", "publish", "evaluate") for one in (spec, address)]
    given += [(command, address) for command in ("query", "top", "ledger")]
    for arguments in [*given, ("schema", "draft", address), ("publish", spec, address)]:
        run = cli(tmp_path, *arguments)
        assert SECRET not in run.stdout + run.stderr
        assert "Traceback" not in run.stderr


def test_what_is_no_secret_stays() -> None:
    for text in (
        "a/b.csv: there is no such file; correct the path",
        "mail me@example.org: no column 'age'",
        "see https://example.org/docs for more",
        "C:/data/me@home/people.csv: there is no such file",
        "age = 3 and token = 'B'",
    ):
        assert without_secrets(text) == text
    assert str(SourceError("x: no column 'age'")) == "x: no column 'age'"
    assert BadSpec(["a", f"b postgres://u:{SECRET}@h"]).problems == ["a", "b postgres://...@h"]
