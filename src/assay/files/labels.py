"""Read what several judges said of the same items: long and wide tables, judgments, exports of labelling tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import polars as pl

from assay.core.errors import (
    EmptyFileError,
    FormatError,
    InputError,
    ParameterError,
    argument,
    listed,
    naming,
    number_of,
)
from assay.core.registry import load
from assay.files.columns import Layout
from assay.files.label_records import ROLES, LabelRows
from assay.files.labelling_tools import tool_of
from assay.files.named_columns import as_whole, named_columns, names_of, refuse_absent
from assay.files.registry import Head, Loaded, formats, head_of
from assay.files.runs import line_of_row, load_columns, trec_qrels
from assay.files.sources import Readable, Source, is_file
from assay.files.times import utc_times
from assay.tables.judge_columns import judge_columns
from assay.tables.labels import NEEDED, Labels, Repeated
from assay.tables.named_columns import NamedColumns
from assay.tables.roles import TABLES, ColumnNames, absent, find, folded_name, is_frame, named_by, refuse_rows, roles_in

_IDS = ("query_id", "judge", "doc_id")
_JUDGMENTS = Layout((*_IDS, "grade"), text=_IDS, numbers=("grade",), finite=True)
#: The zone in times of Mechanical Turk, such as `PST`, which names none for sure.
_ZONE = r" [A-Z]{2,5} "
#: Where Mechanical Turk puts the answers of forms that are made of crowd elements.
_TASK_ANSWERS = "Answer.taskAnswers"
#: Ratings and numbers in Label Studio's CSV.
_FLAT_RATING = r'^\[\{"(?:rating|number)": ?(-?[0-9.]+)\}\]$'
#: Buttons of forms of Mechanical Turk.
_SWITCHES = ("true", "false")
#: What a row of a wide table says of its item, besides the labels.
_OF_ITEMS = ("query_id", "item_id", "gold")
#: So many different words are labels, however few items there are.
_FEW = 10
#: What stands for a missing number in tables of other tools.
_MISSING = ("na", "n/a", "nan", "null", "none", "-", "?")


def read_labels(
    given: Readable | Source | Any,
    *,
    columns: ColumnNames = None,
    judges: Sequence[str] | None = None,
    repeated: Repeated = "error",
    no_gold: Any = None,
    name: str | None = None,
) -> Labels:
    """Read labels of several judges, from a file, a data frame, or several files of one judge each.

    Known are long tables (CSV, TSV, JSONL, Parquet: one row per label), wide ones (one column per judge), judgments
    whose second column names the judge, and what Label Studio, Quepid, Argilla, doccano, Prodigy, Mechanical Turk,
    Langfuse, LangSmith, Braintrust and UMBRELA export. `columns`: which columns have which role, as in
    `columns={"label": "Answer.relevance"}`. `judges`: the columns of the judges of a wide table, where these are not
    all columns without another role. Files without judges, in a list or by name, are one judge's each. `repeated`:
    what holds where a judge labels an item again, and differently (`first`, `last`). `no_gold`: what stands for no
    right answer in the column `gold`, such as -1.

    >>> import io
    >>> labels = read_labels(io.StringIO("item,ana,ben\\nd1,1,0\\nd2,1,1\\nd3,,0\\n"))
    >>> labels.judges, labels.frame["label"].to_list()
    (('ana', 'ben'), [1, 0, 1, 1, 0])
    """
    with named_by(columns):
        if isinstance(given, Labels):
            return given
        origin = "in memory"
        if isinstance(given, Mapping | list | tuple):
            rows = _several(given, judges)
            parts = list(given.values() if isinstance(given, Mapping) else given)
            if all(map(is_file, parts)):
                origin = "several files" if parts[1:] else rows.where(0)[0]
        elif not is_file(given) and not is_frame(given):
            raise ParameterError(_no_labels(given))
        else:
            source = None if is_frame(given) else Source.of(given)
            rows = _label_rows(given if source is None else source, judges)
            origin, name = (origin, name) if source is None else (source.name, name or source.stem)
    return labels_of_rows(rows, origin, name or "labels", repeated, no_gold)


def labels_of_rows(
    rows: LabelRows, origin: str, name: str = "labels", repeated: Repeated = "error", no_gold: Any = None
) -> Labels:
    """Labels in their types; those that are none are refused where they stand, or left out and counted."""
    rows = rows._replace(frame=_without_marks(rows.frame))
    frame, remarks = _typed(rows, no_gold)
    labelled = rows.frame["label"].is_not_null().arg_true()

    def where(row: int) -> tuple[str, int | None]:
        return rows.where(int(labelled[row]))

    labels = Labels.of(frame, name=name, origin=origin, where=where, repeated=repeated)
    return Labels(labels.frame, labels.name, labels.origin, (*rows.remarks, *remarks, *labels.remarks))


def _label_rows(source: Any, judges: Sequence[str] | None, judge: str | None = None) -> LabelRows:
    """The rows of one file or frame; `judge`: whose they are, if the file does not say so."""
    if isinstance(source, Source):
        head = head_of(source)
        if not head.numbered:
            raise EmptyFileError(source.name, "labels of several judges")
        if (read := tool_of(head)) is not None:
            return read(source, judge)
        if is_judged_by(head):
            return _judgments(source, judge)
        roles = roles_in("labels", names_of(head))
        known = None if "label" in roles else next((each for each in formats("qrels") if each.matches(head)), None)
        if known is not None and judge is not None:
            return _of_one_judge(known.read(source, judge), source, judge)
        if known is not None and "item_id" not in roles:
            note = "these name no judge: give one file per judge"
            raise FormatError(source.name, None, expected="labels of several judges", got=known.title, note=note)
    table = named_columns(source, "labels")
    names = table.frame.columns
    if judges is None and "workerid" in map(folded_name, names) and any(name.startswith("Input.") for name in names):
        return _mechanical_turk(table)
    roles = roles_in("labels", names)
    if judges is None and "label" in roles and ("judge" in roles or judge is not None):
        return _long(table, roles, judge)
    return _wide(table, roles, judges)


def is_judged_by(head: Head) -> bool:
    """True for judgments whose second column names the judge, unlike a table, `item,rater 1,rater 2`.."""
    return trec_qrels(head) and "item_id" not in roles_in("labels", names_of(head))


def _several(given: Mapping[str, Any] | Sequence[Any], judges: Sequence[str] | None) -> LabelRows:
    """Files of one judge each, put together: each is named, or called by its file."""
    if not isinstance(given, Mapping):
        if given and all(isinstance(row, list | tuple) and len(row) == len(NEEDED) for row in given):
            return LabelRows(Labels.of(given).frame, lambda row: (f"labels: row {row + 1}", None))
        names = [Source.of(each).stem if is_file(each) else str(place) for place, each in enumerate(given, 1)]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ParameterError(f"two judges are called {twice!r}: give each a name of its own, {naming()}")
        given = dict(zip(names, given, strict=True))
    for each in given.values():
        if not is_file(each) and not is_frame(each):
            raise ParameterError(_no_labels(each))
    parts = [_label_rows(Source.of(each) if is_file(each) else each, judges, str(name)) for name, each in given.items()]
    if not parts:
        raise ParameterError("there is no file of labels")
    kinds = {part.frame["label"].dtype for part in parts}
    frames = [part.frame.with_columns(pl.col("label").cast(pl.String)) if len(kinds) > 1 else part.frame
              for part in parts]  # fmt: skip
    starts = [sum(frame.height for frame in frames[:place]) for place in range(len(frames))]

    def where(row: int) -> tuple[str, int | None]:
        place = max(number for number, start in enumerate(starts) if start <= row)
        return parts[place].where(row - starts[place])

    remarks = tuple(remark for part in parts for remark in part.remarks)
    return LabelRows(pl.concat(frames, how="diagonal_relaxed"), where, remarks)


def _no_labels(data: Any) -> str:
    kind = type(data).__name__
    return f"labels: expected a file, a data frame, or rows of {', '.join(NEEDED[:2])} and {NEEDED[2]}, got {kind}"


def _long(table: NamedColumns, roles: dict[str, str], judge: str | None) -> LabelRows:
    """One row per label."""
    if "item_id" not in roles:
        raise absent("labels", table.frame.columns, table.path, 1)
    cells = {ours: _cells(table, ours, theirs) for ours, theirs in roles.items()}
    if judge is not None:
        cells.setdefault("judge", pl.repeat(judge, table.frame.height, dtype=pl.String, eager=True))
    return LabelRows(pl.DataFrame([cells[ours].alias(ours) for ours in cells]), table.where)


def _cells(table: NamedColumns, ours: str, theirs: str) -> pl.Series:
    kind = ROLES[ours].kind
    if kind == "id":
        return table.ids(theirs, ours)
    if kind == "number":
        return table.numbers(theirs, ours)
    if ours == "note":
        return table.frame[theirs].cast(pl.String, strict=False)
    if kind == "text" and (times := _points_in_time(table.frame[theirs])) is not None:
        return times
    values = _bare(table, theirs)
    table = table._replace(frame=table.frame.with_columns(values.alias(theirs)))
    return values.fill_nan(None) if values.dtype.is_float() else table.labels(theirs)


def _points_in_time(values: pl.Series) -> pl.Series | None:
    """Times as data frames and Parquet have them; None if it is text or numbers."""
    if values.dtype == pl.Object:  # such as those of pandas, where an absent one is not itself
        known = [value if isinstance(value, datetime) and value == value else None for value in values]  # noqa: PLR0124
        values = pl.Series(values.name, known, strict=False)
    return values if values.dtype.is_temporal() else None


def _bare(table: NamedColumns, column: str) -> pl.Series:
    """Labels out of lists of one, as Label Studio's flat forms have ratings: `[{"rating": 4}]`, in CSV as text."""
    values = table.frame[column]
    if isinstance(values.dtype, pl.List):
        for row in (values.list.len() > 1).arg_true():
            raise table.error(row, "one label of an item by a judge", ", ".join(map(str, values[row])))
        values = values.list.first()
        if isinstance(values.dtype, pl.Struct):
            fields = values.struct.fields
            values = values.struct.field(fields[0]) if len(fields) == 1 else table.frame[column]
    elif values.dtype == pl.String:
        numbers = values.str.extract(_FLAT_RATING)
        values = numbers if numbers.null_count() == values.null_count() else values
    return values


