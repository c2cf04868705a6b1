"""`assay doctor QRELS RUN...`, and `assay classifier doctor FILE...` and its like for the other subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import ClusterColumns, Output, PredictionColumns, group
from assay.core import registry
from assay.core.evaluation_options import Columns, Level, option
from assay.core.options import LogRules, Noise

if TYPE_CHECKING:
    from assay.verbs.diagnosis import Diagnosis


@group
class Diagnosing(Output):
    """How findings are given."""

    every: Annotated[bool, option("--all", help="Also list the checks that found nothing.")] = False


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    to: Diagnosing,
    measures: options.Measures = (),
    topics: options.Topics | None = None,
    documents: options.Documents | None = None,
    grades: Annotated[
        str | None, option(metavar="0..3", help="The scale, as 0..3 or 0,1,2; other grades are errors.")
    ] = None,
    level: Level = 1.0,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check judgments and runs for anything that makes scores wrong or misleading.

    It goes on where `assay evaluate` refuses a file. Exit 1 if there is an error among the findings, 0 if not.

    $ assay doctor qrels.txt words.run
    """
    named = inputs.by_name(runs, "runs", qrels)
    stated = {"topics": topics, "documents": documents, "grades": grades, "level": level}
    place = "assay.verbs.diagnosis:doctor"
    return deliver_diagnosis(inputs.result_of(place, "examining", to, qrels, named, measures or None, **stated), to)


def classifier(
    files: options.PredictionFiles,
    columns: PredictionColumns,
    to: Diagnosing,
    train: Annotated[str | None, option(metavar="FILE", help="The items that the classifier was trained on.")] = None,
) -> int:
    """Check a classifier's predictions for anything that makes numbers wrong or misleading.

    It goes on where `assay classifier evaluate` refuses a file. Exit 1 if there is an error among the findings.

    $ assay classifier doctor letters/spam.csv
    """
    from assay.files.predictions import StatedColumns  # noqa: PLC0415

    inputs.each_named("", files)
    stated = StatedColumns(columns.truth, columns.prediction, columns.score, columns.item, columns.weight)
    further = options.settings(columns, "pos_label", "list_separator") | ({} if train is None else {"train": train})
    return _examine("labels", [*map(items.source_of, files)], to, {"column_names": stated, **further})


def clustering(files: options.ClusterFiles, columns: ClusterColumns, to: Diagnosing, noise: Noise = None) -> int:
    """Check clusterings for anything that makes numbers wrong or misleading.

    It goes on where `assay clustering evaluate` refuses points. Exit 1 if there is an error among the findings.

    $ assay clustering doctor notes/notes.csv
    $ assay clustering doctor notes/notes.csv --noise -1 --points x,y,z --all
    """
    inputs.each_named("", files)
    stated = {"columns": items.cluster_columns(columns)} | ({} if noise is None else {"noise": noise})
    return _examine("clusters", [*map(items.source_of, files)], to, stated)


def extraction(
    truth: options.TrueSpans,
    to: Diagnosing,
    predicted: options.SpanFile | None = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check true and predicted spans for anything that makes numbers wrong or misleading.

    It goes on where `assay extraction evaluate` refuses a span. Exit 1 if there is an error among the findings.

    $ assay extraction doctor letters/names.conll
    $ assay extraction doctor letters/names.conll --all
    """
    inputs.each_named(truth, [predicted])
    return _examine("spans", [truth, *([] if predicted is None else [predicted])], to)


def scores(
    path: options.ScoreFile,
    to: Diagnosing,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check scores of systems for anything that makes comparisons wrong or misleading.

    It goes on where `assay scores compare` refuses a second value. Exit 1 if there is an error among the findings.

    $ assay scores doctor scores.csv
    $ assay scores doctor scores.csv --all
    """
    return _examine("scores", [path], to)


def agreement(
    labels: options.LabelFile,
    to: Diagnosing,
    grades: Annotated[
        str | None, option(metavar="0..3", help="The scale, as 0..3 or 0,1,2; other labels are errors.")
    ] = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
) -> int:
    """Check labels of several judges for anything that makes agreement wrong or misleading.

    It goes on where `assay agreement evaluate` refuses a second label. Exit 1 if there is an error among the findings.

    $ assay agreement doctor bicycles/judgments.txt
    """
    return _examine("judges", [labels], to, {} if grades is None else {"grades": grades})


def clicks(logs: options.LogFiles, reading: LogRules, to: Diagnosing) -> int:
    """Check a click log for what makes numbers wrong: robots, clocks, clicks on results that were not shown.

    It goes on where a line is no record. Exit 1 if there is an error among the findings.

    $ assay clicks doctor clicks/log.ndjson.gz
    """
    return _examine("clicks", [inputs.kept(each) for each in logs], to, {"log_rules": {**reading}})


def _examine(subject: str, sources: list[Any], to: Diagnosing, stated: dict[str, Any] | None = None) -> int:
    place = "assay.verbs.diagnosis.examination:examine"
    return deliver_diagnosis(inputs.result_of(place, "examining", to, registry.subject(subject), sources, stated), to)


def deliver_diagnosis(diagnosis: Diagnosis, to: Diagnosing) -> int:
    """Print findings, or write them; the exit code says whether there is an error among them."""
    from assay.verbs.sections.results import diagnosis_document as document  # noqa: PLC0415

    if to.form not in {"csv", "json"}:
        output.deliver(output.written(document(diagnosis, every=to.every), to), to)
    else:
        output.give(diagnosis, to)
    return 0 if diagnosis.is_healthy else 1
