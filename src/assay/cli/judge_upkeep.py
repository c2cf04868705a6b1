"""`assay judge backup`, `restore` and `check`: the upkeep of judging projects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from assay.cli import inputs, options, output
from assay.cli.judge_projects import USUAL, Place, opened_store
from assay.cli.options import Output
from assay.core.errors import number_of
from assay.core.evaluation_options import option


def backup(
    place: Place = USUAL,
    path: Annotated[Path, option("-o", "--output", metavar="FILE", help="The file to write.")] = Path("judging.backup"),
    overwrite: options.Overwrite = False,
) -> None:
    """Write all of a database to a file, while others may go on; it restores to SQLite and to PostgreSQL.

    $ assay judge backup -o judging.backup
    """
    from assay.store.upkeep import back_up

    with opened_store(place) as database, inputs.bar("backing up", 0, hidden=False):
        rows = back_up(database, path, overwrite=overwrite)
    output.message(f"{path}: {number_of('row', rows)}")


def restore(
    source: Annotated[str, options.argument("BACKUP", "A file from `assay judge backup`.")],
    place: Annotated[
        str,
        option("-o", "--output", metavar="PROJECT", help="The new file (restored.db), or an empty database."),
    ] = "restored.db",
) -> None:
    """Make a new database of a backup; one that holds something is never touched.

    $ assay judge restore judging.backup -o restored.db
    """
    from assay.store import upkeep

    with inputs.bar("restoring", 0, hidden=False), upkeep.restore(source, place) as database:
        found = upkeep.check_store(database)
    output.message(f"{place}: {number_of('label', found.counts['label'])}, {number_of('problem', len(found.problems))}")


def check(to: Output, place: Place = USUAL) -> int:
    """Check a database: damage, and what must not be, such as more labels than were asked for. Exit 1 if it has any.

    $ assay judge check
    """
    from assay.store.upkeep import check_store

    with opened_store(place) as database, inputs.working("checking", hidden=to.quiet):
        result = check_store(database)
    output.give(result, to)
    return 0 if result.ok else 1
