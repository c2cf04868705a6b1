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
from assay.stats.click_models.estimation import ParameterEvidence
from assay.stats.click_models.models import Model, model_of

MARK, VERSION = "assay_click_model", 1
_FRAMES = ("pairs", "shared", "evidence")
_SHARED = {"parameter": pl.String, "rank": pl.Int64, "click_above": pl.Int64, "value": pl.Float64, "shown": pl.Float64}
_HIGHEST_RANK = 100_000
_PARAMETERS = ("attractiveness", "satisfaction")
_PAIRS: dict[str, Any] = {
    "query_id": pl.String, "doc_id": pl.String, "impressions": pl.Int64, "clicks": pl.Int64,
    **dict.fromkeys(_PARAMETERS, pl.Float64),
}  # fmt: skip


def write_fields(path: str | os.PathLike[str], fields: dict[str, Any], *, overwrite: bool = False) -> None:
    """Write the fields of a model, frames as columns."""
    contents = {MARK: VERSION} | {
        name: value.to_dict(as_series=False) if isinstance(value, pl.DataFrame) else value
        for name, value in fields.items()
    }
    write_text(path, json.dumps(contents, ensure_ascii=False, allow_nan=False) + "\n", overwrite=overwrite)


def read_fields(given: Any) -> dict[str, Any]:
    """The fields of a model, checked: whatever is wrong is one error that names the file."""
    source = Source.of(given)
    contents = loaded(source)
    if not isinstance(contents, dict) or MARK not in contents:
        raise FormatError(source.name, None, expected=f"a click model that was saved, with the key {MARK!r}")
    if contents.pop(MARK) != VERSION:
        raise FormatError(source.name, None, expected=f"a click model of version {VERSION}")
    try:
        return _checked(contents)
    except (KeyError, TypeError, ValueError, ParameterError, pl.exceptions.PolarsError) as problem:
        note = f"no {problem}" if isinstance(problem, KeyError) else str(problem).splitlines()[0]
        raise FormatError(source.name, None, expected="a click model as it was saved", note=note[:120]) from None


def _checked(contents: dict[str, Any]) -> dict[str, Any]:
    model = model_of(contents["name"])
    settings = contents["settings"]
    if not all(math.isfinite(each) and each >= 0 for each in settings["prior"]) or len(settings["prior"]) != 2:
        raise ValueError("the prior is no two numbers from 0 on")
    pairs, shared, evidence = (_frame(name, contents[name]) for name in _FRAMES)
    parameters = [name for name in _PARAMETERS if name in model.relevance]
    for name in ("impressions", "clicks", *parameters):
        if name not in pairs.columns:
            raise ValueError(f"pairs have no {name}")
    keys = pairs.columns[: pairs.columns.index("impressions")]
    if not keys or pairs.select(keys).is_duplicated().any():
        raise ValueError("a pair is there twice, or has no name")
    for each in (*(pairs[name] for name in parameters), shared["value"]):
        if not each.drop_nulls().is_between(0, 1).all():
            raise ValueError(f"{each.name} is no probability")
    counts = pairs.select("impressions", "clicks").drop_nulls()
    if counts.height < pairs.height or not (counts["clicks"].is_between(0, counts["impressions"])).all():
        raise ValueError("clicks are no counts from 0 to impressions")
    _check_shared(model, shared)
    columns = [f"{name}_{each}" for name in parameters for each in ParameterEvidence._fields]
    if columns and (evidence.height != pairs.height or not set(columns) <= set(evidence.columns)):
        raise ValueError("evidence does not fit the pairs")
    if not all(evidence[name].is_not_null().all() and evidence[name].is_finite().all() for name in columns):
        raise ValueError("evidence has gaps")
    if not isinstance(contents["converged"], bool):
        raise ValueError("`converged` is no truth value")
    return {
        "name": model.name, "settings": settings, "trace": tuple(float(each) for each in contents["trace"]),
        "converged": contents["converged"], "pairs": pairs, "shared": shared, "evidence": evidence,
    }  # fmt: skip


def _check_shared(model: Model, shared: pl.DataFrame) -> None:
    """The parameters of this model, for the ranks and clicks above that it tells apart, and no others."""
    names = ["rank", "click_above"]
    for parameter, apart in model.shares.items():
        rows = shared.filter(pl.col("parameter") == parameter)
        if not apart and rows.height != 1:
            raise ValueError(f"{parameter} is not there once")
        if any(rows[name].null_count() != (0 if name in apart else rows.height) for name in names):
            raise ValueError(f"{parameter} is not there by {' and '.join(apart) or 'itself'}")
    if not shared["parameter"].is_in([*model.shares]).all() or shared.select("parameter", *names).is_duplicated().any():
        raise ValueError(f"a parameter is not one of {model.name}, or is there twice")
    above = shared["click_above"].fill_null(0)
    if not (shared["rank"].is_between(1, _HIGHEST_RANK) & above.is_between(0, shared["rank"] - 1)).all():
        raise ValueError(f"ranks are from 1 to {_HIGHEST_RANK:,}, and clicks above them")


def _frame(name: str, columns: Any) -> pl.DataFrame:
    if not isinstance(columns, dict) or not all(isinstance(values, list) for values in columns.values()):
        raise ValueError(f"{name} is no table")
    if name == "shared":
        return pl.DataFrame(columns, schema=_SHARED)
    kinds = _PAIRS if name == "pairs" else dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame(columns, schema_overrides={key: kind for key, kind in kinds.items() if key in columns})
