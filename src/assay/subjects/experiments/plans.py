"""The plan of an A/B test, as a file: what is measured and why, how many users it takes, and when one looks."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

from assay.core.errors import FormatError, InputError, ParameterError, argument_name, joined, listed
from assay.stats.group_sequential import RHO
from assay.stats.monitoring import Sequential
from assay.tables import Direction

Role: TypeAlias = Literal["primary", "secondary", "guardrail"]
ROLES: tuple[Role, ...] = get_args(Role)


class PlannedMeasure(NamedTuple):
    """A measure of the plan: its part, which way is good, and the difference that the test is to find in it.

    A guardrail may be worse by less than its `margin`; so may a primary measure that has one (non-inferiority).
    `covariate`: the number of before the test that it is adjusted by.
    """

    name: str
    role: Role = "primary"
    direction: Direction = "higher"
    difference: float | None = None
    margin: float | None = None
    covariate: str | None = None


@dataclass(frozen=True)
class PlannedTest:
    """The plan of an A/B test.

    >>> plan = PlannedTest("new-ranking", (PlannedMeasure("converted", difference=0.01),), users=12000)
    >>> PlannedTest.parse(plan.to_toml()).users
    12000
    """

    key: str
    measures: tuple[PlannedMeasure, ...]
    users: int
    hypothesis: str = ""
    unit: str = "user"
    variants: tuple[str, ...] = ("control", "treatment")
    weights: tuple[float, ...] | None = None
    days: int | None = None
    looks: int = 1
    alpha: float = 0.05
    power: float = 0.8
    sequential: Sequential = "fixed"
    spending: str = "kim-demets"
    rho: float = RHO
    #: When it was written, and whether it was changed since.
    written: str = ""
    changed: bool = False

    @property
    def control(self) -> str:
        """The variant that the others are held against."""
        return self.variants[0]

    @property
    def shares(self) -> Mapping[str, float] | None:
        """The planned shares by variant; None if they are equal."""
        return None if self.weights is None else dict(zip(self.variants, self.weights, strict=True))

    @property
    def measure_names(self) -> list[str]:
        """The names of the measures, the primary one first."""
        return [each.name for each in self.measures]

    @property
    def covariates(self) -> dict[str, str]:
        """The covariates by the names of their measures."""
        return {each.name: each.covariate for each in self.measures if each.covariate is not None}

    @property
    def primary(self) -> PlannedMeasure:
        """The measure that decides."""
        return self.measures[0]

    def measure(self, name: str) -> PlannedMeasure | None:
        """A measure of the plan by its name; None if it was not planned."""
        return next((each for each in self.measures if each.name == name), None)

    @property
    def remarks(self) -> Iterator[str]:
        """What is odd about the plan."""
        if self.changed:
            since = f"after it was written ({self.written})" if self.written else "after it was written"
            yield f"the plan {self.key} was changed {since}: what it says now was not planned then"

    @property
    def digest(self) -> str:
        """A digest of all that was planned."""
        content = json.dumps(self._content(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def _content(self) -> dict[str, Any]:
        test = {name: getattr(self, name) for name in _FIELDS if getattr(self, name) not in (None, "")}
        measures = [
            {name: value for name, value in each._asdict().items() if value is not None} for each in self.measures
        ]
        return {"test": test, "measure": measures}

    def to_toml(self) -> str:
        """The plan as a file."""
        content = self._content()
        lines = ["[test]", *(f"{name} = {_toml(value)}" for name, value in content["test"].items())]
        lines.append(f"digest = {_toml(self.digest)}")
        for each in content["measure"]:
            lines += ["", "[[measure]]", *(f"{name} = {_toml(value)}" for name, value in each.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str, origin: str = "plan") -> Self:
        """Read a plan."""
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise FormatError(origin, None, expected="a plan in TOML", got=str(problem)) from problem
        test, rows = content.get("test"), content.get("measure")
        if not isinstance(test, dict) or not isinstance(rows, list) or not rows:
            raise FormatError(origin, None, expected="a plan with [test] and [[measure]]", got=listed(list(content)))
        if unknown := (test.keys() - {*_FIELDS, "digest"}) | {name for row in rows for name in row} - {
            *PlannedMeasure._fields
        }:
            raise FormatError(origin, None, expected=f"a plan of {listed(list(_FIELDS))}", got=listed(sorted(unknown)))
        try:
            measures = tuple(PlannedMeasure(**row) for row in rows)
            stated: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in test.items()
            }
            digest = stated.pop("digest", None)
            plan = cls(measures=measures, **stated)
        except TypeError as problem:
            raise FormatError(
                origin, None, expected="a plan with key, users and a measure", got=str(problem)
            ) from problem
        plan._check(origin)
        return replace(plan, changed=digest is not None and digest != plan.digest)

    def _check(self, origin: str) -> None:
        roles = [each.role for each in self.measures]
        if wrong := [role for role in roles if role not in ROLES]:
            raise InputError(f"{origin}: the role of a measure is one of {listed(list(ROLES))}, not {wrong[0]!r}")
        if roles.count("primary") != 1 or roles[0] != "primary":
            raise InputError(f"{origin}: a plan has one primary measure, which comes first; got {listed(roles)}")
        for each in self.measures:
            if each.role == "guardrail" and not (each.margin is not None and each.margin > 0):
                raise InputError(f"{origin}: {each.name}: a guardrail has a margin above 0: how much worse it may be")


#: What a plan says of the test.
_FIELDS = (
    "key", "hypothesis", "unit", "variants", "weights", "users", "days", "looks", "alpha", "power", "sequential",
    "spending", "rho", "written",
)  # fmt: skip


def _tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def read_plan(plan: Any) -> PlannedTest:
    """A plan, read if it is a file."""
    if isinstance(plan, PlannedTest):
        return plan
    if not isinstance(plan, str | os.PathLike):
        raise ParameterError(f"a plan is a file of `assay abtest plan`, or a PlannedTest, not {type(plan).__name__}")
    try:
        text = Path(plan).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(
            f"{os.fspath(plan)}: cannot be read: {getattr(problem, 'strerror', None) or 'it is no text'}"
        ) from problem
    return PlannedTest.parse(text, os.fspath(plan))


def refuse_beside_plan(**stated: object) -> None:
    """Refuse what a plan says already."""
    for name, value in stated.items():
        if value is not None:
            raise ParameterError(f"{argument_name(name)} stands in the plan: leave it out")


def families(plan: PlannedTest, measures: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The families of measures: the primary one, the secondary ones, each guardrail, and what was not planned.

    >>> plan = PlannedTest("k", (PlannedMeasure("a"), PlannedMeasure("b", "secondary")), 100)
    >>> families(plan, ["a", "b", "c"])
    [('primary', ['a']), ('secondary', ['b']), ('exploratory', ['c'])]
    """
    found: dict[str, list[str]] = {}
    for name in measures:
        planned = plan.measure(name)
        role = "exploratory" if planned is None else planned.role
        found.setdefault(f"guardrail {name}" if role == "guardrail" else role, []).append(name)
    return [(role.partition(" ")[0], names) for role, names in found.items()]


def roles_note(plan: PlannedTest, measures: Sequence[str]) -> str:
    """The parts of the measures in the plan, in a sentence.

    >>> roles_note(PlannedTest("k", (PlannedMeasure("a"),), 100), ["a", "b"])
    'planned: primary a; not planned, so exploratory: b'
    """
    parts = [f"{role} {joined(names)}" for role, names in families(plan, measures) if role != "exploratory"]
    others = [name for role, names in families(plan, measures) if role == "exploratory" for name in names]
    texts = [f"planned: {', '.join(parts)}"] if parts else []
    return "; ".join([*texts, *([f"not planned, so exploratory: {joined(others)}"] if others else [])])
