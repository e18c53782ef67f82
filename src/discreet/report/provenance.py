"""What was checked, what made the release, by which hashes it is known, and how anybody can check it again."""

from __future__ import annotations

from importlib.metadata import version

from discreet.about import ABOUT
from discreet.audit.published import OK, WRONG
from discreet.privacy import as_text
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, code, facts, joined, paragraph, table, tag

_COMMANDS = """discreet audit --release RELEASE --ledger LEDGER
discreet ledger LEDGER --against RELEASE
discreet verify-noise --epsilon {epsilon} --sensitivity {sensitivity}
discreet report RELEASE --ledger LEDGER -o report.html"""


def checks(evidence: Evidence) -> Markup:
    """Every check with its result; the word says it, the colour only repeats it."""
    kinds = {OK: "ok", WRONG: "wrong"}
    rows = [
        [one.check, tag("span", one.result, class_=kinds.get(one.result, "unchecked")), one.why]
        for one in evidence.checks
    ]
    return table("What was checked for this report", ("check", "result", "detail"), rows)


def custodian(evidence: Evidence) -> Markup:
    """What the custodian says; what is missing is named, so that it can be asked for."""
    if not evidence.about and not evidence.said:
        return Markup("")
    rows = [
        [ABOUT[key], text, "under the seal" if sealed else "given for this report only"]
        for key, text, sealed in evidence.about
    ]
    missing = [name.lower() for key, name in ABOUT.items() if key not in evidence.all_about()]
    told = (
        table("What the custodian says, which nothing here checks", ("about", "words", "where from"), rows)
        if rows
        else ""
    )
    asked = (
        paragraph("Not said: ", ", ".join(missing), ". A table [about] in the spec says it, or --about.")
        if missing
        else ""
    )
    return joined(told or Markup(""), asked or Markup(""))


def software(evidence: Evidence) -> Markup:
    said = evidence.said
    commands = _COMMANDS.format(epsilon=as_text(evidence.epsilon), sensitivity=said["sensitivity"])
    pairs = [
        ("Made by", said["software"]),
        ("Made on", said["time"]),
        ("This report by", f"discreet {version('discreet')}"),
        (
            "Versions",
            ", ".join(f"{name} {one}" for name, one in said.get("versions", {}).items())
            or "not written down by the version that made it",
        ),
        ("Seal of the release", code(said["seal"])),
        ("Digest of the request", code(said["request"])),
        ("Ledger", code(said["ledger"].get("id", "not written down by the version that made it"))),
        ("Entry of the charge", code(said["ledger"]["head"])),
    ]
    rows = [
        [name, code(one.get("sha256", "")), f"{one.get('bytes', '')}"]
        for name, one in said["files"].items()
        if isinstance(one, dict)
    ]
    return joined(
        facts(pairs),
        table("Files", ("file", "SHA-256", "bytes"), rows[:20], [2]),
        paragraph("To check again, with the folder of the release and its ledger, on any machine:"),
        tag("pre", Markup("\n".join(map(code, commands.splitlines())))),
        paragraph("The same release, ledger and audit give this page again, byte for byte, by the same version."),
    )
