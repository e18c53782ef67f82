"""What is not protected, and the questions of reviews that others have written down, each with the evidence here."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.audit.published import OK
from discreet.privacy import as_text
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, bullets, joined, paragraph, table
from discreet.report.protection import relation, whom

_ASK = "For the custodian to answer: "


def unprotected(evidence: Evidence) -> Markup:
    return bullets(_unprotected(evidence))


def _unprotected(evidence: Evidence) -> Iterator[str]:
    said, unit, about = evidence.said, evidence.unit, evidence.all_about()
    yield (
        "What the release tells about people in general, and so about anybody of whom one knows to which group they "
        "belong. Differential privacy bounds what a unit's own data add to that."
    )
    if unit.is_row:
        yield "A person who has several rows: each is protected, not all of them together."
    else:
        yield f"A person under several values of {unit.column}, and rows without one, which are not counted."
    yield (
        "The declared domains: names, values and bounds of attributes are published as they are. "
        + (
            f"The custodian says where they come from: {about['domains']}"
            if "domains" in about
            else "Nobody has said where they come from."
        )
    )
    if said["task"].get("known"):
        yield "Totals that were declared as publicly known: they are in the release exactly, and no epsilon paid for them."
    if "period" in said:
        yield "Somebody with rows in several periods, where rows are protected: each period has its own loss."
    if not said["ledger"]["durable"]:
        yield "Other releases of the same data: the account of this one was kept in memory, so nothing adds them up."
    yield (
        "Other publications from the same data, or about the same people, that this ledger does not know. Their losses "
        "add up with this one all the same."
    )
    yield (
        "The data before and while they are counted: who may read them, how they are stored, how long publishing takes "
        "and what other programs on the machine can see of it."
    )
    yield "The operating system's generator of randomness, the hardware, and the person who holds the ledger: all are trusted."


def nist(evidence: Evidence) -> Markup:
    """The parts of the pyramid of NIST SP 800-226, from its top to its ground."""
    said, unit, about = evidence.said, evidence.unit, evidence.all_about()
    exact = evidence.sampler is not None and evidence.sampler.tried and not evidence.sampler.wrong
    remade = any(one.check == "its noise has the law it declares" and one.result == OK for one in evidence.checks)
    spent = "" if evidence.spent is None else f"; all releases together {as_text(evidence.spent)}"
    rows = [
        [
            "Epsilon",
            f"{said['epsilon']}, delta zero{spent}; as odds in the section on epsilon",
            about.get("reason", f"{_ASK}why this value?"),
        ],
        ["Unit of privacy", f"{whom(unit)}; {relation(unit)}", f"{_ASK}is one unit one person, and nobody two?"],
        [
            "Utility",
            "errors by size of question, from the release itself",
            f"{_ASK}are answers of this error good enough for the purpose?",
        ],
        [
            "Bias",
            "what is left out, and by which rule, is listed; intervals allow for what the method leaves out",
            f"{_ASK}do rules or small groups' larger relative errors put some people at a disadvantage?",
        ],
        [
            "Algorithms and correctness",
            (
                "the method was made again from what the release declares, and fits"
                if remade
                else "the method could not be made again"
            )
            + ("; the sampler is exact at its scales" if exact else "; the sampler was not checked"),
            "Read the claim and its proof sketch, or have them read.",
        ],
        [
            "Query model",
            "not interactive: one release, which anyone may ask as often as they like at no further loss",
            f"{_ASK}will there be others of the same data?",
        ],
        [
            "Threat model",
            "central: one custodian sees the rows; readers of the release are not trusted with anything",
            f"{_ASK}who else sees the rows?",
        ],
        [
            "Side channels",
            "errors, logs, sizes and names of files tell nothing of the data after the charge; times and memory are not covered",
            f"{_ASK}can somebody watch the machine that publishes?",
        ],
        [
            "Security",
            "every byte of the release is under its seal; the ledger is a chain of hashes",
            f"{_ASK}how are data, ledger and backups kept?",
        ],
        ["Access control", _account_words(evidence), f"{_ASK}who may publish, and who may raise the cap?"],
        [
            "Data collection exposure",
            about.get("purpose", "nothing in a release can show it"),
            f"{_ASK}what was collected, from whom, with which consent, and when is it deleted?",
        ],
    ]
    words = "The parts of the pyramid in NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees, each resting on those below it."
    return joined(
        paragraph(words), table("NIST SP 800-226, part by part", ("part", "evidence here", "left to people"), rows)
    )


def _account_words(evidence: Evidence) -> str:
    if evidence.account is None or evidence.account.state is None:
        return "no ledger was given that can be relied on"
    who = sorted({one.who for one in evidence.account.entries if one.kind == "charge"})
    shown = ", ".join(who[:5]) + (f" and {len(who) - 5} more" if len(who) > 5 else "")
    return f"the ledger says who charged it ({shown}), and every act on it has a reason"


def legal(evidence: Evidence) -> Markup:
    said = evidence.said
    odds = f"epsilon {said['epsilon']}, delta zero: the chance of any outcome changes by a factor of at most exp({said['epsilon']}), whether one unit's data are in it or not"
    rows = [
        [
            "GDPR, recital 26: singling out",
            "no record is in the release, only noisy counts; " + odds,
            "whether that makes it anonymous for the means reasonably likely to be used",
        ],
        [
            "GDPR: linkability",
            "the bound holds whatever other data a reader has, now or later",
            "which other data about the same people are published",
        ],
        [
            "GDPR: inference",
            "bounded for what a unit's own data add; not for what is true of a whole group",
            "whether a statement about a group harms its members",
        ],
        [
            "GDPR, articles 25, 30 and 35",
            "unit, epsilon, cap, history and checks in this report can be annexed to records and assessments",
            "legal ground, purpose, storage, rights of people, assessment of impact",
        ],
        [
            "HIPAA, 45 CFR 164.514(b)(1): expert determination",
            "a method with a stated bound, its justification and its result, as documented here",
            "an expert's judgement that the risk is very small, with name and date",
        ],
        [
            "Statistical confidentiality, and ethics boards",
            "no exact count leaves; what is left out and every error are stated",
            "thresholds, embargoes and duties of your own law",
        ],
    ]
    return joined(
        paragraph(
            "These are facts that such reviews ask for. They are no legal verdict: this report says nothing about whether a law is kept, and no software can."
        ),
        table("Facts for reviews", ("review", "fact", "left to the reviewer"), rows),
    )
