"""Folds of items and of topics: by which measure they are looked at, and how topics are split."""

from __future__ import annotations

from typing import Any

from assay.cli import options
from assay.cli.options import Measured, Output, group, settings
from assay.core import options as shared
from assay.core.errors import ParameterError


@group
class Folds(Output, Measured):
    """By which measure folds are looked at, what they are compared with, and the form."""

    baseline: options.Baselines = ()
    margin: shared.Margin | None = None
    confidence: shared.Confidence | None = None

    def compared(self) -> dict[str, Any]:
        """The margin and the level of the test, as far as they were set."""
        if self.confidence is not None and not 0.5 < self.confidence < 1:
            raise ParameterError(f"--confidence lies between 0.5 and 1, not {self.confidence:g}")
        level = {} if self.confidence is None else {"alpha": round(1 - self.confidence, 12)}
        return settings(self, "margin") | level


def folds_of(folds: str | None, fold: str | None, topics: str | None) -> dict[str, Any]:
    """The split of topics, as `tune` takes it."""
    from assay.files import read_topics
    from assay.subjects.ranking.tuning import LEAVE_ONE_OUT

    if (fold is None) != (topics is None):
        raise ParameterError("--topics FILE and --fold ATTRIBUTE go together")
    if topics is not None and folds is not None:
        raise ParameterError("choose --folds, or folds by an attribute of --topics")
    if topics is not None:
        return {"folds": read_topics(topics), "by": fold}
    if folds is None:
        return {}
    is_number = folds.isascii() and folds.isdigit()
    if not is_number and folds != LEAVE_ONE_OUT:
        raise ParameterError(f"--folds is a whole number from 2 on, or {LEAVE_ONE_OUT}, not {folds!r}")
    return {"folds": int(folds) if is_number else LEAVE_ONE_OUT}
