"""Noisy weights of items, of contexts, and of items in contexts (edges): what `even-shares` publishes with a context.

A question of all contexts is answered from items, one of all items from contexts, any other from edges. Which of them
it is follows from the question alone. A record lies in one item, one context and one edge, with the same weight, so
that what can hide behind a weight is the same for all three. Numbers come from `edge_estimates`; they add up.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from discreet.kernels import prefix
from discreet.numbers.laws import half_widths
from discreet.privacy import Alpha
from discreet.queries import Questions, picked
from discreet.schema import Schema
from discreet.summaries.base import Answers, Floats, Summary, box_sums, cells_asked, per_question
from discreet.summaries.columns import labelled_tables
from discreet.summaries.edge_estimates import EdgeEstimates
from discreet.summaries.share_answers import WeighedAnswers
from discreet.summaries.share_intervals import BINS, HIGH_WEIGHT, LOW_WEIGHT, SECOND, one_sided
from discreet.summaries.share_steps import Ints, Weighed
from discreet.summaries.shared_counts import SharedCounts, read_weights
from discreet.transforms import Direct
from discreet.transforms.lines import running_sums

_OF_ITEMS, _OF_CONTEXTS, _OF_EDGES = range(3)


class SharedEdges(Summary):
    """`alone` has the items; `contexts` and `edges` have the same bound and units, edges item by item."""

    shape = "shared-edges"

    def __init__(self, schema: Schema, alone: SharedCounts, contexts: Weighed, edges: Weighed) -> None:
        self.schema, self.alone, self.contexts, self.edges = schema, alone, contexts, edges
        self.estimates = EdgeEstimates(alone.estimates, contexts, edges)

    def answer(self, questions: Questions, level: float) -> Answers:
        return self.found(questions, level).told(self.edges, self.alone.bounded, self.alone.rounding)

    def found(self, questions: Questions, level: float) -> WeighedAnswers:
        parts, kinds = [], self._kinds(questions)
        for kind in set(kinds.tolist()) or {_OF_ITEMS}:
            numbers = np.flatnonzero(kinds == kind)
            some = picked(questions, numbers)
            if kind == _OF_ITEMS:
                parts.append((numbers, self.alone.found(_items_of(some), level)))
            else:
                parts.append((numbers, self._of_cells(some, kind == _OF_CONTEXTS, level)))
        return WeighedAnswers.joined(parts)

    def _kinds(self, questions: Questions) -> Ints:
        """Which weights answer each question."""
        narrowed = (questions.first > 0) | (questions.last < np.array(self.schema.sizes) - 1)
        item, context = np.zeros((2, questions.count), np.bool_)
        np.logical_or.at(item, questions.owner, narrowed[:, 0])
        np.logical_or.at(context, questions.owner, narrowed[:, 1:].any(axis=1))
        return np.where(context, np.where(item, _OF_EDGES, _OF_CONTEXTS), _OF_ITEMS)

    def chosen_among(self, questions: Questions) -> Ints:
        """Items of the head, in all contexts, were measured again after they were chosen."""
        found, some = super().chosen_among(questions), np.flatnonzero(self._kinds(questions) == _OF_ITEMS)
        among = self.alone.chosen_among(_items_of(picked(questions, some)))
        found[some] = np.where(among < some.size, among, found[some])
        return found

    def _of_cells(self, questions: Questions, of_contexts: bool, level: float) -> WeighedAnswers:
        weighed, where = (self.contexts, _contexts_of(questions)) if of_contexts else (self.edges, questions)
        cells = cells_asked(where).astype(np.int64)
        weight = per_question(where, _whole_sums(where, self._prefix[int(of_contexts)]))
        low, high, half = self._ends(weighed, cells, different_items(questions), weight, level)
        return WeighedAnswers(weight, half, low, high, *self._guess(questions))

    def _ends(self, weighed: Weighed, cells: Ints, items: Ints, weight: Ints, level: float) -> tuple[Any, Any, Any]:
        """Low and high, and the half-width of the weight alone. Nothing is measured again, so weights have its part."""
        hidden, units, miss = self.alone.hidden, weighed.units, 1 - level
        half = half_widths(Alpha.of(weighed.scale), cells, level)
        if hidden is None:
            return -((half - weight) // units), (weight + half) // units, half
        low = -((one_sided(weighed, cells, (LOW_WEIGHT + SECOND) * miss) - weight) // units)
        reach = weight + one_sided(weighed, cells, (HIGH_WEIGHT + SECOND) * miss)
        return low, hidden.high(reach, items, BINS * miss), half

    @cached_property
    def _prefix(self) -> list[Ints]:
        """Of edges and of contexts, in whole numbers."""
        sizes = self.schema.sizes
        return [
            prefix.prefix_sums(self.edges.values.reshape(sizes)),
            prefix.prefix_sums(self.contexts.values.reshape(sizes[1:])),
        ]

    def _guess(self, questions: Questions) -> tuple[Floats, Floats]:
        """The number and its typical error, by the model.

        Items vary on their own, and their edges with them; edges vary within their item; shares of contexts are off by
        as much for all items, and so is the total.
        """
        value, within, carried, lean = (box_sums(questions, running) for running in self._running)
        whole = box_sums(_items_of(questions), self._running_items)
        part = np.clip(value / np.maximum(whole, 1e-300), 0.0, 1.0)  # of the items' records, those that are asked for
        variance = per_question(questions, np.maximum((1 - part) * within + part * carried, 0.0))
        value, lean = np.maximum(per_question(questions, value), 0.0), per_question(questions, lean)
        shared = self.alone.estimates.total_error * value
        return value, np.sqrt(variance + lean**2 + shared**2)

    @cached_property
    def _running(self) -> list[Floats]:
        """Running sums of numbers, of their variances within items and with them, and of what contexts are off by."""
        found = self.estimates
        every = (
            found.values,
            found.own_variances,
            found.parts * self.alone.estimates.variances[:, None],
            (1 - found.trust) * (self.alone.estimates.values * found.share_error)[:, None],
        )
        axes = [Direct(size) for size in self.schema.sizes]
        return [running_sums(axes, table.reshape(self.schema.sizes).copy()) for table in every]

    @cached_property
    def _running_items(self) -> Floats:
        return np.cumsum(self.alone.estimates.values)

    def count_draws(self, questions: Questions, draws: int, random: Any) -> Floats:
        """As `ranking.Modelled` asks: an item's count, of which a part that may be another lies in the contexts."""
        item = _items(questions)
        found = self.alone.item_draws(item, draws, random)
        nowhere = np.bincount(questions.owner, minlength=questions.count) == 0
        some = np.flatnonzero(nowhere | (self._kinds(questions) != _OF_ITEMS))
        if some.size:
            asked = picked(questions, some)
            value, within = (per_question(asked, box_sums(asked, running)) for running in self._running[:2])
            whole = self.alone.estimates.values[item[some]]
            part = np.clip(value / np.maximum(whole, 1e-300), 0.0, 1.0)
            # as many records as a gamma law of this mean and variance has
            steady = np.maximum(value, 1e-6) ** 2 / np.maximum((1 - part) * within, 1e-9)
            found[:, some] *= part * (random.standard_gamma(steady, (draws, some.size)) / steady)
        return found

    def most_certain(self, questions: Questions, others: int, random: Any) -> Floats:
        """As `ranking.Modelled` asks: no more than of items alone."""
        return self.alone.items_certain(_items(questions), others, random)

    def to_arrow(self) -> Any:
        item, *contexts = self.schema.names
        numbers = self.alone.estimates.values, self.estimates.values.sum(axis=0), self.estimates.values.reshape(-1)
        weights = self.alone.items.values, self.contexts.values, self.edges.values
        columns = [{"count": one, "shared_count": other} for one, other in zip(numbers, weights, strict=True)]
        return labelled_tables(self.schema, [[item], contexts, self.schema.names], columns)

    def said(self) -> dict[str, str]:
        return self.alone.said()

    def facts(self) -> dict[str, Any]:
        return {**self.alone.facts(), "contexts": self.contexts.facts(), "edges": self.edges.facts()}

    @classmethod
    def read(cls, schema: Schema, facts: dict[str, Any], parquet: Any) -> SharedEdges:
        if len(schema) < 2:
            raise ValueError("the table has items alone, and no contexts")
        items = schema.sizes[0]
        ends = np.cumsum([items, schema.cells // items, schema.cells])
        weights = np.split(read_weights(parquet, int(ends[-1])), ends[:-1])
        alone = SharedCounts.of_weights(schema.select(schema.names[:1]), facts, weights[0])
        contexts, edges = (
            Weighed.read(facts[name], values, alone.most)
            for name, values in zip(("contexts", "edges"), weights[1:], strict=True)
        )
        for one in (contexts, edges):
            if (one.bound, one.units) != (alone.items.bound, alone.items.units):
                raise ValueError("items, contexts and edges have weights of different bounds or units")
        return cls(schema, alone, contexts, edges)


def _items_of(questions: Questions) -> Questions:
    return Questions(questions.first[:, :1], questions.last[:, :1], questions.count, questions.owner)


def _items(questions: Questions) -> Ints:
    """The item that each question is about, in one context or in several."""
    found = np.zeros(questions.count, np.int64)
    found[questions.owner] = questions.first[:, 0]
    return found


def _contexts_of(questions: Questions) -> Questions:
    return Questions(questions.first[:, 1:], questions.last[:, 1:], questions.count, questions.owner)


def _whole_sums(questions: Questions, sums: Ints) -> Ints:
    strides = np.array(sums.strides, np.int64) // sums.itemsize
    return prefix.box_sums(sums.reshape(-1), strides, questions.first, questions.last)


def different_items(questions: Questions) -> Ints:
    """How many items each question is about; one that several of its boxes name counts once."""
    order = np.lexsort((questions.first[:, 0], questions.owner))
    owner = questions.owner[order]
    # one line after the other, a question's items are numbers of its own
    apart = owner * (int(questions.last[:, 0].max(initial=0)) + 1)
    first, last = questions.first[order, 0] + apart, questions.last[order, 0] + apart
    before = np.maximum.accumulate(np.append(np.int64(-1), last))[:-1]
    return np.bincount(owner, np.maximum(last - np.maximum(first, before + 1) + 1, 0), questions.count).astype(np.int64)
