"""What noise on the nodes of a tree does to sums of codes: covariances of two sums, each of all codes below a boundary.

Only nodes that a boundary cuts matter, so a pair costs as much as the tree is deep.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import Floats, Ints, kernel, light_kernel
from discreet.kernels.tree_shapes import Tree, first_beyond


@kernel
def cut_nodes(boundary: int, tree: Tree, nodes: Ints, before: Ints) -> int:
    """The nodes that a boundary cuts, root first, and how many of each one's children lie wholly below it."""
    first, end, child, fanout = tree
    if boundary <= 0 or boundary >= end[0]:
        return 0
    node, count = 0, 0
    while True:
        below = first_beyond(end, child[node], child[node] + fanout[node] - 1, boundary)
        nodes[count], before[count] = node, below - child[node]
        count += 1
        if first[below] >= boundary:
            return count
        node = below


@kernel
def _shares(boundary: int, size: int, count: int, nodes: Ints, before: Ints, fanout: Ints, shares: Floats) -> float:
    """The share of each cut node's sum that is below the boundary, as nominal wavelets see it; returns the root's."""
    if count == 0:
        return 1.0 if boundary >= size else 0.0
    shares[count] = 0.0
    for level in range(count - 1, -1, -1):
        shares[level] = (before[level] + shares[level + 1]) / fanout[nodes[level]]
    return float(shares[0])


@light_kernel("one", 2_048)
def nominal_covariance(one: Ints, other: Ints, tree: Tree, column: Ints, deepest: int, out: Floats) -> None:
    """out[pair, column[v]] += what the coefficients of v's children contribute; column 0 has the total.

    A sum below a boundary gives each child c of a cut node a share G_c: 1 below it, 0 above, something in between if
    it is cut itself. The node's own share is the mean of these, and the weight of c's coefficient is
    (G_c - mean) / fanout. Where every share is 0, or every one 1, there is no weight.
    """
    _, end, _, fanout = tree
    nodes, before, shares = np.empty(deepest, np.int64), np.empty(deepest, np.int64), np.empty(deepest + 1)
    others, priors, parts = np.empty(deepest, np.int64), np.empty(deepest, np.int64), np.empty(deepest + 1)
    for pair in range(one.size):
        count = cut_nodes(one[pair], tree, nodes, before)
        length = cut_nodes(other[pair], tree, others, priors)
        total = _shares(one[pair], end[0], count, nodes, before, fanout, shares)
        out[pair, 0] += total * _shares(other[pair], end[0], length, others, priors, fanout, parts)
        for level in range(min(count, length)):
            f = fanout[nodes[level]]
            k, j = before[level], priors[level]
            if k == j:
                together = k + shares[level + 1] * parts[level + 1]
            elif k < j:
                together = k + shares[level + 1]
            else:
                together = j + parts[level + 1]
            out[pair, column[nodes[level]]] += (together - f * shares[level] * parts[level]) / (f * f)
            if k != j:
                break


@kernel
def _spread_fourth(f: int, zeros: int, ones: int, a: float, b: float) -> float:
    """The sum of ((x - mean) / f)**4 over f values: so many zeros and ones, and a, and b if one is left."""
    rest = f - zeros - ones
    mean = (ones + a + (b if rest == 2 else 0.0)) / f
    total = zeros * mean**4 + ones * (1.0 - mean) ** 4 + (a - mean) ** 4
    if rest == 2:
        total += (b - mean) ** 4
    return total / float(f) ** 4


