"""`assay gate QRELS OLD NEW`, the same of the other subjects, and `assay freeze QRELS RUN -o FILE`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options, output
from assay.cli.inputs import directions
from assay.cli.options import TEST, Gating, Output, SearchRules, option, settings
from assay.cli.subject_options import ClusterInputs, LabelInputs, SpanRules
from assay.core.domains import Choice
from assay.core.errors import AssayError, InputError, ParameterError, number_of

if TYPE_CHECKING:
    from assay.verbs.gating.result import GateResult

#: Options that are not about the decision.
_PIPELINE = ("junit", "summary", "annotations", "margin")
OldName = Annotated[
    tuple[str, ...], option("-b", "--baseline", metavar="NAME", help="Of several systems, the baseline.")
]
NewName = Annotated[str | None, option("-c", "--candidate", metavar="NAME", help="Of several systems, the candidate.")]


def search(
    qrels: options.Judgments,
    old: Annotated[str, options.argument("OLD", "The run to hold against, or a file of `assay freeze`.")],
    new: Annotated[str, options.argument("NEW", "The run that wants its place; name=FILE names it.")],
    /,
    *,
    measures: options.Measures = (),
    gating: Gating = Gating(),
    min_judged: Annotated[
        float | None,
        option("--min-judged", help="Share of the top 10 that has to be judged, in both runs (no guard).", panel=TEST),
    ] = None,
    slices: options.Slices = None,
    topics: options.Topics = None,
    rules: SearchRules = SearchRules(),
    to: Output = Output(),
) -> int:
    """Say whether a run may take the baseline's place, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: inconclusive. 2: the input is not fit to be compared. Without
    -m: nDCG@10, or all measures of a frozen baseline.

    $ assay gate qrels.txt words.run stems.run -m AP --margin 0.02
    """

    def decided() -> GateResult:
        from assay.verbs.gating.rules import margins_in  # noqa: PLC0415  # `assay --help` need not load Polars

        if (slices is None) != (topics is None):
            raise ParameterError("--slices ATTRIBUTE and --topics FILE go together")
        stated = options.stated(min_judged=min_judged, slices=slices, topics=topics) | settings(rules)
        return _of_runs(qrels, old, new, measures, gating, margins_in(gating.margin), stated, to.quiet)

    return _deliver(decided, gating, to)


def classifier(
    old: options.Baseline,
    new: options.Candidate = None,
    /,
    *,
    baseline: OldName = (),
    candidate: NewName = None,
    measures: options.Measures = (),
    labels: LabelInputs = LabelInputs(),
    threshold: options.Threshold = None,
    missing: options.MissingItems = None,
    gating: Gating = Gating(),
    to: Output = Output(),
) -> int:
    """Say whether a classifier may take the baseline's place, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: inconclusive. 2: the input is not fit to be compared. Give
    two files of predictions, or one with several systems, and name two of them by -b and -c. Without -m: Accuracy.

    $ assay classifier gate letters/spam.csv -b words -c bayes --positive spam
    """

    def decided() -> GateResult:
        rules = items.item_rules(labels, threshold, missing)
        read = [items.predictions([file], labels) for file in (old, new) if file is not None]
        return _of_items(read, options.only(baseline, "-b"), candidate, measures, gating, rules, to.quiet)

    return _deliver(decided, gating, to)


def clustering(
    old: options.Baseline,
    new: options.Candidate = None,
    /,
    *,
    baseline: OldName = (),
    candidate: NewName = None,
    measures: options.Measures = (),
    clusters: ClusterInputs = ClusterInputs(),
    missing: options.MissingItems = None,
    gating: Gating = Gating(),
    to: Output = Output(),
) -> int:
    """Say whether a clustering may take the baseline's place, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: inconclusive. 2: the input is not fit to be compared. Give
    two files, or one with several clusterings, and name two of them by -b and -c. Without -m: ARI, or Silhouette.

    $ assay clustering gate notes/notes.csv -b density -c kmeans --unlabelled drop
    """

    def decided() -> GateResult:
        rules = items.cluster_rules(clusters) | options.stated(missing=missing)
        read = [items.clusterings([file], clusters) for file in (old, new) if file is not None]
        return _of_items(read, options.only(baseline, "-b"), candidate, measures, gating, rules, to.quiet)

    return _deliver(decided, gating, to)


def extraction(
    truth: options.TrueSpans,
    old: options.Baseline,
    new: Annotated[str, options.Candidate.__metadata__[0]],
    /,
    *,
    measures: options.Measures = (),
    rules: SpanRules = SpanRules(),
    gating: Gating = Gating(),
    to: Output = Output(),
) -> int:
    """Say whether a system that extracts spans may take the baseline's place, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: inconclusive. 2: the input is not fit to be compared. Without
    -m: F.

    $ assay extraction gate letters/mentions.conll letters/lists.conll letters/capitals.conll
    """

    def decided() -> GateResult:
        return _of_results(items.extractions(truth, [old, new], rules), {}, measures, gating)

    return _deliver(decided, gating, to)


def scores(
    path: options.ScoreFile,
    /,
    *,
    baseline: OldName = (),
    candidate: NewName = None,
    columns: options.Columns = (),  # noqa: ARG001  # `calling` sees to it
    measures: options.Measures = (),
    direction: options.Direction = (),
    gating: Gating = Gating(),
    to: Output = Output(),
) -> int:
    """Say whether a system may take the baseline's place, from bare scores, with an exit code for pipelines.

    0: it is not worse by the margin or more. 1: it is. 3: inconclusive. 2: the input is not fit to be compared. Name
    two of several systems by -b and -c. Without -m: all measures in the file.

    $ assay scores gate scores.csv -b words -c stems -m AP
    """

    def decided() -> GateResult:
        from assay.files.small_tables import read_scores  # noqa: PLC0415  # `assay --help` need not load Polars

        table = read_scores(path, **({"measure": measures[0]} if measures else {}))
        names = {"baseline": options.only(baseline, "-b"), "candidate": candidate}
        return _of_results(table, names | directions(direction), measures, gating)

    return _deliver(decided, gating, to)


def _of_results(results: Any, stated: dict[str, Any], measures: tuple[str, ...], gating: Gating) -> GateResult:
    """The gate on what was read already."""
    from assay.verbs.gating.gate import gate  # noqa: PLC0415
    from assay.verbs.gating.rules import margins_in  # noqa: PLC0415

    stated |= settings(gating, without=_PIPELINE)
    return gate(results, margin=margins_in(gating.margin), measures=measures or None, **stated)


def freeze(
    qrels: options.Judgments,
    run: options.Run,
    /,
    *,
    path: Annotated[Path, option("-o", "--output", help="The file to write; - for stdout.")],
    measures: options.Measures = (),
    rules: SearchRules = SearchRules(),
    overwrite: options.Overwrite = False,  # noqa: ARG001  # heeded by whoever calls
    quiet: options.Quiet = False,
) -> None:
    """Keep a run's scores as the baseline of later gates: a file with every topic's scores, rules and digests.

    $ assay freeze qrels.txt words.run -o baseline.json
    """
    from assay.subjects.ranking import baselines as frozen  # noqa: PLC0415  # `assay --help` need not load Polars

    frozen.refuse_predictions(qrels, inputs.named(run)[1])
    (opened,) = inputs.opened(qrels, [run])
    baseline = frozen.freeze(qrels, {opened.name: opened}, **options.stated(measures=measures), **settings(rules))
    if str(path) == "-":
        output.deliver(baseline.to_json())
    else:
        baseline.save(path)
    if not quiet:
        topics = number_of("topic", baseline.coverage.topics)
        output.message(f"{path}: {baseline.system}, {', '.join(baseline.measures)} on {topics}")


def _of_runs(
    qrels: str,
    old: str,
    new: str,
    measures: tuple[str, ...],
    gating: Gating,
    margin: Any,
    stated: dict[str, Any],
    quiet: bool,
) -> GateResult:
    from assay.files import Source  # noqa: PLC0415
    from assay.subjects.ranking.baseline_files import frozen_in, is_baseline  # noqa: PLC0415
    from assay.subjects.ranking.inputs import opened_run  # noqa: PLC0415
    from assay.verbs.gating.gate import gate  # noqa: PLC0415

    name, path = inputs.named(old)
    if [qrels, path, inputs.named(new)[1]].count("-") > 1:
        raise ParameterError("stdin (-) can be read only once: give the other file by name")
    if is_baseline(inputs.named(new)[1]):
        raise ParameterError(f"{new} looks like a frozen baseline: it comes before the run")
    # One source for both looks at the file: stdin and pipes can be read only once.
    source = Source(path)
    baseline: Any = frozen_in(source if name is None else {name: source})
    runs = inputs.opened(qrels, [new])
    if baseline is None:
        run = opened_run(source, name)
        baseline, runs = {run.name: run}, [run, *runs]
    stated |= settings(gating, without=_PIPELINE)
    with inputs.progress(runs, hidden=quiet):
        return gate(qrels, baseline, {runs[-1].name: runs[-1]}, margin=margin, measures=measures or None, **stated)


def _of_items(
    read: list[list[Any]],
    baseline: str | None,
    candidate: str | None,
    measures: tuple[str, ...],
    gating: Gating,
    rules: dict[str, Any],
    quiet: bool,
) -> GateResult:
    """The gate on predictions or clusters: two files, or systems of one by their names."""
    if not quiet:
        items.say([system for systems in read for system in systems])
    sides: dict[str, Any] = {"baseline": baseline, "candidate": candidate}
    if len(read) == 2 and baseline is None and candidate is None:
        sides["candidate"] = read.pop()
    systems = [system for group in read for system in group]
    return _of_results(systems, sides | rules, measures, gating)


def _deliver(decide: Callable[[], GateResult], gating: Gating, to: Output) -> int:
    """Decide, write what a pipeline reads, be it that something is wrong, and give the exit code."""
    try:
        form = output.form_of(to)
        if gating.annotations not in {None, "github"}:
            raise ParameterError(f"--annotations is github, not {gating.annotations!r}")
        if gating.inconclusive is not None:
            Choice(("report", "pass", "fail")).check("--inconclusive", gating.inconclusive)
        result = decide()
        if to.path is not None:
            output.deliver(_rendered(result, to), to)
        _write(gating, result)
    except Exception as problem:
        _write_problem(gating, problem)
        raise
    if not to.quiet:
        inputs.say(result.evaluation, result.notes)
    # Whoever reads stdout may close it: it comes last.
    _say(gating, result, None if to.path is not None else _rendered(result, to), to, is_log=form is None)
    return result.exit_code


def _rendered(result: GateResult, to: Output) -> str:
    if to.csv:
        return output.rendered(result, to)
    return output.written(result.document(), output.form_of(to), plain=to.path is not None)


def _write(gating: Gating, result: GateResult) -> None:
    """Write the files that a pipeline reads."""
    if gating.junit is not None:
        output.write_file(gating.junit, result.to_junit())
    if gating.summary is not None:
        _append(gating.summary, output.written(result.document(), "markdown"))


def _write_problem(gating: Gating, problem: Exception) -> None:
    """Leave what went wrong in the same places; one that cannot be written to does not keep it from the others."""
    from assay.show.legible import legible  # noqa: PLC0415
    from assay.verbs.gating.annotations import annotation  # noqa: PLC0415
    from assay.verbs.gating.junit import junit_of_problem  # noqa: PLC0415
    from assay.verbs.sections.gates import problem_document  # noqa: PLC0415

    text = str(problem) if isinstance(problem, AssayError) else f"unexpected {type(problem).__name__}: {problem}"
    if gating.junit is not None:
        with suppress(AssayError):
            output.write_file(gating.junit, junit_of_problem(text))
    if gating.summary is not None:
        with suppress(AssayError):
            _append(gating.summary, output.written(problem_document(text), "markdown"))
    if gating.annotations == "github":
        sys.stderr.write(legible(annotation("error", "Quality gate", f"Invalid input: {text}")))


def _say(gating: Gating, result: GateResult, text: str | None, to: Output, is_log: bool) -> None:
    """Print the result, if it goes to stdout, and the annotations.

    GitHub looks for commands in all that is printed, ids included: a text for people to read is fenced off. The
    commands then go to stdout, too, before it: of two streams, the order would be open.
    """
    apart = ""
    if gating.annotations is not None:
        from assay.show.legible import legible  # noqa: PLC0415
        from assay.verbs.gating.annotations import without_commands  # noqa: PLC0415

        apart = legible(result.to_annotations())
        if text is not None and is_log:
            text, apart = output.Styled(apart + without_commands(text)), ""
    if apart:
        sys.stderr.write(apart)
    if text is not None:
        output.deliver(text, to)


def _append(path: Path, text: str) -> None:
    from assay.files import originals  # noqa: PLC0415  # `assay --help` need not load Polars

    originals.check([path])
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise InputError(f"{path}: cannot be written: {(problem.strerror or str(problem)).lower()}") from problem
