"""A naive Bayes classifier from released marginals: the target alone, and with each other attribute.

Source: section 6.5 of ireduct. Noisy counts below zero count as zero, and every cell gets `smoothing` more, so that
no value rules a class out. With scikit-learn installed the class is one of its classifiers; `fit` only notes that there
is nothing to fit, for the release already says all that is known of the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BadParameter, CannotAnswer, OutsideDomain
from discreet.schema import Attribute

if TYPE_CHECKING:
    from discreet.release import Release

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
except ImportError:  # a classifier all the same, without scikit-learn's own tools

    class ClassifierMixin:  # type: ignore[no-redef]
        pass

    class BaseEstimator:  # type: ignore[no-redef]
        pass


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts `target` from the other attributes of a release that holds their marginals with it.

    `features` names the attributes to use; by default all that the release holds together with the target.
    """

    def __init__(
        self, release: Release, target: str, features: list[str] | None = None, smoothing: float = 1.0
    ) -> None:
        self.release = release
        self.target = target
        self.features = features
        self.smoothing = smoothing

    def fit(self, X: Any = None, y: Any = None) -> NaiveBayes:
        """Reads the counts from the release; looks at neither X nor y."""
        if not self.smoothing > 0:
            raise BadParameter(f"smoothing must be above zero, not {self.smoothing!r}")
        schema = self.release.schema
        attribute = schema[self.target]
        names = [name for name in schema if name != self.target] if self.features is None else list(self.features)
        tables = {}
        for name in names:
            found = self.release.table([self.target, name])
            if "ends" in found.columns:  # estimates and bounds: no table holds both
                if self.features is not None:
                    raise CannotAnswer(f"no table of the release holds {self.target} together with {name}")
                continue
            counts = np.maximum(np.asarray(found["count"], np.float64), 0.0) + self.smoothing
            tables[name] = counts.reshape(attribute.size, schema[name].size)
        if not tables:
            raise CannotAnswer(f"the release holds {self.target} together with no other attribute; nothing predicts it")
        totals = np.maximum(np.asarray(self.release.table(self.target)["count"], np.float64), 0.0) + self.smoothing
        self.classes_ = np.array(attribute.labels)
        self.feature_names_in_ = np.array(list(tables), dtype=object)
        self.prior_ = np.log(totals / totals.sum())
        self.likelihoods_ = {name: np.log(t / t.sum(axis=1, keepdims=True)) for name, t in tables.items()}
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class (columns in the order of `classes_`) for each row of a data frame."""
        if not hasattr(self, "likelihoods_"):
            self.fit()
        columns = _columns(X, list(self.likelihoods_))
        rows = len(next(iter(columns.values())))
        scores = np.tile(self.prior_, (rows, 1))
        for name, likelihood in self.likelihoods_.items():
            codes = _codes(self.release.schema[name], columns[name])
            known = codes >= 0  # a value outside the domain says nothing
            scores[known] += likelihood[:, codes[known]].T
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])


def _columns(X: Any, names: list[str]) -> dict[str, list[Any]]:
    """Columns by name from a dict, a data frame, or an array whose columns are the features in order."""
    if hasattr(X, "shape") and not hasattr(X, "columns"):
        if X.ndim != 2 or X.shape[1] != len(names):
            raise BadParameter(f"X must have {len(names)} columns: {', '.join(names)}")
        return {name: X[:, place].tolist() for place, name in enumerate(names)}
    missing = [name for name in names if name not in X]
    if missing:
        raise BadParameter(f"X has no column {', '.join(missing)}; it needs {', '.join(names)}")
    return {name: list(X[name]) for name in names}


def _codes(attribute: Attribute, values: list[Any]) -> NDArray[np.int64]:
    """The code of each value; -1 for one that the schema does not know."""
    known: dict[Any, int] = {}
    for value in set(values):
        try:
            known[value] = attribute.code(value)
        except OutsideDomain:
            known[value] = -1
    return np.array([known[value] for value in values], np.int64)
