"""`assay judge [PROJECT]` and what belongs to it: projects, assessors, decisions, releases, and their upkeep."""

from __future__ import annotations

import getpass
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

from assay.cli import inputs, options, output
from assay.cli.options import Output
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.evaluation_options import CONTENTS, RULES, option
from assay.core.options import SeedOption

if TYPE_CHECKING:
    from assay.store.database import Database
    from assay.store.projects import Project

#: What a project is called where nobody names it.
_USUAL = "judging.db"

Place: TypeAlias = Annotated[
    str, options.argument("PROJECT", f"The project: a file ({_USUAL}), or postgresql://... of a team.")
]
Name: TypeAlias = Annotated[str, option("--project", metavar="NAME", help="Which project, where the file has several.")]
Me: TypeAlias = Annotated[str, option("--as", metavar="NAME", help="Who you are (the name you log in with).")]
Version: TypeAlias = Annotated[int, option("--release", metavar="N", help="The release (the newest).", least=1)]


class Rules(TypedDict, total=False):
    """How documents are handed out."""

    overlap: Annotated[int, option(help="People who judge each document (1).", least=1)]
    most: Annotated[int, option(help="Ask more people, up to N, where they disagree (as --overlap).", least=1)]
    apart: Annotated[str, option(help="What is a disagreement: another grade (default), or relevance.", panel=RULES)]
    tolerance: Annotated[int, option(help="Grades that may lie between two that agree (0).", panel=RULES, least=0)]
    order: Annotated[str, option(help="topic by topic (default), random, priority (of the pool).", panel=RULES)]
    gold_every: Annotated[int, option(help="Mix in a known answer every N documents (0: never).", panel=RULES, least=0)]
    repeat_every: Annotated[int, option(help="Repeat an earlier document every N (0: never).", panel=RULES, least=0)]
    lease: Annotated[int, option(help="Minutes until others get a document that was begun (30).", panel=RULES, least=1)]


class PolicyOptions(TypedDict, total=False):
    """How labels become judgments."""

    method: Annotated[str, option("--policy", help="majority (default), median, highest, lowest, dawid-skene.")]
    ties: Annotated[str, option(help="Of equally frequent grades: lowest (default), highest, none.", panel=RULES)]
    minimum: Annotated[int, option(help="Labels that a document needs (1).", panel=RULES, least=1)]


def judge(
    place: Place = _USUAL,
    assessor: Me | None = None,
    project: Name | None = None,
    plain: Annotated[bool, option(help="Line by line: for screen readers, and without a full screen.")] = False,
    demo: Annotated[bool, option(help="Try it on the notes that come with Assay; nothing is kept.")] = False,
) -> None:
    """Judge documents at the terminal: one key for each grade, saved at once.

    The topic stays in view, its words are highlighted in the document. `?` shows the keys. You may stop at any time and
    go on later. (`assay clicks judge` is something else: it makes judgments of clicks.)

    $ assay judge --demo
    $ assay judge judging.db --as ana
    """
    from assay.cli.judge_session import Session  # noqa: PLC0415  # `assay --help` loads no database
    from assay.cli.judge_terminal import judge_in_lines, judge_on_screen  # noqa: PLC0415

    run = judge_in_lines if plain or os.environ.get("TERM") == "dumb" or os.name == "nt" else judge_on_screen
    if demo:
        with tempfile.TemporaryDirectory() as folder, _opened(str(Path(folder) / _USUAL), create=True) as database:
            run(Session(_demo(database), "you"))
        output.message("`assay judge init` makes a project of your own runs and documents.")
        return
    with _project(place, project) as opened:
        run(Session(opened, assessor or _me()))


