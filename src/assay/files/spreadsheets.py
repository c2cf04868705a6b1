"""CSV for spreadsheets, which take text for formulas; plain CSV stays as it is."""

from __future__ import annotations

import io

import polars as pl

#: What a spreadsheet takes a cell for a formula by, or leaves out before it looks.
_FORMULA = r"^[=+\-@\t\r\n]"


def for_spreadsheets(text: str) -> str:
    """CSV whose cells are no formulas: those that would be one, and are no number, begin with an apostrophe.

    >>> for_spreadsheets("doc_id,score\\n=1+1,-0.5\\n")
    "doc_id,score\\n'=1+1,-0.5\\n"
    """
    cells = pl.read_csv(io.BytesIO(text.encode()), has_header=False, infer_schema=False)
    is_formula = pl.all().str.contains(_FORMULA) & pl.all().cast(pl.Float64, strict=False).is_null()
    neutral = pl.when(is_formula).then("'" + pl.all()).otherwise(pl.all())
    return cells.select(neutral.name.keep()).write_csv(include_header=False)
