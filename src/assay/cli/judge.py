"""`assay judge [PROJECT]` and what belongs to it: projects, assessors, decisions, releases, and their upkeep."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

from assay.cli import inputs, options, output
from assay.cli.judge_projects import (
    USUAL,
    In,
    Me,
    Name,
    Place,
    Rules,
    demo_project,
    grades_of,
    me,
    opened_project,
    opened_store,
    pairs_of,
    settings_of,
    text_of,
)
from assay.cli.options import Output
from assay.core.errors import ParameterError, number_of
from assay.core.evaluation_options import RULES, Columns, option

Version: TypeAlias = Annotated[int, option("--release", metavar="N", help="The release (the newest).", least=1)]


class PolicyOptions(TypedDict, total=False):
    """The policy by which labels become judgments."""

    method: Annotated[str, option("--policy", help="majority (default), median, highest, lowest, dawid-skene.")]
    ties: Annotated[str, option(help="Of equally frequent grades: lowest (default), highest, none.", panel=RULES)]
    minimum: Annotated[int, option(help="Labels that a document needs (1).", panel=RULES, least=1)]
    aspect: Annotated[str, option(metavar="NAME", help="Release this aspect in place of relevance.")]
    kinds: Annotated[
        tuple[str, ...],
        option("--count", metavar="KIND", help="Whose labels: human, program, model (human); repeat.", panel=RULES),
    ]
    without: Annotated[tuple[str, ...], option(metavar="NAME", help="Leave out this assessor; repeat.", panel=RULES)]


def judge(
    place: Place = USUAL,
    assessor: Me | None = None,
    project: Name | None = None,
    keys: Annotated[
        str, option(metavar="KEYS", help="Your keys for the grades, lowest first, such as mlpo (those of the scale).")
    ] = "",
    plain: Annotated[bool, option(help="Line by line: for screen readers, and without a full screen.")] = False,
    demo: Annotated[bool, option(help="Try it on the notes that come with Assay; nothing is kept.")] = False,
) -> None:
    """Judge documents at the terminal, one key for each grade (`assay clicks judge` makes judgments of clicks).

    Every judgment is saved at once. The topic stays in view, its words are highlighted in the document, and `?` shows
    the keys. You may stop at any time and go on later.

    $ assay judge start --demo --plain
    """
    from assay.cli.judge_session import Session
    from assay.cli.judge_terminal import judge_in_lines, judge_on_screen

    run = judge_in_lines if plain or os.environ.get("TERM") == "dumb" or os.name == "nt" else judge_on_screen
    if demo:
        with tempfile.TemporaryDirectory() as folder, opened_store(str(Path(folder) / USUAL), create=True) as database:
            run(Session(demo_project(database), "you", keys))
        output.message("`assay judge init` makes a project of your own runs and documents.")
        return
    with opened_project(place, project) as opened:
        run(Session(opened, assessor or me(), keys))


def status(to: Output, place: Place = USUAL, project: Name | None = None) -> None:
    """Show how a project stands: progress, agreement, each assessor, what is worth a look.

    $ assay judge status
    """
    from assay.store.quality import project_status

    with opened_project(place, project) as opened, inputs.working("counting", hidden=to.quiet):
        result = project_status(opened)
    output.give(result, to)


def assign(
    names: Annotated[list[str], options.argument("NAME", "Who judges; a program or model with --kind.")],
    place: In = USUAL,
    topics: Annotated[str | None, option(metavar="1,2,3", help="Only these topics for them.")] = None,
    kind: Annotated[str, option(help="human (default), program, model.")] = "human",
    stop: Annotated[
        bool, option(help="They judge here no more; what they said stays. Without it, they go on.")
    ] = False,
    project: Name | None = None,
) -> None:
    """Add assessors, or give them topics of their own. Others see aliases.

    $ assay judge assign cleo
    """
    from assay.core.domains import Choice
    from assay.store.changes import change_assessors
    from assay.store.projects import add_assessors

    Choice(("human", "program", "model")).check("kind", kind)
    with opened_project(place, project) as opened:
        if stop:
            change_assessors(opened, names, is_active=False, actor=me())
            output.message(f"{', '.join(names)}: no more")
            return
        only = None if topics is None else [each.strip() for each in topics.split(",")]
        aliases = add_assessors(opened, names, kind=kind, topics=only, actor=me())
        change_assessors(opened, names, is_active=True, actor=me())
    for name, alias in zip(names, aliases, strict=True):
        output.message(f"{name}: {alias}")


def change(
    rules: Rules,
    place: Place = USUAL,
    guidelines: Annotated[str | None, option(metavar="FILE", help="A new version of the guidelines.")] = None,
    gold: Annotated[str | None, option(metavar="QRELS", help="Known answers, mixed in unmarked.")] = None,
    state: Annotated[str | None, option(help="open, paused, closed.")] = None,
    project: Name | None = None,
) -> None:
    """Change the rules of a project, its guidelines, its known answers or its state.

    $ assay judge change --overlap 2 --most 4
    """
    from assay.store.changes import add_gold, change_settings, change_state, new_guidelines
    from assay.store.settings import Settings

    if not any((rules, guidelines, gold, state)):
        raise ParameterError("nothing to change: give a rule, --guidelines, --gold or --state")
    with opened_project(place, project) as opened:
        if rules:
            before = vars(opened.settings)
            if "overlap" in rules and "most" not in rules:
                before = {**before, "most": max(before["most"], rules["overlap"])}
            change_settings(opened, Settings(**{**before, **settings_of(rules)}), actor=me())
        if guidelines is not None:
            output.message(f"guidelines: version {new_guidelines(opened, text_of(guidelines), actor=me())}")
        if gold is not None:
            output.message(number_of("known answer", add_gold(opened, grades_of(gold), actor=me())))
        if state is not None:
            change_state(opened, state, actor=me())


def adjudicate(
    to: Output,
    place: Place = USUAL,
    topic: Annotated[str | None, option(metavar="ID", help="Decide on a document of this topic.")] = None,
    document: Annotated[str | None, option(metavar="ID", help="Decide on this document.")] = None,
    grade: Annotated[int | None, option(help="What it is worth.")] = None,
    cannot_judge: Annotated[bool, option(help="Decide that nobody can judge it.")] = False,
    reason: Annotated[str, option(metavar="TEXT", help="Why; it is kept with the decision.")] = "",
    assessor: Me | None = None,
    project: Name | None = None,
) -> None:
    """List the documents on which assessors differ, with what they said; show one of them, or decide on it.

    With --topic and --document alone, the document is shown with all that was said of it.

    $ assay judge adjudicate
    $ assay judge adjudicate --topic 1 --document b082 --grade 1 --reason "explains a part of it"
    """
    from assay.store.adjudication import adjudicate as decide
    from assay.store.listings import disputes_listing

    decides = grade is not None or cannot_judge
    if grade is not None and cannot_judge:
        raise ParameterError("--grade and --cannot-judge contradict one another")
    if (topic is None) != (document is None) or (decides and topic is None):
        raise ParameterError("--topic and --document go together: they name what is decided")
    with opened_project(place, project) as opened:
        if decides and topic is not None and document is not None:
            decide(opened, topic, document, grade, decided_by=assessor or me(), reason=reason)
            said = "cannot be judged" if grade is None else opened.scale.grade(grade).label
            output.message(f"{topic} {document}: {said}")
            return
        result = disputes_listing(opened, None if topic is None or document is None else (topic, document))
    output.give(result, to)


def release(
    policy: PolicyOptions,
    to: Output,
    place: Place = USUAL,
    note: Annotated[str, option(metavar="TEXT", help="A note that is kept with the release.")] = "",
    new: Annotated[bool, option("--list", help="List the releases there are, and make none.")] = False,
    project: Name | None = None,
) -> None:
    """Freeze the judgments under the next number; they never change again, and `PROJECT@N` names them everywhere.

    $ assay judge release --note "first round"
    """
    from assay.store.listings import release_listing
    from assay.store.releases import Policy, make_release

    with opened_project(place, project) as opened, inputs.working("releasing", hidden=to.quiet):
        if not new:
            make_release(opened, Policy.of(policy), note=note, actor=me())
        result = release_listing(opened)
    output.give(result, to)


def diff(
    first: Annotated[str, options.argument("N", "A release, by its number.")],
    second: Annotated[str, options.argument("M", "A later one.")],
    to: Output,
    place: In = USUAL,
    measures: options.Measures = (),
    project: Name | None = None,
) -> None:
    """Show what changed between two releases: grades, documents, and the verdicts on the project's runs that it moves.

    $ assay judge diff 1 2
    """
    from assay.store.release_changes import release_diff
    from assay.store.releases import open_release

    numbers = [_number(each) for each in (first, second)]
    named = tuple(options.measure_names(measures)) or ("nDCG@10", "AP")
    with opened_project(place, project) as opened, inputs.working("comparing", hidden=to.quiet):
        before, after = (open_release(opened, number) for number in numbers)
        result = release_diff(opened, before, after, named)
    output.give(result, to)


def next_documents(
    to: Output,
    place: Place = USUAL,
    number: Annotated[int, option("-n", "--number", help="How many documents (20).", least=1)] = 20,
    measure: Annotated[
        str, option("-m", "--measure", metavar="MEASURE", help="The measure to decide by (nDCG@10).")
    ] = "nDCG@10",
    runs: Annotated[
        tuple[str, ...],
        option("--runs", "--run", metavar="RUN", help="Runs to decide between (the project's).", several=True),
    ] = (),
    documents: Annotated[
        str | None, option(metavar="FILE", help="Texts of documents outside the pool: these are added to it.")
    ] = None,
    system: Annotated[str | None, option(metavar="NAME", help="Of more than two runs: this one ...")] = None,
    baseline: Annotated[str | None, option("-b", "--baseline", metavar="NAME", help="... against this one.")] = None,
    only_list: Annotated[bool, option("--list", help="List them, and leave the order of judging alone.")] = False,
    listed: Annotated[
        str | None,
        option("--from", metavar="FILE", help="These first: a table by `assay compare ... --judge-next 20 --csv`."),
    ] = None,
    project: Name | None = None,
) -> None:
    """Have the documents judged first that decide a comparison; and see when more judging would decide nothing.

    $ assay judge next -n 5 -b bm25 --run bicycles/runs/bm25.run --run bicycles/runs/described.run
    """
    from assay.files.document_stream import document_batches
    from assay.store.deciding import judge_next, put_first

    texts = None if documents is None else document_batches(documents)
    if listed is not None:
        with opened_project(place, project) as opened:
            placed = put_first(opened, pairs_of(listed), documents=texts, only_count=only_list, actor=me())
        output.message(
            f"{number_of('document', placed.queued)} will be handed out first, {placed.added:,} new in the pool; "
            f"{placed.outside:,} left out, in no pool; {placed.closed:,} judged already, or waiting for a decision"
        )
        return
    with opened_project(place, project) as opened, inputs.working("comparing", hidden=to.quiet):
        given = {run.name: run for run in inputs.opened("", runs)} if runs else None
        result = judge_next(
            opened,
            given,
            number=number,
            measure=measure,
            system=system,
            baseline=baseline,
            queue=not only_list,
            documents=texts,
            actor=me(),
        )
    output.give(result, to)


def import_labels(
    files: options.LabelFiles,
    to: Output,
    place: In = USUAL,
    kind: Annotated[
        str | None, option(help="Whose labels: human (default), program, model (default of UMBRELA's).")
    ] = None,
    grades: Annotated[
        str | None, option(metavar="LABEL=GRADE,...", help="Labels of another scale, as in 0=0,0.5=1,1=3.")
    ] = None,
    columns: Columns = None,  # noqa: ARG001  # `calling` sees to it
    dry_run: Annotated[bool, option(help="Say what would be imported, and change nothing.")] = False,
    project: Name | None = None,
) -> None:
    """Take labels that were made elsewhere: tables, TREC judgments, Label Studio, Quepid, Argilla, Langfuse and others.

    What is there already is not taken twice. --dry-run says what would be taken, refused and why.

    $ assay judge import bicycles/judgments.txt --in judging.db --dry-run
    """
    from assay.files.labels import read_labels
    from assay.files.registry import head_of
    from assay.files.score_exports import is_of_a_model
    from assay.files.sources import Source
    from assay.store.transfer import take_labels

    with opened_project(place, project) as opened:
        named = inputs.by_name(files, "judges")
        sources: Any = named if len(files) > 1 or isinstance(named, dict) else files[0]
        labels = read_labels(sources, repeated="last")
        if kind is None:
            paths = named.values() if isinstance(named, dict) else files
            kind = (
                "model"
                if any(str(path) != "-" and is_of_a_model(head_of(Source.of(path))) for path in paths)
                else "human"
            )
        result = take_labels(opened, labels, kind=kind, grades=grades, dry_run=dry_run, actor=me())
    output.give(result, to)


def export(
    place: Place = USUAL,
    path: Annotated[
        Path,
        option("-o", "--output", metavar="FILE", help="The file; its ending names the form: .qrels, .csv, .jsonl."),
    ] = Path("-"),
    what: Annotated[
        str,
        option(help="release (default), labels, judges, history, everything; tasks: --for label-studio or quepid."),
    ] = "release",
    tool: Annotated[
        str, option("--for", metavar="TOOL", help="The tool that tasks are for: label-studio, quepid.")
    ] = "label-studio",
    version: Version | None = None,
    aspect: Annotated[str | None, option(metavar="NAME", help="Labels of this aspect.")] = None,
    unjudged: Annotated[bool, option(help="Also what was pooled and not judged, as -1.")] = False,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
    project: Name | None = None,
) -> None:
    """Write a release as judgments; or labels, labels by judge, all that was ever said, or tasks for another tool.

    $ assay judge export -o judgments.qrels
    $ assay judge export --what everything -o everything.jsonl
    """
    from assay.store.transfer import exported

    with opened_project(place, project) as opened:
        text, said = exported(
            opened, what, ending=path.suffix.lower(), version=version, aspect=aspect, unjudged=unjudged, tool=tool
        )
    output.deliver(text, Output(path=None if str(path) == "-" else path, overwrite=overwrite))
    if not quiet:
        output.message(said)


def _number(text: str) -> int:
    """The number of a release as it was typed, also behind the project's name."""
    number = text.rpartition("@")[2]
    if not number.isdecimal():
        raise ParameterError(f"expected the number of a release, such as 2, got {text!r}")
    return int(number)
