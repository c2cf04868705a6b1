"""`report`, of any subject: its options, and the files that it writes."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from assay.cli import inputs, options
from assay.cli.options import Tested, group
from assay.cli.output import message, refuse_absent_columns, remarks
from assay.core.evaluation_options import option


@group
class Reporting(Tested):
    """By which measures and tests systems are compared, the files to write, and what stands above."""

    targets: Annotated[
        tuple[Path, ...],
        option("-o", "--output", help="File to write: .html (report.html), .md, .tex, .json; repeat."),
    ] = ()
    title: Annotated[str | None, option(metavar="TEXT", help="The title.")] = None
    overwrite: options.Overwrite = False
    quiet: options.Quiet = False

    @property
    def paths(self) -> list[Path]:
        """The files to write."""
        return list(self.targets) or [Path("report.html")]

    def check(self) -> None:
        """Refuse targets that cannot be written, before anything is read."""
        from assay.verbs.report.report import check_targets

        check_targets(self.paths)

    def of_items(self) -> dict[str, Any]:
        """The options of the test that were set, as a report on items takes them."""
        stated: dict[str, Any] = {**self.testing}
        return {"comparison": stated} | ({"seed": stated["seed"]} if "seed" in stated else {})


def write_report(systems: Any, runs: Any, stated: dict[str, Any], to: Reporting) -> None:
    """Put the report together, write the files, and say what is in them."""
    from assay.verbs.report import make_report

    stated |= {"baseline": options.only(to.baseline, "-b, --baseline"), "title": to.title}
    stated["command"] = shlex.join(["assay", *sys.argv[1:]])
    report = inputs.result_of(
        make_report, "putting the report together", to, systems, runs, to.measures or None, **stated
    )
    refuse_absent_columns()
    report.save_all(to.paths)
    remarks(report.warnings, report.notes, quiet=to.quiet)
    sys.stdout.write(f"{report}\n")
    if report.advice:
        message(f"What to do: {report.advice}", err=False)
    for target in to.paths:
        message(str(target.resolve()), err=False)
