"""What is not protected, and the questions of reviews that others have written down, each with the evidence here."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.audit.published import OK
from discreet.privacy import as_text
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, bullets, joined, paragraph, table
from discreet.report.protection import relation, whom


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
        yield f"A person under several values of {unit.column}; rows without one are not counted."
    source = f"By the custodian: {about['domains']}" if "domains" in about else "Nobody has said where they come from."
    yield f"The declared domains: names, values and bounds of attributes are published as they are. {source}"
    if said["task"].get("known"):
        yield "Totals that were declared as publicly known: they are in the release exactly, and nothing paid for them."
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
    yield "What is trusted: the operating system's randomness, the hardware, and whoever holds data and ledger."


def nist(evidence: Evidence) -> Markup:
    """The parts of the pyramid of NIST SP 800-226, from its top to its ground."""
    words = (
        "The parts of the pyramid in NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees ("
        "March 2025; names of the parts by its public draft of December 2023), in our own words. Each rests on those "
        "below it."
    )
    head = ("part", "evidence here", "for the custodian to answer")
    return joined(paragraph(words), table("NIST SP 800-226, part by part", head, _pyramid(evidence)))


def _pyramid(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    said, unit, about = evidence.said, evidence.unit, evidence.all_about()
    spent = "" if evidence.spent is None else f"; all releases together {as_text(evidence.spent)}"
    why = f"; the custodian's reason: {about['reason']}" if "reason" in about else ""
    yield (
        "Privacy parameters: epsilon",
        f"{said['epsilon']}, delta zero{spent}{why}",
        "Why this value, and why this cap?",
    )
    yield "Unit of privacy", f"{whom(unit)}; {relation(unit)}", "Is one unit one person, and nobody two?"
    yield "Utility", "errors by size of question, from the release itself", "Are they small enough for the purpose?"
    yield (
        "Bias",
        "what rules and method leave out is listed; intervals allow for what the method leaves out",
        "Do the rules, or the larger relative errors of small groups, put some people at a disadvantage?",
    )
    yield "Algorithms and correctness", _correct(evidence), "Who has read the claim and its proof sketch?"
    yield (
        "Query model",
        "not interactive: one release, which anyone may ask as often as they like at no further loss",
        "Will there be other releases of the same data?",
    )
    yield (
        "Threat model",
        "central: a custodian sees the rows; readers of the release are not trusted",
        "Who else sees the rows?",
    )
    yield (
        "Side channels",
        "after the charge, errors, logs, sizes and names are made to tell nothing of the data; times and memory do",
        "Can somebody watch the machine that publishes?",
    )
    yield "Security", _kept(evidence), "How are data, ledger and backups kept?"
    yield "Access control", _who(evidence), "Who may publish, and who may raise the cap?"
    yield (
        "Data collection exposure",
        f"the custodian's purpose: {about['purpose']}" if "purpose" in about else "nothing here can show it",
        "What was collected, from whom, with which consent, and when is it deleted?",
    )


def _correct(evidence: Evidence) -> str:
    remade = any(one.check == "its noise has the law it declares" and one.result == OK for one in evidence.checks)
    run = evidence.sampler
    method = (
        "the method was made again from what the release declares, and fits" if remade else "the method does not fit"
    )
    tried = run is not None and bool(run.tried)
    exact = "was not checked" if run is None or not tried else "is WRONG" if run.wrong else "is exact at its scales"
    return f"{method}; the sampler {exact}"


def _kept(evidence: Evidence) -> str:
    sealed = "every byte of the release is under its seal" if evidence.release else "the release is not as published"
    if evidence.account is None:
        return f"{sealed}; no ledger was given"
    return f"{sealed}; the ledger's chain of hashes is {'whole' if evidence.account.state else 'BROKEN'}"


def _who(evidence: Evidence) -> str:
    if evidence.account is None or evidence.account.state is None:
        return "no ledger was given that can be relied on"
    who = sorted({one.who for one in evidence.account.entries if one.kind == "charge"})
    shown = ", ".join(who[:5]) + (f" and {len(who) - 5} more" if len(who) > 5 else "")
    return f"the ledger says who charged it ({shown}), and every act on it has a reason"


def legal(evidence: Evidence) -> Markup:
    words = (
        "These are facts that such reviews ask for. They are no legal verdict: this report does not say whether a law "
        "is kept, and no software can."
    )
    head = ("review", "fact", "for the reviewer to judge")
    return joined(paragraph(words), table("Facts for reviews", head, _legal(evidence)))


def _legal(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    epsilon = as_text(evidence.epsilon)
    yield (
        "GDPR, recital 26: singling out",
        f"no row is published, only noisy numbers; with or without one unit, no outcome is more than exp({epsilon}) "
        "times as likely",
        "whether that is anonymous for the means reasonably likely to be used",
    )
    yield (
        "GDPR: linkability",
        "the bound holds whatever other data a reader has, now or later",
        "which other data about the same people are published",
    )
    yield (
        "GDPR: inference",
        "bounded for what a unit's own data add; not for what is true of a whole group",
        "whether a statement about a group harms its members",
    )
    yield (
        "GDPR, articles 25, 30 and 35",
        "unit, epsilon, cap, history and checks, as they stand here, to be annexed",
        "legal ground, purpose, storage, rights of people, assessment of impact",
    )
    yield (
        "HIPAA, 45 CFR 164.514(b)(1): expert determination",
        "a method with a stated bound, its justification and its result, as documented here",
        "whether the risk is very small: an expert's judgement, with name and date",
    )
    yield (
        "Statistical confidentiality, ethics boards",
        "what is left out, and how far answers may be off, are stated",
        "thresholds, embargoes and other duties of your own law",
    )