def _wide(table: NamedColumns, roles: dict[str, str], judges: Sequence[str] | None) -> LabelRows:
    """One column per judge: those named, or all that can be."""
    names = table.frame.columns
    refuse_absent(table.path, names, judges or ())
    if judges is None and "judge" in roles:
        raise absent("labels", names, table.path, 1)
    roles = _roles_of_items(table, roles)
    whose, remarks = (list(judges), ()) if judges is not None else _judges(table, roles)
    if "item_id" not in roles or len(whose) < 2:
        raise absent("labels", names, table.path, 1)
    known = {ours: theirs for ours, theirs in roles.items() if ours in _OF_ITEMS and theirs not in whose}
    fixed = {ours: _cells(table, ours, theirs) for ours, theirs in known.items()}
    marks = as_whole([_cells(table, "label", name) for name in whose])
    rows = pl.DataFrame([fixed[ours].alias(ours) for ours in fixed]).with_row_index("row")
    parts = [rows.with_columns(judge=pl.lit(name), label=column) for name, column in zip(whose, marks, strict=True)]
    frame = pl.concat(parts, how="vertical_relaxed").sort("row", maintain_order=True)
    frame = frame.filter(pl.col("label").is_not_null())  # an empty cell: that judge did not label that item
    if judges is None and frame["label"].dtype == pl.String and frame["label"].n_unique() > max(rows.height, _FEW):
        raise absent("labels", names, table.path, 1)  # texts, such as documents
    places = frame["row"]
    return LabelRows(frame.drop("row"), lambda row: table.where(int(places[row])), remarks)


