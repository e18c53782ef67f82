"""The page: a verdict and facts to sign on its first half, then a section for each question of a reviewer.

The same evidence gives the same bytes: nothing here knows the time, the place of a file, or chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.audit.published import UNCHECKED, WRONG, ReleaseCheck
from discreet.ledger import Ledger
from discreet.ledger.amounts import decimal
from discreet.privacy import as_text
from discreet.release import Release
from discreet.report import budget, contents, exactness, protection, provenance, reviews
from discreet.report.attempts import attempts_shown
from discreet.report.evidence import FAILED, HOSTILE, INCOMPLETE, PASSED, Evidence, gathered
from discreet.report.glossary import glossary
from discreet.report.markup import Markup, bullets, facts, joined, paragraph, section, tag
from discreet.report.style import policy, sheet

Part = Callable[[Evidence], Markup]

#: anchor, title, and what makes it; the second list needs nothing that release.json says
_PARTS: list[tuple[str, str, Part]] = [
    ("protected", "Who is protected", protection.protection),
    ("epsilon", "What epsilon means", protection.odds),
    ("contents", "What is published, and what is left out", contents.published),
    ("errors", "How exact answers are", contents.accuracy),
    ("budget", "The budget, and what was spent of it", budget.budget),
    ("noise", "The noise, and its sampler checked again", exactness.noise),
    ("method", "The method: claim, proof and cost", exactness.mechanism),
    ("audit", "Attacks that were tried", lambda evidence: attempts_shown(evidence.attempts)),
    ("unprotected", "What is not protected", reviews.unprotected),
    ("nist", "Questions of NIST SP 800-226", reviews.nist),
    ("legal", "Facts for GDPR, HIPAA and similar reviews", reviews.legal),
    ("software", "Software, hashes, and how to check again", provenance.software),
]
_WITHOUT: list[tuple[str, str, Part]] = [("budget", "The budget, and what was spent of it", budget.budget)]
_VERDICTS = {
    PASSED: (
        "✓",
        "All checks passed",
        "Every byte is as it was published, the ledger paid for it, and method, noise and cost are those that it "
        "declares. Whether to publish it is for you to decide.",
    ),
    INCOMPLETE: ("△", "Nothing is wrong in what could be checked", "Not everything could be checked:"),
    FAILED: ("✗", "Do not sign", "Something is wrong with the release, its ledger or the audit:"),
}
_MOST_REASONS = 6
_RELIED = "A check failed. What follows is what the release says of itself; do not rely on it."


def rendered(
    release: Release | str | Path,
    *,
    ledger: Ledger | str | Path | None = None,
    audit: Mapping[str, Any] | str | Path | None = None,
    about: Mapping[str, Any] | str | Path | None = None,
) -> str:
    """The report on a release, or on the folder of one, as one page of HTML.

    With the ledger that it was charged to, the result of `discreet audit SPEC -o audit.json`, and words of the
    custodian for what a release of an earlier version does not say itself. What was tampered with gives a red verdict.
    """
    return page_of(release, ledger=ledger, audit=audit, about=about).html


@dataclass(frozen=True)
class Page:
    """The page, and the evidence with what making it has added."""

    html: str
    evidence: Evidence

    def to_dict(self) -> dict[str, Any]:
        """The verdict, and every check with its result."""
        checks = [{"check": one.check, "result": one.result, "why": one.why} for one in self.evidence.checks]
        return {"verdict": self.evidence.verdict, "checks": checks}


def page_of(
    release: Release | str | Path,
    *,
    ledger: Ledger | str | Path | None = None,
    audit: Mapping[str, Any] | str | Path | None = None,
    about: Mapping[str, Any] | str | Path | None = None,
) -> Page:
    return paged(gathered(release, ledger, audit, about))


def paged(evidence: Evidence) -> Page:
    evidence, sections = _sections(evidence)
    title = _title(evidence.said)
    listed = [*((anchor, name) for anchor, name, _ in sections), ("checks", "What was checked"), ("words", "Words")]
    index = tag(
        "nav",
        tag("ol", *(tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in listed)),
        aria_label="Sections",
    )
    inner = [section(anchor, name, made) for anchor, name, made in sections]
    warning = [tag("p", tag("strong", _RELIED))] if evidence.verdict == FAILED else []
    head = joined(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'),
        tag("title", title),
        Markup(f"<style>{sheet()}</style>"),
    )
    body = joined(
        tag("header", *_top(evidence)),
        tag(
            "main",
            tag("div", *_signing(evidence), class_="front"),
            index,
            *warning,
            *inner,
            section("checks", "What was checked", provenance.checks(evidence), provenance.custodian(evidence)),
            section("words", "Words", glossary()),
        ),
        tag(
            "footer",
            "Made from the release, its ledger and an audit as they are named above. It shows no private data.",
        ),
    )
    whole = f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>{body}</body>\n</html>\n'
    return Page(whole, evidence)


def _title(said: Mapping[str, Any]) -> str:
    """Browsers print it on every page: with a part of the seal, pages of another release can be told apart."""
    if not said:
        return "Sign-off report: a release that cannot be read"
    return f"Sign-off report: {said.get('id')}, seal {str(said.get('seal'))[:16]}"


def _sections(evidence: Evidence) -> tuple[Evidence, list[tuple[str, str, Markup]]]:
    """Each part made; one that the release makes impossible is a finding."""
    found, faults = [], []
    for anchor, title, part in _PARTS if evidence.said else _WITHOUT:
        try:
            made = part(evidence)
        except HOSTILE:
            made = paragraph("This part cannot be made: the release does not say what a release says.")
            faults.append(ReleaseCheck(f"the report's part “{title}”", WRONG, "the release does not say what it needs"))
        found.append((anchor, title, made))
    return replace(evidence, checks=(*evidence.checks, *faults)), found


def _top(evidence: Evidence) -> list[Markup]:
    said, about = evidence.said, evidence.all_about()
    what = " · ".join(
        filter(None, [about.get("organisation"), said.get("dataset"), said.get("id"), str(said.get("time", ""))[:10]])
    )
    return [tag("h1", "Sign-off report on a release of counts"), tag("p", what, class_="subtitle")]


def _signing(evidence: Evidence) -> list[Markup]:
    """The verdict, the facts that matter most, and lines to sign."""
    verdict = evidence.verdict
    sign, word, why = _VERDICTS[verdict]
    kind = WRONG if verdict == FAILED else UNCHECKED
    not_so = "does not hold" if verdict == FAILED else "was not checked"
    found = [one for one in evidence.checks if one.result == kind and verdict != PASSED]
    reasons = [f"“{one.check}” {not_so}: {one.why}" for one in found]
    more = [f"and {len(reasons) - _MOST_REASONS} more, below"] if len(reasons) > _MOST_REASONS else []
    lines = [bullets([*reasons[:_MOST_REASONS], *more])] if reasons else []
    box = tag(
        "div",
        tag("p", tag("span", sign, aria_hidden="true"), f" {word}", class_="word"),
        paragraph(why),
        *lines,
        class_=f"verdict {verdict}",
        role="note",
    )
    made = [box]
    if evidence.said:
        try:
            made.append(facts(_facts(evidence)))
        except HOSTILE:
            made.append(paragraph("Its facts cannot be read."))
    signed = [
        paragraph(f"{who}: {what}") for what in ("name and date", "signature") for who in ("Custodian", "Reviewer")
    ]
    return made if verdict == FAILED else [*made, tag("div", *signed, class_="sign")]


def _facts(evidence: Evidence) -> list[tuple[object, object]]:
    said, unit, about = evidence.said, evidence.unit, evidence.all_about()
    pairs: list[tuple[object, object]] = [
        ("Protects", f"{protection.whom(unit)} ({unit.neighbours})"),
        ("Epsilon", f"{as_text(evidence.epsilon)}, delta zero (pure differential privacy)"),
        ("Budget", _budget(evidence)),
        ("Published", f"counts by {_names(said)}; {said['method']}, {said['noise']['law'].partition(':')[0]} noise"),
        ("In short", protection.odds_line(evidence)),
    ]
    pairs += [(name, about[key]) for name, key in (("Purpose", "purpose"), ("Contact", "contact")) if key in about]
    return pairs


def _names(said: dict[str, Any]) -> str:
    names = [str(name) for name in said["schema"]]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _budget(evidence: Evidence) -> str:
    account, said = evidence.account, evidence.said["ledger"]
    if account is not None and account.state is not None and evidence.spent is not None:
        cap = account.state.budget
        capped = "without a cap" if cap is None else f"of a cap of {decimal(cap)}"
        return f"{as_text(evidence.spent)} spent so far {capped}, by this release and all others of this ledger"
    if said.get("spent_after") is not None:
        capped = "without a cap" if said.get("cap") is None else f"of a cap of {said['cap']}"
        return (
            f"{said['spent_after']} spent {capped} when it was published; no ledger was given that says what followed"
        )
    return "not known: give the ledger"
