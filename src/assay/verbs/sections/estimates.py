"""Tables that several subjects share: measures with their intervals, and matrices of counts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import polars as pl

from assay.core.digits import as_level, number, short, span
from assay.core.errors import listed
from assay.measures.undefined import Gaps
from assay.show.cells import best
from assay.show.model import Column, Prose, Section, Table

if TYPE_CHECKING:
    from assay.measures.counting.confusion_matrix import ConfusionMatrix, Normalize, Orientation
    from assay.measures.counting.contingency import Contingency
    from assay.measures.registry import Measure
    from assay.stats.estimates import Estimate
    from assay.verbs.item_results import ItemResult
    from assay.verbs.subject import Remark


#: Stands where there is no interval.
DASH = "–"


class NoSkill(Protocol):
    """A system that looks at no item: what it is called, what it does, and its numbers."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def says(self) -> str:
        """The answer that it gives."""

    @property
    def values(self) -> Mapping[Measure, float]:
        """Its numbers."""


def measures_table(result: ItemResult[Any], beside: Sequence[NoSkill] = (), system: str | None = None) -> Table:
    """All measures: of one system with intervals and the baselines `beside`; of several, a column each.

    `system`: this one alone, of several.
    """
    several = len(result.systems) > 1 and system is None
    names = [each.name for each in result.systems] if several else [result.system(system).name]
    level = f"{as_level(result.confidence)} interval"
    compared = "" if several else "row"
    data: dict[str, Any] = {"measure": list(map(str, result.measures))}
    columns = [Column("measure")]
    systems = {}
    for place, name in enumerate(names):
        key = f"system_{place}" if several else "value"
        ends = (f"{key}_low", f"{key}_high") if several else ("low", "high")
        systems[key] = [result.estimate(measure, name) for measure in result.measures]
        for part, column in zip(("value", "low", "high"), (key, *ends), strict=True):
            data[column] = [getattr(estimate, part) for estimate in systems[key]]
        if several:
            data[f"{key}_without"] = list(map(_without, systems[key]))
            columns.append(Column(key, name, "estimate", compared="systems", ends=ends, also=f"{key}_without"))
        else:
            columns.append(Column(key, kind="number", compared=compared))
            columns.append(Column(key, level, "bracketed", ends=ends, missing=DASH))
    for baseline in beside:
        data[baseline.kind] = [baseline.values[measure] for measure in result.measures]
        columns.append(Column(baseline.kind, baseline.says, "number", compared=compared, missing=DASH))
    if several:
        return Table(
            "measures", pl.DataFrame(data), tuple(columns), f"measures, with {level}s", best=_best(result, systems)
        )
    gaps = [estimate.gaps or Gaps() for estimate in systems["value"]]
    for which, head in (("counted", "counted as"), ("left_out", "left out")):
        data[which] = [each.briefly(which) for each in gaps]
        columns += [Column(which, head)] if any(data[which]) else []
    caption = f"{names[0]}: measures" if len(result.systems) > 1 else "measures"
    return Table("measures", pl.DataFrame(data), tuple(columns), caption)


def _best(result: ItemResult[Any], systems: dict[str, list[Estimate]]) -> frozenset[tuple[int, str]]:
    """The cells of the best systems under each measure."""
    cells = set()
    for place, measure in enumerate(result.measures):
        values = {key: estimates[place].value for key, estimates in systems.items()}
        top = best(values.values(), end_of(measure))
        cells |= {(place, key) for key, value in values.items() if value == top}
    return frozenset(cells)


def _without(estimate: Estimate) -> str:
    """The parts that a number lacks: its interval, or classes and items that its average replaces or leaves out."""
    dash = f" {DASH}" if math.isnan(estimate.low) and not math.isnan(estimate.value) else ""
    gaps = estimate.gaps or Gaps()
    counted, left_out = gaps.briefly("counted"), gaps.briefly("left_out")
    return dash + (f" with {counted}" if counted else "") + (f" without {left_out}" if left_out else "")


