"""`doctor`, of any subject: its options, and the exit code of what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, output
from assay.cli.options import Output, group
from assay.core import registry
from assay.core.evaluation_options import option

if TYPE_CHECKING:
    from assay.verbs.diagnosis import Diagnosis


@group
class Diagnosing(Output):
    """The form of findings."""

    every: Annotated[bool, option("--all", help="Also list the checks that found nothing.")] = False


def examined(subject: str, sources: list[Any], to: Diagnosing, stated: dict[str, Any] | None = None) -> int:
    """Examine files of a subject, and give the findings."""
    from assay.verbs.diagnosis.examination import examine

    return deliver_diagnosis(inputs.result_of(examine, "examining", to, registry.subject(subject), sources, stated), to)


def deliver_diagnosis(diagnosis: Diagnosis, to: Diagnosing) -> int:
    """Print findings, or write them; the exit code says whether there is an error among them."""
    from assay.verbs.sections.results import diagnosis_document as document

    if to.form not in {"csv", "json"}:
        output.deliver(output.written(document(diagnosis, every=to.every), to), to)
    else:
        output.give(diagnosis, to)
    return 0 if diagnosis.is_healthy else 1
