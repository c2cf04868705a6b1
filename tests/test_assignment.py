"""Assignment by hash: published values, GrowthBook's where it is installed, and what holds of every assignment."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import in_turn
from command import invoke

from assay import Assignment, Namespace, assign, assign_all, assign_units
from assay.core.assignment import HASHES, HashName, bucket, fnv1a

#: Values in the test cases that all of GrowthBook's SDKs share: seed, unit, hash, number.
PUBLISHED = [
    ("", "a", "v1", 0.22), ("", "b", "v1", 0.077), ("b", "a", "v1", 0.946), ("ef", "d", "v1", 0.652),
    ("asdf", "8952klfjas09ujk", "v1", 0.549), ("", "123", "v1", 0.011), ("", "___)((*\":&", "v1", 0.563),
    ("seed", "a", "v2", 0.0505), ("seed", "b", "v2", 0.2696), ("foo", "ab", "v2", 0.2575), ("foo", "def", "v2", 0.2019),
]  # fmt: skip


def units(number: int) -> list[str]:
    rng = random.Random(3)
    kinds = [
        lambda: f"u{rng.randrange(10**9)}",
        lambda: f"{rng.getrandbits(128):032x}",
        lambda: f"é {rng.randrange(99)}",
        lambda: f"anna.{rng.randrange(10**6)}@example.org",
        lambda: "𝄞" * rng.randrange(1, 4),
    ]
    return [rng.choice(kinds)() for _ in range(number)]


@in_turn(("seed", "unit", "hash", "number"), PUBLISHED)
def test_buckets_have_their_published_values(seed: str, unit: str, hash: HashName, number: float) -> None:
    assert bucket(unit, seed, hash) == number


def test_fnv_has_its_published_values() -> None:
    assert [fnv1a(text) for text in ("", "a", "foobar")] == [0x811C9DC5, 0xE40C292C, 0xBF9CF968]


CASES = [
    Assignment("plain"),
    Assignment("unequal", ("a", "b", "c"), (0.1, 0.6, 0.3), coverage=0.83, hash="v1"),
    Assignment("part", coverage=0.5, namespace=Namespace("space", 0.2, 0.7)),
    Assignment("seeded", seed="other", hash="blake2", forced={"anna": "treatment"}),
    Assignment("nobody", coverage=0.0),
]


@in_turn("experiment", CASES)
def test_a_batch_is_assigned_as_its_units_are(experiment: Assignment) -> None:
    ids = [*units(400), "", "anna"]
    assert assign_all(ids, experiment).to_list() == [assign(unit, experiment) for unit in ids]


@in_turn("hash", HASHES)
def test_more_coverage_moves_nobody_to_another_variant(hash: HashName) -> None:
    ids = [f"u{number}" for number in range(500)]
    narrow, wide = (assign_all(ids, Assignment("k", coverage=share, hash=hash)) for share in (0.3, 0.8))
    kept = narrow.is_not_null()
    assert 0 < kept.sum() < wide.is_not_null().sum()
    assert narrow.filter(kept).equals(wide.filter(kept))


def test_variants_that_were_seen_or_forced_go_before_the_hash() -> None:
    experiment = Assignment("k", forced={"anna": "treatment"}, coverage=0.0)
    assert [assign("anna", experiment), assign("ben", experiment), assign("ben", experiment, "control")] == [
        "treatment", None, "control",
    ]  # fmt: skip


def test_parts_of_a_namespace_exclude_one_another() -> None:
    ids = [f"u{number}" for number in range(2000)]
    first, second = (
        assign_all(ids, Assignment(f"e{low}", namespace=Namespace("s", low, low + 0.5))) for low in (0, 0.5)
    )
    assert not (first.is_not_null() & second.is_not_null()).any()
    assert (first.is_not_null() | second.is_not_null()).all()


@in_turn("hash", HASHES)
def test_assignment_is_uniform_and_independent_across_experiments(hash: HashName) -> None:
    ids = [f"user-{number}" for number in range(20_000)]
    result = assign_units(ids, Assignment("first", hash=hash), against=[Assignment("second", hash=hash)])
    assert [check.holds for check in result.checks] == [True, True, True]
    alike = assign_units(ids, Assignment("first", seed="s"), against=[Assignment("second", seed="s")])
    assert [check.holds for check in alike.checks] == [True, True, False]


def test_batches_are_as_growthbook_assigns() -> None:
    growthbook = pytest.importorskip("growthbook")
    ids = units(300)
    hashes: tuple[tuple[int, HashName], ...] = ((1, "v1"), (2, "v2"))
    for version, name in hashes:
        ours = Assignment("exp", ("a", "b"), (0.3, 0.7), 0.8, name, None, Namespace("n", 0.1, 0.9))
        theirs = []
        for unit in ids:
            plan = growthbook.Experiment(key="exp", variations=["a", "b"], weights=[0.3, 0.7], coverage=0.8,
                                         namespace=("n", 0.1, 0.9), hashVersion=version)  # fmt: skip
            run = growthbook.GrowthBook(attributes={"id": unit}).run(plan)
            theirs.append(run.value if run.inExperiment else None)
        assert assign_all(ids, ours).to_list() == theirs


def test_numbers_of_a_hash_are_spread_over_their_range() -> None:
    numbers = np.array([bucket(f"u{number}", "k", "blake2") for number in range(4000)])
    assert 0 <= numbers.min() < 0.01
    assert 0.99 < numbers.max() < 1


@in_turn(
    ("plan", "says"),
    [
        (Assignment("k", ("a",)), "two variants or more"),
        (Assignment("k", weights=(1.0,)), "a weight from 0 on for each"),
        (Assignment("k", weights=(0.6, 0.6)), "weights that add up to 1, got 1.2"),
        (Assignment("k", coverage=2), "coverage lies between 0 and 1, not 2"),
        (Assignment("k", forced={"u": "c"}), "which is no variant"),
    ],
)  # fmt: skip
def test_what_is_no_plan_is_refused(plan: Assignment, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        plan.check()


def test_importing_it_loads_neither_numpy_nor_polars() -> None:
    code = (
        "import sys, assay.core.assignment; print([n for n in ('numpy', 'polars', 'dataclasses') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_assigns_a_file_of_ids_and_a_table_alike(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("".join(f"u{number}\n" for number in range(30)), encoding="utf-8")
    pl.DataFrame({"n": range(30), "userid": [f"u{number}" for number in range(30)]}).write_csv(tmp_path / "users.csv")
    lines, table = (
        invoke(["abtest", "assign", "k", tmp_path / name, "--csv"]).stdout for name in ("ids.txt", "users.csv")
    )
    assert lines == table
    assert lines.splitlines()[0] == "user_id,variant"
    done = invoke(["abtest", "assign", "k", "--unit", "u1", "--weights", "0.5,0.6"])
    assert "weights that add up to 1, got 1.1" in str(done.exception)
