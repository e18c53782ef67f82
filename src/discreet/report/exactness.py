"""The noise and the method: the law, the check of the sampler run again, and why the method costs what it says."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from discreet.audit.verdicts import number
from discreet.report.contents import cost_words
from discreet.report.evidence import Evidence
from discreet.report.markup import Markup, bullets, code, facts, joined, markup, paragraph, table, tag, told

CARDS = "cards.json"
_LONGEST_LAW = 2000
_LAW_ONLY = ("law", "bits", "publishable")


def noise(evidence: Evidence) -> Markup:
    """Law, bits, and the complete check of the sampler at the scales of this release."""
    said = evidence.said["noise"]
    pairs: list[tuple[object, object]] = [("Law", told(str(said["law"])[:_LONGEST_LAW]))]
    pairs += [(name.capitalize(), _plain(value)) for name, value in said.items() if name not in _LAW_ONLY]
    private = "fresh bits of the operating system's generator" if said["publishable"] else "NOT PRIVATE: test noise"
    pairs += [("Random bits", f"{said['bits']}: {private}"), ("Drawn on", "whole numbers, before anything is rounded")]
    parts: list[object] = [facts(pairs)]
    run = evidence.sampler
    if run is None or not run.tried:
        return joined(*parts, paragraph("The release writes down no scale that the sampler could be checked at."))
    rows = []
    for scale, verdict in run.tried.items():
        looked = sum(check.looked_at for check in verdict.checks)
        wrong = sum(check.wrong for check in verdict.checks)
        result = tag("span", "exact", class_="ok") if verdict.passed else tag("span", "WRONG", class_="wrong")
        rows.append([number(scale), f"{verdict.alpha.numerator}/2^64", f"{looked:,}", f"{wrong:,}", result])
    which = (
        ""
        if len(run.tried) == run.declared
        else f" at {len(run.tried)} of {run.declared} scales, the least and the largest among them"
    )
    parts += [
        paragraph(
            "For this report everything that the sampler decides by was computed again by another road, in decimals of "
            f"250 digits{which}: every threshold, every cell of its tables, the law they add up to, and decisions deep "
            "in the stream of bits. This check is the same on every run, so it passes always or never."
        ),
        table("The sampler, checked again", ("scale", "alpha", "looked at", "wrong", "result"), rows, [2, 3]),
    ]
    return joined(*parts)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(inner)}" for name, inner in value.items())
    return ", ".join(map(_plain, value)) if isinstance(value, list) else str(value)


def mechanism(evidence: Evidence) -> Markup:
    """What is claimed of the method, why it holds, and what it costs."""
    method = evidence.said["method"]
    card = cards().get(method)
    parts: list[object] = [facts(cost_words(evidence))]
    if card is None:
        return joined(*parts, paragraph("This version has no page about a method called ", code(method), "."))
    parts += [tag("h3", f"Claim of {method}"), shown(card["claim"]), tag("h3", "Proof sketch"), shown(card["proof"])]
    return joined(*parts)


@cache
def cards() -> dict[str, dict[str, str]]:
    """By method: claim and proof sketch of its card, written here by `python -m discreet.cli.reference`."""
    found: dict[str, dict[str, str]] = json.loads(files("discreet.report").joinpath(CARDS).read_text(encoding="utf-8"))
    return found


def shown(text: str) -> Markup:
    """The little Markdown of cards: paragraphs, lists, bold, code; of links the words."""
    parts: list[object] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if re.match(r"[-*] ", block):
            items = re.split(r"\n[-*] ", "\n" + block)[1:]
            parts.append(bullets(_inline(item) for item in items))
        elif block.startswith("    "):
            parts.append(tag("pre", block))
        else:
            parts.append(paragraph(_inline(block)))
    return joined(*parts)


def _inline(text: str) -> Markup:
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(text.split()))
    found: list[object] = []
    for part in re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", text):
        if part.startswith("`"):
            found.append(code(part.strip("`")))
        elif part.startswith("**") and part.endswith("**") and len(part) > 4:
            found.append(tag("strong", part.strip("*")))
        else:
            found.append(markup(part))
    return joined(*found)
