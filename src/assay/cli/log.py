"""`assay log import|show|check SOURCE...`: click logs as they come."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from assay.cli import inputs, options, output
from assay.cli.doctor import Diagnosing, deliver_diagnosis
from assay.cli.options import Output
from assay.core.evaluation_options import option
from assay.core.options import LogRules

Sources: TypeAlias = Annotated[
    list[str],
    options.argument("SOURCE", "Files of one log, in any layout, or a folder from `log import`; - for stdin."),
]


def import_log(
    sources: Sources,
    folder: Annotated[Path, option("-o", "--output", metavar="FOLDER", help="A new folder for the tables.")],
    rules: LogRules,
    overwrite: options.ReplaceLog = False,
    quiet: options.Quiet = False,
) -> None:
    """Import a click log of any size into three tables, which all commands on clicks read fast.

    Memory does not grow with the log. What is left out, and why, is reported and kept with the tables.

    $ assay log import clicks/log.ndjson.gz -o clicks-log
    $ assay log import clicks/log.ndjson.gz -o people --most-per-minute 20 --since 2026-03-09
    """
    from assay.files import logs

    with inputs.bar("importing", 1, hidden=quiet) as watch:
        log = logs.import_log(inputs.kept_together(sources), folder, overwrite=overwrite, watch=watch, **rules)
    if not quiet:
        output.message(f"{folder}: {str(log).partition(': ')[2].removesuffix('>')}")
        output.remarks(log.remarks, quiet=False)


def show(sources: Sources, rules: LogRules, to: Output) -> None:
    """Count what a click log holds: pages, users, sessions, systems, clicks by rank, and what was left out.

    $ assay log show clicks/log.ndjson.gz
    """
    from assay.subjects.clicks.log_overview import describe_log

    log = inputs.kept_together(sources)
    inputs.give(describe_log, "counting", to, log, **rules)


def check(sources: Sources, rules: LogRules, to: Diagnosing) -> int:
    """Check a click log for what makes numbers wrong: robots, lost events, clocks, clicks on results not shown.

    It goes on where a line is no record. Exit 1 if there is an error among the findings, 0 if not.

    $ assay log check clicks/log.ndjson.gz
    """
    from assay.subjects.clicks.checks import check_log

    log = inputs.kept_together(sources)
    return deliver_diagnosis(inputs.result_of(check_log, "examining", to, log, **rules), to)
