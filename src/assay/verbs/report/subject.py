"""What `make_report` asks of a subject: rankings, classifiers, clusterings. Each has a class, named in the registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

from assay.core.errors import ParameterError, not_among
from assay.verbs.comparison.result import Comparison

if TYPE_CHECKING:
    from assay.show.model import Section
    from assay.verbs.sections.bibliography import Citations

IN_MEMORY = "in memory"
#: What a file was read as.
Role = Literal["qrels", "run", "scores", "topics", "documents", "predictions", "clusters", "spans"]


class InputFile(NamedTuple):
    """What went in: where it is from, its format and counts, and the system that it is, where its name is another."""

    role: Role
    origin: str
    format: str
    counts: str
    name: str | None = None


class Request(NamedTuple):
    """What was given to `make_report`, and what was asked for.

    `details` are what only reports on rankings show, as far as it was asked for; `rules`, what the verbs take.
    """

    source: Any
    runs: Any
    measures: Any
    baseline: str | None
    details: dict[str, Any]
    rules: dict[str, Any]


class Reported(Protocol):
    """What a report is about: results, their comparison with a baseline, and all that is said of them.

    To report on something new, write such a class in a module of its own, and name its place in `Subject.reported`.
    """

    @property
    def eyebrow(self) -> str:
        """What stands above the title."""

    @classmethod
    def of(cls, request: Request) -> Self:
        """Evaluate and compare what was given, as far as that has not been done."""

    @property
    def notes(self) -> Sequence[str]:
        """What is to be said of the numbers, before anything is shown."""

    @property
    def title(self) -> str:
        """What the report is called unless somebody gives it a title."""

    @property
    def seed(self) -> int:
        """What everything random is drawn from."""

    @property
    def signatures(self) -> Iterable[str]:
        """How each number was computed."""

    def sections(self) -> Iterator[Section | str]:
        """All that has something to show, in reading order; and, in words, what cannot be shown, and why."""

    def methods(self, cite: Citations) -> Iterator[str]:
        """How it was done, in sentences for a paper."""

    def configuration(self) -> Mapping[str, object]:
        """How the numbers were made, for readers; None where there is nothing to say."""

    def inputs(self) -> Iterable[InputFile]:
        """What went in."""


def refuse_repeated(options: Mapping[str, Any], result: str, verb: str) -> None:
    """A report that is made of a result takes its measures and rules from there."""
    for name in [name for name, value in options.items() if value is not None]:
        raise ParameterError(f"{name} belongs to the {result} that the report is made of: give it to {verb}")


def check_name(role: str, name: str | None, known: Sequence[str]) -> None:
    """Refuse a name that is not among those known."""
    if name is not None and name not in known:
        raise not_among(role, name, known)


def compared_with(comparison: Comparison, baseline: str | None) -> str:
    """The one baseline of a comparison; if another was asked for, or there are several, it is no basis of a report."""
    baselines = list(dict.fromkeys(finding.baseline for finding in comparison.findings))
    if len(baselines) > 1:
        raise ParameterError("a report holds systems against one baseline: compare(..., baseline=NAME)")
    if baseline is not None and baseline != baselines[0]:
        raise ParameterError(f"the baseline of the comparison is {baselines[0]}, not {baseline!r}")
    return baselines[0]