def _roles_of_items(table: NamedColumns, roles: dict[str, str]) -> dict[str, str]:
    """The roles of columns where rows name topics alone, each once: these are the items then."""
    query = roles.get("query_id")
    if "item_id" in roles or query is None or table.frame[query].is_duplicated().any():
        return roles
    return {"item_id": query, **{ours: theirs for ours, theirs in roles.items() if ours != "query_id"}}


def _judges(table: NamedColumns, roles: dict[str, str]) -> tuple[list[str], tuple[str, ...]]:
    """The columns that can be judges', and what to say of others."""
    free = [name for name in table.frame.columns if name not in roles.values()]
    whose, remarks = judge_columns(table.frame.select(free), load("assay.measures.parser:is_measure"))
    if "label" in roles and len(whose) < 2:
        return [], ()
    texts = [name for name in whose if not _has_numbers(table.labels(name))]
    numbers = [name for name in whose if name not in texts]
    if len(texts) > 1 and len(numbers) > 1:
        got = f"text in {listed(texts)}, numbers in {listed(numbers)}"
        note = f"name those of the judges: {argument('judges')}"
        raise FormatError(table.path, 1, expected="one column per judge, beside the item", got=got, note=note)
    if len(numbers) < 2:
        return whose, remarks
    bare = [name for name in free if name not in numbers and not _has_numbers(table.labels(name))]
    return numbers, (*remarks, *([f"columns without numbers are not taken as judges: {listed(bare)}"] * bool(bare)))


