"""Checks of A/B tests, and A/B tests as the doctor looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from assay.core.digits import as_percents, p_phrase
from assay.core.errors import ParameterError, number_of, quote, several
from assay.files.sources import Source, is_file
from assay.stats.sample_ratio import MISMATCH, SUSPICIOUS, mismatch
from assay.subjects.experiments.evaluation import ABTest
from assay.subjects.experiments.imbalance import imbalances
from assay.subjects.experiments.inputs import open_experiment
from assay.tables.experiment import UNIT, Experiment
from assay.verbs.diagnosis.examination import (
    EXAMPLES,
    CheckFinding,
    Examination,
    Examined,
    Example,
    Overview,
    Severity,
    WholeFile,
    among,
    check,
    finding,
    share,
    unreadable,
)

#: One user who moves a mean by so many standard errors moves it alone; of fewer users, each does.
_MOVES, _FEWEST = 0.5, 50
#: Variants whose shares of missing values are so far apart lack them by their own doing.
_LACKING = 0.01


@dataclass(frozen=True, eq=False)
class ExaminedTest:
    """An A/B test, and the planned shares of its variants."""

    file: str
    test: Experiment
    weights: tuple[float, ...] | None = None
    system: None = None


class ExperimentsExamination(Examination):
    """A file as it was read, and the A/B test in it."""

    modules = ("assay.subjects.experiments.checks",)
    options = ("weights", "events", "window", "cluster")

    @property
    def _layout(self) -> dict[str, Any]:
        """How the file is read."""
        return {name: self.stated[name] for name in ("events", "window", "control", "cluster") if name in self.stated}

    def things(self) -> Iterator[Examined]:
        """The table."""
        if len(self.inputs) != 1:
            raise ParameterError(f"doctor takes one A/B test, not {len(self.inputs)}")
        data: Any = self.inputs[0]
        data = data.experiment if isinstance(data, ABTest) else data
        source = Source.of(data) if is_file(data) else data
        self.file = source.name if isinstance(source, Source) else getattr(source, "name", "experiment")
        reading, self.test = self.opened(self.file, partial(open_experiment, source, **self._layout))
        yield Examined(reading, ("file",))
        if self.test is not None:
            yield Examined(ExaminedTest(self.file, self.test, self.stated.get("weights")), ("test",))

    def overview(self) -> Overview:
        """The file, and the variants in it."""
        if self.test is None:
            return Overview(self.file, {"test": self.file}, 1, system="A/B test")
        sizes = ", ".join(f"{name} {size:,}" for name, size in self.test.sizes.items())
        title = f"{self.file}, {number_of(self.test.unit_kind, self.test.units)}: {sizes}"
        return Overview(title, {"test": self.file, "variants": list(self.test.variants)}, 1, system="A/B test")


unreadable(
    "unreadable-test",
    __name__,
    question="Is the file no table of users with their variants, or is a number none?",
    advice="write one row per user with a column for the user, one for the variant and one per number",
)


@check(
    "one-variant", "test", "error",
    question="Is there only one variant, or is one without users of its own?",
    advice="give the rows of all variants, the control's too",
)  # fmt: skip
def one_variant(thing: ExaminedTest) -> Iterator[CheckFinding]:
    """Nothing to compare with."""
    test = thing.test
    if len(test.variants) < 2:
        yield finding("one-variant", "error", thing, f"{test.variants[0]} is the only variant")
    for name, size in test.sizes.items():
        if not size and len(test.variants) > 1:
            yield finding("one-variant", "error", thing, f"{name} has no {test.unit_kind} of its own")


@check(
    "sample-ratio", "test", "error", "warning",
    question="Are users divided between the variants as planned (p below 0.001: an error; below 0.01: a warning)?",
    advice="find out where users were lost or counted twice before you believe any number; state unequal shares with "
           "`{weights}`",
)  # fmt: skip
def sample_ratio(thing: ExaminedTest) -> Iterator[CheckFinding]:
    """The split that should be."""
    sizes = thing.test.sizes
    p = mismatch(list(sizes.values()), thing.weights)
    if p < SUSPICIOUS:
        severity: Severity = "error" if p < MISMATCH else "warning"
        parts = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        message = f"{parts}: {p_phrase(p)} if the split was as planned"
        shares = None if thing.weights is None else dict(zip(thing.test.variants, thing.weights, strict=False))
        cases = [Example(each.sentence) for each in imbalances(thing.test, shares)]
        yield finding("sample-ratio", severity, thing, message, examples=cases[:EXAMPLES])


@check(
    "several-variants", "test", "error", "warning",
    question="Are users in several variants (more than 1 %: an error)?",
    advice="they saw both: they are left out; find out whether assignment is by user, and ids are stable",
)  # fmt: skip
def several_variants(thing: ExaminedTest) -> Iterator[CheckFinding]:
    """Users that no variant owns."""
    test = thing.test
    number = test.units_of_several
    whole = number + test.units
    if number:
        message = f"{share(number, whole, test.unit_kind)} in several variants"
        severity: Severity = "error" if number > 0.01 * whole else "warning"
        ids = test.in_several[UNIT].unique(maintain_order=True)
        yield from among("several-variants", severity, WholeFile(thing.file), test.unit_kind, ids, message=message)


@check(
    "left-out", "test", "note",
    question="Were events or users left out, or variants taken for one, when the data were read?",
    advice="see whether that is what you mean",
)  # fmt: skip
def left_out(thing: ExaminedTest) -> Iterator[CheckFinding]:
    """What was noticed in reading."""
    yield from (finding("left-out", "note", thing, remark) for remark in thing.test.remarks)


@check(
    "one-large-user", "test", "warning",
    question="Does one user alone move the mean of a variant by more than half of its standard error?",
    advice="look at that user: a robot, or a fault of the logging? Cap the column, as in `capped(clicks, 500)`",
)  # fmt: skip
def one_large_user(thing: ExaminedTest) -> Iterator[CheckFinding]:
    """Means that hang on one user."""
    test = thing.test
    for variant in test.variants:
        rows = test.arm(variant)
        for name in test.numbers:
            values = rows.select(UNIT, number=name).drop_nulls()
            if values.height < _FEWEST:
                continue
            who, most = values.sort("number", UNIT).row(-1)
            numbers = values["number"].to_numpy()
            if most - numbers.mean() > _MOVES * float(numbers.std(ddof=1)) * values.height**0.5:
                part = as_percents([most / numbers.sum()])[0]
                whole = f"{most:,.10g} of {numbers.sum():,.10g} {name} ({part})"
                message = f"{variant}: {test.unit_kind} {quote(who)} has {whole}"
                yield finding("one-large-user", "warning", thing, message)


@check(
    "missing-numbers", "test", "warning",
    question="Do users of one variant lack numbers more often than those of another?",
    advice="find out why: what is measured of other users cannot be compared",
)  # fmt: skip
def missing_numbers(thing: ExaminedTest) -> Iterator[CheckFinding]:
    """Numbers that one variant lacks."""
    test = thing.test
    rows = test.frame.group_by("variant").agg(pl.col(test.numbers).null_count() / pl.len())
    for name in test.numbers if rows.height > 1 else ():
        shares = dict(zip(rows["variant"], rows[name], strict=True))
        if max(shares.values()) - min(shares.values()) > _LACKING:
            most = max(shares, key=lambda variant: shares[variant])
            part = as_percents([shares[most]])[0]
            message = f"{part} of the {several(test.unit_kind)} of {most} have no {name}"
            yield finding("missing-numbers", "warning", thing, message)
