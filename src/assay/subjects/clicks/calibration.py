"""`calibrate_measures`: ERR, EBU, rrDBN and uUBM whose users are those of a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.errors import InputError, joined, number_of
from assay.core.options import Confidence, RankCutoff, SameText
from assay.core.results import Result
from assay.measures import Measure, parse_measure
from assay.stats.click_models.fitting import ClickModel, fit_clicks
from assay.stats.click_models.models import Parameters
from assay.stats.estimates import checked_confidence
from assay.subjects.clicks.inputs import below_the_cutoff, clicked_lists, grades_shown, opened_log, opened_qrels
from assay.subjects.clicks.query_names import other_names
from assay.tables.log import Log

#: The models that measures stand on.
MODELS = {"CM": ("ERR",), "DBN": ("EBU", "rrDBN"), "UBM": ("uUBM",)}
#: Parameters are written with so many decimals: what is left out is far below what a log can tell.
_DECIMALS = 3
_UNJUDGED = -1.0


@dataclass(frozen=True, eq=False)
class CalibratedMeasures(Result):
    """Measures whose parameters are fitted to a log: `measures`, ready to be used, also as text.

    `parameters`: one row per grade and model: `impressions`, `clicks`, `attraction`, `satisfaction` (of DBN), and their
    product or the attraction as `relevance`, with its interval. `fits`: the models by name.
    """

    kind: ClassVar[str] = "calibrated measures"

    log: Log
    measures: tuple[Measure, ...]
    parameters: pl.DataFrame
    fits: Mapping[str, ClickModel]
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<CalibratedMeasures: {', '.join(measure.name for measure in self.measures)}>"

    def to_frame(self) -> pl.DataFrame:
        """One row per measure: its name, and the measure as text."""
        return pl.DataFrame({"name": [each.name for each in self.measures], "measure": [*map(str, self.measures)]})

    def to_text(self) -> str:
        """The measures, one per line."""
        return "".join(f"{each}\n" for each in self.measures)


def calibrate_measures(
    qrels: Any, log: Any, *, cutoff: RankCutoff = 10, same_text: SameText = False, confidence: Confidence = 0.95
) -> CalibratedMeasures:
    """Fit the users of ERR, EBU, rrDBN and uUBM to a log in which documents are judged.

    All documents of a grade share their parameters, which are estimated by maximum likelihood: those of the cascade
    model are ERR's, those of the dynamic Bayesian network EBU's and rrDBN's, those of the user browsing model uUBM's.
    Documents without a judgment are a group of their own, which the measures leave out.

    >>> log = Log.from_pages([("q", ["a", "b"], ["a"]), ("q", ["a", "b"], []), ("q", ["b", "a"], ["b"])])
    >>> calibrate_measures({"q": {"a": 1, "b": 0}}, log, cutoff=2).measures[0]  # grade 0: 1 click, 2 times read
    ERR(satisfaction={0: 0.5, 1: 0.5})@2
    """
    confidence = checked_confidence(confidence)
    judged = opened_qrels(qrels)
    opened, _ = opened_log(log, same_text=same_text)
    grades = grades_shown(judged, opened)
    lists = clicked_lists(opened)
    tied = lists.tied(grades.with_columns(pl.col("grade").cast(pl.Float64)), _UNJUDGED)
    if not tied.by_pair(tied.clicked)[(tied.pairs["grade"] >= 0).to_numpy()].any():
        raise InputError(f"{opened.origin}: expected clicks on judged documents, got none")
    warnings = [*opened.remarks, *other_names(judged, opened)]
    if cutoff > (deepest := int(lists.rank.max())):
        cutoff = deepest
        warnings.append(below_the_cutoff(cutoff))
    fits = {name: fit_clicks(tied, name, prior=(0, 0)) for name in MODELS}
    parameters = pl.concat([_parameters(name, fit, confidence) for name, fit in fits.items()], how="diagonal")
    settings: dict[str, Any] = {"cutoff": cutoff, "same_text": same_text, "confidence": confidence}
    settings |= {"qrels": judged.name, "log": opened.name}
    return CalibratedMeasures(
        opened, tuple(_measures(parameters, fits, cutoff)), parameters, fits, settings,
        (*warnings, *_remarks(parameters, fits, grades["grade"].unique().sort())),
    )  # fmt: skip


def _parameters(name: str, fit: ClickModel, confidence: float) -> pl.DataFrame:
    columns = ["grade", *(each for each in ("attractiveness", "satisfaction") if each in fit.pairs.columns)]
    frame = fit.relevance(confidence).join(fit.pairs.select(columns), on="grade", how="left", maintain_order="left")
    return frame.rename({"attractiveness": "attraction"}).sort("grade").with_columns(model=pl.lit(name))


def _measures(parameters: pl.DataFrame, fits: Mapping[str, ClickModel], cutoff: int) -> Iterator[Measure]:
    def table(model: str, column: str) -> dict[float, float]:
        rows = parameters.filter((pl.col("model") == model) & (pl.col("grade") >= 0))
        value = pl.when(pl.col("attraction") == 0).then(0.0).otherwise(column)  # what nobody clicks satisfies nobody
        known = rows.select("grade", value).drop_nulls()
        return {grade: round(value, _DECIMALS) for grade, value in known.iter_rows()}

    browsing: dict[str, Any] = {each: table("DBN", each) for each in ("attraction", "satisfaction")}
    continuation = fits["DBN"].shared["value"][0]
    if continuation is not None:  # on pages of one result nobody goes on, and it does not matter how probable it is
        browsing["continuation"] = round(continuation, _DECIMALS)
    nothing = np.zeros(0)
    looks = Parameters(nothing, nothing, fits["UBM"].shared, cutoff + 1).by_click_above("examination")
    rows: Any = [np.clip(looks[rank, :rank], 0, 1).round(_DECIMALS).tolist() for rank in range(1, cutoff + 1)]
    yield parse_measure("ERR")(satisfaction=table("CM", "attraction")) @ cutoff
    yield parse_measure("EBU")(**browsing) @ cutoff
    yield parse_measure("rrDBN")(**browsing) @ cutoff
    yield parse_measure("uUBM")(attraction=table("UBM", "attraction"), examination=rows) @ cutoff


def _remarks(parameters: pl.DataFrame, fits: Mapping[str, ClickModel], grades: pl.Series) -> Iterator[str]:
    """Doubts: grades that do not order users' reactions or lack them, fits that did not end, unjudged ones."""
    for name, fit in fits.items():
        if not fit.converged:
            yield f"{name} was still improving after {number_of('iteration', len(fit.trace) - 1)}"
        values = parameters.filter((pl.col("model") == name) & (pl.col("grade") >= 0))["relevance"].drop_nulls()
        if (values.diff().drop_nulls() < 0).any():
            yield f"{name}: a higher grade does not always mean that documents are liked better"
        known = parameters.filter(pl.col("model") == name).drop_nulls("relevance")["grade"]
        if unknown := [f"{grade:g}" for grade in grades if grade not in known]:
            yield (
                f"{name}: the log does not tell what users make of grade {joined(unknown)}, whose chances count as 0 "
                f"in {joined(MODELS[name])}"
            )
    counts = parameters.filter(pl.col("model") == "CM").select("grade", "impressions")
    unjudged, total = (int(each["impressions"].sum()) for each in (counts.filter(pl.col("grade") < 0), counts))
    if unjudged:
        yield f"{unjudged / total:.1%} of the results shown are not judged: the measures leave such documents out"