def _has_numbers(labels: pl.Series) -> bool:
    return labels.dtype != pl.String or bool(labels.cast(pl.Float64, strict=False).is_not_null().any())


def _mechanical_turk(table: NamedColumns) -> LabelRows:
    """Results of Mechanical Turk: `Input.` columns say what was labelled, an `Answer.` column says how.

    A HIT may have several questions: `Input.doc_id_1` was labelled by `Answer.label_1`, and so on.
    """
    if _TASK_ANSWERS in table.frame.columns:
        table = table._replace(frame=table.frame.drop(_TASK_ANSWERS).hstack(_task_answers(table)))
    table = table._replace(frame=_buttons_joined(table.frame))
    names = table.frame.columns
    inputs = {name.partition(".")[2]: name for name in names if name.startswith("Input.")}
    questions = {name.partition(".")[2]: name for name in names if name.startswith("Answer.")}
    answers = list(questions.values())
    roles = roles_in("labels", [name for name in names if not name.startswith(("Input.", "Answer."))])
    for role in TABLES["labels"]:
        stated = find(role, [*inputs.values(), *answers])
        asked = questions if role.name == "label" else inputs
        known = stated or asked.get(find(role, list(asked)) or "")
        if known is not None and (role.name not in roles or role.name in {"item_id", "query_id", "gold"}):
            roles[role.name] = known
    if "doc_id_1" in inputs:
        rows = _questions(table, roles, [name.removeprefix("doc_id_") for name in inputs if name.startswith("doc_id_")])
    else:
        if roles.get("label") not in answers:
            if len(answers) != 1:
                note = f"name it with {argument('columns')}, as in label={answers[0]!r}" if answers else None
                expected = "one column of answers, or the label named among them"
                raise FormatError(table.path, 1, expected=expected, got=listed(answers) or "none", note=note)
            roles["label"] = answers[0]
        rows = _long(table, roles, None)
    refused = [name for name in names if folded_name(name) == "assignmentstatus"]
    rejected = int((table.frame[refused[0]] == "Rejected").sum()) if refused else 0
    remark = f"{number_of('answer', rejected)} of rejected assignments counted, too"
    return rows._replace(remarks=(remark,)) if rejected else rows


def _buttons_joined(frame: pl.DataFrame) -> pl.DataFrame:
    """Answers by buttons, `Answer.relevance.0`, `Answer.relevance.1`, ..., as one: the button that is true, if any."""
    buttons: dict[str, dict[str, str]] = {}
    for name in frame.columns:
        kind, _, rest = name.partition(".")
        question, _, button = rest.partition(".")
        if kind == "Answer" and button and frame[name].cast(pl.String).str.to_lowercase().is_in(_SWITCHES).all():
            buttons.setdefault(f"Answer.{question}", {})[button] = name
    for question, names in buttons.items():
        if len(names) > 1:
            on = {button: pl.col(name).cast(pl.String).str.to_lowercase() == "true" for button, name in names.items()}
            chosen = pl.coalesce(pl.when(is_on).then(pl.lit(button)) for button, is_on in on.items())
            alone = pl.when(pl.sum_horizontal(on.values()) == 1).then(chosen)
            frame = frame.with_columns(alone.alias(question)).drop(names.values())
    return frame


