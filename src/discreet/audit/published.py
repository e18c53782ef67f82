"""A release that was published: is it what its ledger was charged for, whole, and of the noise that it declares?

The mechanism is made again from what release.json says of the request, and what it would declare is compared with what
is written. Nothing here needs the data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from pathlib import Path
from typing import Any

from discreet.audit.samplers import run_again
from discreet.audit.verdicts import BROKEN, HOLDS, number
from discreet.errors import DiscreetError, LedgerError, TamperedRelease
from discreet.ledger import Entry, Ledger
from discreet.ledger.amounts import cost_of
from discreet.mechanisms import FORMER_AUTO, Mechanism, Request, mechanism_for
from discreet.noise import KeystreamSource
from discreet.noise.source import SystemSource
from discreet.privacy import Unit, as_text, exact
from discreet.private.manifest import about_of, digest_with_choice, request_digests
from discreet.release import files
from discreet.schema import Schema
from discreet.tasks import Task, task_from_dict

OK, WRONG, UNCHECKED = "ok", "WRONG", "not checked"
WHOLE, UNDER_SEAL = "its files are whole", "every byte is under its seal"
_BITS = (KeystreamSource.name, SystemSource.name)
_MOST_READINGS = 1000

Manifest = dict[str, Any]


@dataclass(frozen=True)
class ReleaseCheck:
    """One thing that was checked, what came out, and why."""

    check: str
    result: str
    why: str = ""


@dataclass(frozen=True)
class Published:
    """All that was checked of one release."""

    folder: str
    ledger: str
    findings: tuple[ReleaseCheck, ...]

    @property
    def verdict(self) -> str:
        return BROKEN if any(one.result == WRONG for one in self.findings) else HOLDS

    def lines(self) -> Iterator[str]:
        """The result as text."""
        yield f"{self.folder}: {self.verdict}"
        for one in self.findings:
            yield f"  {one.result}: {one.check}" + (f" ({one.why})" if one.why else "")

    def to_dict(self) -> dict[str, Any]:
        checks = [{"check": one.check, "result": one.result, "why": one.why} for one in self.findings]
        return {"release": self.folder, "ledger": self.ledger, "verdict": self.verdict, "checks": checks}


def published(folder: str | Path, ledger: str | Path) -> Published:
    """Checks a release against the ledger it should have been charged to; errors are for what is not there at all."""
    folder, ledger = Path(folder), Path(ledger)
    files.check_place(folder)
    if not ledger.is_file():
        raise LedgerError(f"{ledger}: there is no such ledger; name the one that the release was charged to")
    return Published(str(folder), str(ledger), tuple(_findings(folder, ledger)))


def _findings(folder: Path, path: Path) -> Iterator[ReleaseCheck]:
    entries, found = account(path)
    try:
        said = files.read_manifest(folder)
    except TamperedRelease as error:
        yield ReleaseCheck(WHOLE, WRONG, str(error))
        yield from found
        yield ReleaseCheck("its charge, request, method and noise", UNCHECKED, "nothing it says can be relied on")
        return
    yield _whole(folder, said)
    yield from found
    yield from checks_of(said, entries)


def checks_of(said: Manifest, entries: list[Entry] | None) -> Iterator[ReleaseCheck]:
    """Of a release whose seal holds: its charge, if the entries of its ledger are at hand, and what it declares."""
    if entries is not None:
        yield from _charged(said, entries)
    try:
        yield from list(_declared(said))
    except (DiscreetError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        yield ReleaseCheck("it declares what a release does", WRONG, f"{type(error).__name__}: {error}"[:200])


def _whole(folder: Path, said: Manifest) -> ReleaseCheck:
    try:
        files.read_summary(folder, said)
    except TamperedRelease as error:
        return ReleaseCheck(WHOLE, WRONG, str(error))
    return ReleaseCheck(WHOLE, OK, UNDER_SEAL)


# the ledger


def account(kept: Path | Ledger) -> tuple[list[Entry] | None, list[ReleaseCheck]]:
    """The entries of a ledger whose chain is whole, and what there is to say about it."""
    check = "the ledger is whole"
    try:
        ledger = kept if isinstance(kept, Ledger) else Ledger.read(kept)
        ledger.verify()
        entries, left = ledger.entries(), ledger.left
    except LedgerError as error:
        return None, [ReleaseCheck(check, WRONG, str(error))]
    if left is not None and left < 0:
        return entries, [ReleaseCheck(check, WRONG, "more was charged than its cap")]
    return entries, [ReleaseCheck(check, OK, f"a chain of {len(entries)} entries, for {ledger.dataset!r}")]


def _charged(said: Manifest, entries: list[Entry]) -> Iterator[ReleaseCheck]:
    charge = next((one for one in entries if (one.kind, one.id) == ("charge", said["id"])), None)
    record = next((one for one in entries if (one.kind, one.id) == ("release-recorded", said["id"])), None)
    check = "it was charged to this ledger"
    if charge is None:
        yield ReleaseCheck(check, WRONG, f"no charge for {said['id']!r}: another ledger, or an older copy of it")
        return
    head = said["ledger"]["head"]
    dataset, period = charge.scope.dataset or entries[0].what, said.get("period", {}).get("period", "")
    wrong = {
        f"its data set is {said['dataset']!r}, and the ledger's {dataset!r}": said["dataset"] != dataset,
        f"it is about {period or 'all rows'}, and was charged for {charge.scope.period or 'all rows'}": period
        != charge.scope.period,
        "its request is not the one that was charged": said["request"] != charge.digest,
        "its charge is another entry: another ledger, or an older copy of it": head != charge.hash,
    }
    why = [reason for reason, holds in wrong.items() if holds]
    yield ReleaseCheck(check, WRONG if why else OK, "; ".join(why) or f"by {charge.who} on {charge.time[:10]}")
    yield _amount(said, charge)
    check = "it is the release that was recorded"
    if record is None:
        yield ReleaseCheck(check, WRONG, "the ledger has a charge for it, and no record that it was published")
    elif record.digest != said["seal"]:
        yield ReleaseCheck(check, WRONG, "the ledger recorded another seal under its name")
    else:
        yield ReleaseCheck(check, OK, f"seal {said['seal'][:12]}...")


def _amount(said: Manifest, charge: Entry) -> ReleaseCheck:
    check, paid = "the charge is its epsilon", charge.epsilon or Fraction(0)
    try:
        epsilon = exact(said["epsilon"], "epsilon")
    except DiscreetError as error:
        return ReleaseCheck(check, WRONG, str(error))
    if charge.nano != cost_of(epsilon):
        return ReleaseCheck(check, WRONG, f"{as_text(paid) if paid else 0} was charged, and it says {said['epsilon']}")
    return ReleaseCheck(check, OK, f"{as_text(paid)}")


# what it declares


def _declared(said: Manifest) -> Iterator[ReleaseCheck]:
    yield _bits(said)
    made = remade(said)
    if isinstance(made, ReleaseCheck):
        yield made
        return
    task, mechanism = made
    yield _same_request(said, task, mechanism.request)
    yield from _law(said, mechanism)
    cost, epsilon = mechanism.cost, mechanism.request.epsilon
    yield ReleaseCheck("the method costs no more than that", OK if cost <= epsilon else WRONG, as_text(cost))
    yield _sampler(mechanism.noise_law(), said["summary"])


def _bits(said: Manifest) -> ReleaseCheck:
    noise = said["noise"]
    fine = noise["publishable"] is True and noise["bits"] in _BITS
    return ReleaseCheck("its bits are those of production", OK if fine else WRONG, str(noise["bits"]))


def remade(said: Manifest) -> tuple[Task, Mechanism] | ReleaseCheck:
    """The task and the mechanism, from what is written; of several readings, the one that was charged."""
    found: tuple[Task, Mechanism] | None = None
    problem = ""
    for fields in _readings(said["task"]):
        try:
            task = task_from_dict(fields)
            request = Request.of(task, Schema.from_dict(said["schema"]), Unit.from_dict(said["unit"]), said["epsilon"])
            made = _as_declared(task, request, said)
            if said["request"] in _digests(task, request, said)[0]:
                return task, made
            found = found or (task, made)
        except (DiscreetError, LookupError, TypeError, ValueError, AttributeError) as error:
            problem = problem or str(error)
    if found is None:
        result = UNCHECKED if said["format"] == 1 else WRONG
        return ReleaseCheck("its method can be made again", result, f"this version cannot make it: {problem}")
    return found


def _as_declared(task: Task, request: Request, said: Manifest) -> Mechanism:
    """What the task asks for; `auto` of an earlier version may have been another method, or have left open what it now
    chooses along, and a default may have been another one."""
    made = mechanism_for(task, request)
    if made.method != said["method"]:
        if task.method != "auto" or not _was_auto(task, request, said):
            return made
        made = mechanism_for(task, request, said["method"])
    known = {one.name for one in made.parameters}
    defaults = {one["name"]: one for one in said["parameters"] if one["origin"].startswith("default")}
    then = {name: one["value"] for name, one in defaults.items() if name in known} | request.parameters
    for some in (request.parameters, then):
        if _as_written(made.chosen) == said["parameters"]:
            break
        with suppress(DiscreetError):  # what was a default then may not be given together with what is given
            other = mechanism_for(task, replace(request, parameters=some), made.method)
            # what nobody gave is a default still, whichever value it had then
            other.chosen = [defaults.get(one["name"], one) if one["name"] in then else one for one in other.chosen]
            made = other if _as_written(other.chosen) == said["parameters"] else made
    return made


def _was_auto(task: Task, request: Request, said: Manifest) -> bool:
    """Whether `auto` of another version took this method: by the digest that was charged, or because it once did."""
    charged = digest_with_choice(task, request, said["noise"]["bits"], said["method"])
    return said["request"] == charged or said["method"] in FORMER_AUTO.get(task.name, ())


def _readings(value: Any) -> list[Any]:
    """The same with each pair as a choice and as a range, which JSON cannot tell apart."""
    if isinstance(value, dict):
        some = product(*(_readings(inner) for inner in value.values()))
        return [dict(zip(value, one, strict=True)) for one in islice(some, _MOST_READINGS)]
    if isinstance(value, list):
        as_list = [list(one) for one in islice(product(*map(_readings, value)), _MOST_READINGS)]
        pair = len(value) == 2 and all(isinstance(inner, str | int | float) for inner in value)
        return [*as_list, tuple(value)] if pair else as_list
    return [value]


def _digests(task: Task, request: Request, said: Manifest) -> tuple[list[str], list[str | None]]:
    """In all forms that a version wrote, those of format 1 apart; the newest has what `auto` took."""
    bits, own, first = said["noise"]["bits"], list[str](), list[str | None]()
    for about in about_of(said):
        if task.method == "auto":
            own.append(digest_with_choice(task, request, bits, said["method"], about))
        digest, earlier = request_digests(task, request, bits, about)
        own.append(digest)
        first.append(earlier)
    return own, first


def _same_request(said: Manifest, task: Task, request: Request) -> ReleaseCheck:
    check = "its request is the one under the charge"
    if any(said["request"] in digests for digests in _digests(task, request, said)):
        return ReleaseCheck(check, OK, f"digest {said['request'][:12]}...")
    if said["format"] == 1 or "queries" in task.parameters:
        return ReleaseCheck(check, UNCHECKED, "release.json cannot tell ranges in its predicates from choices")
    return ReleaseCheck(check, WRONG, "task, schema, unit, epsilon and bits make another digest")


def _law(said: Manifest, mechanism: Mechanism) -> Iterator[ReleaseCheck]:
    law = {key: value for key, value in said["noise"].items() if key not in ("bits", "publishable")}
    pairs: list[tuple[str, Any, Callable[[], Any]]] = [
        ("its method is the one it names", said["method"], lambda: mechanism.method),
        ("its noise has the law it declares", law, mechanism.noise_law),
        ("its parameters are those it declares", said["parameters"], lambda: mechanism.chosen),
        ("its sensitivity is the unit's", said["sensitivity"], lambda: mechanism.request.unit.sensitivity),
        ("its schema is the method's", said["schema"], lambda: mechanism.release_schema.to_dict()),
    ]
    for check, written, made in pairs:
        same = written == _as_written(made())
        yield ReleaseCheck(
            check, OK if same else WRONG, _short(written) if same else "another one follows from its request"
        )
    check = "it leaves out what it says"
    if said["format"] == 1:
        yield ReleaseCheck(check, UNCHECKED, "format 1 has sentences, which say nothing to a program")
    else:
        made_out = [one.to_dict() for one in mechanism.leaves_out()]
        others = [one for one in said["leaves_out"] if one["kind"] != "period"]
        written, now = ([_kind(one) for one in some] for some in (others, _as_written(made_out)))
        same = written == now
        yield ReleaseCheck(check, OK if same else WRONG, "" if same else "other things follow from its request")


def _kind(left_out: Manifest) -> tuple[Any, Any]:
    """Without its sentence, which another version may word in another way."""
    return left_out["kind"], left_out["facts"]


def _sampler(law: dict[str, Any], summary: dict[str, Any]) -> ReleaseCheck:
    """Whether the sampler is exact at the scales that were drawn at."""
    check, run = "the sampler is exact at its scale", run_again(law, summary)
    if not run.tried:
        return ReleaseCheck(check, UNCHECKED, "no scale is written down; `discreet verify-noise` checks any of them")
    shown = ", ".join(map(number, run.wrong or run.tried))
    more = "" if len(run.tried) == run.declared else f", of {run.declared} scales"
    return ReleaseCheck(check, WRONG if run.wrong else OK, shown + more)


def _as_written(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _short(value: Any) -> str:
    return value.partition(":")[0] if isinstance(value, str) else str(value) if isinstance(value, int) else ""
