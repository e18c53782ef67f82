"""Releases that are being published, each in a process of its own. They go on if a page is closed or reloaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread

from discreet.errors import BadParameter
from discreet.private.publish import CHARGING
from discreet.web.custodian.publishing_run import FAILED, GO, OVER, STAGE
from discreet.web.shell.limits import JOBS_AT_ONCE
from discreet.web.shell.pages import NotHere
from discreet.web.shell.session import fresh_id

#: between the check and the charge, so that people can change their mind
GRACE = 8.0
_KEPT = 100
_WITHOUT_A_WORD = "The process ended without a word. If the ledger was charged, publish again: it costs nothing."


@dataclass
class PublishingJob:
    """One run: what it is about, the stages so far, and how it ended."""

    id: str
    title: str
    #: where to go when it is done
    leads_to: str
    grace: float
    stages: list[str] = field(default_factory=list)
    #: "running", "done", "failed" or "cancelled"
    state: str = "running"
    said: str = ""
    _stop: Event = field(default_factory=Event)
    _decided: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def can_be_cancelled(self) -> bool:
        return self.state == "running" and not self._decided

    def cancel(self) -> None:
        """Before the charge; afterwards it is refused."""
        with self._lock:
            if not self.can_be_cancelled:
                raise BadParameter("It is too late to stop this: the ledger is charged, or it is over.")
            self._stop.set()
            self.stages.append("stopping before the charge")

    def follow(self, process: subprocess.Popen[str]) -> None:
        """Reads what the process says until it ends, however that may be."""
        ended, said = "failed", _WITHOUT_A_WORD
        assert process.stdout is not None
        # a process that was killed leaves half a line, or a pipe that nobody reads; its ledger knows what was charged
        with suppress(OSError, ValueError), process:
            for line in process.stdout:
                kind, text = json.loads(line)
                if kind == STAGE and text == CHARGING:
                    self._decide(process)
                elif kind == STAGE:
                    self.stages.append(text)
                elif kind in (OVER, FAILED):
                    ended = "done" if kind == OVER else "cancelled" if self._stop.is_set() else "failed"
                    said = text
        self.said, self.state = said, ended

    def _decide(self, process: subprocess.Popen[str]) -> None:
        """The last moment to stop."""
        assert process.stdin is not None
        self.stages.append("checked; the ledger is charged in a few seconds, until then it can be stopped")
        self._stop.wait(self.grace)
        with self._lock:
            self._decided = True
            process.stdin.write("stop\n" if self._stop.is_set() else f"{GO}\n")
            process.stdin.flush()


class Jobs:
    def __init__(self, grace: float = GRACE) -> None:
        self._grace = grace
        self._jobs: dict[str, PublishingJob] = {}
        self._lock = Lock()

    def start(self, title: str, leads_to: str, arguments: Sequence[str | Path], *, asks: bool = True) -> PublishingJob:
        """Refused if too many run already. One that never `asks` before its charge cannot be stopped."""
        with self._lock:
            if sum(job.state == "running" for job in self._jobs.values()) >= JOBS_AT_ONCE:
                raise BadParameter(f"{JOBS_AT_ONCE} releases are being made already; wait until one is done")
            if any(job.state == "running" and job.title == title for job in self._jobs.values()):
                raise BadParameter("this release is being made already; its page is on the first page")
            job = PublishingJob(fresh_id(), title, leads_to, self._grace, _decided=not asks)
            command = [sys.executable, "-m", "discreet.web.custodian.publishing_run", *map(str, arguments)]
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # so that it outlives the server
            )
            self._jobs[job.id] = job
            while len(self._jobs) > _KEPT:
                self._jobs.pop(next(iter(self._jobs)))
        Thread(target=job.follow, args=(process,), daemon=True).start()
        return job

    def find(self, name: str) -> PublishingJob:
        found = self._jobs.get(name)
        if found is None:
            raise NotHere("There is no such job; jobs of an earlier start are in the ledger.")
        return found

    def all(self) -> list[PublishingJob]:
        return list(self._jobs.values())
