"""`discreet verify-noise`."""

from __future__ import annotations

from discreet.cli.show import print_json, print_table
from discreet.noise.verify import verify_noise
from discreet.privacy import as_text


def run(epsilon: str, sensitivity: str, as_json: bool) -> None:
    verdict = verify_noise(epsilon, sensitivity)
    stated = {"epsilon": as_text(verdict.epsilon), "sensitivity": as_text(verdict.sensitivity)}
    alpha, cost = f"{verdict.alpha.numerator}/2**64", verdict.true_epsilon
    if as_json:
        checks = [{"check": one.name, "looked_at": one.looked_at, "wrong": one.wrong} for one in verdict.checks]
        print_json({**stated, "alpha": alpha, "true_epsilon": cost, "passed": verdict.passed, "checks": checks})
    else:
        title = ", ".join(f"{name} {value}" for name, value in stated.items())
        rows = [[check.name, f"{check.looked_at:,}", f"{check.wrong:,}"] for check in verdict.checks]
        print_table(title, ("check", "looked at", "wrong"), rows, right=("looked at", "wrong"))
        print(f"alpha = {alpha}, so the noise costs epsilon {cost:.12g}")
        if verdict.passed:
            print("EXACT: the sampler draws discrete Laplace noise, and never costs more than the epsilon you state.")
        else:
            print("WRONG: do not publish with these parameters on this installation, and report this.")
    if not verdict.passed:
        raise SystemExit(1)