@kernel
def nominal_fourth(start: Ints, stop: Ints, tree: Tree, column: Ints, deepest: int, out: Floats) -> None:
    """out[row, column[v]] += the fourth powers of the weights of v's children in the sum over start <= code < stop."""
    _, end, _, fanout = tree
    nodes, before, shares = np.empty(deepest, np.int64), np.empty(deepest, np.int64), np.empty(deepest + 1)
    others, priors, parts = np.empty(deepest, np.int64), np.empty(deepest, np.int64), np.empty(deepest + 1)
    for row in range(start.size):
        count = cut_nodes(stop[row], tree, nodes, before)
        length = cut_nodes(start[row], tree, others, priors)
        total = _shares(stop[row], end[0], count, nodes, before, fanout, shares)
        total -= _shares(start[row], end[0], length, others, priors, fanout, parts)
        out[row, 0] += total**4
        common = 0
        while common < min(count, length) and nodes[common] == others[common]:
            node = nodes[common]
            f, k, j = fanout[node], before[common], priors[common]
            g, h = shares[common + 1], parts[common + 1]
            if k == j:
                powers = _spread_fourth(f, f - 1, 0, g - h, 0.0)
            else:
                powers = _spread_fourth(f, j + f - 1 - k, k - j - 1, g, 1.0 - h)
            out[row, column[node]] += powers
            common += 1
            if k != j:
                break
        for level in range(common, count):
            f, k = fanout[nodes[level]], before[level]
            out[row, column[nodes[level]]] += _spread_fourth(f, f - 1 - k, k, shares[level + 1], 0.0)
        for level in range(common, length):
            f, k = fanout[others[level]], priors[level]
            out[row, column[others[level]]] += _spread_fourth(f, f - 1 - k, k, parts[level + 1], 0.0)


@kernel
def _with_totals(
    count: int, nodes: Ints, before: Ints, child: Ints, earlier: Floats, spread: Floats, g: Floats
) -> None:
    """g[level]: covariance of a cut node's sum below the boundary with its whole sum, both from its own subtree."""
    g[count] = 0.0
    for level in range(count - 1, -1, -1):
        node = nodes[level]
        g[level] = (earlier[child[node] + before[level]] + g[level + 1]) * (1.0 - spread[node])


@kernel
def agreed_covariance(
    one: Ints, other: Ints, tree: Tree, spread: Floats, earlier: Floats, deepest: int, out: Floats
) -> None:
    """Covariance of two sums below boundaries as least squares estimates them, from noise of variance 1 on every node.

    From the leaves up: what the children of a node say together, then the node's own noisy sum on top. `spread` is the
    variance of its sum by its subtree, which is 1 - 1 / (1 + that by its children alone), and `earlier` that of the
    siblings before it together.
    """
    child = tree[2]
    nodes, before, g = np.empty(deepest, np.int64), np.empty(deepest, np.int64), np.empty(deepest + 1)
    others, priors, h = np.empty(deepest, np.int64), np.empty(deepest, np.int64), np.empty(deepest + 1)
    for pair in range(one.size):
        count = cut_nodes(one[pair], tree, nodes, before)
        length = cut_nodes(other[pair], tree, others, priors)
        _with_totals(count, nodes, before, child, earlier, spread, g)
        _with_totals(length, others, priors, child, earlier, spread, h)
        if count == 0 or length == 0:  # nothing, or everything: the covariance with the total is at hand
            if min(one[pair], other[pair]) <= 0:
                out[pair] = 0.0
            elif count > 0:
                out[pair] = g[0]
            else:
                out[pair] = h[0] if length > 0 else spread[0]
            continue
        level = 0
        while level + 1 < min(count, length) and nodes[level + 1] == others[level + 1]:
            level += 1
        found = 0.0  # of the child that both cut; none at the lowest common node
        lowest = level
        while level >= 0:
            node, k, j = nodes[level], before[level], priors[level]
            if level < lowest or k == j:
                together = earlier[child[node] + k] + found
            elif k < j:
                together = earlier[child[node] + k] + g[level + 1]
            else:
                together = earlier[child[node] + j] + h[level + 1]
            sums = (earlier[child[node] + k] + g[level + 1]) * (earlier[child[node] + j] + h[level + 1])
            found = together - sums * (1.0 - spread[node])
            level -= 1
        out[pair] = found
