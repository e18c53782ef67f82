"""The result of `discreet audit`, as it was written to a file: what it tried on this release, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.audit.published import OK, UNCHECKED, WRONG, ReleaseCheck
from discreet.audit.verdicts import HOLDS
from discreet.errors import BadParameter
from discreet.report.markup import Markup, bullets, facts, joined, paragraph, table, told

_CHECK = "an audit attacked its guarantee"
_MOST = 6


@dataclass(frozen=True)
class Attempts:
    """What an audit says of one release; `found` is empty if it is about others only."""

    software: str
    found: Mapping[str, Any]
    check: ReleaseCheck


def attempts_of(audit: Any, said: Mapping[str, Any]) -> Attempts:
    """The part that is about this release. A file that no audit wrote is an error."""
    if not isinstance(audit, Mapping) or not ("checks" in audit or isinstance(audit.get("releases"), list)):
        raise BadParameter("the audit: is not what `discreet audit SPEC -o audit.json` writes; make it anew")
    software = str(audit.get("software", ""))
    if "checks" in audit:
        why = "it checked a release against its ledger, as this report does itself; attacks are `discreet audit SPEC`"
        return Attempts(software, {}, ReleaseCheck(_CHECK, UNCHECKED, why))
    name = str(said.get("id", "")).partition("@")[0]
    mine = [one for one in audit["releases"] if isinstance(one, Mapping) and one.get("release") == name]
    if not mine:
        return Attempts(software, {}, ReleaseCheck(_CHECK, WRONG, f"the audit has nothing about {name!r}"))
    found = mine[0]
    pairs = {"task": said["task"]["task"], **{key: said[key] for key in ("method", "unit", "epsilon")}}
    other = [key for key, value in pairs.items() if found.get(key) != value]
    if other:
        return Attempts(software, {}, ReleaseCheck(_CHECK, WRONG, f"the audit is about another {', '.join(other)}"))
    holds = found.get("verdict") == HOLDS and not found.get("problems")
    why = "its guarantee held" if holds else f"it was {found.get('verdict')}: {_first(found.get('problems'))}"
    return Attempts(software, found, ReleaseCheck(_CHECK, OK if holds else WRONG, why))


def _first(problems: Any) -> str:
    return str(problems[0]) if isinstance(problems, list) and problems else "no problem is named"


def attempts_shown(attempts: Attempts | None) -> Markup:
    """What was tried, for people."""
    if attempts is None:
        said = (
            "No audit was given. `discreet audit SPEC -o audit.json` attacks the method on invented tables; give its "
        )
        return paragraph(told(f"{said}result with `--audit`."))
    found = attempts.found
    if not found:
        return paragraph(attempts.check.why)
    parts = [paragraph(f"Made by {attempts.software}, on invented tables with this schema: no private row was read.")]
    parts += [_replayed(found.get("replay")), _guessed(found.get("black_box")), _traced(found.get("bytes"))]
    problems = found.get("problems")
    if isinstance(problems, list) and problems:
        parts.append(joined(paragraph("What was found wrong:"), bullets(problems[:_MOST])))
    return joined(*parts)


def _replayed(replay: Any) -> Markup:
    if not isinstance(replay, Mapping) or not isinstance(replay.get("neighbours"), list):
        return Markup("")
    tried = [one for one in replay["neighbours"] if isinstance(one, Mapping)]
    said = (
        f"Record and replay: {len(tried):,} pairs of neighbours. What the worst of them loses follows from the "
        f"recorded draws alone: {replay.get('loss')}; declared is {replay.get('declared')}."
    )
    rows = [[one.get("what"), one.get("relation"), one.get("loss")] for one in tried[:_MOST]]
    more = "" if len(tried) <= _MOST else f", the first {_MOST} of {len(tried):,}"
    return joined(
        paragraph(said), table(f"Neighbours that were tried{more}", ("neighbours", "relation", "loses"), rows, [2])
    )


def _guessed(seen: Any) -> Markup:
    if not isinstance(seen, Mapping):
        return paragraph("Black box: not tried (--black-box guesses who was there from many releases).")
    return facts(
        [
            (
                "Black box",
                f"{seen.get('runs')} runs, {seen.get('right')} of {seen.get('guesses')} guesses right: "
                f"epsilon is at least {seen.get('epsilon_at_least')}",
            )
        ]
    )


def _traced(left: Any) -> Markup:
    if not isinstance(left, Mapping) or not isinstance(left.get("problems"), list):
        return paragraph("Bytes: not tried (--bytes looks for rows in every byte that publishing writes or says).")
    ways = len(left["variants"]) if isinstance(left.get("variants"), list) else 0
    count = len(left["problems"]) or "no"
    return facts(
        [("Bytes", f"{ways} ways to publish, {left.get('looked_at')} bytes looked at, {count} traces of a row")]
    )
