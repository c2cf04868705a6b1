"""`Result`: what every result can do, written once: it shows itself as a document, which is written in every form."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, Unpack

from assay.core import registry
from assay.core.data_warnings import warning
from assay.core.errors import ParameterError, need

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import polars as pl

    from assay.core.options import CompareOptions, ReportOptions
    from assay.show.model import Document

Kept = TypeVar("Kept")


class Result:
    """A result in every form. A kind of result says what it is (`kind`), and its presenter what it shows."""

    kind: ClassVar[str]

    def to_frame(self) -> pl.DataFrame:
        """The numbers in full, one row each."""
        frame: pl.DataFrame = next(iter(self.document().tables().values())).frame
        return frame

    def complete(self) -> Self:
        """Finish every number that is shown, before anything is; what is finished is not computed again.

        Numbers that take a while are made when somebody first asks for them, and all of them here.
        """
        return self

    def document(self) -> Document:
        """The contents that are shown, as data: sections of prose, tables and figures."""
        document: Document = registry.presenter(self.kind)(self.complete())
        return document

    def __str__(self) -> str:
        return self._written("text")

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")]

    def to_pandas(self) -> pd.DataFrame:
        """The table of `to_frame`, as a pandas frame."""
        return as_pandas(self.to_frame())

    def to_csv(self, *, spreadsheet: bool = False) -> str:
        """The table of `to_frame` as CSV, numbers in full; for a `spreadsheet`, no cell is a formula."""
        return frame_as_csv(self.to_frame(), spreadsheet=spreadsheet)

    def to_json(self) -> str:
        """Everything, numbers in full, in the schema of all documents; null where there is no number."""
        return self._written("json")

    def to_markdown(self) -> str:
        """Tables and text as Markdown."""
        return self._written("markdown")

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs)."""
        return self._written("latex")

    def to_html(self) -> str:
        """Tables, text and figures as HTML."""
        return self._written("html")

    def _repr_html_(self) -> str:
        return self._written("html")

    def chart(self) -> alt.ConcatChart:
        """The first of its figures as an Altair object, to change it; needs the extra `report`."""
        figure = next(self.document().figures(), None)
        if figure is None:
            raise ParameterError("there is no figure in this result: `compare`, `report` and `assay.curves` draw some")
        chart: alt.ConcatChart = registry.verb("chart")(figure)
        return chart

    def compare(self, **options: Unpack[CompareOptions]) -> Any:
        """Is one of the systems better than another, and how sure can one be? See `compare`."""
        return warning(registry.verb("compare"), callers=2)(self, **options)

    def report(self, **options: Unpack[ReportOptions]) -> Any:
        """Everything that is known about the systems, to be saved as a page or a paper: see `make_report`."""
        return warning(registry.verb("report"), callers=2)(self, **options)

    @cached_property
    def _kept(self) -> dict[tuple[str, Hashable], Any]:
        """The numbers that were made already, by what they are and whose."""
        return {}

    def _once(self, what: str, whose: Hashable, compute: Callable[[], Kept]) -> Kept:
        """Make a number that takes a while when somebody first asks for it, and keep it."""
        if (what, whose) not in self._kept:
            self._kept[what, whose] = compute()
        kept: Kept = self._kept[what, whose]
        return kept

    def _finish(self, *properties: str) -> Self:
        """The same with properties made that otherwise are when somebody first asks for them."""
        for name in properties:
            getattr(self, name)
        return self

    def _written(self, form: str) -> str:
        return written(self.document(), form)


def written(document: Document, form: str) -> str:
    """A document in a form."""
    text: str = registry.writer(form)(document)
    return text


def frame_as_csv(frame: pl.DataFrame, *, spreadsheet: bool = False) -> str:
    """A frame as CSV; for a `spreadsheet`, no cell is a formula."""
    text: str = registry.load("assay.show.data:frame_as_csv")(frame, spreadsheet=spreadsheet)
    return text


def as_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """A frame as pandas has it, which need not be installed otherwise."""
    need("pandas", extra="pandas", purpose="to_pandas")
    pandas = registry.load("pandas:DataFrame")
    table: pd.DataFrame = pandas(frame.to_dict(as_series=False))
    return table
