"""Predictions, clusterings, spans and labels: files with options -> systems, and what is typed instead of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from assay.cli.inputs import each_named, kept, named, whole_log
from assay.cli.literals import (
    labels_in,
    looks_like_matrix,
    matrix_in,
    names_in,
    points_in_clusters,
    scores_in,
    table_in,
)
from assay.cli.options import ClusterColumns, ClusterInputs, LabelInputs, PairedClusters, PairedLabels, is_set, settings
from assay.cli.output import message
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of
from assay.core.options import AgreementRules, LogRules, Sampling, SpanMeanRules, SpanRules

if TYPE_CHECKING:
    from assay.measures.counting.confusion_matrix import ConfusionMatrix
    from assay.measures.counting.contingency import Contingency
    from assay.measures.counting.points import Points
    from assay.subjects.spans.result import Extraction
    from assay.tables import Predictions
    from assay.tables.clusters import Clusters as Clustering
    from assay.tables.labels import Labels
    from assay.tables.log import Log

Item = TypeVar("Item", bound=Any)
#: Options of predictions that a matrix, or a list of scores, has no use for; those that say how a file is read.
_OF_FILES = ("truth", "prediction", "score", "item", "weight", "list_separator", "nulls", "system")
_READ = (*_OF_FILES[:-1], "pos_label")


def predictions(
    files: Sequence[Any], labels: LabelInputs, *, keep: Mapping[str, str | None] | None = None, quiet: bool = True,
    what: str = "item",
) -> list[Predictions]:  # fmt: skip
    """The systems of all files, as far as they were asked for; `keep`: further columns, by the names they get."""
    from assay.files.predictions import read_predictions
    from assay.subjects.labels.inputs import against_rest

    if labels.one_class is not None and labels.pos_label is not None:
        raise ParameterError("--class makes its class the positive one: leave --positive out")
    columns = settings(labels, *_READ) | {"keep": keep}
    if labels.labels is not None:
        columns["labels"] = labels_in(labels.labels)
    systems = _systems(files, lambda path, name: read_predictions(path, name=name, **columns), labels.system, "system")
    if not quiet:
        say(systems, what)
    if labels.one_class is None:
        return systems
    collapsed: list[Any] = [against_rest(each, labels.one_class) for each in systems]
    return collapsed


def clusterings(files: Sequence[Any], clusters: ClusterInputs, *, quiet: bool = True) -> list[Clustering]:
    """The clusterings of all files, as far as they were asked for."""
    from assay.files.clusters import read_clusters

    columns = cluster_columns(clusters)
    systems = _systems(
        files, lambda path, name: read_clusters(path, name=name, **columns), clusters.system, "clustering"
    )
    names = [each.name for each in systems]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ParameterError(f"two clusterings are called {twice!r}: name=FILE gives a file a name of its own")
    if not quiet:
        say(systems)
    return systems


def extractions(
    truth: str,
    files: Sequence[str],
    rules: SpanMeanRules | SpanRules,
    measures: Sequence[str] = (),
    **sampling: Unpack[Sampling],
) -> list[Extraction]:
    """The spans of each file held against the true ones; without a file, those that the file of the truth has, too.

    `measures`: the only numbers that are asked for.
    """
    from assay.files.sources import Source
    from assay.subjects.spans.evaluation import extract

    if measures:
        from assay.stats.pairing import each_measure
        from assay.subjects.spans.subject import refuse_idle_beta

        refuse_idle_beta(each_measure(measures), rules)
    parts = each_named(truth, files)
    true = kept(truth)
    return [
        extract(true, path, name=name or Source(path or truth).stem.removesuffix(".conll"), **rules, **sampling)
        for name, path in parts or [(None, None)]
    ]


def cluster_columns(clusters: ClusterColumns) -> dict[str, Any]:
    """The columns of clusters that were named, as `read_clusters` takes them."""
    columns: dict[str, Any] = settings(clusters, "truth", "item", "weight")
    if clusters.points is not None:
        columns["points"] = names_in(clusters.points, "--points", "columns")
    if clusters.cluster:
        columns["cluster"] = list(clusters.cluster) if len(clusters.cluster) > 1 else clusters.cluster[0]
    return columns


def _systems(
    files: Sequence[Any], read: Callable[[Any, str | None], list[Item]], wanted: Sequence[str], what: str
) -> list[Item]:
    """The systems in the files; `name=FILE` names the system, or goes before the names of several."""
    known: list[str] = []
    systems: list[Item] = []
    for name, path in each_named("", files):
        group = read(path, name)
        chosen = [each for each in group if not wanted or each.name in wanted or name in wanted]
        if name is not None:
            chosen = [replace(each, name=f"{name} {each.name}" if len(chosen) > 1 else name) for each in chosen]
        systems += chosen
        known += [each.name for each in group]
    for name in wanted:
        if name not in known:
            raise ParameterError(
                f"--system: no {what} is called {name!r}: there are {listed(known)}{did_you_mean(name, known)}"
            )
    return systems


def say(systems: Sequence[Any], what: str = "item") -> None:
    """Tell on stderr what was read; `what` a row is, where it is not an item."""
    for path in dict.fromkeys(each.origin for each in systems):
        here = [each for each in systems if each.origin == path]
        points = getattr(here[0], "points", None)
        kind = "systems" if not hasattr(here[0], "points") else "clusterings"
        shape = "" if points is None else f", points of {number_of('number', points.shape[1])}"
        names = f", {kind} {', '.join(each.name for each in here)}" if len(here) > 1 else ""
        message(f"{path}: {number_of(what, len(here[0]))}{shape}{names}")


def scored(
    files: Sequence[str], labels: LabelInputs, keep: Mapping[str, str | None] | None = None
) -> list[Predictions]:
    """The systems that have a score for each item; `keep`: further columns, by the names they get."""
    systems = predictions(files, labels, keep=keep)
    with_scores = [each for each in systems if each.score is not None or each.class_scores]
    if not with_scores:
        raise InputError(f"{systems[0].origin}: expected scores, one per item, got labels only")
    for each in with_scores:
        if each.class_scores and len(each.class_scores) > 2:
            names = [str(label) for label in each.class_scores]
            raise ParameterError(
                f"{each.name}: there is one score per class ({listed(names)}): choose the class to compare with all "
                f"others, as in --class {names[0]}"
            )
    return with_scores


def only_system(systems: list[Item]) -> Item:
    """The only system, where a command is about one."""
    if len(systems) > 1:
        where = systems[0].origin
        names = ", ".join(each.name for each in systems)
        raise InputError(f"{where}: choose a system with --system NAME: there are {names}")
    return systems[0]


def typed_matrix(
    text: str, labels: LabelInputs, orientation: str | None, measures: Sequence[str], *, one_class: str | None,
    quiet: bool,
) -> ConfusionMatrix:  # fmt: skip
    """The matrix that was typed, or that a file holds; the first line says which way it is read."""
    from assay.subjects.labels.orientation import refuse_unclear, sentence

    matrix, is_numbered = _matrix(text, labels, orientation)
    if is_numbered and one_class is None and labels.pos_label is None and len(matrix.labels) == 2:
        refuse_unclear(matrix, measures)
    if not quiet:
        turned: Any = orientation or "rows_are_true"
        message(f"matrix: {sentence(matrix, turned, of_two=one_class is None)}")
    return matrix


def _matrix(text: str, labels: LabelInputs, orientation: str | None) -> tuple[ConfusionMatrix, bool]:
    """The matrix, and whether nobody named its labels."""
    from assay.files.small_tables import read_matrix
    from assay.measures.counting.confusion_matrix import ConfusionMatrix

    refuse(settings(labels, *_OF_FILES), "goes with predictions, not with --matrix")
    if not text.strip():
        raise ParameterError("--matrix: expected a matrix, such as '13 4; 2 15', or a file of one, got nothing")
    turned: Any = orientation
    names = None if labels.labels is None else labels_in(labels.labels)
    if not looks_like_matrix(text):
        read = read_matrix(text, orientation=turned)
        matrix = ConfusionMatrix.from_matrix(read.table, read.labels, pos_label=labels.pos_label)
        return (matrix if names is None else matrix.in_order(names)), False
    rows = matrix_in(text)
    if names is not None and len(names) != len(rows):
        raise ParameterError(f"--labels: expected {len(rows)}, one for each row, got {len(names)}")
    matrix = ConfusionMatrix.from_matrix(rows, names, orientation=turned or "rows_are_true", pos_label=labels.pos_label)
    return matrix, names is None


def typed_contingency(
    text: str, clusters: ClusterInputs, classes: str | None = None, names: str | None = None
) -> Contingency:
    """The table of classes (rows) and clusters (columns) that was typed, with the names of both."""
    from assay.measures.counting.contingency import Contingency

    refuse(every(clusters), "goes with a file, not with --contingency")
    rows = table_in(text)
    called = None if names is None else labels_in(names, "--cluster-names", len(rows[0]))
    return Contingency.from_table(rows, None if classes is None else labels_in(classes, "--class-names"), called)


def typed_points(text: str, names: str | None, clusters: ClusterInputs) -> Points:
    """The points in clusters that were typed."""
    from assay.measures.counting.points import Points

    stated = every(clusters)
    metric = stated.pop("metric", "euclidean")
    refuse(stated, "goes with a file, not with --clusters")
    rows, places = points_in_clusters(text)
    called = None if names is None else labels_in(names, "--cluster-names", max(places))
    clusters_of_rows = [str(place) if called is None else called[place - 1] for place in places]
    return Points.of(rows, clusters_of_rows, metric=metric)


def typed_scores(text: str, labels: LabelInputs) -> Any:
    """The list of scores that was typed: whether each item is positive, and its score."""

    refuse(settings(labels), "goes with a file, not with --scores")
    return scores_in(text)


def cluster_rules(clusters: ClusterInputs) -> dict[str, Any]:
    """The rules as `cluster` takes them; where items are paired, with what is missing."""
    if "noise_as" in clusters.rules and "noise" not in clusters.rules:
        raise ParameterError("--noise-as goes with --noise, which says what noise is")
    return {**clusters.rules, **(settings(clusters, "missing") if isinstance(clusters, PairedClusters) else {})}


def item_rules(labels: PairedLabels) -> dict[str, Any]:
    """The rules of classifiers as `compare` and `gate` take them."""
    return settings(labels, "pos_label", "threshold", "missing", "undefined")


def every(clusters: ClusterInputs) -> dict[str, Any]:
    """The columns and rules that were set."""
    columns = settings(clusters)
    return {**columns.pop("rules", {}), **columns}


def one_source(sources: Mapping[str, Any]) -> None:
    """Refuse more than one of what systems can be given by, and none of it."""
    count = sum(map(is_set, sources.values()))
    if count != 1:
        raise ParameterError(f"give {', or '.join(sources)}{', not several' if count else ''}")


def refuse(stated: Mapping[str, Any], why: str) -> None:
    """Refuse options that were set where they have no meaning."""
    from assay.cli.output import option

    for name in stated:
        raise ParameterError(f"{option(name)} {why}")


def source_of(file: str) -> Any:
    """A file as the library's examiners take it: its path, or its name and path."""
    name, path = named(file)
    return path if name is None else {name: path}