def init(
    rules: Rules,
    drawing: SeedOption,
    place: Place = _USUAL,
    runs: Annotated[tuple[str, ...], option("--runs", "--run", metavar="RUN", help="A run to pool; repeat.")] = (),
    topics: Annotated[str | None, option(metavar="FILE", help="Topics file.")] = None,
    documents: Annotated[str | None, option(metavar="FILE", help="Documents file.")] = None,
    depth: Annotated[int, option(help="Pool the top N documents of each run (10).", least=1)] = 10,
    collection: Annotated[str | None, option(metavar="FOLDER", help="A collection, in place of files.")] = None,
    pool: Annotated[
        str | None, option(metavar="FILE", help="A pool from `assay pool make`, in place of --depth.")
    ] = None,
    name: Name | None = None,
    scale: Annotated[
        str, option(metavar="SCALE", help="binary, graded (0-3; default), web, or as 0=no,1=perhaps,2=yes.")
    ] = "graded",
    aspects: Annotated[
        tuple[str, ...], option("--aspect", metavar="NAME[:SCALE]", help="Also ask for novelty, support, ...; repeat.")
    ] = (),
    guidelines: Annotated[str | None, option(metavar="FILE", help="Guidelines that assessors can look up.")] = None,
    assessors: Annotated[tuple[str, ...], option("--assessor", metavar="NAME", help="Who judges; repeat (you).")] = (),
    keep_missing: Annotated[bool, option(help="Keep pooled documents that have no text.", panel=CONTENTS)] = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a project: pool runs, and ask people to judge the documents.

    $ assay judge init --run words.run --run stems.run --topics topics.tsv --documents notes.jsonl --depth 5
    $ assay judge init team.db --collection my-collection --overlap 2 --most 3 --assessor ana --assessor ben
    """
    from assay.store.deciding import keep_runs  # noqa: PLC0415  # `assay --help` loads no database
    from assay.store.projects import add_assessors, create_project  # noqa: PLC0415
    from assay.store.scales import aspect_of, scale_of  # noqa: PLC0415
    from assay.store.settings import Settings  # noqa: PLC0415

    settings, chosen = Settings.of(rules), scale_of(scale)
    with inputs.bar("pooling", 0, hidden=quiet):
        files, texts, bodies = _texts(runs, topics, documents, collection)
        pooled = _pool(files, pool, depth, drawing)
    with _opened(place, create=True) as database, inputs.bar("making the project", 0, hidden=quiet):
        project = create_project(
            database, name or "judging", pooled, texts, bodies, scale=chosen, settings=settings,
            aspects=[aspect_of(each) for each in aspects], guidelines=_text(guidelines), keep_missing=keep_missing,
            seed=drawing.get("seed", 0), actor=_me(),
        )  # fmt: skip
        keep_runs(project, files, actor=_me())
        add_assessors(project, assessors or (_me(),), actor=_me())
    if not quiet:
        count = number_of("document", pooled.to_judge().height)
        topics_count = number_of("topic", pooled.frame["query_id"].n_unique())
        output.message(f"{place}: {count} of {topics_count}; scale: {chosen.described()}")
        output.message(f"next: assay judge {place}{'' if not assessors else f' --as {assessors[0]}'}")


def status(to: Output, place: Place = _USUAL, project: Name | None = None) -> None:
    """Show how a project stands: progress, agreement, each assessor, what is worth a look.

    $ assay judge status judging.db
    """
    from assay.store.quality import project_status  # noqa: PLC0415  # `assay --help` loads no database

    with _project(place, project) as opened, inputs.working("counting", hidden=to.quiet):
        result = project_status(opened)
    output.give(result, to)


def assign(
    names: Annotated[list[str], options.argument("NAME", "Who judges; a program or model with --kind.")],
    place: Annotated[str, option("--in", metavar="PROJECT", help=f"The project ({_USUAL}).")] = _USUAL,
    topics: Annotated[str | None, option(metavar="1,2,3", help="Only these topics for them.")] = None,
    kind: Annotated[str, option(help="human (default), program, model.")] = "human",
    project: Name | None = None,
) -> None:
    """Add assessors, or give them topics of their own. Others see aliases.

    $ assay judge assign ana ben --in judging.db
    """
    from assay.core.domains import Choice  # noqa: PLC0415
    from assay.store.projects import add_assessors  # noqa: PLC0415

    Choice(("human", "program", "model")).check("kind", kind)
    with _project(place, project) as opened:
        only = None if topics is None else [each.strip() for each in topics.split(",")]
        aliases = add_assessors(opened, names, kind=kind, topics=only, actor=_me())
    for name, alias in zip(names, aliases, strict=True):
        output.message(f"{name}: {alias}")


def change(
    rules: Rules,
    place: Place = _USUAL,
    guidelines: Annotated[str | None, option(metavar="FILE", help="A new version of the guidelines.")] = None,
    gold: Annotated[str | None, option(metavar="QRELS", help="Known answers, mixed in unmarked.")] = None,
    state: Annotated[str | None, option(help="open, paused, closed.")] = None,
    project: Name | None = None,
) -> None:
    """Change the rules of a project, its guidelines, its known answers or its state.

    $ assay judge change judging.db --overlap 2 --most 3
    """
    from assay.store.changes import add_gold, change_settings, change_state, new_guidelines  # noqa: PLC0415
    from assay.store.settings import Settings  # noqa: PLC0415

    if not any((rules, guidelines, gold, state)):
        raise ParameterError("nothing to change: give a rule, --guidelines, --gold or --state")
    with _project(place, project) as opened:
        if rules:
            before = vars(opened.settings)
            if "overlap" in rules and "most" not in rules:
                before = {**before, "most": max(before["most"], rules["overlap"])}
            change_settings(opened, Settings(**{**before, **rules}), actor=_me())
        if guidelines is not None:
            output.message(f"guidelines: version {new_guidelines(opened, _text(guidelines), actor=_me())}")
        if gold is not None:
            output.message(number_of("known answer", add_gold(opened, _grades(gold), actor=_me())))
        if state is not None:
            change_state(opened, state, actor=_me())


def adjudicate(
    to: Output,
    place: Place = _USUAL,
    topic: Annotated[str | None, option(metavar="ID", help="Decide on a document of this topic.")] = None,
    document: Annotated[str | None, option(metavar="ID", help="Decide on this document.")] = None,
    grade: Annotated[int | None, option(help="What it is worth; without: it cannot be judged.")] = None,
    reason: Annotated[str, option(metavar="TEXT", help="Why; it is kept with the decision.")] = "",
    assessor: Me | None = None,
    project: Name | None = None,
) -> None:
    """List the documents on which assessors differ, with what they said; or decide on one.

    $ assay judge adjudicate judging.db
    $ assay judge adjudicate judging.db --topic 3 --document n17 --grade 2 --reason "answers half of it"
    """
    from assay.store.adjudication import adjudicate as decide  # noqa: PLC0415  # `assay --help` loads no database
    from assay.store.listings import disputes_listing  # noqa: PLC0415

    if (topic is None) != (document is None):
        raise ParameterError("--topic and --document go together: they name what is decided")
    with _project(place, project) as opened:
        if topic is not None and document is not None:
            decide(opened, topic, document, grade, decided_by=assessor or _me(), reason=reason)
            output.message(
                f"{topic} {document}: {'cannot be judged' if grade is None else opened.scale.grade(grade).label}"
            )
            return
        result = disputes_listing(opened)
    output.give(result, to)


def release(
    policy: PolicyOptions,
    to: Output,
    place: Place = _USUAL,
    note: Annotated[str, option(metavar="TEXT", help="A note that is kept with the release.")] = "",
    new: Annotated[bool, option("--list", help="List the releases there are, and make none.")] = False,
    project: Name | None = None,
) -> None:
    """Freeze the judgments under the next number; they never change again, and `PROJECT@N` names them everywhere.

    $ assay judge release judging.db
    $ assay evaluate judging.db@1 words.run stems.run
    """
    from assay.store.listings import release_listing  # noqa: PLC0415  # `assay --help` loads no database
    from assay.store.releases import Policy, make_release  # noqa: PLC0415

    with _project(place, project) as opened, inputs.working("releasing", hidden=to.quiet):
        if not new:
            make_release(opened, Policy.of(policy), note=note, actor=_me())
        result = release_listing(opened)
    output.give(result, to)


def diff(
    first: Annotated[int, options.argument("N", "A release.")],
    second: Annotated[int, options.argument("M", "A later one.")],
    to: Output,
    place: Annotated[str, option("--in", metavar="PROJECT", help=f"The project ({_USUAL}).")] = _USUAL,
    measures: options.Measures = (),
    project: Name | None = None,
) -> None:
    """Show what changed between two releases: grades, documents, and the verdicts on the project's runs that it moves.

    $ assay judge diff 1 2 --in judging.db
    """
    from assay.store.deciding import release_diff  # noqa: PLC0415  # `assay --help` loads no database
    from assay.store.releases import open_release  # noqa: PLC0415

    named = tuple(options.measure_names(measures)) or ("nDCG@10", "AP")
    with _project(place, project) as opened, inputs.working("comparing", hidden=to.quiet):
        result = release_diff(opened, open_release(opened, first), open_release(opened, second), named)
    output.give(result, to)


def next_documents(
    to: Output,
    place: Place = _USUAL,
    number: Annotated[int, option("-n", "--number", help="How many documents (20).", least=1)] = 20,
    measure: Annotated[
        str, option("-m", "--measure", metavar="MEASURE", help="The measure to decide by (nDCG@10).")
    ] = "nDCG@10",
    runs: Annotated[
        tuple[str, ...], option("--run", metavar="RUN", help="Runs to decide between (the project's).")
    ] = (),
    system: Annotated[str | None, option(metavar="NAME", help="Of more than two runs: this one ...")] = None,
    baseline: Annotated[str | None, option("-b", "--baseline", metavar="NAME", help="... against this one.")] = None,
    only_list: Annotated[bool, option("--list", help="List them, and leave the order of judging alone.")] = False,
    project: Name | None = None,
) -> None:
    """Have the documents judged first that decide a comparison; and see when more judging would decide nothing.

    $ assay judge next judging.db -n 20 -m nDCG@10
    """
    from assay.store.deciding import judge_next  # noqa: PLC0415  # `assay --help` loads no database

    with _project(place, project) as opened, inputs.working("comparing", hidden=to.quiet):
        given = {run.name: run for run in inputs.opened("", runs)} if runs else None
        result = judge_next(
            opened,
            given,
            number=number,
            measure=measure,
            system=system,
            baseline=baseline,
            queue=not only_list,
            actor=_me(),
        )
    output.give(result, to)


def import_labels(
    files: options.LabelFiles,
    to: Output,
    place: Annotated[str, option("--in", metavar="PROJECT", help=f"The project ({_USUAL}).")] = _USUAL,
    kind: Annotated[str, option(help="Whose labels: human (default), program, model.")] = "human",
    dry_run: Annotated[bool, option(help="Say what would be imported, and change nothing.")] = False,
    project: Name | None = None,
) -> None:
    """Take labels that were made elsewhere: tables, TREC judgments, Label Studio, Quepid, Argilla, Langfuse and others.

    What is there already is not taken twice. --dry-run says what would be taken, refused and why.

    $ assay judge import ratings.csv --in judging.db --dry-run
    """
    from assay.files.labels import read_labels  # noqa: PLC0415  # `assay --help` loads no database
    from assay.store.transfer import take_labels  # noqa: PLC0415

    with _project(place, project) as opened:
        sources: Any = files[0] if len(files) == 1 else {Path(file).stem: file for file in files}
        result = take_labels(opened, read_labels(sources, repeated="last"), kind=kind, dry_run=dry_run, actor=_me())
    output.give(result, to)


def export(
    place: Place = _USUAL,
    path: Annotated[
        Path,
        option("-o", "--output", metavar="FILE", help="The file; its ending names the form: .qrels, .csv, .jsonl."),
    ] = Path("-"),
    what: Annotated[
        str, option(help="release (default), labels, judges, history; tasks: --for label-studio or quepid.")
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

    $ assay judge export judging.db -o judgments.qrels
    $ assay judge export judging.db --what history -o everything.jsonl
    """
    from assay.store.transfer import exported  # noqa: PLC0415  # `assay --help` loads no database

    with _project(place, project) as opened:
        text, said = exported(
            opened, what, ending=path.suffix.lower(), version=version, aspect=aspect, unjudged=unjudged, tool=tool
        )
    output.deliver(text, Output(path=None if str(path) == "-" else path, overwrite=overwrite))
    if not quiet:
        output.message(said)


def backup(
    place: Place = _USUAL,
    path: Annotated[Path, option("-o", "--output", metavar="FILE", help="The file to write.")] = Path("judging.backup"),
    overwrite: options.Overwrite = False,
) -> None:
    """Write all of a database to a file, while others may go on; it restores to SQLite and to PostgreSQL.

    $ assay judge backup judging.db -o judging.backup
    """
    from assay.store.upkeep import back_up  # noqa: PLC0415  # `assay --help` loads no database

    with _opened(place) as database, inputs.bar("backing up", 0, hidden=False):
        rows = back_up(database, path, overwrite=overwrite)
    output.message(f"{path}: {number_of('row', rows)}")


def restore(
    source: Annotated[str, options.argument("BACKUP", "A file from `assay judge backup`.")],
    place: Annotated[
        str, option("-o", "--output", metavar="PROJECT", help="The new file, or the URL of an empty database.")
    ],
) -> None:
    """Make a new database of a backup; one that holds something is never touched.

    $ assay judge restore judging.backup -o restored.db
    """
    from assay.store import upkeep  # noqa: PLC0415  # `assay --help` loads no database

    with inputs.bar("restoring", 0, hidden=False), upkeep.restore(source, place) as database:
        found = upkeep.check_store(database)
    output.message(f"{place}: {number_of('label', found.counts['label'])}, {number_of('problem', len(found.problems))}")


def check(to: Output, place: Place = _USUAL) -> int:
    """Check a database: damage, and what must not be, such as more labels than were asked for. Exit 1 if it has any.

    $ assay judge check judging.db
    """
    from assay.store.upkeep import check_store  # noqa: PLC0415  # `assay --help` loads no database

    with _opened(place) as database, inputs.working("checking", hidden=to.quiet):
        result = check_store(database)
    output.give(result, to)
    return 0 if result.ok else 1


@contextmanager
def _opened(place: str, *, create: bool = False) -> Iterator[Database]:
    from assay.store.database import open_database  # noqa: PLC0415  # `assay --help` loads no database

    with open_database(place, create=create) as database:
        yield database


@contextmanager
def _project(place: str, name: str | None) -> Iterator[Project]:
    from assay.store.projects import open_project  # noqa: PLC0415  # `assay --help` loads no database

    with _opened(place) as database:
        yield open_project(database, name)


def _me() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        return "you"


def _text(path: str | None) -> str:
    if path is None:
        return ""
    from assay.files.sources import Source  # noqa: PLC0415

    with Source.of(path).open() as file:
        return file.read().decode("utf-8", "replace")


def _grades(path: str) -> dict[tuple[str, str], int]:
    from assay.files import read_qrels  # noqa: PLC0415

    rows = read_qrels(path).frame.select("query_id", "doc_id", "relevance").iter_rows()
    return {(query, document): int(relevance) for query, document, relevance in rows if relevance >= 0}


def _texts(
    runs: tuple[str, ...], topics: str | None, documents: str | None, collection: str | None
) -> tuple[dict[str, Any], Any, Any]:
    """The runs by name, the topics, and the documents in pieces."""
    from assay.files import read_topics  # noqa: PLC0415
    from assay.files.document_stream import document_batches  # noqa: PLC0415

    files = {}
    if collection is not None:
        from assay.files.manifest import open_collection  # noqa: PLC0415

        opened = open_collection(collection)
        topics = topics or (None if opened.topics is None else str(opened.topics))
        documents = documents or (str(opened.documents[0]) if opened.documents else None)
        files = {Path(file).stem: file for file in map(str, opened.run_files())} if not runs else {}
    for name, path in inputs.each_named("", runs):
        files[name or Path(path).stem] = path
    for what, given in (("--run RUN", files), ("--topics FILE", topics), ("--documents FILE", documents)):
        if not given:
            raise ParameterError(
                f"{what} is missing: a project needs runs, topics and documents, or --collection FOLDER"
            )
    return files, read_topics(str(topics)), document_batches(str(documents))


def _pool(files: Mapping[str, Any], pool: str | None, depth: int, drawing: SeedOption) -> Any:
    from assay.collections.pooling import make_pool  # noqa: PLC0415

    made = make_pool(files, depth=depth, **drawing)
    if pool is None:
        return made
    import polars as pl  # noqa: PLC0415

    from assay.files.named_columns import named_columns  # noqa: PLC0415

    table = named_columns(pool, "pool")
    absent = {"query_id", "doc_id"} - set(table.frame.columns)
    if absent:
        raise InputError(f"{pool}: expected a pool with query_id and doc_id, as `assay pool make` writes it")
    wanted = table.frame.select("query_id", "doc_id").cast(pl.String)
    deep = make_pool(files, depth=10**6, **drawing)
    return replace(deep, frame=deep.frame.join(wanted, on=["query_id", "doc_id"], how="semi", maintain_order="left"))


def _demo(database: Database) -> Project:
    from importlib.resources import files as resources  # noqa: PLC0415

    from assay.store.projects import add_assessors, create_project  # noqa: PLC0415
    from assay.store.scales import SCALES  # noqa: PLC0415

    folder = resources("assay") / "data" / "bicycles"
    place = Path(str(folder))
    runs = tuple(str(place / "runs" / f"{name}.run") for name in ("bm25", "described", "expanded"))
    files, topics, documents = _texts(runs, str(place / "topics.trec"), str(place / "documents.jsonl"), None)
    guidelines = "Judge what a cyclist with this question would do with the note. A topic may have no good note at all."
    project = create_project(
        database,
        "bicycles",
        _pool(files, None, 5, {}),
        topics,
        documents,
        scale=SCALES["graded"],
        guidelines=guidelines,
    )
    add_assessors(project, ["you"])
    return project