def _task_answers(table: NamedColumns) -> pl.DataFrame:
    """The answers of a form of crowd elements, which stand together as JSON: a column for each question."""
    rows = []
    for row, text in enumerate(table.frame[_TASK_ANSWERS]):
        try:
            (answers,) = json.loads(text or "[]")
            rows.append({f"Answer.{name}": _marked(value) for name, value in answers.items()})
        except (ValueError, AttributeError, TypeError):
            raise table.error(row, f"a list of one JSON object in {_TASK_ANSWERS}", text or "") from None
    return pl.DataFrame(rows, infer_schema_length=None)


def _marked(answer: Any) -> str | None:
    """The typed or chosen label: of buttons, the one that is on; None without an answer."""
    if isinstance(answer, dict):
        on = [name for name, value in answer.items() if value is True]
        answer = answer.get("label", on[0] if len(on) == 1 else None)
    return None if answer is None else str(answer)


def _questions(table: NamedColumns, roles: dict[str, str], numbers: list[str]) -> LabelRows:
    """Several questions per row, which share its seconds; places of a HIT may be empty."""
    shared = {ours: roles[ours] for ours in ("query_id", "judge", "seconds", "time") if ours in roles}
    parts = []
    for number in numbers:
        item, answer = f"Input.doc_id_{number}", f"Answer.label_{number}"
        if answer not in table.frame.columns:
            raise FormatError(table.path, 1, expected=f"the answers to {item} as {answer}", got="none")
        asked = table.frame[item].fill_null("") != ""
        labels = table.labels(answer)
        unanswered = asked & labels.is_null()
        table.refuse(unanswered, f"an answer in {answer}")
        cells = [_cells(table, ours, theirs).alias(ours) for ours, theirs in shared.items()]
        part = pl.DataFrame([table.frame[item].alias("item_id"), *cells]).with_row_index("row")
        parts.append(part.with_columns(label=labels).filter(asked))
    frame = pl.concat(parts, how="vertical_relaxed").sort("row", maintain_order=True)
    if "seconds" in shared:
        frame = frame.with_columns(pl.col("seconds").cast(pl.Float64) / pl.len().over("row"))
    places = frame["row"]
    return LabelRows(frame.drop("row"), lambda row: table.where(int(places[row])))


def _judgments(source: Source, judge: str | None) -> LabelRows:
    """Judgments whose second column names the judge; of a file that is one judge's, that column says nothing."""
    frame = load_columns(source, _JUDGMENTS).frame.rename({"doc_id": "item_id", "grade": "label"})
    return LabelRows(frame if judge is None else frame.with_columns(judge=pl.lit(judge)), partial(line_of_row, source))


def _of_one_judge(judgments: Loaded, source: Source, judge: str) -> LabelRows:
    """Judgments in a format that has no place for a judge."""
    frame = judgments.frame.select("query_id", pl.col("doc_id").alias("item_id"), pl.col("relevance").alias("label"))
    return LabelRows(frame.with_columns(judge=pl.lit(judge)), judgments.where or (lambda _: (source.name, None)))


# Types ----------------------------------------------------------------------------------------------------------------


def _typed(rows: LabelRows, no_gold: Any) -> tuple[pl.DataFrame, list[str]]:
    """Labels as whole numbers, numbers or text; no row without a label; times as numbers."""
    frame = rows.frame
    remarks = list[str]()
    empty = frame["label"].is_null()
    if empty.all():
        raise InputError(f"{rows.where(0)[0]}: expected labels, got empty cells only")
    if empty.any():
        remarks.append(f"{number_of('row', int(empty.sum()))} without a label left out")
    both = [column for column in ("label", "gold") if column in frame.columns]
    values = _numbers([frame[column] for column in both])
    frame = frame.with_columns(value.alias(column) for value, column in zip(values, both, strict=True))
    if frame["label"].dtype.is_float():
        refuse_rows(
            frame["label"].is_infinite().fill_null(False), rows.where, "a finite number as label", frame["label"]
        )
    remarks += _oddities(frame["label"])
    if (merged := _read_as_one(rows.frame["label"])) and frame["label"].dtype.is_numeric():
        remarks.append(f"labels written in different ways are read as one number: {listed(merged)}")
    if alike := [repr(name) for name in _alike(frame["judge"])]:
        remarks.append(f"judges whose names differ only in case or blanks count as several: {listed(alike)}")
    if "gold" in both and no_gold is not None:
        mark = pl.Series([str(no_gold)]).cast(frame["gold"].dtype, strict=False)[0]
        frame = frame.with_columns(gold=pl.when(pl.col("gold").ne_missing(mark)).then(pl.col("gold")))
    if "time" in frame.columns:
        frame = frame.with_columns(time=_times(frame["time"]))
        lost = rows.frame["time"].filter(frame["time"].is_null() & rows.frame["time"].is_not_null())
        if len(lost):
            remarks.append(f"{number_of('time', len(lost))} not understood, such as {lost[0]!r}, and left out")
    return frame.filter(~empty), remarks


