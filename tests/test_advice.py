"""Advice in messages, copied and run: it is taken, and then nothing says it any more."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from command import run_assay

import assay

DATA = Path(assay.__file__).parent / "data"
QUERIES = [f"Q{number}" for number in range(12)]
#: What is typed, and the advice as it stands in the message: a whole command, or options that are added.
ADVICE = {
    "evaluate gold.txt hybrid.run": "assay evaluate gold.txt hybrid.run --complete",
    "compare gold.txt hybrid.run words.run": "assay compare gold.txt hybrid.run words.run --complete",
    "gate gold.txt hybrid.run words.run": "assay gate gold.txt hybrid.run words.run --complete",
    "power gold.txt hybrid.run words.run": "assay power gold.txt hybrid.run words.run --complete",
    "report gold.txt hybrid.run -o r.html": "assay report gold.txt hybrid.run -o r.html --complete",
    "doctor gold.txt hybrid.run words.run": "assay evaluate gold.txt hybrid.run words.run --complete",
    "evaluate threes.txt hybrid.run": "assay doctor threes.txt hybrid.run",
    "evaluate gold.txt hybrid.run -m AUC": "--collection-size",
    "evaluate gold.txt near.csv --columns score=nearness": "--lower-is-better",
    "evaluate gold.txt near.csv": "--columns, as in score='nearness'",
    "evaluate urls.csv hybrid.run": "--columns, as in doc_id='url'",
    "classifier evaluate --matrix '20 10; 180 1820'": "--positive 1",
    "classifier explain F1 --matrix '20 10; 180 1820'": "--positive 0",
    "classifier evaluate many.csv --prevalence .1": "--class a",
    "classifier threshold spam.csv --positive spam --system bayes": "--judge-on",
    "clustering evaluate notes.csv": "--unlabelled drop",
    "crowd aggregate votes.csv --qrels graded.qrels": "--categories, as in no,yes",
    "crowd aggregate once.csv": "--method majority",
}
#: Values of options that an advice leaves to who follows it.
VALUES = {"--collection-size": "--collection-size 5000", "--judge-on": "--judge-on later.csv"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("advice")
    for name in ("letters/spam.csv", "notes/notes.csv"):
        shutil.copy(DATA / name, path)
    head, *items = (path / "spam.csv").read_text().splitlines(keepends=True)
    (path / "spam.csv").write_text(head + "".join(items[:120]))
    (path / "later.csv").write_text(head + "".join(items[120:]))
    right = [(query, f"D{(place * 7 + step * 5) % 40}") for place, query in enumerate(QUERIES) for step in range(3)]
    text = {
        "gold.txt": "".join(f"{query} 0 {doc} 1\n" for query, doc in right),
        "threes.txt": "".join(f"{query} 0 {doc} 3\n" for query, doc in right),
        "urls.csv": "query_id,url,relevance\n" + "".join(f"{query},{doc},1\n" for query, doc in right),
        "golden.jsonl": "".join(
            json.dumps({"question": query, "right": [doc for of, doc in right if of == query]}) + "\n"
            for query in QUERIES
        ),
        "near.csv": "query_id,doc_id,nearness\n"
        + "".join(f"{query},D{rank},{rank}\n" for query in QUERIES for rank in range(1, 11)),
        "found.jsonl": "".join(
            json.dumps({"question": query, "results": [f"D{rank}" for rank in range(10)]}) + "\n" for query in QUERIES
        ),
        "many.csv": "item_id,truth,prediction\n"
        + "".join(f"i{n},{'abc'[n % 3]},{'abc'[n * 7 // 5 % 3]}\n" for n in range(40)),
        "votes.csv": "query_id,doc_id,judge,label\n"
        + "".join(f"q{n % 5},d{n},{who},{'yes' if n % 3 else 'no'}\n" for n in range(30) for who in ("ann", "ben")),
        "once.csv": "item_id,judge,label\n" + "".join(f"d{n},{'ab'[n % 2]},{n % 2}\n" for n in range(40)),
    }  # fmt: skip
    for name, step in (("hybrid", 3), ("words", 7)):
        text[f"{name}.run"] = "".join(
            f"{query} Q0 D{(place + rank * step) % 40} {rank} {11 - rank} {name}\n"
            for place, query in enumerate(QUERIES)
            for rank in range(1, 11)
        )
    for name, lines in text.items():
        (path / name).write_text(lines)
    return path


def told(typed: list[str], folder: Path) -> tuple[int, str]:
    """The exit code of a command, and all that it prints in one line."""
    done = run_assay(*typed, folder=folder)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("typed", ADVICE)
def test_advice_is_taken_and_then_nobody_gives_it(typed: str, folder: Path) -> None:
    advice = ADVICE[typed]
    _, message = told(shlex.split(typed), folder)
    assert re.search(rf"(?<![-\w]){re.escape(advice)}(?![-\w])", message), message
    _, *followed = shlex.split(advice) if advice.startswith("assay ") else ["", *shlex.split(typed)]
    if not advice.startswith("assay "):
        followed += shlex.split(VALUES.get(advice, advice.replace(", as in", "")))
    code, then = told([*followed, *(["--overwrite"] if "-o" in followed else [])], folder)
    assert code != 2, then
    before = message[: message.index(advice)].rpartition(": ")[2]
    assert advice not in then or before not in then


def test_lists_in_rows_are_read_by_the_names_that_the_message_tells(folder: Path) -> None:
    for name, words in (
        ("golden.jsonl", ["evaluate", "golden.jsonl", "hybrid.run"]),
        ("found.jsonl", ["evaluate", "gold.txt", "found.jsonl"]),
    ):
        code, message = told(words, folder)
        found = re.search(r"`(\w+)` holds lists: call it `(\w+)` if each lists ", message)
        assert code == 2
        assert found is not None, message
        column, better = found.groups()
        path = folder / name
        path.write_text(path.read_text().replace(f'"{column}"', f'"{better}"'))
        code, message = told([*words, "-m", "RR"], folder)
        assert code == 0, message