def labels_of_judges(files: Sequence[str], rules: AgreementRules) -> Labels:
    """The labels of one file, or of several that are one judge's each."""
    from assay.files.labels import read_labels
    from assay.files.sources import Source

    parts = each_named("", files)
    sources: Any = {name or Source(path).stem: path for name, path in parts}
    if len(parts) == 1:
        sources = parts[0][1]
    elif len(sources) < len(parts):
        raise ParameterError("two judges have the same name: give each its own (name=FILE)")
    labels = read_labels(sources, repeated=rules.get("repeated", "error"))
    return labels if len(parts) != 1 or parts[0][0] is None else replace(labels, name=parts[0][0])


def click_logs(files: Sequence[str], rules: LogRules) -> list[Log]:
    """Logs of clicks: files without a name belong together, those with one are logs of their own."""
    from assay.files.logs import read_log

    parts = each_named("", files)
    whole = [path for name, path in parts if name is None]
    logs = [whole_log(whole, rules)] if whole else []
    return logs + [read_log(kept(path), name=name, **rules) for name, path in parts if name is not None]


def label_sets(files: Sequence[str], groups: Sequence[str], rules: AgreementRules) -> list[Labels]:
    """Sets of labels: one per file, or of one file those of each group of judges."""
    from assay.subjects.judges.evaluation import check_judge

    sets = [labels_of_judges([file], rules) for file in files]
    if not groups:
        return sets
    if len(sets) != 1:
        raise ParameterError("--group goes with one file, whose judges it divides")
    chosen = []
    for text in groups:
        name, equals, judges = text.partition("=")
        members = [judge.strip() for judge in judges.split(",")]
        if not equals or not name or not all(members):
            raise ParameterError(f"--group: expected NAME=JUDGE,JUDGE, got {text!r}")
        for judge in members:
            check_judge(judge, sets[0].judges)
        chosen.append(replace(sets[0].only(members), name=name))
    return chosen
