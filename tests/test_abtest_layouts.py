"""A/B tests in every layout that people have them in: the same numbers, whatever the table."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from cases import in_turn
from command import invoke

import assay
from assay import InputError, abtest, compare, make_report
from assay.subjects.experiments.imbalance import imbalances

DATA = Path(assay.__file__).parent / "data"
USERS = pl.read_csv(DATA / "abtest" / "users.csv")
BY_VARIANT = USERS.group_by("variant", maintain_order=True)
SUMS = BY_VARIANT.agg(
    pl.len().alias("n"),
    *(pl.col(name).sum().alias(f"{name}_sum") for name in ("clicks", "searches", "clicks_before")),
    *((pl.col(name) ** 2).sum().alias(f"{name}_sum_squares") for name in ("clicks", "searches", "clicks_before")),
    (pl.col("clicks") * pl.col("searches")).sum().alias("clicks_searches_sum_product"),
    (pl.col("clicks") * pl.col("clicks_before")).sum().alias("clicks_clicks_before_product"),
)
MOMENTS = BY_VARIANT.agg(users=pl.len(), mean=pl.col("clicks").mean(), sd=pl.col("clicks").std())


def look(number: int) -> dict[str, object]:
    """The first so many users, both variants side by side."""
    parts = {side: USERS.head(number).filter((pl.col("variant") == "control") == (side == "c")) for side in "ct"}
    return {
        "time_since_start": float(number),
        "metric_id": "clicks",
        **{f"count_{side}": part.height for side, part in parts.items()},
        **{f"mean_{side}": part["clicks"].mean() for side, part in parts.items()},
        **{f"variance_{side}": part["clicks"].var() for side, part in parts.items()},
    }


SIDES = pl.DataFrame([look(2400), look(800)])
LAYOUTS = {"sums": (SUMS, "clicks"), "moments": (MOMENTS, "value"), "sides": (SIDES, "clicks")}


@in_turn("layout", LAYOUTS)
def test_sums_by_variant_give_the_numbers_of_the_users(layout: str) -> None:
    frame, measure = LAYOUTS[layout]
    wanted = abtest(USERS, "clicks").sample("clicks").gap(0, 1)
    assert abtest(frame, measure).sample(measure).gap(0, 1) == pytest.approx(wanted)


def test_sums_of_products_give_ratios_and_covariates_and_what_is_lacking_is_named() -> None:
    ratio, covariate = "clicks/searches", {"clicks": "clicks_before"}
    for stated in ({}, {"covariates": covariate}):
        measure = "clicks" if stated else ratio
        first, second = (abtest(each, measure, **stated).sample(measure).gap(0, 1) for each in (USERS, SUMS))  # type: ignore[arg-type]
        assert second == pytest.approx(first)
    with pytest.raises(InputError, match=r"needs the sum of products of searches and clicks_before \(a column"):
        compare(SUMS, measures="searches/clicks_before")
    with pytest.raises(InputError, match="needs the numbers of single users"):
        compare(SUMS, measures="median(clicks)")


EXPOSED = pl.DataFrame(
    [
        ("ann", "2026-03-02T10:00:00+01:00", "old", "phone"), ("ann", "2026-03-04T10:00:00Z", "old", "desk"),
        ("ben", "2026-03-02 10:00:00", "new", "desk"), ("cal", "2026-03-03", "new", "phone"),
        ("eve", "2026-03-03", "old", "desk"), ("eve", "2026-03-05", "new", "desk"),
    ],
    ["user_id", "timestamp", "variant", "device"], orient="row",
)  # fmt: skip
EVENTS = pl.DataFrame(
    [
        ("ann", "2026-03-02T09:30:00Z", "purchase", 5.0), ("ann", "2026-03-08T09:00:00Z", "purchase", 7.0),
        ("ann", "2026-03-20", "purchase", 9.0), ("ann", "2026-03-01", "purchase", 1.0),
        ("dan", "2026-03-03", "purchase", 1.0), ("ben", "2026-03-03", "visit", None),
    ],
    ["user", "time", "event_name", "value"], orient="row",
)  # fmt: skip


def test_events_count_within_their_window_after_the_first_exposure_in_utc() -> None:
    result = abtest(EXPOSED, events=EVENTS, window=7)
    frame = result.experiment.frame.sort("user_id")
    assert frame["user_id"].to_list() == ["ann", "ben", "cal"]  # eve saw both
    assert frame["purchase"].to_list() == [2.0, 0.0, 0.0]
    assert frame["any purchase"].to_list() == [1.0, 0.0, 0.0]
    assert frame["purchase value"].to_list() == [12.0, 0.0, 0.0]
    assert frame["purchase before"].to_list() == [1.0, 0.0, 0.0]
    assert frame["visit"].to_list() == [0.0, 1.0, 0.0]
    assert frame["device"].to_list() == ["phone", "desk", "phone"]  # as at the first exposure
    assert "purchase before" not in result.experiment.usual
    says = "; ".join(result.warnings)
    assert "1 event of users who were not exposed: left out" in says
    assert "1 event before the user's exposure" in says
    assert "1 user in several variants" in says


def test_exposures_alone_ask_for_their_events_and_several_experiments_for_one() -> None:
    with pytest.raises(InputError, match=r"or give what users did with events="):
        abtest(EXPOSED.drop("device"))
    two = EXPOSED.with_columns(experiment=pl.Series(["a", "b"] * 3))
    with pytest.raises(InputError, match="exposures of one experiment, got a, b"):
        abtest(two, events=EVENTS)


def test_a_log_of_clicks_is_measured_as_the_clicks_part_does() -> None:
    log = assay.read_log(DATA / "clicks" / "log.ndjson.gz", most_per_minute=20)
    ours, theirs = compare(abtest(log, "CTR")).findings[0], compare(log, measures="CTR").findings[0]
    assert (ours.difference, ours.p) == pytest.approx((theirs.difference, theirs.p), rel=1e-6)


def split(uneven: str) -> pl.DataFrame:
    """Users of two devices on ten days; of one device, or from one day on, a third of the treated are lost."""
    rows = [
        (f"u{number}", ("a", "b")[number % 2], ("phone", "desk")[number // 2 % 2], f"2026-03-{number // 400 + 10}", 1.0)
        for number in range(4000)
    ]
    places = {"device": (2, "phone"), "day": (3, "2026-03-15")}
    column, least = places.get(uneven, (0, "~"))
    kept = [row for row in rows if not (row[1] == "b" and str(row[column]) >= least and int(row[0][1:]) // 4 % 3 == 0)]
    return pl.DataFrame(kept, ["user_id", "variant", "device", "day", "clicks"], orient="row")


@in_turn(("uneven", "found"), [("device", ["phone"]), ("day", ["2026-03-15"]), ("", [])])
def test_an_uneven_split_is_traced_to_its_group_or_day(uneven: str, found: list[str]) -> None:
    result = abtest(split(uneven))
    assert [each.value for each in imbalances(result.experiment) if each.column == uneven] == found
    assert make_report(result).advice.startswith("Cannot be trusted") is bool(found)


def test_days_without_exposures_are_named() -> None:
    later = EXPOSED.with_columns(timestamp=pl.col("timestamp").str.replace("2026-03-04|2026-03-05", "2026-03-09"))
    gone = EXPOSED.vstack(later.tail(1).with_columns(user_id=pl.lit("fay")))
    assert any(
        "no exposures on 3 days: 2026-03-06, 2026-03-07, 2026-03-08" in each
        for each in abtest(gone, events=EVENTS).warnings
    )


def test_several_variants_are_held_against_the_control_with_one_correction(tmp_path: Path) -> None:
    frame = USERS.with_columns(variant=pl.when(pl.int_range(2400) % 3 == 0).then(pl.lit("third")).otherwise("variant"))
    frame.write_csv(tmp_path / "three.csv")
    done = invoke(["abtest", "compare", tmp_path / "three.csv", "-m", "clicks", "--weights", "1,1,1", "--csv"])
    assert pl.read_csv(io.StringIO(done.stdout))["baseline"].to_list() == ["control", "control"]
    found = compare(frame, measures="clicks", baseline="control").findings
    assert [(each.baseline, each.system) for each in found] == [("control", "new ranking"), ("control", "third")]
    assert max(each.p / each.outcome.p for each in found) == pytest.approx(2)  # Holm
