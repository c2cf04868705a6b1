"""Scales of grades: presets, scales of one's own, and the further aspects that a document can be judged by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from assay.core.errors import ParameterError, not_among

#: Keys that mean something else at the terminal and in the browser.
RESERVED: Final = frozenset("xsunfkjhqtb?/ ")


@dataclass(frozen=True)
class Grade:
    """One grade: what is stored, what people see, what it is worth, and the key that gives it."""

    value: int
    label: str
    help: str = ""
    gain: float | None = None
    is_relevant: bool | None = None
    key: str = ""

    @property
    def worth(self) -> float:
        """The gain; the value, where nothing else is stated, and nothing below 0."""
        return max(float(self.value), 0.0) if self.gain is None else self.gain

    @property
    def counts(self) -> bool:
        """True if a document with this grade is relevant: any above 0, where nothing else is stated."""
        return self.value > 0 if self.is_relevant is None else self.is_relevant


@dataclass(frozen=True)
class Scale:
    """The grades that an assessor can give, from the lowest up; keys are by position unless stated.

    >>> [(grade.key, grade.label) for grade in SCALES["binary"].grades]
    [('0', 'not relevant'), ('1', 'relevant')]
    """

    name: str
    grades: tuple[Grade, ...]

    def __post_init__(self) -> None:
        values = [grade.value for grade in self.grades]
        if len(values) < 2:
            raise ParameterError(f"scale {self.name!r}: a scale needs two grades or more, got {len(values)}")
        if len(set(values)) < len(values):
            raise ParameterError(f"scale {self.name!r}: every grade needs a value of its own, got {values}")
        ordered = sorted(self.grades, key=lambda grade: grade.value)
        start = 0 if min(values) == 0 else 1
        keyed = tuple(replace(each, key=each.key or _key(start + place)) for place, each in enumerate(ordered))
        keys = [grade.key for grade in keyed]
        for key in keys:
            if len(key) != 1 or not key.isprintable() or key in RESERVED:
                taken = "".join(sorted(RESERVED)).strip()
                raise ParameterError(
                    f"scale {self.name!r}: expected one character as a key, none of {taken}; got {key!r}"
                )
        if len(set(keys)) < len(keys):
            raise ParameterError(f"scale {self.name!r}: every grade needs a key of its own, got {' '.join(keys)}")
        object.__setattr__(self, "grades", keyed)

    @property
    def values(self) -> tuple[int, ...]:
        """The values, from the lowest up."""
        return tuple(grade.value for grade in self.grades)

    def grade(self, value: int) -> Grade:
        """The grade with a value."""
        for each in self.grades:
            if each.value == value:
                return each
        raise ParameterError(f"expected a grade of {self.described()}, got {value}")

    def relevant(self, value: int) -> bool:
        """True if a document with this grade is relevant."""
        return self.grade(value).counts

    def with_keys(self, keys: str) -> Scale:
        """The same grades with other keys, the lowest grade first.

        >>> [grade.key for grade in SCALES["binary"].with_keys("JK").grades]
        ['J', 'K']
        """
        if len(keys) < len(self.grades):
            raise ParameterError(
                f"keys: expected one for each of {len(self.grades)} grades ({self.described()}), got {keys!r}"
            )
        return Scale(self.name, tuple(replace(each, key=key) for each, key in zip(self.grades, keys, strict=False)))

    def described(self) -> str:
        """The grades in one line.

        >>> SCALES["binary"].described()
        '0 (not relevant), 1 (relevant)'
        """
        return ", ".join(f"{grade.value} ({grade.label})" for grade in self.grades)


def _key(place: int) -> str:
    """The key of a position: digits, then letters that mean nothing else."""
    letters = [letter for letter in "abcdegilmoprtvwyz" if letter not in RESERVED]
    if place < 10:
        return "0123456789"[place]
    if place - 10 < len(letters):
        return letters[place - 10]
    return ""


def _scale(name: str, *grades: tuple[int, str, str]) -> Scale:
    return Scale(name, tuple(Grade(*grade) for grade in grades))


#: What projects choose from by name.
SCALES: Final[Mapping[str, Scale]] = {
    "binary": _scale("binary", (0, "not relevant", ""), (1, "relevant", "")),
    "graded": _scale(
        "graded",
        (0, "not relevant", "nothing in it helps with the topic"),
        (1, "related", "on the topic, and answers nothing"),
        (2, "relevant", "answers a part, or in passing"),
        (3, "perfect", "is about the topic and answers it fully"),
    ),
    "web": _scale("web", (0, "bad", ""), (1, "fair", ""), (2, "good", ""), (3, "excellent", ""), (4, "perfect", "")),
    "preference": _scale(
        "preference", (-1, "left is better", ""), (0, "no difference", ""), (1, "right is better", "")
    ),
    "yes/no": _scale("yes/no", (0, "no", ""), (1, "yes", "")),
    "level": _scale("level", (1, "easy", ""), (2, "average", ""), (3, "difficult", "")),
}


@dataclass(frozen=True)
class Aspect:
    """A question about a document, with the scale of its answers; relevance is the first of every project."""

    name: str
    scale: Scale
    question: str = ""


#: Aspects that can be asked for by name.
ASPECTS: Final[Mapping[str, Aspect]] = {
    each.name: each
    for each in (
        Aspect("novelty", SCALES["yes/no"], "Does it say what the documents before did not?"),
        Aspect("freshness", SCALES["yes/no"], "Is it up to date for this topic?"),
        Aspect("authority", SCALES["yes/no"], "Would you trust its source?"),
        Aspect("formatting", SCALES["yes/no"], "Is it easy to read as it is laid out?"),
        Aspect("reading level", SCALES["level"], "How hard is it to read?"),
        Aspect("support", SCALES["yes/no"], "Does the passage itself support the answer?"),
    )
}


def scale_of(given: str | Scale | Sequence[Mapping[str, Any]]) -> Scale:
    """A scale by its name, as it is, as text (`0=no,1=perhaps,2=yes`), or as JSON: a list of grades.

    >>> scale_of("0=no,1=perhaps,2=yes").described()
    '0 (no), 1 (perhaps), 2 (yes)'
    """
    if isinstance(given, Scale):
        return given
    if not isinstance(given, str):
        return Scale("own", tuple(_grade(each) for each in given))
    if given in SCALES:
        return SCALES[given]
    if given.lstrip()[:1] == "[":
        try:
            return scale_of(json.loads(given))
        except ValueError:
            raise ParameterError(f"scale: expected a list of grades as JSON, got {given!r}") from None
    if "=" not in given:
        raise not_among("scale", given, SCALES)
    grades = []
    for part in given.split(","):
        value, _, text = part.partition("=")
        label, _, key = text.partition("/")
        if not value.strip().lstrip("-").isdecimal() or not label.strip():
            raise ParameterError(f"scale: expected VALUE=LABEL,VALUE=LABEL with whole numbers, got {given!r}")
        grades.append(Grade(int(value), label.strip(), key=key.strip()))
    return Scale("own", tuple(grades))


def _grade(given: Mapping[str, Any]) -> Grade:
    known = {"value", "label", "help", "gain", "is_relevant", "key"}
    if not isinstance(given, Mapping) or not {"value", "label"} <= set(given) <= known:
        raise ParameterError(
            f"scale: expected grades with value and label, and of {', '.join(sorted(known))}; got {given!r}"
        )
    if isinstance(given["value"], bool) or not isinstance(given["value"], int):
        raise ParameterError(f"scale: expected a whole number as value, got {given['value']!r}")
    return Grade(**given)


def aspect_of(given: str | Aspect) -> Aspect:
    """An aspect by its name, or of one's own: `NAME` or `NAME:SCALE`.

    >>> aspect_of("support").question
    'Does the passage itself support the answer?'
    """
    if isinstance(given, Aspect):
        return given
    name, colon, scale = given.partition(":")
    if not colon:
        return ASPECTS[name] if name in ASPECTS else Aspect(name, SCALES["yes/no"])
    return Aspect(name, scale_of(scale), ASPECTS[name].question if name in ASPECTS else "")
