"""What was published before is found again and never drawn twice, also if a run broke off."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import DiscreetError, LedgerError
from discreet.ledger import Ledger
from discreet.mechanisms import Mechanism
from discreet.release import Release, files, load, placing
from discreet.tasks import Task


@dataclass(frozen=True)
class Ready:
    """A release that is allowed: all that is known of it before the charge."""

    release_id: str
    digest: str
    target: Path | None
    task: Task
    mechanism: Mechanism


def digest_of(ledger: Ledger, digests: tuple[str, str | None], release_id: str, target: Path | None) -> str:
    """The digest of the request, in the form in which it was charged before, if it was."""
    digest, earlier = digests
    known = {ledger.charged(release_id)}
    if target is not None and (target / files.MANIFEST).is_file():
        known.add(files.read_manifest(target)["request"])
    return earlier if earlier is not None and earlier in known else digest


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
