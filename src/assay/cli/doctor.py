"""`assay doctor QRELS RUN...` and `assay classifier doctor FILE...`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.options import Output, PredictionColumns, option
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
    from assay.verbs.diagnosis.examination import examine  # noqa: PLC0415  # `assay --help` need not load Polars

    output.form_of(to)
    inputs.each_named("", files)
    stated = StatedColumns(columns.truth, columns.prediction, columns.score, columns.item, columns.weight)
    with inputs.working("examining", hidden=to.quiet):
        diagnosis = examine(
            [items.source_of(file) for file in files], train=train, column_names=stated, pos_label=columns.pos_label,
            list_separator=columns.list_separator,
        )  # fmt: skip
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
    from assay.verbs.diagnosis.examined_files import named  # noqa: PLC0415

    named_runs: dict[str, Any] = {}
    for name, path in parts:
        called, file = named([path])[0] if name is None else (name, path)
        if called in named_runs:
            raise ParameterError(f"two runs are called {called!r}: each needs a name of its own (name=FILE)")
        named_runs[called] = file
    return named_runs
