"""Roles of columns: what other tools call the columns of our tables, in files and in data frames alike.

A column is known by its name, in any case, with blanks or hyphens for underscores; or somebody says which column has a
role, as in `columns={"query_id": "Search term"}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from assay.core import registry
from assay.core.declarations import Columns, Role, role_of
from assay.core.errors import FormatError, ParameterError, argument, argument_name, did_you_mean, listed

#: Roles to columns, as somebody says them.
ColumnNames: TypeAlias = Mapping[str, str] | None
#: Names the file and the line of a row (from 0).
Where: TypeAlias = Callable[[int], tuple[str, int | None]]
#: What stands between the stem of a column's name and the system or the label.
MARKS = ("_", ":")
#: So many other names of a role are told where its column is absent.
_MOST_NAMES = 6


_IDS = "_id id"
_TOPIC = "qid queryid topic topic_id topicid q_id question_id"
_DOCUMENT = (
    "docno docid corpus_id document_id doc pid passage_id product_id chunk_id context_id node_id chunk context passage"
)
_JUDGE = (
    "judge_id worker workerid worker_id annotator annotator_id assessor assessor_id rater rater_id coder labeler user "
    "user_id username completed_by _annotator_id _session_id"
)
_LABEL = (
    "relevance rel grade rating judgment judgement answer response choice category class annotation is_relevant "
    "relevant"
)
_TRUTHS = "y_true true_label gold ground_truth actual true target label labels"
QUERY = role_of("query_id", "id", f"{_TOPIC} query query_text question user_input")
DOCUMENT = role_of("doc_id", "id", _DOCUMENT)
TRUTH = role_of("truth", "label", _TRUTHS, "truth y_true gold")
PREDICTION = role_of(
    "prediction", "label", "y_pred predicted pred predicted_label predictions", "prediction y_pred predicted pred"
)
SCORE = role_of(
    "score", "number", "y_score probability prob proba y_proba y_prob confidence scores",
    "score y_score probability prob proba y_proba y_prob",
)  # fmt: skip
ITEM = Role("item_id", "id", ("item_id", "id", "item", "example_id", "sample_id", ""))
WEIGHT = role_of("weight", "number", "sample_weight")
SYSTEM = role_of("system", "label", "model classifier")
CLUSTER = role_of(
    "cluster", "label", "cluster_id cluster_label clusters labels_pred label_pred assignment", "cluster clusters"
)
CLASS = role_of("truth", "label", f"class labels_true label_true category {_TRUTHS}")
#: What the units of scores are called; those of queries are queries.
UNIT = Role(
    "unit", "id",
    ("query_id", "qid", "query", "topic", "topic_id", "unit", "item", "user", "participant", "fold", "class", ""),
)  # fmt: skip
#: What is better when it is lower, where neither a score nor a rank stands beside it.
_DISTANCES = (
    "distances dist _distance l2 l2_distance l2_dist squared_l2 cosine_distance cosine_dist cos_distance euclidean "
    "euclidean_distance vector_distance vec_distance manhattan_distance hamming_distance jaccard_distance "
    "dissimilarity loss rank_score_asc"
)
_TEXT = role_of("text", "text", "body content contents abstract")
_PERSON = role_of(
    "user_id", "id", "user userid uid visitor_id visitor client_id customer_id customer account_id device_id player_id "
    "player participant subject_id unit_id unit id anonymous_id"
)  # fmt: skip
_VARIANT = role_of(
    "variant", "label", "version variation variation_id variant_id variant_name group arm treatment test_group "
    "experiment_group ab_group exp_group bucket cell"
)  # fmt: skip
_MOMENT = role_of("time", "text", "timestamp ts datetime event_time exposed_at created_at date")
#: The roles of each kind of table, in the order in which columns are looked for; subjects declare further tables.
TABLES: dict[str, tuple[Role, ...]] = {
    "run": (
        QUERY, DOCUMENT,
        role_of("score", "number", "sim similarity retrieval_score similarity_score cosine_similarity rerank_score"),
        role_of("rank", "number", "position doc_position"),
        role_of("distance", "number", _DISTANCES),
    ),
    "qrels": (
        QUERY, DOCUMENT,
        role_of("relevance", "number",
                "label rel rating grade judgment judgement relevance_score is_relevant relevant"),
        role_of("judge", "id", "assessor worker worker_id annotator"),
        role_of("iteration", "id", "iter q0"),
    ),
    "topics": (
        role_of("query_id", "id", f"{_TOPIC} {_IDS}"),
        role_of("title", "text", "query query_text question text"),
        role_of("description", "text", "desc question"),
        role_of("narrative", "text", "narr"),
        _TEXT,
    ),
    "documents": (role_of("doc_id", "id", f"{_DOCUMENT} {_IDS}"), role_of("title", "text"), _TEXT),
    "predictions": (TRUTH, PREDICTION, SCORE, ITEM, WEIGHT, SYSTEM),
    "clusters": (CLASS, CLUSTER, ITEM, WEIGHT),
    "clustered documents": (QUERY, Role("doc_id", "id", (*DOCUMENT.names, "item_id", "id")), CLUSTER),
    "spans": (
        role_of("document", "id", "doc_id document_id docid doc item_id id"),
        role_of("start", "number", "start_offset begin"),
        role_of("end", "number", "end_offset stop"),
        role_of("type", "label", "label tag entity_type entity"),
        role_of("text", "text", "surface mention"),
    ),
    "scores": (role_of("system", "id"), role_of("measure", "id"), UNIT, role_of("value", "number")),
    "labels": (
        QUERY,
        role_of("judge", "id", _JUDGE),
        role_of("gold", "label", "truth y_true gold_label ground_truth expected"),
        role_of("label", "label", _LABEL),
        role_of("item_id", "id", f"item doc_id {_DOCUMENT} document example_id sample_id task_id task hit_id hitid id "
                "unit _id"),
        role_of("seconds", "number", "work_time worktimeinseconds work_time_in_seconds lead_time duration time_spent"),
        role_of("time", "text", "timestamp _timestamp created_at submit_time submittime updated_at date"),
        role_of("note", "text", "notes comment comments explanation"),
    ),
    "log": (
        role_of("impression_id", "id", "serp_id search_id page_view_id request_id impression serp"),
        role_of("time", "text", "timestamp ts datetime event_time created_at date"),
        role_of("user_id", "id", "user client_id visitor_id userid uid cookie device_id anonymous_id"),
        role_of("session_id", "id", "session sessionid sid visit_id visit"),
        role_of("query_id", "id", _TOPIC),
        role_of("query_text", "text", "query user_query search_term search_query searchterm keywords q"),
        role_of("system", "label", "variant arm engine ranker algorithm experiment model"),
        role_of("doc_id", "id", f"{_DOCUMENT} url url_id urlid item_id item object_id sku asin"),
        role_of("rank", "number", "position pos ordinal slot"),
        role_of("action", "label", "action_name event event_type event_name"),
        role_of("clicks", "number", "click clicked is_clicked is_click n_clicks click_count"),
        role_of("seen", "label", "viewed is_seen examined displayed"),
        role_of("propensity", "number", "action_prob pscore propensity_score"),
        role_of("dwell_ms", "number", "dwell_time_ms dwelltime_ms"),
        role_of("dwell_seconds", "number", "dwell_time dwell dwelltime dwelling_time"),
        role_of("value", "number", "revenue price amount"),
        role_of("latency_ms", "number", "latency took took_ms response_time_ms"),
        role_of("page", "number", "page_number pageno"),
        role_of("answered", "label", "has_answer answer_shown"),
        role_of("n_results", "number", "result_count results_num num_results hits total_results"),
        role_of("results", "text", "doc_ids docs documents result_ids hit_ids query_response_hit_ids urls serp_docs"),
    ),
    "experiment": (_PERSON, _VARIANT),
    "exposures": (_PERSON, _VARIANT, _MOMENT, role_of("experiment", "label", "experiment_id experiment_key test")),
    "user events": (
        _PERSON, _MOMENT,
        role_of("event", "label", "event_name event_type action action_name metric"),
        role_of("value", "number", "revenue amount price"),
    ),
    "groups": (
        role_of("run", "id", "run_id runid tag system"), role_of("group", "id", "team organisation organization site"),
    ),
    "sampled pool": (QUERY, DOCUMENT, role_of("stratum", "number"), role_of("order", "number")),
    "query log": (
        role_of("query", "text", "query_text search_term search keywords keyword user_query text title q"),
        role_of("frequency", "number", "count freq searches n hits"),
    ),
}  # fmt: skip
#: What a table of each kind cannot do without.
NEEDED: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (("query_id",), ("doc_id",), ("score", "rank")),
    "qrels": (("query_id",), ("doc_id",), ("relevance",)),
    "topics": (("query_id",), ("title", "text")),
    "documents": (("doc_id",), ("text", "title")),
    "predictions": (("truth",), ("prediction", "score")),
    "clusters": (("cluster",),),
    "clustered documents": (("doc_id",), ("cluster",)),
    "spans": (("document",), ("start",), ("end",)),
    "labels": (("item_id",), ("judge",), ("label",)),
    "log": (("query_id", "query_text"), ("doc_id", "results"), ("clicks", "action")),
    "experiment": (("user_id",), ("variant",)),
    "exposures": (("user_id",), ("variant",), ("time",)),
    "user events": (("user_id",), ("time",)),
    "groups": (("run",), ("group",)),
    "sampled pool": (("query_id",), ("doc_id",), ("stratum",)),
    "query log": (("query",),),
}
#: Judgments of BEIR call the grade `score`.
_BEIR = ("query_id", "corpus_id", "score")


class _Stated(NamedTuple):
    columns: Mapping[str, str]
    #: Columns that some table had and that were said, and all columns that tables had.
    seen: set[str]
    there: dict[str, None]


_NOTHING = _Stated({}, set(), {})
_stated: ContextVar[_Stated] = ContextVar("columns", default=_NOTHING)


@contextmanager
def named_by(columns: ColumnNames) -> Iterator[None]:
    """Within this, columns of all tables that are read have these roles; one that no table has is an error.

    >>> with named_by({"query_id": "Search term"}):
    ...     columns_of("qrels", ["Search term", "query", "doc", "rel"])
    {'query_id': 'Search term', 'doc_id': 'doc', 'relevance': 'rel'}
    """
    if not columns:
        yield
        return
    known = dict.fromkeys(role.name for roles in TABLES.values() for role in roles)
    if columns.keys() - known.keys():
        known |= dict.fromkeys(role.name for each in registry.declared_columns().values() for role in each.roles)
    for name in columns:
        if name not in known:
            raise ParameterError(f"{argument_name('columns')}: no role is called {name!r}: there are {', '.join(known)}"
                                 f"{did_you_mean(name, known)}")  # fmt: skip
    token = _stated.set(_Stated(columns, set(), {}))
    try:
        yield
        refuse_absent()
    finally:
        _stated.reset(token)


def refuse_absent() -> None:
    """Once all tables were read: refuse columns that were said to have a role, and that no table has."""
    columns, seen, there = _stated.get()
    if absent := [column for column in columns.values() if column not in seen]:
        what = listed([repr(column) for column in absent])
        known = f": there are {listed(list(there))}" if there else ""
        raise ParameterError(f"{argument_name('columns')}: no table has a column {what}{known}")


def folded_name(name: str) -> str:
    """A column's name as names are compared.

    >>> folded_name(" Query-ID")
    'query_id'
    """
    return name.strip().strip("\ufeff").casefold().replace(" ", "_").replace("-", "_")


def find(role: Role, header: Sequence[str]) -> str | None:
    """The column of a header that has a role: the one that was said, or the one with the best name; None if none has.

    >>> find(DOCUMENT, ["docno", "cluster"])
    'docno'
    """
    columns, seen, there = _stated.get()
    if columns:
        seen.update(name for name in columns.values() if name in header)
        there.update(dict.fromkeys(header))
    if columns.get(role.name) in header:
        return columns[role.name]
    folded = {folded_name(name): name for name in reversed(header) if name not in columns.values()}
    return next((folded[name] for name in role.names if name in folded), None)


def is_stated(role: str) -> bool:
    """Tell whether somebody said which column has a role.

    >>> with named_by({"page": "nr"}):
    ...     find(Role("page", "number", ("page",)), ["nr"]), is_stated("page")
    ('nr', True)
    """
    return role in _stated.get().columns


def attribute_names(table: str, role: str) -> tuple[str, ...]:
    """Names of an attribute of records that has a role: the one that was stated, or those of the role."""
    stated = _stated.get().columns.get(role)
    names = next(known.names for known in _columns(table).roles if known.name == role)
    return names if stated is None else (stated, *(name for name in names if name != stated))


def use(name: str) -> None:
    """An attribute of that name was there: nobody need be told that it is not."""
    _stated.get().seen.add(name)


def columns_of(table: str, header: Sequence[str]) -> dict[str, str] | None:
    """Our names of the columns in a header (ours to theirs), or None if some are absent.

    >>> columns_of("qrels", ["qid", "docno", "label"])
    {'query_id': 'qid', 'doc_id': 'docno', 'relevance': 'label'}
    """
    is_said = set(_stated.get().columns.values()) & set(header)
    if table in {"run", "qrels"} and tuple(map(folded_name, header[: len(_BEIR)])) == _BEIR and not is_said:
        beir = zip(("query_id", "doc_id", "relevance"), header, strict=False)
        return dict(beir) if table == "qrels" else None
    columns = roles_in(table, header)
    if table == "run" and columns.keys() & {"score", "rank"}:
        columns.pop("distance", None)
    there = {*columns, *(["score"] if "distance" in columns else [])}
    if any(not set(either) & there for either in _columns(table).needed) or (table == "run" and are_clicks(header)):
        return None
    if "judge" in columns:
        columns.pop("iteration", None)
    return columns


def are_clicks(header: Sequence[str]) -> bool:
    """Tell whether rows are results that were shown, with their clicks or events, and not those of a run.

    What has scores is a run all the same, and so is what somebody said to have its ranks.

    >>> are_clicks(["query_id", "doc_id", "rank", "clicks"]), are_clicks(["query_id", "doc_id", "score", "clicks"])
    (True, False)
    """
    run = roles_in("run", header)
    said = _stated.get().columns
    if {"score", "distance"} & run.keys() or said.get("rank") in header:
        return False
    return all(set(either) & roles_in("log", header).keys() for either in NEEDED["log"])


#: What a table of graded clicks has beside the grades.
_OF_GRADED_CLICKS = {"impressions", "estimate", "reason", "grade"}


def are_rated_lists(header: Sequence[str]) -> bool:
    """Tell whether rows are results with their ranks and their ratings, as Quepid exports them: judgments first of all.

    So are clicks that were graded here: a `reason` stands where they were too few.

    >>> are_rated_lists(["Query Text", "Doc ID", "Doc Position", "Rating"]), are_rated_lists(["qid", "doc", "score"])
    (True, False)
    """
    if {*header} >= _OF_GRADED_CLICKS:
        return True
    run = columns_of("run", header)
    return run is not None and "score" not in run and columns_of("qrels", header) is not None


def _columns(table: str) -> Columns:
    """The columns of a kind of table: those that stand here, or those that a subject declares."""
    if table in TABLES:
        return Columns(TABLES[table], NEEDED.get(table, ()))
    return registry.declared_columns()[table]


def roles_in(table: str, header: Sequence[str]) -> dict[str, str]:
    """The columns of a header that have a role in a kind of table (ours to theirs); none has two.

    >>> roles_in("spans", ["doc", "begin", "stop", "tag"])
    {'document': 'doc', 'start': 'begin', 'end': 'stop', 'type': 'tag'}
    """
    columns: dict[str, str] = {}
    for role in _columns(table).roles:
        name = find(role, header)
        if name is not None and name not in columns.values():
            columns[role.name] = name
    return columns


def kind_of(header: Sequence[str]) -> str:
    """The kind of a table that is neither run nor judgments, by the names of its columns; empty if they do not tell.

    >>> kind_of(["id", "label", "pred"]), kind_of(["id", "cluster_few"]), kind_of(["query_id", "doc_id", "score"])
    ('predictions', 'clusters', '')
    """
    run = columns_of("run", header)
    is_ranked = (run and "distance" not in run) or columns_of("qrels", header)
    if not is_ranked:
        has_truth = find(TRUTH, header) or len(suffixed(header, TRUTH)) > 1
        if has_truth and any(find(role, header) or suffixed(header, role, TRUTH) for role in (PREDICTION, SCORE)):
            return "predictions"
        if find(CLUSTER, header) or suffixed(header, CLUSTER):
            return "clusters"
    if len(roles_in("scores", header)) == len(TABLES["scores"]):
        return "scores"
    if {"item_id", "judge", "label"} <= roles_in("labels", header).keys():
        return "labels"
    declared = [] if is_ranked or len(header) < 2 else registry.declared_columns()
    return next((table for table in declared if columns_of(table, header)), "")


def shape_of(table: str) -> str:
    """The columns of a kind of table, for messages.

    >>> shape_of("run")
    'with the columns `query_id`, `doc_id`, `score` or `rank`'
    """
    if table == "scores":
        return (
            "of scores: `system,measure,unit,value`; or `system,query_id` and one column per measure, as an evaluation "
            "writes them by query; or one column per system and one row per unit"
        )
    columns = [" or ".join(f"`{name}`" for name in names) for names in _columns(table).needed]
    return f"with the column{'s' * (len(columns) > 1)} {', '.join(columns)}"


def turned_round(name: str, columns: Mapping[str, str]) -> tuple[str, ...]:
    """A remark if the scores of a run are distances, by the columns that its roles have (ours to theirs).

    >>> print(turned_round("dense", {"distance": "l2"})[0])
    dense: the lowest `l2` counts as best, as with distances (lower_is_better=True says so, too; or take it as a score
    with columns=..., as in score='l2')
    """
    if (column := columns.get("distance")) is None:
        return ()
    return (
        f"{name}: the lowest `{column}` counts as best, as with distances ({argument('lower_is_better', True)} says "
        f"so, too; or take it as a score with {argument('columns')}, as in score={column!r})",
    )


def absent(
    table: str, header: Sequence[str], path: str, line: int | None = None, likely: Sequence[str] = ()
) -> FormatError:
    """The error of a table that lacks columns: what they may be called, and how to say which ones they are.

    `likely`: columns whose cells may be what is lacking.

    >>> print(absent("qrels", ["qid", "url", "grade"], "log.csv", 1))
    log.csv:1: expected a table with the columns `query_id`, `doc_id`, `relevance`, got 'qid, url, grade' (doc_id may
    be called docno, docid, corpus_id, document_id, doc, pid, ...; or name it with columns=..., as in doc_id='url')
    """
    there = roles_in(table, header)
    lacking = [names[0] for names in _columns(table).needed if not set(names) & set(there)]
    ways = []
    for role in _columns(table).roles:
        if role.name in lacking and (others := [name for name in role.names if name not in {"", role.name}]):
            more = ", ..." if len(others) > _MOST_NAMES else ""
            ways.append(f"{role.name} may be called {', '.join(others[:_MOST_NAMES])}{more}")
    free = [*likely, *(name for name in header if name not in there.values())]
    which = "it" if len(lacking) == 1 else "them"
    ways += [
        f"or name {which} with {argument('columns')}, as in {name}={next(iter(free), 'NAME')!r}" for name in lacking[:1]
    ]
    if table == "qrels" and lacking == ["relevance"]:
        ways.append("if each row is a right answer, add a column relevance of 1")
    if table == "run" and not lacking and are_clicks(header):
        ways = [
            "these are results with their clicks, as logs have them; to score the order in which they were shown, name "
            f"its column with {argument('columns')}, as in rank={there['rank']!r}"
        ]
    return FormatError(
        path, line, expected=f"a table {shape_of(table)}", got=", ".join(header), note="; ".join(ways) or None
    )


#: What a list of documents is called, where each row is a query, and what it lists.
LISTS = {"run": ("retrieved_ids", "what was found, best first"), "qrels": ("expected_ids", "the right answers")}


def of_lists(table: str, header: Sequence[str], column: str, path: str, line: int | None) -> FormatError:
    """The error of a table with a list of documents in each row, under a name that nobody knows.

    >>> print(of_lists("qrels", ["question", "gold"], "gold", "golden.jsonl", 1))
    golden.jsonl:1: expected a table with the columns `query_id`, `doc_id`, `relevance`, got 'question, gold' (`gold`
    holds lists: call it `expected_ids` if each lists the right answers)
    """
    called, what = LISTS[table]
    note = f"`{column}` holds lists: call it `{called}` if each lists {what}"
    return FormatError(path, line, expected=f"a table {shape_of(table)}", got=", ".join(header), note=note)


def refuse_rows(
    wrong: pl.Series, where: Where, expected: str, values: pl.Series | None = None, note: str | None = None
) -> None:
    """Raise the error of the first row that is wrong, if any is; `values` have what came instead."""
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        path, line = where(row)
        got = None if values is None else values[row]
        raise FormatError(path, line, expected=expected, got="" if got is None else str(got), note=note)


def is_frame(data: Any) -> bool:
    """Tell data frames from what else holds a table: they have columns with names.

    >>> is_frame(pl.DataFrame()), is_frame({"q1": {"d1": 1}})
    (True, False)
    """
    return isinstance(data, pl.LazyFrame) or hasattr(data, "columns") or hasattr(data, "column_names")


def roles_of_frame(table: str, data: Any) -> dict[str, str]:
    """The columns of a data frame that have a role in a kind of table (ours to theirs); none of anything else.

    >>> roles_of_frame("run", pl.DataFrame({"qid": ["q"], "doc": ["d"], "dist": [0.5]}))
    {'query_id': 'qid', 'doc_id': 'doc', 'distance': 'dist'}
    """
    if not is_frame(data):
        return {}
    if isinstance(data, pl.LazyFrame):
        names = data.collect_schema().names()
    else:
        names = getattr(data, "column_names", None) or list(data.columns)
    return columns_of(table, list(map(str, names))) or {}


def suffix(name: str, role: Role) -> str:
    """The part of a column's name after its first word, if that is one of the role's stems; else the whole name.

    >>> suffix("cluster_few", CLUSTER), suffix("few", CLUSTER)
    ('few', 'few')
    """
    for stem in sorted(role.stems, key=len, reverse=True):
        for mark in MARKS:
            if name.casefold().startswith(stem + mark) and len(name) > len(stem) + 1:
                return name[len(stem) + 1 :]
    return name


def suffixed(names: Sequence[str], role: Role, *others: Role) -> dict[str, str]:
    """Columns of a role for several systems or labels, by these; names that the role, or another, has alone are none.

    >>> suffixed(["prediction", "prediction_old", "prediction_new"], PREDICTION)
    {'old': 'prediction_old', 'new': 'prediction_new'}
    """
    whole = {name for each in (role, *others) for name in each.names}
    columns: dict[str, str] = {}
    for name in names:
        if (rest := suffix(name, role)) != name and folded_name(name) not in whole:
            columns.setdefault(rest, name)
    return columns
