"""What a diagnosis shows: the verdict first, then what was found, file by file, as a checklist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from assay.core.errors import number_of
from assay.core.words import Tone
from assay.show.model import Document, Prose, Section, Task
from assay.verbs.diagnosis.findings import SEVERITIES

if TYPE_CHECKING:
    from assay.verbs.diagnosis import CheckFinding, Diagnosis
    from assay.verbs.diagnosis.findings import DoctorCheck

_TONES: dict[str, Tone] = {"error": "bad", "warning": "open", "note": "even"}
#: Of a finding in many runs, so many are told in full, the worst first.
_TOLD_IN_FULL = 5


def document(diagnosis: Diagnosis, *, every: bool = False) -> Document:
    """The verdict and the findings; with `every`, the checks that found nothing, too."""
    files = tuple(_files(diagnosis))
    sections = [
        Section("verdict", parts=(Prose(_verdict(diagnosis), "claim"),), data=_about(diagnosis)),
        Section("findings", parts=files, data={"findings": [*map(_payload, diagnosis.findings)]}),
    ]
    if every:
        sections += _checks("passed", "found nothing", "good", diagnosis.passed)
        sections += _checks("not_made", "not made, for want of files", "even", diagnosis.not_made)
    return Document("diagnosis", tuple(sections), _verdict(diagnosis))


def _about(diagnosis: Diagnosis) -> dict[str, Any]:
    return dict(diagnosis.overview.data) | {
        "verdict": diagnosis.verdict,
        "counts": {severity: len(diagnosis.of(severity)) for severity in SEVERITIES},
        "passed": [check.name for check in diagnosis.passed],
        "not_made": [check.name for check in diagnosis.not_made],
    }


def _payload(finding: CheckFinding) -> dict[str, Any]:
    payload = {name: value for name, value in vars(finding).items() if name != "weight"}
    examples = [example._asdict() for example in finding.examples]
    return payload | {"examples": examples, "details": [dict(row) for row in finding.details]}


def _verdict(diagnosis: Diagnosis) -> str:
    """What was looked at and how much was found, in one line."""
    number, passed = len(diagnosis.checks), len(diagnosis.passed)
    checks = number_of("check", number) if number == passed else f"{passed} of {number} checks found nothing"
    rest = f"; {len(diagnosis.not_made)} not made" if diagnosis.not_made else ""
    return f"{diagnosis.subject}: {diagnosis.verdict} ({checks}{rest})"


def _files(diagnosis: Diagnosis) -> Iterator[Section]:
    """Findings by file; what one check found in several runs is put together."""
    together: dict[tuple[str, str], list[CheckFinding]] = {}
    for finding in diagnosis.findings:
        if finding.system is not None:
            together.setdefault((finding.check, finding.severity), []).append(finding)
    shared = {key: several for key, several in together.items() if len({each.system for each in several}) > 1}
    files: dict[str, list[Task]] = {}
    what, total = diagnosis.overview.system, number_of(diagnosis.overview.system, diagnosis.overview.number)
    for finding in diagnosis.findings:
        several = shared.get((finding.check, finding.severity), [])
        if finding.system is None or not several:
            # A run is a file; of the systems in a file of predictions it is told which one is meant.
            whose = finding.system is not None and len(diagnosis.systems) > 1
            title = f"{finding.file}, {finding.system}" if whose else finding.file
            files.setdefault(title, []).append(_task(finding, finding.says, _examples(finding)))
        elif finding is several[0]:
            worst = sorted(several, key=lambda each: -each.weight)
            text = f"{len({each.system for each in several})} of {total}"
            files.setdefault(f"several {what}s", []).append(_task(worst[0], text, _systems(worst)))
    first = [title for title in (diagnosis.overview.first, f"several {what}s") if title in files]
    for title in dict.fromkeys((*first, *files)):
        yield Section(title, title, tuple(files[title]))


def _task(finding: CheckFinding, text: str, points: Iterable[str]) -> Task:
    tone = _TONES[finding.severity]
    return Task(finding.severity, tone, text, finding.check, tuple(points), finding.advice)


def _examples(finding: CheckFinding) -> Iterator[str]:
    """The first cases, and how many more there are."""
    yield from map(str, finding.examples)
    more = finding.count - len(finding.examples)
    if finding.examples and all(example.line for example in finding.examples) and more > 0:
        yield f"… and {more:,} more"


def _systems(findings: list[CheckFinding]) -> Iterator[str]:
    """What was found in each system, the worst first."""
    for finding in findings[:_TOLD_IN_FULL]:
        first = f" ({finding.examples[0]})" if finding.examples and finding.examples[0].line else ""
        yield f"{finding.system}: {finding.says}{first}"
    if rest := dict.fromkeys(str(finding.system) for finding in findings[_TOLD_IN_FULL:]):
        yield f"also {', '.join(rest)}"


def _checks(name: str, title: str, tone: Tone, checks: Iterable[DoctorCheck]) -> Iterator[Section]:
    if tasks := tuple(Task("", tone, f"{check.name}: {check.question}") for check in checks):
        yield Section(name, title, tasks)
