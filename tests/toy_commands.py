"""`assay toy ...`: the commands of the toy subject, as a package of one's own has them."""

from __future__ import annotations

from typing import Annotated

from assay.cli import inputs, options
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, TwoFiles, decided
from assay.cli.options import Evaluating
from assay.cli.power import Planning, deliver_plan
from assay.cli.report import Reporting, write_report

File = Annotated[str, options.argument("FILE", "Seconds by layout and page, as JSON.")]


def evaluate(path: File, to: Evaluating) -> None:
    """Show how long each page was read.

    $ assay toy evaluate reading.json
    """
    from toy_subject import reading_times  # noqa: PLC0415  # `assay --help` loads no NumPy

    inputs.give(reading_times, "reading", to, path)


def compare(path: File, to: Comparing) -> None:
    """Test whether one layout is read faster than another.

    $ assay toy compare reading.json
    """
    deliver_comparison([_opened(path)], {}, to)


def explain(measure: options.MeasureName, path: File, to: Explaining) -> None:
    """Show how a number was computed.

    $ assay toy explain Seconds reading.json
    """
    deliver_explanation(measure, [_opened(path)], {}, to)


def report(path: File, to: Reporting) -> None:
    """Write a report on layouts.

    $ assay toy report reading.json
    """
    write_report(_opened(path), None, {**to.testing}, to)


@decided
def gate(two: TwoFiles, to: Gating) -> object:
    """Decide whether a new layout may replace the baseline.

    $ assay toy gate reading.json -b plain -c wide
    """
    return to.gate([_opened(two.old), *two.names], {})


def doctor(path: File, to: Diagnosing) -> int:
    """Check reading times for pages that nobody read.

    $ assay toy doctor reading.json
    """
    return examined("reading", [_opened(path)], to)


def power(path: File, to: Planning) -> None:
    """Estimate how many pages it takes to detect a difference.

    $ assay toy power reading.json
    """
    deliver_plan(_opened(path), {}, to)


def _opened(path: str) -> object:
    from toy_subject import Reading  # noqa: PLC0415  # `assay --help` loads no NumPy

    return Reading.read(path)