def _without_marks(frame: pl.DataFrame) -> pl.DataFrame:
    """The labels without usual signs for a missing one, where all others are numbers."""
    labels = frame["label"]
    if labels.dtype.is_float():
        return frame.with_columns(pl.col("label").fill_nan(None))
    if labels.dtype != pl.String:
        return frame
    missing = labels.str.strip_chars().str.to_lowercase().is_in(_MISSING)
    others = labels.filter(~missing & labels.is_not_null())
    if not missing.any() or others.cast(pl.Float64, strict=False).null_count() or not len(others):
        return frame
    return frame.with_columns(label=pl.when(~missing).then(pl.col("label")))


def _read_as_one(labels: pl.Series) -> list[str]:
    """Labels that are one number with zeros before it, and without or with others: they may be codes, and no numbers.

    >>> _read_as_one(pl.Series(["1", "01", "2", "02", "3", "3.0", "0.5"]))
    ['01 and 1', '02 and 2']
    """
    if labels.dtype != pl.String:
        return []
    texts = labels.str.strip_chars().drop_nulls().unique().sort()
    padded = texts.str.contains(r"^[+-]?0\d")
    if not padded.any():
        return []
    ways = pl.DataFrame({"text": texts, "number": texts.cast(pl.Float64, strict=False), "padded": padded})
    ways = ways.drop_nulls().group_by("number").agg("text", pl.col("padded").any())
    several = ways.filter("padded", pl.col("text").list.len() > 1).sort("number")
    return [" and ".join(texts) for texts in several["text"]]


def _oddities(labels: pl.Series) -> Iterator[str]:
    """Labels that look like slips: words among numbers, and words that differ in case only."""
    if labels.dtype != pl.String:
        return
    known = labels.drop_nulls()
    words = known.filter(known.cast(pl.Float64, strict=False).is_null())
    if 2 * len(words) < len(known):
        odd = listed(words.unique(maintain_order=True).to_list())
        yield f"labels are read as text: {len(words):,} of {number_of('label', len(known))} not a number ({odd})"
    if alike := _alike(known):
        yield f"labels that differ only in case count as different: {listed(alike)}"


def _alike(names: pl.Series) -> list[str]:
    """Names that differ from another one in case or in blanks around it only."""
    kinds = names.unique(maintain_order=True)
    return kinds.filter(kinds.str.strip_chars().str.to_lowercase().is_duplicated()).to_list()


def _numbers(columns: list[pl.Series]) -> list[pl.Series]:
    """Columns as whole numbers where all are, as numbers where all are, else as they are."""
    if all(column.dtype.is_float() for column in columns):
        whole = [column.cast(pl.Int64, strict=False) for column in columns]
        same = all(new.cast(pl.Float64).eq_missing(old).all() for new, old in zip(whole, columns, strict=True))
        return whole if same else columns
    columns = as_whole(columns)
    if all(column.dtype == pl.String for column in columns):
        numbers = [column.cast(pl.Float64, strict=False) for column in columns]
        if all(new.null_count() == old.null_count() for new, old in zip(numbers, columns, strict=True)):
            return numbers
    return columns


def _times(values: pl.Series) -> pl.Series:
    """Points in time as numbers, in seconds; null where none can be told."""
    if values.dtype == pl.String:
        values = values.str.replace(_ZONE, " ")
    return utc_times(values).utc.dt.timestamp("ms") / 1000.0
