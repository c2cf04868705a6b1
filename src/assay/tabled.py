"""`Tabled`: results that are tables with lines of text, written in every form."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from assay.core.errors import need
from assay.files.spreadsheets import for_spreadsheets

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from assay.report.titled import Titled


class Tabled:
    """A result that says what its tables and its lines of text are, and is written by what `report` makes of them."""

    @abstractmethod
    def to_frame(self) -> pl.DataFrame:
        """The numbers in full, a row each."""

    @abstractmethod
    def tables(self) -> list[Titled]:
        """What is shown."""

    @abstractmethod
    def lines(self) -> list[str]:
        """What the tables mean and rest on, in words."""

    def __str__(self) -> str:
        from assay.report.titled import to_text  # noqa: PLC0415  # results reach the report inside functions only

        return to_text(self.tables(), self.lines())

    def to_pandas(self) -> pd.DataFrame:
        """The table of `to_frame`, as a pandas frame."""
        need("pandas", extra="pandas", purpose="to_pandas")
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(self.to_frame().to_dict(as_series=False))

    def to_csv(self, *, spreadsheet: bool = False) -> str:
        """The table of `to_frame` as CSV, numbers in full; for a `spreadsheet`, no cell is a formula."""
        text = self.to_frame().write_csv()
        return for_spreadsheets(text) if spreadsheet else text

    def to_markdown(self) -> str:
        """Tables and text as Markdown."""
        from assay.report.titled import to_markdown  # noqa: PLC0415

        return to_markdown(self.tables(), self.lines())

    def to_latex(self) -> str:
        """The tables as LaTeX (booktabs); the text as comments."""
        from assay.report.titled import to_latex  # noqa: PLC0415

        return to_latex(self.tables(), self.lines())

    def to_html(self) -> str:
        """Tables and text, for notebooks and pages."""
        from assay.report.titled import to_html  # noqa: PLC0415

        return to_html(self.tables(), self.lines())

    def _repr_html_(self) -> str:
        return self.to_html()
