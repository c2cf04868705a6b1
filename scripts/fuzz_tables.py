"""Tables of up to 5 columns and 20 rows, made of realistic and hostile values, and the commands that are given them.

`scripts/fuzz.py` runs each command on such tables: it has to end with an answer or with a refusal in one line.
"""

import csv
import io
import itertools
import json
import random
from typing import NamedTuple


class ColumnPool(NamedTuple):
    """What a column may be called, and the pools its cells come from, one pool per column."""

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]


LABELS = (
    ("0", "1"), ("0", "1", "2", "3"), ("-2", "-1", "0", "1"), ("1",), ("0",), ("True", "False"), ("true", "false"),
    ("TRUE", "FALSE"), ("True",), ("yes", "no"), ("relevant", "not relevant"), ("good", "bad", "ugly"), ("spam",),
    ("1.0", "0.0"), ("0.5", "1.5", "2.5"), ("0", "1", "yes"), ("True", "1"), ("1", "1.0", "01"), ("0", "NA"),
)  # fmt: skip
QUERIES = (
    ("q1", "q2", "q3"),
    ("q1", "q2"),
    ("q1",),
    ("1", "2", "3"),
    ("tea", "green tea", "Café table"),
    ("TRUE", "FALSE"),
)
DOCUMENTS = (
    tuple(f"d{number}" for number in range(1, 7)),
    tuple(f"d{number}" for number in range(1, 21)),
    ("1", "2", "3", "4"),
    ("d1",),
    ("B000001", "B000002", "doc 3"),
)
PEOPLE = (("ana", "ben", "cleo"), ("w1", "w2"), ("ana",), ("1", "2", "3", "4"), ("gpt",))
TIMES = (
    ("2026-10-01 07:29:06", "2026-10-01 07:31:00", "2026-10-08 09:00:00"), ("2026-10-01T07:29:06Z", "2026-12-31"),
    ("1760000000", "1760000060", "1760600000"), ("1760000000000", "1760000001000"), ("31/12/2026", "12:00"),
)  # fmt: skip
NUMBERS = (("1", "2", "3"), ("0.25", "0.5", "2.5"), ("-1", "0", "1"), ("12.5", "0", "300"), ("1e3", "1e-3"), ("7",))
RANKS = (("1", "2", "3"), ("1", "2", "3", "4", "5"), ("0", "1", "2"), ("1",), ("1.0", "2.0"))
SESSIONS = tuple(f"s{number}" for number in range(1, 7))
#: By what a column is; the names are those of our own tables, of other tools and of people.
COLUMNS: dict[str, ColumnPool] = {
    "query": ColumnPool(("query_id", "query", "topic", "search_query", "Query ID", "topicID"), QUERIES),
    "document": ColumnPool(("doc_id", "item", "item_id", "id", "product_id", "docID"), DOCUMENTS),
    "judge": ColumnPool(("judge", "worker", "annotator", "workerID", "model", "user_id"), PEOPLE),
    "label": ColumnPool(("label", "relevance", "grade", "rating", "Answer.label"), LABELS),
    "gold": ColumnPool(("gold", "truth"), LABELS),
    "anna": ColumnPool(("anna", "ana"), LABELS),
    "bernd": ColumnPool(("bernd", "ben"), LABELS),
    "cleo": ColumnPool(("cleo", "claudia", "price", "notes"), (*LABELS, *NUMBERS, *QUERIES)),
    "seconds": ColumnPool(("seconds", "WorkTimeInSeconds", "lead_time"), NUMBERS),
    "time": ColumnPool(("time", "ts", "timestamp", "date"), TIMES),
    "score": ColumnPool(("score", "similarity", "distance"), (tuple(map(str, range(20))), *NUMBERS)),
    "rank": ColumnPool(("rank", "position", "Doc Position"), RANKS),
    "clicked": ColumnPool(("clicked", "click", "clicks", "is_click"), (*LABELS, ("0", "1"), ("0", "1"))),
    "session": ColumnPool(("session_id", "session", "page_id", "page"), (SESSIONS, ("1", "2"))),
    "user": ColumnPool(("user_id", "user"), (("u1", "u2", "u3", "u4", "u5", "u6"), ("ana", "ben"))),
    "system": ColumnPool(("system", "run", "variant"), (("a", "b"), ("run", "other"), ("old", "new"), ("a",))),
    "title": ColumnPool(("title", "text", "query"), (("green tea", "black tea"), ("tea",))),
    "count": ColumnPool(("count", "frequency", "n"), (*NUMBERS, LABELS[0])),
    "stratum": ColumnPool(("stratum", "order", "priority", "runs"), (*RANKS, *NUMBERS)),
    "run": ColumnPool(("run",), (("run", "other"), ("a", "b"))),
    "group": ColumnPool(("group",), (("a", "b"), ("team",))),
    "rate": ColumnPool(("rate", "inclusion", "probability"), (("1", "0.5"), ("0.2",), ("0", "1"))),
}  # fmt: skip
HOSTILE = (
    "", " ", "NA", "nan", "null", "None", "-", "?", "inf", "-inf", "-0.0", "1e999", "1e400", "9" * 25, "-" + "9" * 25,
    "18446744073709551616", "9223372036854775807", "0x10", "1_000", "1,5", "²", "é", "e\u0301", "\u202e", "\0",
    "\x1b[31m", '"', "'", "a,b", "a;b", "a\tb", "a\nb", "#", "# x", "[", "[1, 2]", '{"a": 1}', '[{"rating": 4}]',
    "True", "false", "yes", "0", "1", "2.5", "x" * 300, "=1+1", "../../x", "%s", "{}", "\ufeff", "query_id", "label",
)  # fmt: skip
#: What tables of a kind are made of: columns that are needed, those that may stand beside them, and the key of a row.
KINDS = {
    "labels": ("query document judge label", "gold seconds time anna title", "query document judge"),
    "wide": ("document anna bernd cleo", "query gold time label", "document"),
    "judgments": ("query document label", "judge title rank", "query document"),
    "run": ("query document score", "rank system title", "query document"),
    "log": ("session query document clicked rank", "user time system label", "session rank"),
    "experiment": ("session query document clicked system", "rank user time label", "session document"),
    "queries": ("query", "count user time title clicked", ""),
    "topics": ("query title", "label document", "query"),
    "pool": ("query document stratum rate", "score label judge", "query document"),
    "groups": ("run group", "label", "run"),
    "anything": ("", " ".join(COLUMNS), ""),
}
#: Columns that are the same for all rows of a result page.
OF_PAGES = {"query", "user", "system", "time"}
MOST_COLUMNS, MOST_ROWS = 5, 20


