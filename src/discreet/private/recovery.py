"""What was published before is found again and never drawn twice, also if a run broke off."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, LedgerError
from discreet.ledger import Ledger
from discreet.mechanisms import Mechanism, Request, methods_for, why_auto
from discreet.private.manifest import digest_with_choice, request_digests
from discreet.release import Release, files, load, placing
from discreet.tasks import Task


@dataclass(frozen=True)
class Ready:
    """A release that is allowed: all that is known of it before the charge."""

    release_id: str
    #: its name, and its period if it has one, as people say it
    called: str
    digest: str
    target: Path | None
    task: Task
    mechanism: Mechanism
    #: by flag, the relative error above which a count carries it
    reliable: dict[str, float] | None = None


def known_digests(ledger: Ledger, release_id: str, target: Path | None) -> set[str | None]:
    """Of the request under which this release was charged, or written to its folder, before."""
    known = {ledger.charged(release_id)}
    if target is not None and (target / files.MANIFEST).is_file():
        known.add(files.read_manifest(target)["request"])
    return known


def settled(
    known: set[str | None], task: Task, request: Request, noise: str, about: Mapping[str, Any]
) -> tuple[str, str]:
    """The method, or "auto", and the digest of the request, both as they were charged before, if they were.

    What `auto` means for a name is settled by its charge: a later version takes the same method for it.
    """
    digest, earlier = request_digests(task, request, noise, about)
    if task.method != "auto" or digest in known or (earlier is not None and earlier in known):
        return task.method, earlier if earlier is not None and earlier in known else digest
    picked, _ = why_auto(task, request)
    choices = {digest_with_choice(task, request, noise, method, about): method for method in methods_for(task)}
    then = next((form for form in choices if form in known), None)
    if then is not None and choices[then] != picked:
        return choices[then], then
    return task.method, digest_with_choice(task, request, noise, picked, about)


def found_again(ledger: Ledger, ready: Ready, *, elsewhere_too: bool = False) -> Release | None:
    """The release as it was published before, if it was; refuses to draw it a second time.

    With `elsewhere_too`, one that was published to another place is None here as well, unless its request is another.
    """
    release_id, digest, target = ready.release_id, ready.digest, ready.target
    recorded = ledger.recorded(release_id)
    if target is not None and recorded and not os.path.lexists(target):
        placing.recover(target, recorded)
    if target is not None and (target / files.MANIFEST).is_file():
        release = load(target)
        said = release.manifest
        if said["id"] != release_id or said["request"] != digest:
            raise DiscreetError(
                f"{target}: holds another release, or one of an earlier version, which could not tell its request "
                "from others. Load it if it is the one you want; else choose another folder and name"
            )
        if not ledger.durable and not said["ledger"]["durable"]:
            return release  # nobody remembers that account, but the folder still answers the same request
        if not ledger.contains_head(said["ledger"]["head"]):
            raise LedgerError(
                f"{target}: was charged to a ledger that is not this one, or this one is an older copy of it. "
                "Restore the newest ledger, or choose another folder and name"
            )
        if said["seal"] != recorded:
            raise DiscreetError(f"{target}: is not the release that the ledger recorded; choose another folder")
        placing.sweep(target, release_id)
        return release
    if recorded and elsewhere_too and ledger.charged(release_id) == digest:
        return None
    if recorded:
        raise LedgerError(
            f"release {release_id!r} was published before; its noise cannot be drawn again. Load or restore its "
            "folder, or publish under another name (which costs again)"
        )
    return None
