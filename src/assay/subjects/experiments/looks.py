"""`watch`: the same look at a running test each day, written down, so that the next one knows what was spent."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import polars as pl

from assay.core.errors import FormatError, InputError
from assay.core.results import Result
from assay.stats.group_sequential import StageWise, after_stop, bounds
from assay.subjects.experiments.decisions import Decision, decisions_of
from assay.subjects.experiments.evaluation import ABTest, abtest
from assay.subjects.experiments.plans import PlannedTest, read_plan
from assay.subjects.experiments.subject import PairedVariants
from assay.verbs.comparison import Comparison, compare

#: What a look says of each measure of each variant.
_NUMBERS = ("measure", "variant", "baseline_value", "value", "difference", "low", "high", "p", "verdict")


class Look(NamedTuple):
    """A look at a running test: when, at how many users, what was found, and what that came to."""

    when: str
    plan: str
    users: int
    findings: tuple[dict[str, Any], ...]
    decisions: tuple[dict[str, str], ...]

    def line(self) -> str:
        """The look as a line of a file."""
        return json.dumps(self._asdict(), ensure_ascii=False)

    def of(self, measure: str) -> list[dict[str, Any]]:
        """What it found of a measure."""
        return [each for each in self.findings if each["measure"] == measure]


@dataclass(frozen=True, eq=False)
class Watched(Result):
    """The looks at a test so far, this one last, and the decision."""

    kind: ClassVar[str] = "watched test"

    result: ABTest
    plan: PlannedTest
    looks: tuple[Look, ...]
    comparison: Comparison
    decisions: tuple[Decision, ...]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Watched {self.plan.key}: {'; '.join(each.sentence for each in self.decisions)}>"

    @property
    def look(self) -> Look:
        """This look."""
        return self.looks[-1]

    def to_frame(self) -> pl.DataFrame:
        """One row per look and variant, with the primary measure."""
        rows = []
        for number, look in enumerate(self.looks, 1):
            words = {each["variant"]: each["word"] for each in look.decisions}
            for row in look.of(self.plan.primary.name):
                share = min(look.users / self.plan.users, 1.0)
                rows.append({"look": number, "when": look.when, "users": look.users, "share": share, **row,
                             "decision": words.get(row["variant"], "")})  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None)

    @cached_property
    def stopped(self) -> dict[str, StageWise]:
        """Of variants that are sure at this look, the difference without the bias of an early stop, by variant."""
        monitoring, found = self.result.monitoring, {}
        if monitoring is None or monitoring.mode != "group":
            return {}
        sample = self.result.sample(self.plan.primary.name)
        shares = monitoring.shares(sample.looked_at)
        limits = bounds(shares, self.plan.alpha, self.plan.spending, rho=self.plan.rho)
        for place, variant in enumerate(self.result.variants[1:], 1):
            gap = sample.gap(0, place)
            z = gap.difference / gap.error if gap.error > 0 else 0.0
            if abs(z) >= limits.upper[-1]:
                found[variant] = after_stop(limits, z, 1 / (gap.error**2 * shares[-1]), self.plan.alpha)
        return found

    def complete(self) -> Self:
        """Finish every number."""
        self.result.complete()
        return self._finish("stopped")


def watch(data: Any, plan: Any, *, earlier: Sequence[Look] = (), when: str | None = None) -> Watched:
    """Look at a running test as it was planned, knowing the looks before.

    `earlier`: those of `read_looks`. A look at as many users as the last one takes its place. The same data, plan and
    earlier looks give the same result.

    >>> from assay.subjects.experiments.plans import PlannedMeasure
    >>> rows = {"user": range(60), "variant": ["control", "new"] * 30, "clicks": [n * 7 % 5 for n in range(60)]}
    >>> plan = PlannedTest("k", (PlannedMeasure("clicks", difference=0.5),), 200, variants=("control", "new"), looks=4,
    ...     sequential="group")
    >>> watch(pl.DataFrame(rows), plan, when="day 1").decisions[0].word
    'keep running'
    """
    agreed = read_plan(plan)
    result = abtest(data, plan=agreed)
    users = sum(result.experiment.sizes.values())
    before = [each for each in earlier if each.users != users]
    if before and before[-1].users > users:
        raise InputError(
            f"{result.experiment.origin}: expected at least as many users as at the last look ({before[-1].users:,}), "
            f"got {users:,}: looks are at all users so far"
        )
    if result.monitoring is not None:
        looked = tuple(float(each.users) for each in before)
        result = replace(result, monitoring=replace(result.monitoring, earlier=looked))
    comparison = compare(PairedVariants(result), baseline=result.control, alpha=agreed.alpha, power=agreed.power)
    decisions = tuple(decisions_of(result, comparison.findings))
    rows = tuple(
        {name: _plain(value) for name, value in (each.row() | {"variant": each.system}).items() if name in _NUMBERS}
        for each in comparison.findings
    )
    moment = f"{datetime.now(UTC):%Y-%m-%d %H:%M}Z" if when is None else when
    words = tuple({"variant": each.variant, "word": each.word, "why": each.why} for each in decisions)
    look = Look(moment, agreed.digest, users, rows, words)
    warnings = list(result.warnings)
    if before and before[0].plan != agreed.digest:
        warnings.append(f"the plan {agreed.key} was changed after the first look ({before[0].when})")
    return Watched(result, agreed, (*before, look), comparison, decisions, tuple(warnings))


def _plain(value: Any) -> Any:
    """A number as it is written down: in twelve digits, as the last ones depend on the order in which threads add."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.12g}") if math.isfinite(value) else None


def read_looks(path: str | os.PathLike[str]) -> list[Look]:
    """The looks in a file; none where there is no file yet."""
    if not Path(path).exists():
        return []
    looks = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            fields = json.loads(line)
            lists = {name: tuple(fields[name]) for name in ("findings", "decisions")}
            looks.append(Look(**{**fields, **lists}))
        except (ValueError, TypeError, KeyError) as problem:
            expected = "a look of `assay abtest watch`"
            raise FormatError(os.fspath(path), number, expected=expected, got=line[:80]) from problem
    return looks


def looks_as_text(looks: Sequence[Look]) -> str:
    """Looks as the lines of a file."""
    return "".join(f"{each.line()}\n" for each in looks)
