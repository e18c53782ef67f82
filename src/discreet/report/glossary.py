"""The words of the report, each in a line."""

from __future__ import annotations

from discreet.report.markup import Markup, facts

_WORDS = {
    "Pure differential privacy": "With or without one unit, no outcome is more than exp(epsilon) times as likely.",
    "Epsilon": "How large that factor may be. Smaller is safer and noisier; losses of several releases add up.",
    "Delta": "The chance that the bound fails. In pure differential privacy it is zero.",
    "Unit": "What is protected as a whole: a row, or all rows of one person.",
    "Neighbours": "Two tables that differ in one unit, added, taken away or replaced.",
    "Sensitivity": "How far one unit can move all counts together.",
    "Budget and cap": "How much may be lost in all, and the most that it may be.",
    "Ledger": "The file that adds losses up, before any row is read.",
    "Method": "What turns counts into noisy numbers; also called a mechanism.",
    "Discrete Laplace noise": "Whole numbers around zero, each further one less likely by the factor exp(-1 / scale).",
    "Scale": "How wide the noise is. The standard error of wide noise is about 1.4 times its scale.",
    "95 % interval": "A range that holds the true count in at least 95 of 100 releases.",
    "Post-processing": "Whatever is computed from noisy numbers alone. It loses no more privacy.",
    "Seal": "A hash over every byte of a release. The ledger has it, so no other release can take its place.",
}


def glossary() -> Markup:
    return facts(_WORDS.items())