def table_of(kinds: str, rng: random.Random) -> bytes:
    """A table as CSV, of one of these kinds: every other one tidy, with a slip at most; the rest careless.

    >>> table_of("run", random.Random(1)) == table_of("run", random.Random(1))
    True
    """
    is_tidy = rng.random() < 0.5
    kind = rng.choice(kinds.split()) if is_tidy or rng.random() < 0.75 else "anything"
    needed, others, key = (part.split() for part in KINDS[kind])
    more = rng.choice((0, 1, 1, 2)) if kind != "anything" else rng.randint(1, MOST_COLUMNS)
    chosen = [*needed, *rng.sample(others, min(more, len(others), MOST_COLUMNS - len(needed)))]
    if not is_tidy and rng.random() < 0.2:
        chosen = rng.sample(chosen, rng.randint(1, len(chosen)))
    if rng.random() < 0.3:
        rng.shuffle(chosen)
    names, pools = zip(*(_column(COLUMNS[each], is_tidy, rng) for each in chosen), strict=True)
    values = dict(zip(chosen, pools, strict=True))
    rows = _tidy_rows(values, [each for each in key if each in values], rng) if is_tidy else _careless_rows(values, rng)
    if is_tidy and rows and rng.random() < 0.4:  # one slip
        rng.choice(rows)[rng.randrange(len(chosen))] = rng.choice(HOSTILE)
    if not is_tidy:
        hostile = rng.choice((0, 0, 0.02, 0.1, 0.5))
        rows = [[rng.choice(HOSTILE) if rng.random() < hostile else cell for cell in row] for row in rows]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=rng.choice(",,,,;\t"), lineterminator=rng.choice(("\n", "\n", "\r\n")))
    writer.writerows([names, *rows])
    return text.getvalue().encode()


