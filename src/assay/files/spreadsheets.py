"""CSV for spreadsheets, which take text for formulas; plain CSV stays as it is."""

from __future__ import annotations

import io
from collections.abc import Callable

import polars as pl

#: What a spreadsheet takes a cell for a formula by, or leaves out before it looks.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def each_cell(text: str, change: Callable[[str], str]) -> str:
    """CSV with every cell changed.

    >>> each_cell("a,b\\n1,2\\n", str.upper)
    'A,B\\n1,2\\n'
    """
    cells = pl.read_csv(io.BytesIO(text.encode()), has_header=False, infer_schema=False)
    return cells.with_columns(pl.all().map_elements(change, return_dtype=pl.String)).write_csv(include_header=False)


def for_spreadsheets(text: str) -> str:
    """CSV whose cells are no formulas: those that would be one, and are no number, begin with an apostrophe.

    >>> for_spreadsheets("doc_id,score\\n=1+1,-0.5\\n")
    "doc_id,score\\n'=1+1,-0.5\\n"
    """
    return each_cell(text, lambda cell: f"'{cell}" if cell.startswith(_FORMULA) and not _is_number(cell) else cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
