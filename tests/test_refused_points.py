"""What `Points` refuses: one line that says what was expected, where, and what came instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import in_turn

from assay import InputError, ParameterError, Points


@in_turn(
    ("given_points", "labels", "options", "says"),
    [
        ([0, 1], [0, 1, 1], {}, "as many labels as rows of X, one per item, got 3 and 2"),
        ([], [], {}, "at least one item"),
        ([[0, 1], [np.nan, 2]], [0, 1], {}, "X: row 2: expected finite numbers, got nan"),
        ([[0, np.inf], [-np.inf, 2]], [0, 1], {"item_id": ["a", "b"]}, "X: item a: expected finite numbers, got inf"),
        ([1e200, 1], [0, 1], {}, "the largest is from 1e-100 to 1e\\+100, got 1e\\+200"),
        ([1e-200, 0], [0, 1], {}, "got 1e-200"),
        ([[1, 0], [0, 0]], [0, 1], {"metric": "cosine"}, "X: row 2: metric cosine needs a direction"),
        ([["a"], ["b"]], [0, 1], {}, "X: expected rows of numbers, got text"),
        ([["1"], ["2"]], [0, 1], {}, "X: expected rows of numbers, got text"),
        (pl.DataFrame({"x": ["1", "2"]}), [0, 1], {}, "X: expected rows of numbers, got text"),
        ([1 + 2j, 3], [0, 1], {}, "X: expected rows of numbers, got complex numbers"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), [0, 1], {}, "X: expected rows of numbers, got dates"),
        ([[1, {}], [2, 3]], [0, 1], {}, "X: expected rows of numbers$"),
        ([[1, 2], [3]], [0, 1], {}, "X: expected rows of numbers, all of one length"),
        (np.zeros((2, 2, 2)), [0, 1], {}, "got an array of shape"),
        (np.zeros((2, 0)), [0, 1], {}, "at least one column"),
        ([0, 1], [0, None], {}, "labels: 1 null, the first at item 2"),
        ([0, 1], [-1, -1], {"noise": -1}, "no item is left: 2 items"),
        ([0, 1], [0, 1], {"item_id": ["a"]}, "item_id: expected 2 ids"),
        ([[0, 1, 2], [1, 0, 2]], [0, 1], {"metric": "precomputed"}, "expected a square of distances"),
        ([[0, 1], [2, 0]], [0, 1], {"metric": "precomputed"}, "row 1, column 2: .*both directions, got 1 and 2"),
        ([[0, -1], [-1, 0]], [0, 1], {"metric": "precomputed"}, "row 1, column 2: expected distances from 0 on"),
        ([[0, np.nan], [1, 0]], [0, 1], {"metric": "precomputed"}, "row 1, column 2: expected finite distances"),
        ([[0, 1], [1, 3]], [0, 1], {"metric": "precomputed"}, "row 2: expected a distance of 0 to itself, got 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_refused_in_one_line(
    given_points: Any, labels: Any, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(InputError, match=says) as refused:
        Points.of(given_points, labels, **options)
    assert "\n" not in str(refused.value)


@in_turn("seed", ["a", -1, 1.5, True, None])
@in_turn("size", [None, 4])
def test_a_seed_is_a_whole_number(seed: Any, size: int | None) -> None:
    with pytest.raises(ParameterError, match="seed is a whole number from 0 on"):
        Points.of(np.arange(5.0), [0, 0, 1, 1, 1], sample_size=size, seed=seed)


def test_truth_values_are_no_label_of_numbered_clusters() -> None:
    with pytest.raises(ParameterError, match="noise is a label of the clusters, such as 1, not True"):
        Points.of([1, 1, 2], [1, 2, 2], noise=True)


def test_an_id_that_two_points_have_is_neither_of_them() -> None:
    points = Points.of([0, 1, 2], [0, 0, 1], item_id=["a", "a", "b"])
    assert points.silhouette_of("b").value == 0
    with pytest.raises(InputError, match="expected the id of one point, got 'a', which 2 points have"):
        points.silhouette_of("a")


def test_names_that_do_not_exist_are_refused_with_the_nearest_ones() -> None:
    with pytest.raises(ParameterError, match="did you mean euclidean"):
        Points.of([0, 1], [0, 1], metric="euclidian")
    with pytest.raises(ParameterError, match="metric is one of"):
        Points.of([0, 1], [0, 1], metric=["euclidean"])  # type: ignore[arg-type]
