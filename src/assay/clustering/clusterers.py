"""What puts points into so many clusters: scikit-learn's k-means, or any clusterer of that kind."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from assay.core.errors import ParameterError, need
from assay.counting.judgments import Floats, Ints

#: What clusterers call the number of clusters.
_NAMES = ("n_clusters", "n_components")
#: k-means starts so often, and keeps the best.
STARTS = 5


class Clusterer(NamedTuple):
    """A scikit-learn estimator, what it calls the number of clusters, and what it is called in a sentence."""

    estimator: Any
    parameter: str
    says: str
    seed: int

    @classmethod
    def of(cls, estimator: Any, seed: int) -> Clusterer:
        """K-means unless another estimator is given; refuse what takes no number of clusters.

        >>> Clusterer.of(None, 0).says
        'k-means (best of 5 starts)'
        """
        need("sklearn", extra="sklearn", purpose="clustering points")
        if estimator is None:
            from sklearn.cluster import KMeans  # noqa: PLC0415  # heavy

            return cls(KMeans(n_init=STARTS), _NAMES[0], f"k-means (best of {STARTS} starts)", seed)
        if isinstance(estimator, type):
            raise ParameterError(f"expected an estimator, such as {estimator.__name__}(), got the class")
        settings = estimator.get_params() if hasattr(estimator, "get_params") else {}
        known = [name for name in _NAMES if name in settings]
        if not known or not hasattr(estimator, "fit_predict"):
            raise ParameterError(
                "expected an estimator that takes n_clusters and has fit_predict, such as AgglomerativeClustering, "
                f"got {type(estimator).__name__}"
            )
        return cls(estimator, known[0], type(estimator).__name__, seed)

    def fit(self, k: int, points: Floats) -> Ints:
        """The place of each point's cluster."""
        from sklearn.base import clone  # noqa: PLC0415

        fitted = clone(self.estimator).set_params(**{self.parameter: k})
        if "random_state" in fitted.get_params():
            fitted.set_params(random_state=self.seed)
        with warnings.catch_warnings():
            # Fewer clusters than asked for, where points coincide, are seen in the result.
            warnings.simplefilter("ignore")
            labels = fitted.fit_predict(points)
        codes: Ints = np.unique(labels, return_inverse=True)[1].astype(np.int64, copy=False)
        return codes


@contextmanager
def one_thread() -> Iterator[None]:
    """Many small clusterings are faster one by one, and their sums do not depend on how many threads there are."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415  # comes with scikit-learn

    with threadpool_limits(1):
        yield
