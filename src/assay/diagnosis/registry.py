"""The checks, each registered where it is defined."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from assay.core.arguments import worded
from assay.diagnosis.findings import Example, Finding, Severity

if TYPE_CHECKING:
    from assay.diagnosis.labelled import Labelled, LabelledFile
    from assay.diagnosis.opening import Opened

    Examined: TypeAlias = Opened | LabelledFile | Labelled

#: What a check looks at: a file as it was read, the judgments, one run by itself or with the judgments, and all runs
#: together by themselves or with the judgments. Of classifiers: a file of predictions, one system of it, two labels
#: and their scores, probabilities, several files together, and a file beside that of the items it was trained on.
About: TypeAlias = Literal[
    "file", "judgments", "ranking", "run", "rankings", "runs",
    "predictions", "system", "scored", "probabilities", "together", "training",
]  # fmt: skip


class Check(NamedTuple):
    """What is looked for, how grave it is, and what to do about it; `find` looks."""

    name: str
    about: About
    severities: tuple[Severity, ...]
    #: What is looked for, as a question that a sound file answers with no.
    question: str
    advice: str
    find: Callable[..., Iterator[Finding]]


_CHECKS: dict[str, Check] = {}
#: The modules that define checks, in the order in which these are made.
_MODULES = ("lines", "duplicates", "grades", "topics", "identifiers", "scores", "ranked", "plausibility", "systems",
            "suitability")  # fmt: skip
#: The same for predictions of classifiers.
_MODULES_OF_PREDICTIONS = ("label_columns", "label_scores", "labelled_items", "label_noise", "labelled_together",
                           "leakage")  # fmt: skip


def check(name: str, about: About, *severities: Severity, question: str, advice: str) -> Callable[[Any], Any]:
    """Register a check; the decorated function yields what it finds."""

    def add(find: Callable[..., Iterator[Finding]]) -> Callable[..., Iterator[Finding]]:
        _CHECKS[name] = Check(name, about, severities, question, advice, find)
        return find

    return add


def finding(
    name: str,
    severity: Severity,
    file: Examined | None,
    message: str,
    count: int = 1,
    *,
    examples: Sequence[Example] = (),
    details: Sequence[Mapping[str, Any]] = (),
    todo: str | None = None,
    weight: float | None = None,
) -> Finding:
    """What a check found in a file, or (None) in all runs together.

    `todo` is the part of the check's advice that is about this case; `weight` is the count, unless given.
    """
    todo = worded(_CHECKS[name].advice) if todo is None else todo
    system = file.name if file is not None and file.kind in {"run", "system"} else None
    return Finding(
        name, severity, "all runs" if file is None else file.file, message, todo, count,
        tuple(examples), tuple(details), system, float(count if weight is None else weight),
    )  # fmt: skip


def checks(about: About | None = None) -> list[Check]:
    """All checks of judgments and runs in the order in which they are made, or those about one thing.

    >>> [known.name for known in checks("file")][:3]
    ['empty', 'compression', 'encoding']
    """
    return [known for known in _loaded(_MODULES) if about in {None, known.about}]


def checks_of_predictions() -> list[Check]:
    """All checks of predictions in the order in which they are made.

    >>> checks_of_predictions()[0].name
    'unreadable'
    """
    return _loaded(_MODULES_OF_PREDICTIONS)


def _loaded(modules: tuple[str, ...]) -> list[Check]:
    """The checks that modules define."""
    for module in modules:
        importlib.import_module(f"assay.diagnosis.{module}")
    # Whoever has loaded one of them before the others does not change the order.
    order = {f"assay.diagnosis.{module}": place for place, module in enumerate(modules)}
    listed_checks = [known for known in _CHECKS.values() if known.find.__module__ in order]
    listed_checks = sorted(listed_checks, key=lambda known: order[known.find.__module__])
    return [known._replace(question=worded(known.question), advice=worded(known.advice)) for known in listed_checks]