def number_with_interval(estimate: Estimate) -> str:
    """A number and from where to where it may lie, in a sentence.

    >>> from assay import Predictions, classify
    >>> number_with_interval(classify(Predictions.of([1, 1, 0], [1, 0, 0])).estimate("Recall"))
    '0.5000 (0.0945 to 0.9055)'
    """
    text = "no number" if math.isnan(estimate.value) else number(estimate.value)
    return text if math.isnan(estimate.low) else f"{text} ({span(estimate.low, estimate.high)})"


def measure_in_words(name: object, value: float, low: float, high: float) -> str:
    """A measure's number with its interval, in a sentence.

    >>> measure_in_words("F", 0.5, 0.25, 0.75), measure_in_words("Recall", math.nan, math.nan, math.nan)
    ('F 0.5000 (0.2500 to 0.7500)', 'Recall is undefined')
    """
    if math.isnan(value):
        return f"{name} is undefined"
    return f"{name} {number(value)}" + ("" if math.isnan(low) else f" ({span(low, high)})")


def end_of(measure: Measure) -> Literal["high", "low"] | None:
    """The end of its numbers that is best.

    >>> from assay.measures import parse_measure
    >>> end_of(parse_measure("Accuracy", "binary"))
    'high'
    """
    higher = measure.definition.higher_is_better
    if higher is None:
        return None
    if higher:
        return "high"
    return "low"


def undefined(result: ItemResult[Any]) -> Iterator[str]:
    """The reasons why there is no number, a line each."""
    for system in result.systems:
        for measure in result.measures:
            if reason := result.estimate(measure, system.name).undefined:
                yield f"{measure}{whose(result, system.name)} is undefined: {reason}."


def prose_section(name: str, lines: Iterable[str], data: Mapping[str, Any] | None = None) -> Section:
    """A section of lines, with further values for JSON.

    >>> [part.text for part in prose_section("basis", ["On 2 topics."]).parts]
    ['On 2 topics.']
    """
    return Section(name, parts=tuple(map(Prose, lines)), data=data or {})


def settings_of(result: object, *names: str) -> dict[str, Any]:
    """The settings that a result was made with, by name, for JSON.

    >>> from assay import Clusters, cluster
    >>> settings_of(cluster(Clusters.of(list("xxoo"), [0, 0, 1, 1])), "seed", "resamples")
    {'seed': 0, 'resamples': 2000}
    """
    return {name: getattr(result, name) for name in names}


def advice_section(result: ItemResult[Any], key: str) -> Section:
    """All remarks, and under a `key` for JSON."""
    points = tuple(f"{text} [{remark.code}]" for text, remark in remarks_of(result).items())
    parts = (Prose(style="list", points=points),) if points else ()
    return Section("advice", parts=parts, data={key: [remark._asdict() for remark in result.advice]})


def remarks_of(result: ItemResult[Any]) -> dict[str, Remark]:
    """The remarks in words, those of each system in turn; what holds for every system alike is said once."""
    often = Counter((remark.code, remark.says) for remark in result.advice)
    by_system = [[remark for remark in result.advice if remark.system == system.name] for system in result.systems]
    remarks: dict[str, Remark] = {}
    for remark in filter(None, (remark for turn in zip_longest(*by_system) for remark in turn)):
        of_all = often[remark.code, remark.says] == len(result.systems)
        remarks[remark.says if of_all else f"{remark.system}: {remark.says}"] = remark
    return remarks


def whose(result: Any, system: str) -> str:
    """The system that a sentence is about, where there are several; nothing of one alone."""
    return f" of {system}" if len(result.systems) > 1 else ""


def prefix(result: Any, system: str) -> str:
    """The same in front of a caption or a remark."""
    return f"{system}: " if len(result.systems) > 1 else ""


