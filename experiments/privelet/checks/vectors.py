"""Tests of what both papers say that the DPBench vectors can tell; a KeyError where they were not recorded."""

from __future__ import annotations

from experiments.shared.curves import comparable, spread
from experiments.shared.findings import Check, Results


def _ratios(results: Results, dimensions: str, name: str, to: str) -> list[float]:
    rows = results["vectors"][dimensions]["rows"]
    return [row["errors"][name][0] / row["errors"][to][0] for row in rows]


def alike_trees(results: Results) -> tuple[bool, str]:
    ratios = _ratios(results, "1d", "dyadic 2", "privelet")
    return comparable(ratios), f"dyadic of base 2 by least squares / privelet: {spread(ratios)}"


def logarithmic(dimensions: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        ratios = _ratios(results, dimensions, "privelet", "geometric")
        sizes = " x ".join(f"{size:,}" for size in results["vectors"][dimensions]["sizes"])
        return max(ratios) < 1, f"privelet / geometric on {sizes} cells: {spread(ratios)}"

    return check


def rule_helps(results: Results) -> tuple[bool, str]:
    ratios = _ratios(results, "2d", "privelet+ paper", "privelet")
    return max(ratios) < 1, f"both attributes untransformed / both transformed: {spread(ratios)}"


def star_on_vectors(dimensions: str) -> Check:
    def check(results: Results) -> tuple[bool, str]:
        plus = "privelet+" if "privelet+" in results["vectors"][dimensions]["intervals"] else "privelet"
        ratios = _ratios(results, dimensions, "privelet*", plus)
        hard = _ratios(results, dimensions, "privelet* hard", plus)
        better = sum(ratio < 1 for ratio in ratios)
        text = f"better in {better} of {len(ratios)} cases, privelet* / {plus} {spread(ratios)}; hard {spread(hard)}"
        return better == len(ratios), text

    return check