def _tidy_rows(values: dict[str, tuple[str, ...]], key: list[str], rng: random.Random) -> list[list[str]]:
    """Rows that differ in their keys; those of a result page have their query, user, system and time in common."""
    most = (MOST_ROWS, MOST_ROWS, 6, 3)[len(key)]
    keys = list(itertools.product(*(values[each][:most] for each in key))) if key else [()] * MOST_ROWS
    if rng.random() < 0.3:
        rng.shuffle(keys)
    rows = []
    for found in keys[: rng.choice((MOST_ROWS, MOST_ROWS, 12, 4))]:
        row = dict(zip(key, found, strict=True))
        page = values["session"].index(row["session"]) if "session" in row else None
        for name, pool in values.items():
            is_of_page = page is not None and name in OF_PAGES
            row.setdefault(name, pool[page % len(pool)] if is_of_page and page is not None else rng.choice(pool))
        rows.append([row[name] for name in values])
    return rows


def _careless_rows(values: dict[str, tuple[str, ...]], rng: random.Random) -> list[list[str]]:
    """Rows of any cells."""
    return [list(map(rng.choice, values.values())) for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 12, 20)))]


def _column(pool: ColumnPool, is_tidy: bool, rng: random.Random) -> tuple[str, tuple[str, ...]]:
    """A name and a pool of cells: the usual ones in most cases."""
    name = pool.names[0] if rng.random() < (0.9 if is_tidy else 0.6) else rng.choice(pool.names)
    values = pool.values[0] if rng.random() < (0.6 if is_tidy else 0.2) else rng.choice(pool.values)
    return (rng.choice(HOSTILE) if not is_tidy and rng.random() < 0.03 else name), values