def without_interval(result: ItemResult[Any]) -> Iterator[str]:
    """The numbers that have no interval, a line a reason.

    >>> from assay import Clusters, cluster
    >>> list(without_interval(cluster(Clusters.of(list("xxoo") * 3, [0, 0, 1, 1] * 3), ["Purity", "ARI"])))
    ['No interval (–) of Purity, ARI: all halves of the items give the same number.']
    """
    whys: dict[str, dict[str, None]] = {}
    for measure in result.measures:
        for system in result.systems:
            if why := result.estimate(measure, system.name).no_interval:
                whys.setdefault(why, {})[f"{measure}{whose(result, system.name)}"] = None
    for why, names in whys.items():
        yield f"No interval ({DASH}) of {listed([*names])}: {why}."


_SHARES_OF = {"true": "true", "pred": "predicted", "all": "all"}


def matrix_table(
    matrix: ConfusionMatrix,
    orientation: Orientation = "rows_are_true",
    normalize: Normalize | None = None,
    prefix: str = "",
) -> Table:
    r"""A confusion matrix with its labels and sums, as counts or as shares; the diagonal stands out.

    >>> from assay import ConfusionMatrix
    >>> from assay.show.markdown import table
    >>> print(table(matrix_table(ConfusionMatrix.from_matrix([[3, 1], [0, 4]], ["a", "b"]))))
    | truth \\ prediction | a | b | items |
    | --- | ---: | ---: | ---: |
    | a | **3** | 1 | 4 |
    | b | 0 | **4** | 4 |
    | items | 3 | 5 | 8 |
    """
    upright = orientation == "rows_are_true"
    rows, columns = ("truth", "prediction") if upright else ("prediction", "truth")
    counts = matrix.table if upright else matrix.table.T
    shares = None if normalize is None else matrix.normalized(normalize)
    if shares is not None and not upright:
        shares = shares.T
    of_what = "" if normalize is None else f", shares of {_SHARES_OF[normalize]} items"
    caption = f"{prefix}confusion matrix (rows: {rows}, columns: {columns}{of_what})"
    names = [str(label) for label in matrix.labels]
    return counts_table(
        "matrix", (f"{rows} \\ {columns}", names, names), counts, np.eye(len(names)), caption, shares=shares
    )


def contingency_table(table: Contingency, prefix: str = "") -> Table:
    """Classes and clusters with their sums; the largest class of each cluster stands out."""
    classes = ["(none)" if label is None else str(label) for label in table.classes]
    heads = ("class \\ cluster", classes, [str(cluster) for cluster in table.clusters])
    largest = (table.table == table.largest_of_clusters[0]) & (table.table > 0)
    return counts_table("contingency", heads, table.table, largest, f"{prefix}items (rows: classes, columns: clusters)")


def counts_table(
    name: str,
    heads: tuple[str, Sequence[str], Sequence[str]],
    counts: Any,
    standing_out: Any,
    caption: str,
    *,
    shares: Any = None,
) -> Table:
    """The cells with the sums of rows and columns, which stay counts where cells are shares of them.

    `heads`: the corner, the names of rows and those of columns. `standing_out` marks cells.
    """
    corner, rows, columns = heads
    data: dict[str, Any] = {"row": [*rows, "items"]}
    body = [Column("row", corner)]
    for place, head in enumerate(columns):
        key = f"column_{place}"
        total = counts[:, place].sum()
        if shares is None:
            data[key] = [*counts[:, place], total]
            body.append(Column(key, head, "short"))
        else:
            cells = shares[:, place]
            data[key] = [*cells, None]
            data[f"{key}_also"] = [*("–" if np.isnan(cell) else "" for cell in cells), short(float(total))]
            body.append(Column(key, head, "percent", missing="", also=f"{key}_also"))
    data["items"] = [*counts.sum(axis=1), counts.sum()]
    best = frozenset((int(row), f"column_{place}") for row, place in np.argwhere(standing_out))
    return Table(name, pl.DataFrame(data), (*body, Column("items", kind="short")), caption, best=best)
