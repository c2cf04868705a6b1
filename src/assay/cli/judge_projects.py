"""Judging projects as commands make and open them: from runs, topics and documents, or the notes that come along."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict

from assay.cli import inputs, options, output
from assay.core.errors import InputError, ParameterError, number_of
from assay.core.evaluation_options import CONTENTS, RULES, option
from assay.core.options import SeedOption

if TYPE_CHECKING:
    import polars as pl

    from assay.store.database import Database
    from assay.store.projects import Project

#: What a project is called where nobody names it.
USUAL = "judging.db"

Place: TypeAlias = Annotated[
    str, options.argument("PROJECT", "The project: a file (judging.db), or postgresql://... of a team.")
]
In: TypeAlias = Annotated[str, option("--in", metavar="PROJECT", help="The project (judging.db).")]
Name: TypeAlias = Annotated[str, option("--project", metavar="NAME", help="Which project, where the file has several.")]
Me: TypeAlias = Annotated[str, option("--as", metavar="NAME", help="Who you are (the name you log in with).")]


class Rules(TypedDict, total=False):
    """How documents are handed out."""

    overlap: Annotated[int, option(help="People who judge each document (1).", least=1)]
    most: Annotated[int, option(help="Ask more people, up to N, where they disagree (as --overlap).", least=1)]
    apart: Annotated[str, option(help="What is a disagreement: another grade (default), or relevance.", panel=RULES)]
    tolerance: Annotated[int, option(help="Grades that may lie between two that agree (0).", panel=RULES, least=0)]
    order: Annotated[
        str,
        option(
            help="topic by topic (default), random, priority (of the pool); by what was judged: move-to-front, "
            "max-mean, thompson.",
            panel=RULES,
        ),
    ]
    blind: Annotated[
        Literal["yes", "no"], option(help="yes (default), or no: show what others said of a document.", panel=RULES)
    ]
    gold_every: Annotated[int, option(help="Mix in a known answer every N documents (0: never).", panel=RULES, least=0)]
    repeat_every: Annotated[int, option(help="Repeat an earlier document every N (0: never).", panel=RULES, least=0)]
    lease: Annotated[int, option(help="Minutes until others get a document that was begun (30).", panel=RULES, least=1)]


def settings_of(rules: Rules) -> dict[str, Any]:
    """Rules as they were typed, as settings."""
    stated: dict[str, Any] = dict(rules)
    return stated | ({"blind": rules["blind"] == "yes"} if "blind" in rules else {})


def init(
    rules: Rules,
    drawing: SeedOption,
    place: Place = USUAL,
    runs: Annotated[
        tuple[str, ...], option("--runs", "--run", metavar="RUN", help="Runs to pool: RUN..., or repeat.", several=True)
    ] = (),
    topics: Annotated[str | None, option(metavar="FILE", help="Topics: what people look for.")] = None,
    documents: Annotated[str | None, option(metavar="FILE", help="Documents: what is judged.")] = None,
    depth: Annotated[int, option(help="Pool the top N documents of each run (10).", least=1)] = 10,
    collection: Annotated[str | None, option(metavar="FOLDER", help="A collection, in place of files.")] = None,
    pool: Annotated[
        str | None, option(metavar="FILE", help="A pool from `assay pool make`, in place of --depth.")
    ] = None,
    name: Name | None = None,
    scale: Annotated[
        str,
        option(metavar="SCALE", help="binary, graded (0-3; default), web, preference, as 0=no,1=yes, or a file.json."),
    ] = "graded",
    pairs: Annotated[
        int | None, option(metavar="N", help="With --scale preference: pairs that each document is in (4).", least=1)
    ] = None,
    aspects: Annotated[
        tuple[str, ...], option("--aspect", metavar="NAME[:SCALE]", help="Also ask for novelty, support, ...; repeat.")
    ] = (),
    guidelines: Annotated[str | None, option(metavar="FILE", help="Guidelines that assessors can look up.")] = None,
    assessors: Annotated[tuple[str, ...], option("--assessor", metavar="NAME", help="Who judges; repeat (you).")] = (),
    keep_missing: Annotated[bool, option(help="Keep pooled documents that have no text.", panel=CONTENTS)] = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a project: pool runs, and ask people to judge the documents.

    $ assay judge init team.db --collection bikes --overlap 2 --most 3 --assessor ana --assessor ben
    """
    from assay.store.kept_runs import keep_runs
    from assay.store.preferences import are_preferences, in_pairs
    from assay.store.projects import add_assessors, create_project
    from assay.store.scales import aspect_of, scale_of
    from assay.store.settings import Settings

    settings, chosen = Settings.of(settings_of(rules)), scale_of(text_of(scale) if scale.endswith(".json") else scale)
    if pairs is not None and not are_preferences(chosen):
        raise ParameterError("--pairs goes with --scale preference")
    with inputs.bar("pooling", 0, hidden=quiet):
        files, texts, bodies = _texts(runs, topics, documents, collection)
        pooled = _pool(files, pool, depth, drawing)
        if are_preferences(chosen):
            pooled, bodies = in_pairs(pooled, bodies, each=pairs or 4, seed=drawing.get("seed", 0))
    with opened_store(place, create=True) as database, inputs.bar("making the project", 0, hidden=quiet):
        project = create_project(
            database, name or "judging", pooled, texts, bodies, scale=chosen, settings=settings,
            aspects=[aspect_of(each) for each in aspects], guidelines=text_of(guidelines), keep_missing=keep_missing,
            seed=drawing.get("seed", 0), actor=me(),
        )  # fmt: skip
        keep_runs(project, files, actor=me())
        add_assessors(project, assessors or (me(),), actor=me())
    if not quiet:
        count = number_of("pair" if are_preferences(chosen) else "document", pooled.to_judge().height)
        topics_count = number_of("topic", pooled.frame["query_id"].n_unique())
        output.message(f"{place}: {count} of {topics_count}; scale: {chosen.described()}")
        output.message(f"next: assay judge {place}{'' if not assessors else f' --as {assessors[0]}'}")


