"""Sums up a tree, what is left of them without the parents', and estimates that agree again; see `transforms.tree`.

`lines` are arrays (nodes, lines). Children stand after their parents, so falling order is from the leaves up.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, light_kernel


@light_kernel("lines", 16_384)
def sum_up(lines: Ints, child: Ints, fanout: Ints) -> None:
    """Every inner node becomes the sum of its children."""
    for node in range(lines.shape[0] - 1, -1, -1):
        if fanout[node] == 0:
            continue
        for i in range(lines.shape[1]):
            lines[node, i] = lines[child[node], i]
        for below in range(child[node] + 1, child[node] + fanout[node]):
            for i in range(lines.shape[1]):
                lines[node, i] += lines[below, i]


@light_kernel("lines", 16_384)
def take_from_parents(lines: Ints, child: Ints, fanout: Ints) -> None:
    """Sums to nominal coefficients: f times the own sum minus the parent's, f being the number of siblings."""
    for node in range(lines.shape[0] - 1, -1, -1):
        for below in range(child[node], child[node] + fanout[node]):
            for i in range(lines.shape[1]):
                lines[below, i] = fanout[node] * lines[below, i] - lines[node, i]


@light_kernel("lines", 16_384)
def give_back(lines: Floats, child: Ints, fanout: Ints) -> None:
    """Nominal coefficients to sums, with the mean of every group of siblings taken off."""
    mean = np.empty(lines.shape[1])
    for node in range(lines.shape[0]):
        if fanout[node] == 0:
            continue
        share = 1.0 / fanout[node]
        mean[:] = 0.0
        for below in range(child[node], child[node] + fanout[node]):
            for i in range(lines.shape[1]):
                mean[i] += lines[below, i]
        for i in range(lines.shape[1]):
            mean[i] = lines[node, i] - mean[i] * share
        for below in range(child[node], child[node] + fanout[node]):
            for i in range(lines.shape[1]):
                lines[below, i] = (lines[below, i] + mean[i]) * share


@light_kernel("lines", 16_384)
def agree(lines: Floats, child: Ints, fanout: Ints, spread: Floats) -> None:
    """Noisy sums of all nodes to their least-squares estimates.

    `spread` is the variance of each node's sum as its own subtree estimates it.
    """
    below_sum = np.empty(lines.shape[1])
    for turn in range(2):  # from the leaves up, then from the root down
        for place in range(lines.shape[0]):
            node = place if turn else lines.shape[0] - 1 - place
            if fanout[node] == 0:
                continue
            below_sum[:] = 0.0
            variance = 0.0
            for below in range(child[node], child[node] + fanout[node]):
                variance += spread[below]
                for i in range(lines.shape[1]):
                    below_sum[i] += lines[below, i]
            if turn == 0:
                for i in range(lines.shape[1]):
                    lines[node, i] = (variance * lines[node, i] + below_sum[i]) / (1.0 + variance)
                continue
            for below in range(child[node], child[node] + fanout[node]):
                share = spread[below] / variance
                for i in range(lines.shape[1]):
                    lines[below, i] += share * (lines[node, i] - below_sum[i])
