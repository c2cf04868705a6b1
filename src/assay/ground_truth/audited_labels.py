"""The labels of a model and of people, as an audit reads them: each model's pass, and what most people say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from assay.core.errors import InputError, ParameterError, argument, argument_name, listed, number_of
from assay.files.label_records import LabelRows
from assay.files.labels import is_judged_by, labels_of_rows, read_labels
from assay.files.named_columns import named_columns, names_in_any
from assay.files.registry import formats, head_of
from assay.files.sources import Source, is_file
from assay.measures.counting.ratings import label_name
from assay.stats.aggregation import majority
from assay.subjects.judges.evaluation import is_numeric, ratings_of
from assay.tables import Qrels
from assay.tables.label_rules import row_numbers
from assay.tables.labels import Labels, Repeated
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import folded_name, is_frame, roles_in

#: Columns in which files of model labels say how these came about.
_RECORDED = ("model", "prompt", "prompt_hash", "temperature", "parameters", "seed", "version")


def key_of(frame: pl.DataFrame) -> list[str]:
    """By what its rows name their items."""
    return [column for column in ("query_id", "item_id") if column in frame.columns]


def labels_of_people(source: Any, repeated: Repeated = "error") -> Labels:
    """Labels of a table, or of judgments, where documents below 0 are in the pool and not judged."""
    if isinstance(source, Mapping):
        source = Qrels.of(source)
    if isinstance(source, Qrels):
        frame = source.frame.rename({"doc_id": "item_id", "relevance": "label"})
        labels = Labels.of(frame if "judge" in frame.columns else frame.with_columns(judge=pl.lit(source.name)))
    else:
        source = Source.of(source) if is_file(source) else source
        names = names_in_any(source)
        head = head_of(source) if isinstance(source, Source) else None
        is_trec = head is not None and is_judged_by(head)
        # Who speaks alone need not have a name.
        is_named = is_trec or "judge" in roles_in("labels", names) or not (head or is_frame(source))
        labels = read_labels(source if is_named else {"people": source}, repeated=repeated)
        if head is None or not (is_trec or (not is_named and any(each.matches(head) for each in formats("qrels")))):
            return labels
    return replace(labels, frame=labels.frame.filter(pl.col("label") >= 0)) if is_numeric(labels) else labels


def passes_of(given: Any, slices: Sequence[str]) -> tuple[pl.DataFrame, dict[str, str]]:
    """All that the model said, row by row, with `position` and the columns of slices; and how it came about."""
    has_columns = (is_file(given) or is_frame(given)) and not isinstance(given, Labels | Qrels)
    source = Source.of(given) if has_columns and is_file(given) else given
    if not has_columns or not {"item_id", "label"} <= set(roles_in("labels", names_in_any(source))):
        labels = labels_of_people(source)
        recorded = {}
        frame = labels.frame
        path = labels.origin
        makers = [pl.Series(labels.judges)]
    else:
        table = named_columns(source, "labels")
        roles = roles_in("labels", table.frame.columns)
        path = table.path
        ids = [table.ids(roles[ours], ours).alias(ours) for ours in ("query_id", "item_id") if ours in roles]
        # Each further label of an item is another pass, so that none of them is lost.
        frame = pl.DataFrame([*ids, _labels_of_all_rows(table, roles["label"])])
        frame = frame.with_columns(judge=pl.int_range(pl.len()).over(key_of(frame)).cast(pl.String))
        others = {folded_name(name): name for name in table.frame.columns if name not in roles.values()}
        kept = [table.frame[name].cast(pl.String) for name in others.values()]
        frame = frame.with_columns(kept)
        frame = frame.rename({others["position"]: "position"}) if "position" in others else frame
        values = {
            name: frame[others[name]].drop_nulls().unique(maintain_order=True) for name in _RECORDED if name in others
        }
        makers = [table.ids(roles["judge"], "judge").unique(maintain_order=True)] if "judge" in roles else []
        makers += [values["model"]] if "model" in values else []
        recorded = {name: listed(each.to_list()) for name, each in values.items()}
    for several in makers:
        if len(several) > 1:
            raise InputError(f"{path}: expected the labels of one model, got those of {listed(several.to_list())}")
    lacking = [name for name in slices if name not in frame.columns]
    if lacking:
        raise ParameterError(f"{argument_name('slices')}: {path} has no column {listed(lacking)}")
    return frame, recorded


def _labels_of_all_rows(table: NamedColumns, column: str) -> pl.Series:
    """The labels in their type, one in each row."""
    marks = table.labels(column)
    table.refuse(marks.is_null(), "a label of the model", column)
    rows = pl.DataFrame({"item_id": row_numbers(len(marks)), "judge": "model", "label": marks})
    labels = labels_of_rows(LabelRows(rows, table.where), table.path).frame
    table.refuse(~rows["item_id"].is_in(labels["item_id"].implode()), "a label of the model", column)
    return labels["label"]


def on_one_scale(
    model: pl.DataFrame, people: Labels, *, binarise: float | None, has_order: bool
) -> tuple[pl.DataFrame, Labels, list[str]]:
    """True and false as 1 and 0, unless words have an order of their own; and grades as 1 from one on.

    The remarks say so where one side has grades, and the other 0 and 1 only.
    """
    both = [model["label"], people.frame["label"]]
    if not has_order or any(labels.dtype.is_numeric() for labels in both):
        both = [_truth_as_numbers(labels) for labels in both]
    numeric = all(labels.dtype.is_numeric() for labels in both)
    notes = list[str]()
    if binarise is not None:
        if not numeric:
            raise ParameterError(f"{argument_name('binarise')} is a grade, and these labels are words")
        both = [(labels >= binarise).cast(pl.Int64).alias("label") for labels in both]
    elif numeric:
        ours, theirs = (set(labels.unique().to_list()) for labels in both)
        if (ours <= {0, 1}) != (theirs <= {0, 1}):
            scales = [listed([label_name(label) for label in sorted(scale)]) for scale in (ours, theirs)]
            notes.append(
                f"the model's labels are {scales[0]}, people's are {scales[1]}, so that kappa and leniency compare two "
                f"scales: {argument('binarise', 1.0)} counts labels of 1 or more as 1 on both sides, and the rest as 0"
            )
    first, second = both
    return model.with_columns(first), replace(people, frame=people.frame.with_columns(second)), notes


def _truth_as_numbers(labels: pl.Series) -> pl.Series:
    if labels.dtype != pl.String or not (truth := labels.str.to_lowercase()).is_in(["true", "false"]).all():
        return labels
    return (truth == "true").cast(pl.Int64)


def in_common(model: pl.DataFrame, people: Labels) -> tuple[pl.DataFrame, list[str]]:
    """Items that both have labelled: what the model says of each, and what most people do."""
    notes = list(people.remarks)
    if ("query_id" in model.columns) != people.has_topics:
        raise InputError("one table of labels has topics, and the other has none: name the column query_id in both")
    if model["label"].dtype.is_numeric() != is_numeric(people):
        raise InputError(
            "the labels of one table are numbers, those of the other are words: they have no scale in common"
        )
    ratings = ratings_of(people)
    consensus = majority(ratings, ties="none")
    if len(consensus.tied):
        notes.append(f"{number_of('item', len(consensus.tied))} left out, on which people are tied")
    kind: pl.DataType = pl.Float64() if is_numeric(people) else pl.String()
    key = people.frame.select(key_of(people.frame)).unique(maintain_order=True)
    votes = key.with_columns(people=ratings.labels_at(consensus.chosen, kind)).drop_nulls("people")
    model = model.with_columns(model=pl.col("label").cast(kind)).drop("label")
    both = model.join(votes, on=key_of(model), how="inner", maintain_order="left")
    if both.height < 2:
        raise InputError(
            f"the model and the people have labelled {number_of('item', both.height)} in common: are the ids the same?"
        )
    if both.height < min(model.height, votes.height):
        alone = f"{model.height - both.height:,} of the model's and {votes.height - both.height:,} of people's"
        notes.append(f"{number_of('item', both.height)} compared; {alone} have no label of the other")
    return both, notes


def as_judges(both: pl.DataFrame) -> Labels:
    """People and the model as two judges of the same items."""
    sides = [both.select(*key_of(both), judge=pl.lit(side), label=side) for side in ("people", "model")]
    return Labels.of(pl.concat(sides))
