"""A text file in which people write topics."""

from __future__ import annotations

import os
from pathlib import Path

from assay.core.domains import Whole
from assay.core.errors import InputError
from assay.files.atomic import write_text
from assay.files.collections import read_topics
from assay.files.sources import Readable
from assay.files.topic_sections import EXPLANATION, as_sections
from assay.tables import Topics


def write_topics_to_edit(
    path: str | os.PathLike[str], size: int = 5, *, given: Readable | None = None, overwrite: bool = False
) -> int:
    """Write topics as text to edit: `size` empty ones, or those of a file; how many there are.

    A file that is there is not replaced, unless `overwrite` says so: somebody may have written in it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_topics_to_edit(Path(folder) / "topics.ini", 2)
    2
    """
    if Path(path).is_file() and not overwrite:
        raise InputError(f"{path}: is there already, and may hold what somebody wrote: name another file")
    size = Whole(1).check("size", size)
    topics = Topics.of({str(number): "" for number in range(1, size + 1)}) if given is None else read_topics(given)
    write_text(path, f"{EXPLANATION}\n{as_sections(topics)}", overwrite=overwrite)
    return len(topics)
