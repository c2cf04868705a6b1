"""`assay agreement ...`: commands on labels of several judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.compare import Comparing, deliver_comparison
from assay.cli.doctor import Diagnosing, examined
from assay.cli.explain import Explaining, deliver_explanation
from assay.cli.gate import Gating, decided
from assay.cli.options import Evaluating
from assay.cli.report import Reporting, write_report
from assay.core import options as shared
from assay.core.errors import ParameterError, number_of
from assay.core.evaluation_options import Columns, option


def evaluate(
    labels: options.LabelFiles,
    to: Evaluating,
    rules: shared.AgreementRules,
    sampling: shared.Sampling,
    runs: Annotated[
        tuple[str, ...],
        option(metavar="RUN", help="Score this run by each judge's labels: do rankings change? Repeat."),
    ] = (),
    by: Annotated[
        str, option(metavar="MEASURE", help="With --runs: the measure to rank them by (nDCG@10).")
    ] = "nDCG@10",
    by_topic: options.ByTopic = False,
) -> None:
    """Measure how far judges agree beyond chance: coefficients with intervals, pairs, topics, guidance.

    LABELS is a table with one row per label or one column per judge, judgments whose second column names the judge, or
    an export of Label Studio, doccano, Prodigy or Mechanical Turk.

    $ assay agreement evaluate bicycles/judgments.txt
    $ assay agreement evaluate bicycles/judgments.txt --judges ana,ben -m Kappa
    """
    from assay.subjects.judges.evaluation import agree

    held = items.labels_of_judges(labels, rules)
    stated = {"measures": to.measures or None, "by_topic": by_topic, **rules, **sampling}
    result = inputs.result_of(agree, "computing intervals", to, held, **stated)
    if runs:
        from assay.ground_truth.judge_rankings import agree_on_systems

        opened = inputs.opened("", runs)
        asked: dict[str, Any] = {name: value for name, value in rules.items() if name in {"judges", "relevance_level"}}
        asked |= sampling
        ranked = inputs.result_of(agree_on_systems, "ranking systems", to, held, opened, measure=by, **asked)
        result = result.ranking(ranked)
    output.give(result, to)


def compare(
    labels: options.LabelSets, to: Comparing, rules: shared.AgreementRules, groups: options.Groups = ()
) -> None:
    """Test whether judges agree better in one set of labels than in another, on the same items.

    One file per set, such as two rounds of labelling; or one file, whose judges --group divides. Without -m: Alpha,
    Agreement, PositiveAgreement.

    $ assay agreement compare bicycles/judgments.txt --group old=ana,ben --group new=ben,cleo
    """
    sets = items.label_sets(labels, groups, rules)
    if len(sets) < 2:
        raise ParameterError("a comparison takes two sets of labels or more, not 1: two files, or --group twice")
    deliver_comparison([sets], options.stated(rules, "repeated", "columns"), to)


def explain(
    measure: options.MeasureName,
    labels: options.LabelFiles,
    rules: shared.AgreementRules,
    to: Explaining,
    query: options.Query | None = None,
) -> None:
    """Show how a coefficient of agreement was computed: the labels, P(A) and P(E), the formula with its numbers.

    $ assay agreement explain Kappa bicycles/judgments.txt --judges ana,ben
    $ assay agreement explain FleissKappa bicycles/judgments.txt --query 5
    """
    held = items.labels_of_judges(labels, rules)
    deliver_explanation(measure, [held], options.stated(rules, "repeated", "columns") | {"query": query}, to)


def report(
    labels: options.LabelSets,
    to: Reporting,
    rules: shared.AgreementRules,
    groups: options.Groups = (),
    by_topic: options.ByTopic = False,
) -> None:
    """Write a report on the agreement of judges: coefficients, pairs, topics, guidance; for several sets, verdicts.

    $ assay agreement report bicycles/judgments.txt
    """
    stated = options.stated(rules, "repeated", "columns") | {**to.testing, "by_topic": by_topic}
    write_report(items.label_sets(labels, groups, rules), None, stated, to)


@decided
def gate(
    old: options.Baseline,
    to: Gating,
    rules: shared.AgreementRules,
    new: options.Candidate | None = None,
    groups: options.Groups = (),
) -> Any:
    """Decide whether new labels agree as well as the baseline's: exit 0 not worse, 1 worse, 3 inconclusive.

    Worse means: by the margin or more. Exit 2 if the input is invalid. Give two files of labels of the same items, or
    one file and two --group of its judges. Without -m: Alpha.

    $ assay agreement gate bicycles/judgments.txt --group a=ana,ben --group b=ana,cleo --margin 0.1
    """
    sets = items.label_sets([file for file in (old, new) if file is not None], groups, rules)
    if len(sets) != 2:
        raise ParameterError(f"a gate takes two sets of labels, not {len(sets)}: two files, or --group twice")
    return to.gate([sets[0], None, sets[1]], options.stated(rules, "repeated", "columns"))


def doctor(
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
    return examined("judges", [labels], to, {} if grades is None else {"grades": grades})


def convert(
    labels: options.LabelFiles,
    path: Annotated[Path, option("-o", "--output", help="File to write: .csv, .tsv, .jsonl, .parquet, or .qrels.")],
    repeated: shared.RepeatedLabels = "error",
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Write labels as a table, one row per label; or, by the ending .qrels, as `query_id judge doc_id grade`.

    $ assay agreement convert bicycles/judgments.txt -o labels.csv
    """
    from assay.files.writing import write

    held = items.labels_of_judges(labels, shared.AgreementRules(repeated=repeated))
    write(held, path, overwrite=overwrite)
    output.remarks(held.remarks, quiet=quiet)
    if not quiet:
        counts = zip(("label", "item", "judge"), held.sizes, strict=True)
        output.message(f"{path}: {', '.join(number_of(*each) for each in counts)}")
