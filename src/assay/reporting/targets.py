"""Where a report may be written: looked at before anything is read, so that no work is done in vain."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.core.arguments import argument
from assay.core.errors import ParameterError
from assay.files import originals
from assay.files.atomic import check_target
from assay.sections.report import form_of


def check_targets(targets: Sequence[Path], inputs: Iterable[str] = ()) -> None:
    """Refuse names with unknown endings, places where nothing can be written, the same file twice, and the inputs.

    >>> check_targets([Path("report.html"), Path("report.html")])
    Traceback (most recent call last):
    assay.core.errors.ParameterError: report.html: named twice; a report is written to different files
    """
    for target in targets:
        form_of(target)
    read = [Path(path) for path in inputs if path != "-"]
    seen: set[str] = set()
    for target in targets:
        check_target(target)
        if os.path.realpath(target) in seen:
            raise ParameterError(f"{target}: named twice; a report is written to different files")
        seen.add(os.path.realpath(target))
        for path in read:
            if originals.is_same(target, path) and not originals.are_given_up():
                raise ParameterError(
                    f"{target}: is read from: choose another name for the report, or say {argument('overwrite', True)}"
                )
