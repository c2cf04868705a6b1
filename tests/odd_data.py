"""Tables of every subject, as people have them: rows in any order, ties, gaps, ids that look like numbers or worse."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple, TypeAlias

Rows: TypeAlias = list[dict[str, Any]]

#: Ids whose order as text is not that of numbers, and that a reader may take for something else.
ODD_IDS = ("1", "01", "001", "10", "2", "1e5", "-3", "0x1F", "007", "true", "é", "ß", "D1", "d-1", "日本", "a/b", "7x")
#: Ids that need quotes in CSV, and have no place in TREC's formats.
QUOTED_IDS = ("tea pot", "a,b", 'q"t', "x;y", "two  blanks")


class Table(NamedTuple):
    """The rows of one file, and which columns hold ids."""

    rows: Rows
    ids: tuple[str, ...] = ()


def ids(random: Random, count: int, name: str, quoted: bool = True) -> list[str]:
    """So many ids, about half of them odd, in any order."""
    odd = [*ODD_IDS, *(QUOTED_IDS if quoted else ())]
    random.shuffle(odd)
    some = odd[: count // 2]
    some += [f"{name}{number}" for number in range(count - len(some))]
    random.shuffle(some)
    return some


def mixed(random: Random, rows: Rows) -> Rows:
    """The rows in any order."""
    random.shuffle(rows)
    return rows


def rankings(random: Random, queries: int = 24, quoted: bool = True) -> dict[str, Table]:
    """Judgments and three runs: tied scores, unjudged documents, queries that a run lacks, one that nobody judged."""
    documents = ids(random, 30, "doc", quoted)
    names = ids(random, queries, "query", quoted)
    tables: dict[str, Rows] = {"qrels": [], "old": [], "new": [], "mid": []}
    for query in names:
        near = random.sample(documents, 16)
        tables["qrels"] += [
            {"query_id": query, "doc_id": doc, "relevance": random.choice([0, 0, 1, 1, 2, 3])}
            for doc in near[: random.randint(3, 12)]
        ]
        for run in ("old", "new", "mid"):
            if random.random() > 0.1:
                found = random.sample(near, random.randint(2, 14))
                tables[run] += [
                    {"query_id": query, "doc_id": doc, "score": random.randint(0, 8) / 4, "shown": "x"} for doc in found
                ]
    tables["sample"] = [
        {"query_id": row["query_id"], "doc_id": row["doc_id"], "order": place, "stratum": 10, "inclusion": 0.5}
        for place, row in enumerate(tables["qrels"], 1)
    ]
    tables["new"].append({"query_id": "nobody", "doc_id": documents[0], "score": 1.5, "shown": "x"})
    return {name: Table(mixed(random, rows), ("query_id", "doc_id")) for name, rows in tables.items()}


def two_labels(random: Random, weighted: bool = False) -> dict[str, Table]:
    """Predictions of two classifiers with tied scores."""
    rows: Rows = []
    for item in ids(random, 70, "item"):
        spam = random.random() < 0.35
        row: dict[str, Any] = {"item_id": item, "truth": "spam" if spam else "ham"}
        for system, gap in (("old", 0.3), ("new", 0.5)):
            score = round(min(1.0, gap * spam + random.random() * 0.6), 1)
            row |= {f"prediction_{system}": "spam" if score > 0.5 else "ham", f"score_{system}": score}
        rows.append(row | ({"weight": random.choice([0.5, 1.0, 2.5])} if weighted else {}))
    return {"pred": Table(mixed(random, rows), ("item_id",))}


def many_labels(random: Random) -> dict[str, Table]:
    """Predictions of classes, some of which look like numbers."""
    rows: Rows = []
    for item in ids(random, 80, "item"):
        truth = random.choice(["b", "a", "10", "9", "é"])
        row = {"item_id": item, "truth": truth}
        for system, right in (("old", 0.6), ("new", 0.7)):
            row[f"prediction_{system}"] = truth if random.random() < right else random.choice(["b", "a", "10", "9"])
        rows.append(row)
    return {"pred": Table(mixed(random, rows), ("item_id",))}


def probabilities(random: Random) -> dict[str, Table]:
    """A score for each of three classes."""
    rows: Rows = []
    for item in ids(random, 60, "item"):
        truth = random.choice("bac")
        weights = {label: 1 + random.randint(0, 10) + 6 * (label == truth) for label in "bac"}
        shares = {f"score_{label}": weight / sum(weights.values()) for label, weight in weights.items()}
        rows.append({"item_id": item, "truth": truth, **shares})
    return {"pred": Table(mixed(random, rows), ("item_id",))}


def label_sets(random: Random) -> dict[str, Table]:
    """Items with several labels each, or none, in columns of 0 and 1."""
    rows: Rows = []
    for item in ids(random, 60, "item"):
        true = {label: random.random() < 0.4 for label in "bacd"}
        found = {label: held != (random.random() < 0.25) for label, held in true.items()}
        row: dict[str, Any] = {"item_id": item}
        row |= {f"truth_{label}": int(held) for label, held in true.items()}
        rows.append(row | {f"prediction_{label}": int(held) for label, held in found.items()})
    return {"pred": Table(mixed(random, rows), ("item_id",))}


def two_files(random: Random) -> dict[str, Table]:
    """Predictions of two classifiers, a file each, with the items in different orders."""
    tables: dict[str, Rows] = {"old": [], "new": []}
    for item in ids(random, 60, "item"):
        truth = random.choice("ab")
        for system, right in (("old", 0.6), ("new", 0.8)):
            guess = truth if random.random() < right else "a"
            tables[system].append({"item_id": item, "truth": truth, "prediction": guess})
    return {name: Table(mixed(random, rows), ("item_id",)) for name, rows in tables.items()}


def clusters(random: Random) -> dict[str, Table]:
    """Two clusterings of points whose classes are known."""
    rows: Rows = []
    for item in ids(random, 60, "item"):
        truth = random.choice(["x", "y", "10", "9"])
        middle = {"x": 0.0, "y": 2.0, "10": 4.0, "9": 6.0}[truth]
        rows.append({
            "item_id": item, "class": truth,
            "cluster_old": random.choice("ab") + (truth if random.random() < 0.5 else ""),
            "cluster_new": truth if random.random() < 0.7 else random.choice(["x", "7"]),
            "across": round(random.gauss(middle, 1), 2), "up": round(random.gauss(-middle, 1), 2),
        })  # fmt: skip
    return {"clus": Table(mixed(random, rows), ("item_id",))}


def spans(random: Random) -> dict[str, Table]:
    """True spans and those of two systems; a document is missing here and there."""
    tables: dict[str, Rows] = {"truth": [], "old": [], "new": []}
    for document in ids(random, 20, "doc"):
        for place in range(random.randint(1, 5)):
            start, kind = 10 * place + random.randint(0, 3), random.choice(["PER", "LOC", "10"])
            end = start + random.randint(1, 5)
            tables["truth"].append({"document": document, "start": start, "end": end, "type": kind})
            for system, found in (("old", 0.5), ("new", 0.75)):
                if random.random() < found:
                    last = end + (random.random() < 0.2)
                    tables[system].append({"document": document, "start": start, "end": last, "type": kind})
                if random.random() < 0.1:
                    tables[system].append({"document": document, "start": start + 100, "end": end + 100, "type": kind})
    return {name: Table(mixed(random, rows), ("document",)) for name, rows in tables.items()}


def scores(random: Random, systems: Sequence[str] = ("old", "new", "mid")) -> dict[str, Table]:
    """Scores of units by system and measure, some of them missing."""
    rows: Rows = [
        {"system": system, "measure": measure, "unit": unit,
         "value": None if random.random() < 0.05 else round(0.1 * place + 0.8 * random.random(), 1)}
        for unit in ids(random, 25, "unit") for place, system in enumerate(systems) for measure in ("AP", "RR")
    ]  # fmt: skip
    return {"sc": Table(mixed(random, rows), ("unit",))}


def score_matrix(random: Random) -> dict[str, Table]:
    """One column per system, one row per unit."""
    rows: Rows = [
        {"unit": unit, **{system: round(random.random(), 1) for system in ("old", "new", "mid")}}
        for unit in ids(random, 25, "unit")
    ]
    return {"sc": Table(mixed(random, rows), ("unit",))}


def judged(random: Random, values: Sequence[Any] = (0, 1, 2, 3)) -> Rows:
    """Labels of four judges, with gaps, on documents of topics."""
    topics = ids(random, 5, "topic")
    rows: Rows = []
    for item in ids(random, 40, "doc"):
        topic, usual = random.choice(topics), random.choice(values)
        for judge in ("ana", "10", "9", "ben"):
            label = usual if random.random() < 0.6 else random.choice(values)
            if random.random() < 0.8:
                rows.append({"query_id": topic, "item_id": item, "judge": judge, "label": label})
    return mixed(random, rows)


def judges(random: Random) -> dict[str, Table]:
    """Grades of several judges."""
    return {"lab": Table(judged(random), ("query_id", "item_id"))}


def judges_in_words(random: Random) -> dict[str, Table]:
    """Labels in words, some of which look like numbers."""
    return {"lab": Table(judged(random, ("yes", "no", "10", "9")), ("query_id", "item_id"))}


def judges_twice(random: Random) -> dict[str, Table]:
    """Two sets of labels of the same items."""
    first = judged(random)
    again = [row | {"label": row["label"] if random.random() < 0.7 else random.choice([0, 1, 2, 3])} for row in first]
    both = {"old": first, "new": mixed(random, again)}
    return {name: Table(rows, ("query_id", "item_id")) for name, rows in both.items()}


def judge_columns(random: Random) -> dict[str, Table]:
    """One column per judge."""
    by_item: dict[tuple[str, str], dict[str, Any]] = {}
    for row in judged(random):
        key = row["query_id"], row["item_id"]
        cells = by_item.setdefault(key, dict.fromkeys(("ana", "10", "9", "ben")))
        cells[row["judge"]] = row["label"]
    rows: Rows = [{"query_id": query, "item_id": item, **cells} for (query, item), cells in by_item.items()]
    return {"lab": Table(mixed(random, rows), ("query_id", "item_id"))}


def crowd(random: Random) -> dict[str, Table]:
    """Labels of workers with times and gold, the same without gold, and those of a model."""
    names = {"query_id": "query_id", "item_id": "doc_id", "judge": "worker", "label": "label"}
    people = [{names[key]: value for key, value in row.items()} for row in judged(random, (0, 1))]
    people = [row | {"seconds": round(random.random() * 50, 1)} for row in people]
    documents = sorted({(row["query_id"], row["doc_id"]) for row in people})
    gold = {pair: random.choice([0, 1]) if random.random() < 0.3 else None for pair in documents}
    model: Rows = [{"query_id": query, "doc_id": doc, "label": random.choice([0, 1])} for query, doc in documents]
    keys = ("query_id", "doc_id")
    return {
        "lab": Table([row | {"gold": gold[row["query_id"], row["doc_id"]]} for row in people], keys),
        "people": Table(mixed(random, list(people)), keys),
        "model": Table(mixed(random, model), keys),
    }


def clicks(random: Random, quoted: bool = True) -> dict[str, Table]:
    """Result pages of two systems, a row per shown result."""
    queries, documents = ids(random, 6, "query", quoted), ids(random, 20, "doc", quoted)
    users, start = ids(random, 20, "user", quoted=False), datetime(2026, 3, 1, 8)
    rows: Rows = []
    for page in range(90):
        user, query, system = random.choice(users), random.choice(queries), random.choice(["old", "new"])
        time = start + timedelta(seconds=random.randint(0, 20 * 86_400))
        shared = {
            "serp_id": f"p{page}", "timestamp": time.isoformat(), "user_id": user,
            "session_id": f"{user}-{time.date()}", "query": query, "variant": system,
        }  # fmt: skip
        for rank, document in enumerate(random.sample(documents, random.randint(2, 6)), 1):
            clicked = int(random.random() < (0.5 if system == "new" else 0.4) / rank)
            rows.append({**shared, "doc_id": document, "rank": rank, "clicked": clicked})
    return {"log": Table(mixed(random, rows), ("doc_id",))}


def clicks_and_grades(random: Random) -> dict[str, Table]:
    """Result pages, grades of most of what they show, and a run of the same queries."""
    log = clicks(random)["log"]
    pairs = sorted({(row["query"], row["doc_id"]) for row in log.rows})
    qrels: Rows = [
        {"query_id": query, "doc_id": doc, "relevance": random.choice([0, 1, 2])}
        for query, doc in pairs if random.random() < 0.8
    ]  # fmt: skip
    run: Rows = [
        {"query_id": query, "doc_id": doc, "score": random.randint(0, 8) / 4}
        for query, doc in pairs if random.random() < 0.7
    ]  # fmt: skip
    tables = {name: Table(mixed(random, rows), ("doc_id",)) for name, rows in (("qrels", qrels), ("run", run))}
    return {"log": log, **tables}


def folds(random: Random) -> dict[str, Table]:
    """Predictions of two classifiers by fold."""
    rows: Rows = []
    for place, item in enumerate(ids(random, 60, "item")):
        truth = random.choice("ab")
        guesses = {f"prediction_{system}": truth if random.random() < right else "a"
                   for system, right in (("old", 0.6), ("new", 0.8))}  # fmt: skip
        rows.append({"item_id": item, "truth": truth, **guesses, "fold": place % 5})
    return {"pred": Table(mixed(random, rows), ("item_id",))}


def clustered_documents(random: Random) -> dict[str, Table]:
    """Judgments, a run, and the clusters of the documents of each query."""
    tables = rankings(random, 8)
    judged_documents = tables["qrels"]
    rows: Rows = [
        {"query_id": row["query_id"], "doc_id": row["doc_id"], "cluster": random.choice("abc")}
        for row in [*judged_documents.rows, *tables["old"].rows]
    ]
    rows = [*{(row["query_id"], row["doc_id"]): row for row in rows}.values()]
    clustered = Table(mixed(random, rows), judged_documents.ids)
    return {"qrels": judged_documents, "run": tables["old"], "clus": clustered}


def searches(random: Random) -> dict[str, Table]:
    """Queries as people typed them, most of them several times."""
    names = ids(random, 20, "query")
    rows: Rows = [{"query": query, "count": random.randint(1, 40)} for query in names]
    return {"asked": Table(mixed(random, rows))}


def users(random: Random) -> dict[str, Table]:
    """What the users of two variants did."""
    rows: Rows = []
    for user in ids(random, 90, "user"):
        variant, asked = random.choice(["old", "new"]), random.randint(1, 6)
        clicks = random.randint(0, asked + (variant == "new"))
        rows.append({"user_id": user, "variant": variant, "searches": asked, "clicks": clicks,
                     "converted": int(random.random() < 0.3)})  # fmt: skip
    return {"test": Table(mixed(random, rows), ("user_id",))}
