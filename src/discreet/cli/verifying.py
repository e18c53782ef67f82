"""`discreet verify-noise`."""

from __future__ import annotations

from discreet.cli.show import print_json, print_table
from discreet.noise.verify import Verdict, verify_noise
from discreet.privacy import as_text


def run(epsilon: str, sensitivity: str, as_json: bool) -> None:
    verdict = verify_noise(epsilon, sensitivity)
    if as_json:
        print_json(_fields(verdict))
    else:
        _tell(verdict)
    if not verdict.passed:
        raise SystemExit(1)


def _fields(verdict: Verdict) -> dict[str, object]:
    return {
        "epsilon": as_text(verdict.epsilon),
        "sensitivity": as_text(verdict.sensitivity),
        "alpha": f"{verdict.alpha.numerator}/2**64",
        "true_epsilon": verdict.true_epsilon,
        "passed": verdict.passed,
        "checks": [{"check": one.name, "looked_at": one.looked_at, "wrong": one.wrong} for one in verdict.checks],
    }


def _tell(verdict: Verdict) -> None:
    title = f"epsilon {as_text(verdict.epsilon)}, sensitivity {as_text(verdict.sensitivity)}"
    rows = [[check.name, f"{check.looked_at:,}", f"{check.wrong:,}"] for check in verdict.checks]
    print_table(title, ("check", "looked at", "wrong"), rows, right=("looked at", "wrong"))
    print(f"alpha = {verdict.alpha.numerator}/2**64, so the noise costs epsilon {verdict.true_epsilon:.12g}")
    if verdict.passed:
        print("EXACT: the sampler draws discrete Laplace noise, and never costs more than the epsilon you state.")
    else:
        print("WRONG: do not publish with these parameters on this installation, and report this.")