_MODEL = {
    "assay_click_model": 1, "name": "RCTR", "settings": {"prior": [1.0, 1.0]}, "trace": [], "converged": True,
    "pairs": {"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "impressions": [2, 4], "clicks": [0, 1]},
    "shared": {"parameter": ["click rate"] * 3, "rank": [1, 2, 3], "click_above": [None] * 3, "value": [0.5, 0.3, 0.2],
               "shown": [12.0] * 3},
    "evidence": {},
}  # fmt: skip
_PAGES = [(page, rank) for page in range(32) for rank in (1, 2, 3)]
#: Valid files that stand beside the table.
NEIGHBOURS = {
    "qrels": "".join(f"q{q} 0 d{d} {(q + d) % 3}\n" for q in (1, 2, 3) for d in range(1, 7)),
    "run": "".join(f"q{q} Q0 d{d} {d} {9 - d} tag\n" for q in (1, 2, 3) for d in range(1, 6)),
    "other": "".join(f"q{q} Q0 d{d} {7 - d} {d + q} tag\n" for q in (1, 2, 3) for d in range(2, 7)),
    "labels": "query_id,doc_id,judge,label\n"
    + "".join(f"q{q},d{d},{who},{(q + d + (d == len(who))) % 2}\n" for q in (1, 2) for d in range(1, 6)
              for who in ("ana", "ben", "cleo")),
    "topics": "query_id,title\nq1,green tea\nq2,black tea\nq3,oolong\n",
    "log": "session_id,user_id,query_id,doc_id,rank,clicked,system\n"
    + "".join(f"s{page},u{page % 7},q{page // 4 % 2 + 1},d{(rank + page) % 4 + 1},{rank},"
              f"{int((page * 5 + rank * 3) % 7 < 3)},{'ab'[page % 2]}\n" for page, rank in _PAGES),
    "model.json": json.dumps(_MODEL),
    "sample.csv": "query_id,doc_id,order,stratum,inclusion\n"
    + "".join(f"q{q},d{d},{d if d < 5 else ''},{2 if d < 4 else 10},{1.0 if d < 4 else 0.5}\n"
              for q in (1, 2, 3) for d in range(1, 7)),
}  # fmt: skip
#: Commands whose file @ is such a table, of these kinds; the other files are valid ones, unless @ stands there, too.
COMMANDS: list[tuple[str, str]] = [
    ("crowd aggregate @", "labels wide"),
    ("crowd aggregate @ --method majority --qrels crowd.qrels --price 0.05", "labels"),
    ("crowd aggregate @ --method mace --vote-ties random --json", "labels wide"),
    ("crowd aggregate @ --method weighted --grade-by expected --qrels crowd.qrels", "labels"),
    ("crowd aggregate @ --method median --exclude flagged --csv", "labels wide"),
    ("crowd aggregate labels --gold @", "judgments"),
    ("crowd workers @ --gold-missing -1", "labels wide"),
    ("crowd workers @ --gold qrels --price 0.1 --json", "labels wide"),
    ("crowd hits topics @ --per-hit 4", "judgments pool"),
    ("crowd hits @ qrels", "topics"),
    ("crowd hits topics qrels --gold @", "judgments"),
    ("crowd audit @ @", "judgments labels"),
    ("crowd audit @ qrels run other", "judgments"),
    ("crowd audit qrels @ run other --json", "judgments labels wide"),
    ("crowd audit @ @ --slice query_id", "judgments labels"),
    ("agreement evaluate @", "labels wide judgments"),
    ("agreement evaluate @ -m Alpha -m Kappa --json", "labels wide"),
    ("agreement evaluate @ --runs run --runs other", "labels judgments"),
    ("agreement evaluate ana=@ ben=@", "judgments"),
    ("agreement compare labels @", "labels"),
    ("agreement compare @ --group old=ana,ben --group new=ben,cleo", "labels"),
    ("agreement explain Alpha @", "labels wide"),
    ("agreement report @ -o page.html", "labels wide"),
    ("agreement gate labels @", "labels"),
    ("agreement doctor @", "labels wide judgments"),
    ("agreement convert @ -o out.csv", "labels wide"),
    ("agreement convert @ -o out.qrels", "labels"),
    ("clicks evaluate @", "log"),
    ("clicks compare @ --test t", "experiment"),
    ("clicks explain CTR @", "log"),
    ("clicks report @ -o page.html", "log experiment"),
    ("clicks gate @ -b a -c b", "experiment"),
    ("clicks doctor @", "log queries"),
    ("clicks power @ -m CTR", "experiment"),
    ("clicks plot @", "log"),
    ("clicks fit @ --model all", "log"),
    ("clicks fit log --model PBM --qrels @", "judgments"),
    ("clicks judge @", "log"),
    ("clicks agree qrels @ --min-impressions 1", "log"),
    ("clicks agree @ log --min-impressions 1", "judgments"),
    ("clicks calibrate qrels @", "log"),
    ("clicks calibrate @ log", "judgments"),
    ("clicks prefer @", "log"),
    ("clicks prefer log --qrels @", "judgments"),
    ("clicks value @ run", "log"),
    ("clicks value log @", "run"),
    ("clicks simulate model.json @ -o made", "run log"),
    ("pool make @ run --depth 3", "run"),
    ("pool make run --qrels @ --order priority", "judgments"),
    ("pool make run other --groups @", "groups"),
    ("pool simulate @ run other --strategy depth --strategy thompson", "judgments"),
    ("pool simulate qrels @ run --strategy rbp --strategy max-mean", "run"),
    ("pool choose 1 @ run other", "run"),
    ("pool choose 2 run other --qrels @", "judgments"),
    ("pool bias @ run other", "judgments"),
    ("pool bias qrels @ run -m P@5,Bpref", "run"),
    ("pool estimate @ qrels run", "pool"),
    ("pool estimate sample.csv @ run", "judgments"),
    ("topics sample @ -n 3", "queries log topics"),
    ("topics sample @ -n 2 --by head-torso-tail --json", "queries log"),
    ("log check @", "log"),
    ("log show @", "log"),
    ("log import @ -o imported", "log"),
]  # fmt: skip
