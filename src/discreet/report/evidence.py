"""All that a report is made from: the release, the account that paid for it, an audit, and words of the custodian.

What can be checked is checked again here. A release or a ledger that was tampered with is a finding, not an error.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.about import ABOUT, read_about
from discreet.audit.published import OK, UNCHECKED, UNDER_SEAL, WHOLE, WRONG, ReleaseCheck, account, checks_of, remade
from discreet.audit.samplers import SamplerRun, run_again
from discreet.errors import BadParameter, DiscreetError, LedgerError, TamperedRelease
from discreet.ledger import Entry, Ledger
from discreet.ledger.standing import State
from discreet.mechanisms import Mechanism
from discreet.naming import usable_path
from discreet.privacy import Unit, exact
from discreet.release import Release, files, load
from discreet.report.attempts import Attempts, attempts_of

PASSED, INCOMPLETE, FAILED = "passed", "incomplete", "failed"
#: what a forged manifest can make of any part of a report
HOSTILE = (DiscreetError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class Account:
    """A ledger as it stands now: its entries, and what they add up to unless it is damaged."""

    entries: list[Entry]
    state: State | None


@dataclass(frozen=True)
class Evidence:
    """What was found. `said` is release.json, or empty if nothing in it can be relied on."""

    said: dict[str, Any]
    release: Release | None
    checks: tuple[ReleaseCheck, ...]
    account: Account | None
    attempts: Attempts | None
    #: what the custodian says, by key; the second is whether it is under the seal
    about: tuple[tuple[str, str, bool], ...]
    mechanism: Mechanism | None
    sampler: SamplerRun | None

    @property
    def verdict(self) -> str:
        results = {one.result for one in self.checks}
        return FAILED if WRONG in results else INCOMPLETE if UNCHECKED in results else PASSED

    @property
    def unit(self) -> Unit:
        return Unit.from_dict(self.said["unit"])

    @property
    def epsilon(self) -> Fraction:
        return exact(self.said["epsilon"], "epsilon")

    @property
    def spent(self) -> Fraction | None:
        """What no unit has lost more than, by all releases so far, as the ledger has it; else when it was published."""
        if self.account is not None and self.account.state is not None:
            return Fraction(self.account.state.spent, 10**9)
        said = self.said["ledger"].get("spent_after")
        return None if said is None else Fraction(said)

    def all_about(self) -> dict[str, str]:
        """By key, what is under the seal before what is not."""
        return {key: text for key, text, _ in reversed(self.about)}


def gathered(
    release: Release | str | Path,
    ledger: Ledger | str | Path | None,
    audit: Mapping[str, Any] | str | Path | None,
    about: Mapping[str, Any] | str | Path | None,
) -> Evidence:
    """What there is, checked again. Errors are for what is not there at all, or not what it should be."""
    loaded, said, whole = _opened(release)
    given = {} if about is None else read_about(about if isinstance(about, Mapping) else _toml(about))
    found = None if audit is None else audit if isinstance(audit, Mapping) else _json(audit)
    account_found, entries, checks = _account(ledger)
    checks = [whole, *checks]
    attempts = None if found is None else attempts_of(found, said)
    if said:
        checks += checks_of(said, entries)
        checks += _unchecked(said, ledger)
    else:
        checks.append(
            ReleaseCheck("its charge, request, method and noise", UNCHECKED, "nothing it says can be relied on")
        )
    checks += [] if attempts is None else [attempts.check]
    sealed = said.get("about", {})
    words = [(key, sealed[key], True) for key in ABOUT if key in sealed]
    words += [(key, given[key], False) for key in ABOUT if key in given and given[key] != sealed.get(key)]
    made, sampler = _made_again(said)
    return Evidence(said, loaded, tuple(checks), account_found, attempts, tuple(words), made, sampler)


def _opened(release: Release | str | Path) -> tuple[Release | None, dict[str, Any], ReleaseCheck]:
    if isinstance(release, Release):
        said = release.manifest
        if said.get("seal") != files.seal_of(said):
            return None, {}, ReleaseCheck(WHOLE, WRONG, "its seal is not that of what it says")
        return release, said, ReleaseCheck(WHOLE, OK, UNDER_SEAL)
    folder = usable_path(release, "the folder of a release")
    try:
        loaded = load(folder)
        return loaded, loaded.manifest, ReleaseCheck(WHOLE, OK, UNDER_SEAL)
    except TamperedRelease as error:
        why = ReleaseCheck(WHOLE, WRONG, str(error).removeprefix(f"{folder}: "))
    try:
        return None, files.read_manifest(folder), why
    except TamperedRelease:
        return None, {}, why


def _account(ledger: Ledger | str | Path | None) -> tuple[Account | None, list[Entry] | None, list[ReleaseCheck]]:
    if ledger is None:
        return None, None, []
    kept = ledger if isinstance(ledger, Ledger) else usable_path(ledger, "a ledger")
    if isinstance(kept, Path) and not kept.is_file():
        raise LedgerError(f"{kept}: there is no such ledger; name the one that the release was charged to")
    entries, checks = account(kept)
    place = kept.place if isinstance(kept, Ledger) else str(kept)
    checks = [ReleaseCheck(one.check, one.result, one.why.replace(place, "the ledger")) for one in checks]
    try:
        opened = kept if isinstance(kept, Ledger) else Ledger.read(kept)
        listed = opened.entries()
    except LedgerError:
        return None, entries, checks
    return Account(listed, None if entries is None else opened.state()), entries, checks


def _unchecked(said: dict[str, Any], ledger: object) -> list[ReleaseCheck]:
    check = "it was charged to a ledger that remembers"
    if not said["ledger"]["durable"]:
        return [ReleaseCheck(check, UNCHECKED, "its account was kept in memory only, so nothing adds up with others")]
    return [] if ledger is not None else [ReleaseCheck(check, UNCHECKED, "no ledger was given for this report")]


def _made_again(said: dict[str, Any]) -> tuple[Mechanism | None, SamplerRun | None]:
    """What its checks found wrong is said by them; here it only is not there."""
    try:
        made = remade(said)
        mechanism = None if isinstance(made, ReleaseCheck) else made[1]
        return mechanism, run_again(said["noise"], said["summary"])
    except HOSTILE:
        return None, None


def _toml(path: str | Path) -> Any:
    """The table [about] of a file, or the file itself where it has no tables."""
    file = usable_path(path, "words about a release")
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadParameter(f"{file}: cannot be read ({error.strerror}); correct the path") from None
    except ValueError as error:
        raise BadParameter(f"{file}: is not valid TOML: {error}") from None
    return found.get("about", {} if any(isinstance(one, dict) for one in found.values()) else found)


def _json(path: str | Path) -> Any:
    file = usable_path(path, "the result of an audit")
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadParameter(f"{file}: cannot be read ({error.strerror}); correct the path") from None
    except (ValueError, RecursionError):
        raise BadParameter(f"{file}: is not JSON; make it anew: discreet audit SPEC -o audit.json") from None
