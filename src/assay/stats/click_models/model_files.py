"""Click models in files: JSON, with a version, in full; a file that is damaged or of another version is refused."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import polars as pl

from assay.core.errors import FormatError, ParameterError
from assay.files.atomic import write_text
from assay.files.json_values import loaded
from assay.files.sources import Source
from assay.stats.click_models.models import ParameterEvidence, model_of

MARK, VERSION = "assay_click_model", 1
_FRAMES = ("pairs", "shared", "evidence")
_SHARED = {"parameter": pl.String, "rank": pl.Int64, "click_above": pl.Int64, "value": pl.Float64, "shown": pl.Float64}
_HIGHEST_RANK = 100_000
_PARAMETERS = ("attractiveness", "satisfaction")


def write_fields(path: str | os.PathLike[str], fields: dict[str, Any], *, overwrite: bool = False) -> None:
    """Write the fields of a model, frames as columns."""
    contents = {MARK: VERSION} | {
        name: value.to_dict(as_series=False) if isinstance(value, pl.DataFrame) else value
        for name, value in fields.items()
    }
    write_text(path, json.dumps(contents, ensure_ascii=False, allow_nan=False) + "\n", overwrite=overwrite)


def read_fields(path: Any) -> dict[str, Any]:
    """The fields of a model, checked: whatever is wrong is one error that names the file."""
    source = Source.of(path)
    contents = loaded(source)

    def refused(expected: str, got: Any = None) -> FormatError:
        return FormatError(source.name, None, expected=expected, got=None if got is None else repr(got)[:80])

    if not isinstance(contents, dict) or MARK not in contents:
        raise refused(f"a click model that was saved, with the key {MARK!r}")
    if contents.pop(MARK) != VERSION:
        raise refused(f"a click model of version {VERSION}")
    try:
        model = model_of(contents["name"])
        prior = [float(each) for each in contents["settings"]["prior"]]
        trace = tuple(float(each) for each in contents["trace"])
        frames = {name: _frame(name, contents[name]) for name in _FRAMES}
        _checked(frames, model.relevance)
        if len(prior) != 2 or not all(math.isfinite(each) and each >= 0 for each in prior):
            raise ValueError("the prior is no two numbers from 0 on")
        if not isinstance(contents["converged"], bool):
            raise ValueError("`converged` is no truth value")
    except (KeyError, TypeError, ValueError, ParameterError, pl.exceptions.PolarsError) as problem:
        note = f"no {problem}" if isinstance(problem, KeyError) else str(problem).splitlines()[0]
        raise FormatError(source.name, None, expected="a click model as it was saved", note=note[:120]) from None
    return {
        "name": model.name, "settings": contents["settings"], "trace": trace, "converged": contents["converged"],
        **frames,
    }  # fmt: skip


def _frame(name: str, columns: Any) -> pl.DataFrame:
    if not isinstance(columns, dict) or not all(isinstance(values, list) for values in columns.values()):
        raise ValueError(f"{name} is no table")
    if name == "shared":
        return pl.DataFrame(columns, schema=_SHARED)
    numbers = {"impressions", "clicks"} if name == "pairs" else set()
    kinds = {key: pl.Float64 for key in columns if key in _PARAMETERS or name == "evidence"}
    frame = pl.DataFrame(columns, schema_overrides=kinds)
    if not all(frame.schema[key].is_numeric() for key in numbers & set(columns)):
        raise ValueError("impressions and clicks are no numbers")
    return frame


def _checked(frames: dict[str, pl.DataFrame], relevance: str) -> None:
    pairs, shared, evidence = (frames[name] for name in _FRAMES)
    parameters = [*(_PARAMETERS[:1] if relevance else ()), *(_PARAMETERS[1:] if "satisfaction" in relevance else ())]
    for name in ("impressions", "clicks", *parameters):
        if name not in pairs.columns:
            raise ValueError(f"pairs have no {name}")
    keys = pairs.columns[: pairs.columns.index("impressions")]
    if not keys or pairs.select(keys).is_duplicated().any():
        raise ValueError("a pair is there twice, or has no name")
    for each in (*(pairs[name] for name in parameters), shared["value"]):
        if not each.drop_nulls().is_between(0, 1).all():
            raise ValueError(f"{each.name} is no probability")
    if not pl.concat([shared["rank"], shared["click_above"]]).drop_nulls().is_between(0, _HIGHEST_RANK).all():
        raise ValueError(f"ranks are from 0 to {_HIGHEST_RANK:,}")
    columns = [f"{name}_{each}" for name in parameters for each in ParameterEvidence._fields]
    if columns and (evidence.height != pairs.height or not set(columns) <= set(evidence.columns)):
        raise ValueError("evidence does not fit the pairs")
    if not all(evidence[name].is_not_null().all() and evidence[name].is_finite().all() for name in columns):
        raise ValueError("evidence has gaps")
