"""Least squares over counts that are not below zero, where each measurement is the sum of some of them."""

from __future__ import annotations

from discreet.kernels.jit import Floats, Ints, light_kernel


@light_kernel("starts", 256)
def fit_atoms(
    starts: Ints, sums: Ints, weights: Floats, rest: Floats, atoms: Floats, sweeps: int, close: float
) -> bool:
    """Atom by atom, the count that is best given the others, until a sweep moves none by more than `close`, or in vain.

    Atom a is part of the sums sums[starts[a]:starts[a + 1]], whose errors count by `weights`. `rest` has each
    measurement without the atoms in it, and is kept so; `atoms` start at zero or above.
    """
    for _ in range(sweeps):
        moved = 0.0
        for a in range(atoms.size):
            slope, weight = 0.0, 0.0
            for k in range(starts[a], starts[a + 1]):
                slope += weights[sums[k]] * rest[sums[k]]
                weight += weights[sums[k]]
            change = max(slope / weight, -atoms[a])
            if change == 0.0:
                continue
            atoms[a] += change
            moved = max(moved, abs(change))
            for k in range(starts[a], starts[a + 1]):
                rest[sums[k]] -= change
        if moved <= close:
            return True
    return False
