"""An environment per rival below the user's cache folder, and jobs run in it. Nothing here fails: it says why not."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INSTALL_SECONDS = 400
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Rival:
    name: str
    #: the package and a least version; then what it needs to be held back to
    requirements: tuple[str, ...]
    #: the script of its jobs
    module: str


@dataclass(frozen=True)
class Absent:
    reason: str
    kind: str = "absent"

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


def cache_folder() -> Path:
    above = os.environ.get("XDG_CACHE_HOME")
    return (Path(above) if above else Path.home() / ".cache") / "discreet-benchmarks"


@dataclass
class Environments:
    """What was found of each rival is kept, so that a failed installation is not tried again in the same run."""

    folder: Path = field(default_factory=cache_folder)
    make: tuple[str, ...] = (sys.executable, "-m", "venv", "--clear")
    install: tuple[str, ...] = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    install_seconds: float = INSTALL_SECONDS
    _found: dict[str, Path | Absent] = field(default_factory=dict)

    def python(self, rival: Rival) -> Path | Absent:
        """The Python of the rival's environment, which is made if need be."""
        if rival.name not in self._found:
            self._found[rival.name] = self._made(rival)
        return self._found[rival.name]

    def ask(self, rival: Rival, order: dict[str, Any], limit: float) -> dict[str, Any] | Absent:
        """What the rival's script says of a job."""
        python = self.python(rival)
        if isinstance(python, Absent):
            return python
        done = _finished([str(python), "-m", rival.module, json.dumps(order)], limit)
        if isinstance(done, Absent):
            return done
        try:
            found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        except (IndexError, ValueError):
            return Absent(_reason(done.stderr, last=True))
        if "cannot" in found:
            return Absent(found["cannot"], "cannot")
        if "failed" in found:
            return Absent(_reason(found["failed"]))
        return found

    def _made(self, rival: Rival) -> Path | Absent:
        folder = self.folder / f"{rival.module.rpartition('.')[2]}-{sys.version_info[0]}.{sys.version_info[1]}"
        python, wanted = folder / "bin" / "python", "\n".join(rival.requirements)
        mark = folder / "requirements.txt"
        if python.exists() and mark.exists() and mark.read_text(encoding="utf-8") == wanted:
            return python
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return Absent(f"no cache folder: {error.strerror}")
        for command in ([*self.make, str(folder)], [str(python), *self.install, *rival.requirements]):
            done = _finished(command, self.install_seconds)
            if isinstance(done, Absent) or done.returncode:
                shutil.rmtree(folder, ignore_errors=True)
                return done if isinstance(done, Absent) else Absent(f"not installed: {_reason(done.stderr)}")
        # the mark comes last: an installation that was cut short is made anew
        mark.write_text(wanted, encoding="utf-8")
        return python


def _finished(command: Sequence[str], limit: float) -> subprocess.CompletedProcess[str] | Absent:
    """Run in an empty folder; when time is up, end the process and all that it started."""
    outer = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONWARNINGS")}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=empty,
                env=outer | {"PYTHONPATH": str(_ROOT), "SPARK_LOCAL_IP": "127.0.0.1"},
                start_new_session=True,
            )
        except OSError as error:
            return Absent(f"cannot be started: {error.strerror}")
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Absent(f"no answer within {limit:.0f} seconds")
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _reason(text: str, last: bool = False) -> str:
    """The line that says most, without addresses and paths."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    lines = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR")] or lines
    if not lines:
        return "no reason given"
    line = lines[-1 if last else 0]
    line = re.sub(r"\w+://\S+", "(address)", line)
    line = re.sub(r"(?<![\w.])~?/[^\s'\",;)]+", "(path)", line)
    line = re.sub(r"\b[\w-]+(\.[\w-]+)+:\d+\b", "(address)", line)
    return line if len(line) <= 160 else line[:157] + "..."