@contextmanager
def opened_store(place: str, *, create: bool = False) -> Iterator[Database]:
    """A database that is open as long as it is used; one that was made for what failed is not left behind."""
    from assay.store.database import is_url, open_database

    is_new = create and not is_url(place) and not Path(place).exists()
    try:
        with open_database(place, create=create) as database:
            yield database
    except BaseException:
        for ending in ("", "-wal", "-shm") if is_new else ():
            Path(f"{place}{ending}").unlink(missing_ok=True)
        raise


@contextmanager
def opened_project(place: str, name: str | None) -> Iterator[Project]:
    """A project that is open as long as it is used."""
    from assay.store.projects import open_project

    with opened_store(place) as database:
        yield open_project(database, name)


def me() -> str:
    """Who types, as the machine knows them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        return "you"


def text_of(path: str | None) -> str:
    """The text of a file; nothing without one."""
    if path is None:
        return ""
    from assay.files.sources import Source

    with Source.of(path).open() as file:
        return file.read().decode("utf-8", "replace")


def grades_of(path: str) -> dict[tuple[str, str], int]:
    """Judgments as grades by topic and document."""
    from assay.files import read_qrels

    rows = read_qrels(path).frame.select("query_id", "doc_id", "relevance").iter_rows()
    return {(query, document): int(relevance) for query, document, relevance in rows if relevance >= 0}


def pairs_of(path: str) -> list[tuple[str, str]]:
    """Documents of topics in a table, in its order."""
    table = _table_of(path, "documents of topics: query_id and doc_id")
    return table.select("query_id", "doc_id").rows()


def _table_of(path: str, wanted: str) -> pl.DataFrame:
    """A table of documents of topics, each once."""
    import polars as pl

    from assay.files.named_columns import read_named_columns
    from assay.files.sources import Source

    table = read_named_columns(Source.of(path), wanted).frame
    if not {"query_id", "doc_id"} <= set(table.columns):
        raise InputError(f"{path}: expected {wanted}, got {', '.join(table.columns)}")
    ids = table.with_columns(pl.col("query_id", "doc_id").cast(pl.String))
    return ids.unique(["query_id", "doc_id"], keep="first", maintain_order=True)


def _texts(
    runs: tuple[str, ...], topics: str | None, documents: str | None, collection: str | None
) -> tuple[dict[str, Any], Any, Any]:
    """The runs by name, the topics, and the documents in pieces."""
    from assay.files import read_topics
    from assay.files.document_stream import document_batches

    files: dict[str, Any] = {}
    bodies: tuple[str, ...] = (documents,) if documents else ()
    if collection is not None:
        from assay.files.manifest import open_collection

        opened = open_collection(collection)
        topics = topics or (None if opened.topics is None else str(opened.topics))
        bodies = (documents,) if documents else tuple(map(str, opened.documents))
        files = {} if runs else {name: str(path) for name, path in opened.run_files().items()}
    for name, path in inputs.each_named("", runs):
        called = name or Path(path).stem
        if called in files:
            raise ParameterError(f"two runs are called {called!r}: give each a name of its own (name=FILE)")
        files[called] = path
    for what, given in (("--run RUN", files), ("--topics FILE", topics), ("--documents FILE", bodies)):
        if not given:
            raise ParameterError(
                f"{what} is missing: a project needs runs, topics and documents, or --collection FOLDER"
            )
    return files, read_topics(str(topics)), (piece for each in bodies for piece in document_batches(str(each)))


def _pool(files: Mapping[str, Any], pool: str | None, depth: int, drawing: SeedOption) -> Any:
    from assay.ground_truth.pooling import make_pool

    made = make_pool(files, depth=depth, **drawing)
    if pool is None:
        return made
    import polars as pl

    wanted = "a pool with query_id and doc_id, as `assay pool make` writes it"
    table = _table_of(pool, wanted)
    place = pl.int_range(1, pl.len() + 1)
    usual = {"order": place, "priority": place, "stratum": pl.lit(0), "inclusion": pl.lit(1.0)}
    given = [pl.col(name) if name in table.columns else value.alias(name) for name, value in usual.items()]
    kinds = {"order": pl.Int64, "priority": pl.Int64, "stratum": pl.Int64, "inclusion": pl.Float64}
    try:
        frame = table.select("query_id", "doc_id", *given).with_columns(
            pl.col(name).cast(kind) for name, kind in kinds.items()
        )
    except pl.exceptions.PolarsError:
        raise InputError(f"{pool}: expected {wanted}: order, priority, stratum and inclusion are numbers") from None
    sources = make_pool(files, depth=10**6, **drawing).sources
    return replace(made, frame=frame, sources=sources, settings={"strategy": "file", "pool": pool})


def demo_project(database: Database) -> Project:
    """A project of notes on bicycles that come with Assay."""
    from assay.store.bundled import bundled_project
    from assay.store.projects import add_assessors

    project = bundled_project(database)
    add_assessors(project, ["you"])
    return project
