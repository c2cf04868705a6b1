"""`assay doctor QRELS RUN...`, and `assay classifier doctor FILE...` and its like for the other subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Output, option
from assay.cli.subject_options import ClusterColumns, Noise, PredictionColumns
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.verbs.diagnosis import Diagnosis

Every = Annotated[bool, option("--all", help="List the checks that found nothing, too.")]


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    measures: options.Measures = (),
    topics: options.Topics = None,
    documents: options.Documents = None,
    grades: Annotated[
        str | None, option("--grades", metavar="0..3", help="The scale, also 0,1,2: other grades are errors.")
    ] = None,
    level: options.Level = None,
    columns: options.Columns = (),  # noqa: ARG001  # `calling` sees to it
    every: Every = False,
    to: Output = Output(),
) -> int:
    """Look judgments and runs over for whatever makes numbers wrong or misleading.

    It goes on where `assay evaluate` refuses a file. Exit 1 if there is an error among the findings, 0 if not.

    $ assay doctor qrels.txt words.run
    """
    from assay.verbs.diagnosis import doctor  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    stated = options.stated(topics=topics, documents=documents, grades=grades, level=level)
    with inputs.working("examining", hidden=to.quiet):
        diagnosis = doctor(qrels, _named(qrels, runs), measures or None, **stated)
    return _deliver(diagnosis, every, to)


def classifier(
    files: options.PredictionFiles,
    /,
    *,
    train: Annotated[
        str | None, option("--train", metavar="FILE", help="The items that the classifier was trained on.")
    ] = None,
    columns: PredictionColumns = PredictionColumns(),
    every: Every = False,
    to: Output = Output(),
) -> int:
    """Look a classifier's predictions over for whatever makes numbers wrong or misleading.

    It goes on where `assay classifier evaluate` refuses a file. Exit 1 if there is an error among the findings.

    $ assay classifier doctor letters/spam.csv
    """
    from assay.files.prediction_columns import StatedColumns  # noqa: PLC0415

    inputs.each_named("", files)
    stated = StatedColumns(columns.truth, columns.prediction, columns.score, columns.item, columns.weight)
    sources = [items.source_of(file) for file in files]
    further = options.stated(train=train, pos_label=columns.pos_label, list_separator=columns.list_separator)
    return _examine("labels", sources, every, to, column_names=stated, **further)


def clustering(
    files: options.ClusterFiles,
    /,
    *,
    columns: ClusterColumns = ClusterColumns(),
    noise: Noise = None,
    every: Every = False,
    to: Output = Output(),
) -> int:
    """Look clusterings over for whatever makes numbers wrong or misleading.

    It goes on where `assay clustering evaluate` refuses points. Exit 1 if there is an error among the findings.

    $ assay clustering doctor notes/notes.csv
    $ assay clustering doctor notes/notes.csv --noise -1 --points x,y,z --all
    """
    inputs.each_named("", files)
    sources = [items.source_of(file) for file in files]
    return _examine(
        "clusters", sources, every, to, columns=items.cluster_columns(columns), **options.stated(noise=noise)
    )


def extraction(
    truth: Annotated[str, options.argument("TRUTH", "True spans: tagged tokens (CoNLL), JSONL, or a table.")],
    predicted: Annotated[
        str | None, options.argument("PREDICTED", "Predicted spans, if they are in a file of their own.")
    ] = None,
    /,
    *,
    every: Every = False,
    to: Output = Output(),
) -> int:
    """Look true and predicted spans over for whatever makes numbers wrong or misleading.

    It goes on where `assay extraction evaluate` refuses a span. Exit 1 if there is an error among the findings.

    $ assay extraction doctor letters/names.conll
    $ assay extraction doctor letters/names.conll --all
    """
    if truth == predicted == "-":
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    return _examine("spans", [truth, *([] if predicted is None else [predicted])], every, to)


def scores(
    path: options.ScoreFile,
    /,
    *,
    columns: options.Columns = (),  # noqa: ARG001  # `calling` sees to it
    every: Every = False,
    to: Output = Output(),
) -> int:
    """Look scores of systems over for whatever makes comparisons wrong or misleading.

    It goes on where `assay scores compare` refuses a second value. Exit 1 if there is an error among the findings.

    $ assay scores doctor scores.csv
    $ assay scores doctor scores.csv --all
    """
    return _examine("scores", [path], every, to)


def _examine(subject: str, sources: list[Any], every: bool, to: Output, **stated: Any) -> int:
    from assay.core import registry  # noqa: PLC0415
    from assay.verbs.diagnosis.examination import examine  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    with inputs.working("examining", hidden=to.quiet):
        diagnosis = examine(registry.subject(subject), sources, **stated)
    return _deliver(diagnosis, every, to)


def _deliver(diagnosis: Diagnosis, every: bool, to: Output) -> int:
    from assay.verbs.sections.diagnoses import document  # noqa: PLC0415

    if output.form_of(to) is None:
        text: str = output.on_screen(document(diagnosis, every=every), plain=to.path is not None)
    else:
        text = output.rendered(diagnosis, to)
    output.deliver(text, to)
    return 0 if diagnosis.is_healthy else 1


def _named(qrels: str, runs: list[str]) -> Any:
    """Runs by name, if one was given a name as `name=FILE`; a list of files otherwise."""
    parts = inputs.each_named(qrels, runs)
    if all(name is None for name, _ in parts):
        return runs
    from assay.subjects.ranking.checks.examined_files import named  # noqa: PLC0415

    named_runs: dict[str, Any] = {}
    for name, path in parts:
        called, file = named([path])[0] if name is None else (name, path)
        if called in named_runs:
            raise ParameterError(f"two runs are called {called!r}: each needs a name of its own (name=FILE)")
        named_runs[called] = file
    return named_runs
