"""Sameness: what has nothing to do with the question does not change the answer, whatever the subject."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any, NamedTuple

import odd_data
import pandas as pd
import polars as pl
import pytest
from command import parsed_once, run_assay
from odd_data import Rows, Table
from sameness import RENAMED, differences, frame_of, plain, written

import assay
from assay.cli.commands import SUBJECTS, application, options_of
from assay.files.writing import writers

Make = Callable[[Random], dict[str, Table]]


class Case(NamedTuple):
    """Files, and commands about them as they are typed: `{old}` stands for the file of the table `old`."""

    make: Make
    commands: tuple[str, ...]


SPAM = "--positive spam"
POINTS = "--points across,up"
#: A subject, a layout of its data, or a command joins with one line.
CASES = {
    "rankings": Case(odd_data.rankings, (
        "evaluate {qrels} {old} {new} -m AP -m nDCG@10 -m ERR -m Bpref -m infAP --per-query",
        "evaluate {qrels} {old} {new} -m RR -m P@5 --ties expected",
        "compare {qrels} {old} {new} {mid} -m AP -m nDCG@10",
        "compare {qrels} {old} {new} -m AP --test t --interval bca",
        "gate {qrels} {old} {new} -m AP -m RR",
        "report {qrels} {old} {new} -m AP -o report.json",
        "doctor {qrels} {old} {new} --all",
        "power {qrels} {old} {new} -m AP",
        "correlate {qrels} {old} {new} {mid} -m AP -m RR",
        "pool make {old} {new} {mid} --depth 5",
        "pool bias {qrels} {old} {new} {mid} -m AP",
        "pool choose 2 {old} {new} {mid}",
        "pool simulate {qrels} {old} {new} {mid} --strategy depth --strategy rbp",
        "pool estimate {sample} {qrels} {old} {new}",
        "explain AP {qrels} {old} --show 24",
    )),
    "two labels": Case(odd_data.two_labels, (
        f"classifier evaluate {{pred}} {SPAM}",
        f"classifier compare {{pred}} {SPAM} -m Accuracy -m AUC -m F -m LogLoss",
        f"classifier gate {{pred}} {SPAM} --baseline old --candidate new",
        f"classifier report {{pred}} {SPAM} -o report.json",
        f"classifier explain F {{pred}} {SPAM} --system old",
        f"classifier doctor {{pred}} {SPAM} --all",
        f"classifier power {{pred}} {SPAM} -m Accuracy",
        f"classifier thresholds {{pred}} {SPAM} --system old",
    )),
    "weighted items": Case(lambda random: odd_data.two_labels(random, weighted=True), (
        f"classifier evaluate {{pred}} {SPAM} -m AUC -m AveragePrecision -m F",
        f"classifier compare {{pred}} {SPAM} -m AUC -m F",
    )),
    "classes": Case(odd_data.many_labels, (
        "classifier evaluate {pred}",
        "classifier compare {pred} -m F -m Kappa",
        "classifier gate {pred} --baseline old --candidate new",
        "classifier explain Accuracy {pred} --system old",
        "classifier doctor {pred} --all",
    )),
    "probabilities": Case(odd_data.probabilities, ("classifier evaluate {pred}", "classifier doctor {pred} --all")),
    "sets of labels": Case(odd_data.label_sets, ("classifier evaluate {pred}", "classifier doctor {pred} --all")),
    "a file per classifier": Case(odd_data.two_files, (
        "classifier compare {old} {new} --positive b -m F -m Accuracy",
        "classifier gate {old} {new} --positive b",
    )),
    "clusters": Case(odd_data.clusters, (
        f"clustering evaluate {{clus}} {POINTS}",
        f"clustering evaluate {{clus}} {POINTS} --sample-size 30",
        "clustering compare {clus} -m NMI -m ARI",
        "clustering gate {clus} --baseline old --candidate new -m NMI",
        "clustering explain NMI {clus} --system old",
        "clustering report {clus} -m NMI -o report.json",
        f"clustering number {{clus}} {POINTS} --ks 2:4",
        f"clustering doctor {{clus}} {POINTS} --all",
    )),
    "spans": Case(odd_data.spans, (
        "extraction evaluate {truth} {old} --match overlap --misses",
        "extraction compare {truth} {old} {new} -m F -m Recall",
        "extraction gate {truth} {old} {new}",
        "extraction explain F {truth} {old}",
        "extraction report {truth} {old} {new} -m F -o report.json",
        "extraction doctor {truth} {old} --all",
        "extraction power {truth} {old} {new}",
    )),
    "scores": Case(odd_data.scores, (
        "scores compare {sc} -b old -m AP",
        "scores gate {sc} --baseline old --candidate new -m AP",
        "scores doctor {sc} --all",
        "scores power {sc} -b old -m AP",
        "scores report {sc} -b old -m AP -o report.json",
        "scores correlate {sc} -m AP -m RR",
    )),
    "a column per system": Case(odd_data.score_matrix, (
        "scores compare {sc} --direction higher -b old",
        "scores gate {sc} --direction higher --baseline old --candidate new",
    )),
    "judges": Case(odd_data.judges, (
        "agreement evaluate {lab}",
        "agreement compare {lab} --group x=ana,10 --group y=9,ben",
        "agreement explain Kappa {lab} --judges ana,ben",
        "agreement report {lab} -o report.json",
        "agreement doctor {lab} --all",
    )),
    "judges in words": Case(odd_data.judges_in_words, ("agreement evaluate {lab}",)),
    "two sets of labels": Case(odd_data.judges_twice, ("agreement compare {old} {new}", "agreement gate {old} {new}")),
    "a column per judge": Case(odd_data.judge_columns, ("agreement evaluate {lab} --judges ana,10,9,ben",)),
    "crowd": Case(odd_data.crowd, (
        "crowd aggregate {lab}",
        "crowd aggregate {lab} --method majority --vote-ties random",
        "crowd workers {people}",
        "crowd audit {model} {people}",
    )),
    "clicks": Case(odd_data.clicks, (
        "clicks evaluate {log} --by week",
        "clicks compare {log}",
        "clicks gate {log} --baseline old --candidate new",
        "clicks explain CTR {log} --system old",
        "clicks doctor {log} --all",
        "clicks power {log}",
        "clicks fit {log} --model PBM --model SDBN",
        "clicks judge {log} --by PBM",
        "clicks prefer {log}",
        "clicks report {log} -m CTR -o report.json",
        "log show {log}",
        "log check {log}",
        "topics sample {log} -n 3",
    )),
    "clicks and grades": Case(odd_data.clicks_and_grades, (
        "clicks agree {qrels} {log} --min-impressions 1",
        "clicks calibrate {qrels} {log}",
        "clicks value {log} {run} --resamples 20",
    )),
    "users of an experiment": Case(odd_data.users, (
        "abtest evaluate {test} --control old -m converted -m clicks/searches",
        "abtest compare {test} --control old -m converted -m clicks/searches",
        "abtest gate {test} --control old -m converted",
        "abtest explain clicks {test} --control old",
        "abtest report {test} --control old -m converted -o report.json",
        "abtest doctor {test}",
        "abtest power {test} -m converted --difference 0.1",
    )),
    "folds": Case(odd_data.folds, ("classifier crossval {pred} --positive a",)),
    "clusters of documents": Case(odd_data.clustered_documents, ("clustering by-use {qrels} {run} {clus}",)),
    "searches": Case(odd_data.searches, ("topics sample {asked} -n 4 --by head-torso-tail",)),
}  # fmt: skip


def tables_of(case: str) -> dict[str, Table]:
    return CASES[case].make(Random(case))


#: As many draws as tell whether the order of rows has a part in them; commands that draw none, or fewer by themselves.
FEW = {"--resamples": "100", "--permutations": "200"}
IDLE = {
    "--resamples": ("clicks ", "abtest ", "clustering number "),
    "--permutations": ("--test ", "clustering ", "clicks ", "classifier power", "abtest "),
}


@cache
def few_of(verb: str) -> list[str]:
    """The options of a command that say how often is drawn."""
    options = {name for names in options_of(application(), verb).values() for name in names}
    return [name for name in FEW if name in options]


def answer(command: str, files: dict[str, Path], folder: Path, *, draws_few: bool = True) -> Any:
    """The document that a command gives, and how it ended."""
    words = [files[word[1:-1]].name if word.startswith("{") else word for word in command.split()]
    few = few_of(" ".join(words[: 2 if words[0] in SUBJECTS else 1])) if draws_few else []
    words += [word for name in few if not any(map(command.__contains__, IDLE[name])) for word in (name, FEW[name])]
    with parsed_once():
        ended = run_assay(*words, *([] if "-o" in words else ["--json"]), folder=folder)
    assert ended.stdout or "-o" in words, f"{command}: {ended.stderr}"
    text = (folder / words[words.index("-o") + 1]).read_text(encoding="utf-8") if "-o" in words else ended.stdout
    return {"exit": ended.returncode, **plain(json.loads(text)["sections"], folder)}


@cache
def answers(case: str) -> dict[str, Any]:
    """What the commands give on the files as they are."""
    folder = Path(mkdtemp(prefix="assay-same-"))
    files = {name: written(table.rows, folder, name) for name, table in tables_of(case).items()}
    return {command: answer(command, files, folder) for command in CASES[case].commands}


def shuffled(table: Table) -> Rows:
    return odd_data.mixed(Random("shuffled"), list(table.rows))


def renamed(table: Table) -> Rows:
    """Ids with a mark before them, which leaves their order as it was; columns in another order."""
    columns = sorted(table.rows[0], key=lambda name: name[::-1])
    return [
        {name: f"{RENAMED}{row[name]}" if name in table.ids else row[name] for name in columns} for row in table.rows
    ]


CHANGES: dict[str, tuple[Callable[[Table], Rows], str]] = {
    "shuffled rows": (shuffled, "csv"),
    "renamed ids, other columns first, JSONL, compressed": (renamed, "jsonl.gz"),
    "Parquet, rows reversed": (lambda table: table.rows[::-1], "parquet"),
}


@pytest.mark.parametrize(("case", "change"), [*product(CASES, CHANGES)])
def test_an_answer_does_not_depend_on_how_its_data_came(case: str, change: str, tmp_path: Path) -> None:
    rows, form = CHANGES[change]
    files = {name: written(rows(table), tmp_path, name, form) for name, table in tables_of(case).items()}
    known = [*answers(case).items()]
    for command, expected in known[:2] if form == "parquet" else known:  # to read columns is the same for all verbs
        assert list(differences(expected, answer(command, files, tmp_path)))[:5] == [], command


#: Commands about two systems, and the same with the other one first.
SWAPPED = [
    (
        "rankings",
        "compare {qrels} {old} {new} -m AP -m nDCG@10 -m RR",
        "compare {qrels} {new} {old} -m AP -m nDCG@10 -m RR",
    ),
    (
        "rankings",
        "compare {qrels} {old} {new} -m AP --test bootstrap --interval bca",
        "compare {qrels} {new} {old} -m AP --test bootstrap --interval bca",
    ),
    (
        "a file per classifier",
        "classifier compare {old} {new} --positive b -m F -m Accuracy",
        "classifier compare {new} {old} --positive b -m F -m Accuracy",
    ),
    ("spans", "extraction compare {truth} {old} {new} -m F", "extraction compare {truth} {new} {old} -m F"),
    ("two sets of labels", "agreement compare {old} {new}", "agreement compare {new} {old}"),
    *(
        (case, f"{command} -b old", f"{command} -b new")
        for case, command in (
            ("two labels", f"classifier compare {{pred}} {SPAM} -m AUC -m F -m AveragePrecision -m MCC"),
            ("weighted items", f"classifier compare {{pred}} {SPAM} -m AUC -m F"),
            ("classes", "classifier compare {pred} -m F -m Kappa"),
            ("clusters", "clustering compare {clus} -m NMI -m ARI"),
            ("a column per system", "scores compare {sc} --direction higher --margin 0.1"),
            ("clicks", "clicks compare {log}"),
        )
    ),
]
MIRRORED = {"difference": "difference", "low": "high", "high": "low"}
OPPOSITE = {"better": "worse", "worse": "better"}


@pytest.mark.parametrize(("case", "command", "swapped"), SWAPPED, ids=[f"{row[0]}: {row[1]}" for row in SWAPPED])
def test_differences_change_sign_when_systems_are_swapped(
    case: str, command: str, swapped: str, tmp_path: Path
) -> None:
    files = {name: written(table.rows, tmp_path, name) for name, table in tables_of(case).items()}
    one, other = (findings_of(answer(typed, files, tmp_path)) for typed in (command, swapped))
    assert one
    assert one.keys() == other.keys()
    for measure, first in one.items():
        second = other[measure]
        mirrored = {key: None if second[where] is None else -second[where] for key, where in MIRRORED.items()}
        kept = {key: second[key] for key in ("p", "units", "tied")}
        word = {"word": OPPOSITE.get(second["word"], second["word"])}
        expected = mirrored | kept | word
        assert list(differences(expected, {key: first[key] for key in expected})) == [], measure


def findings_of(document: Any) -> dict[str, dict[str, Any]]:
    """What was found about the old and the new system, by measure."""
    findings = document["findings"]["findings"]
    return {row["measure"]: row for row in findings if {row["baseline"], row["system"]} == {"old", "new"}}


def _spam(data: Any) -> Any:
    return assay.classify(data, pos_label="spam")


#: What a command says, by the library: data are files, or frames, by the names of the tables.
LIBRARY: list[tuple[str, str, Callable[[dict[str, Any]], Any]]] = [
    ("rankings", "evaluate {qrels} {old} {new} -m AP -m RR", lambda data: assay.evaluate(
        data["qrels"], {name: data[name] for name in ("old", "new")}, ["AP", "RR"])),
    ("rankings", "compare {qrels} {old} {new} -m AP", lambda data: assay.compare(
        data["qrels"], {name: data[name] for name in ("old", "new")}, measures="AP")),
    ("rankings", "gate {qrels} {old} {new} -m AP", lambda data: assay.gate(
        data["qrels"], {"old": data["old"]}, {"new": data["new"]}, measures="AP")),
    ("rankings", "explain AP {qrels} {old}", lambda data: assay.explain("AP", data["qrels"], {"old": data["old"]})),
    ("rankings", "power {qrels} {old} {new} -m AP", lambda data: assay.plan(
        data["qrels"], {name: data[name] for name in ("old", "new")}, measures="AP")),
    ("two labels", f"classifier evaluate {{pred}} {SPAM}", lambda data: _spam(data["pred"])),
    ("two labels", f"classifier compare {{pred}} {SPAM}", lambda data: assay.compare(data["pred"], pos_label="spam")),
    ("two labels", f"classifier gate {{pred}} {SPAM} --baseline old --candidate new", lambda data: assay.gate(
        data["pred"], baseline="old", candidate="new", pos_label="spam")),
    ("two labels", f"classifier doctor {{pred}} {SPAM}", lambda data: assay.doctor(data["pred"], pos_label="spam")),
    ("classes", "classifier compare {pred}", lambda data: assay.compare(data["pred"])),
    ("clusters", "clustering compare {clus}", lambda data: assay.compare(data["clus"])),
    ("clusters", "clustering doctor {clus}", lambda data: assay.doctor(data["clus"])),
    ("spans", "extraction compare {truth} {old} {new}", lambda data: assay.compare(
        [assay.extract(data["truth"], data[name], name=name) for name in ("old", "new")])),
    ("scores", "scores compare {sc}", lambda data: assay.compare(data["sc"])),
    ("scores", "scores gate {sc} --baseline old --candidate new", lambda data: assay.gate(
        data["sc"], baseline="old", candidate="new")),
    ("scores", "scores power {sc}", lambda data: assay.plan(data["sc"])),
    ("scores", "scores doctor {sc}", lambda data: assay.doctor(assay.read_scores(data["sc"]))),
    ("a column per system", "scores compare {sc} --direction higher", lambda data: assay.compare(
        data["sc"], direction="higher")),
    ("judges", "agreement evaluate {lab}", lambda data: assay.agree(data["lab"])),
    ("two sets of labels", "agreement compare {old} {new}", lambda data: assay.compare(
        [assay.read_labels(data[name], name=name) for name in ("old", "new")])),
    ("crowd", "crowd aggregate {lab} --method majority", lambda data: assay.crowd(data["lab"], method="majority")),
    ("clicks", "clicks evaluate {log}", lambda data: assay.clicks(data["log"])),
    ("clicks", "clicks compare {log}", lambda data: assay.compare(assay.read_log(data["log"]))),
]  # fmt: skip
FRAMES: dict[str, Callable[[Rows], Any]] = {
    "Polars": frame_of,
    "pandas": lambda rows: pd.DataFrame(rows, dtype=object),
    "Arrow": lambda rows: frame_of(rows).to_arrow(),
}


@pytest.mark.parametrize(("place", "case"), [*enumerate(LIBRARY)], ids=[row[1] for row in LIBRARY])
def test_the_library_says_what_the_command_says(
    place: int, case: tuple[str, str, Callable[[dict[str, Any]], Any]], tmp_path: Path
) -> None:
    name_of_case, command, call = case
    frames = [*FRAMES][place % len(FRAMES)]
    tables = tables_of(name_of_case)
    files = {name: written(table.rows, tmp_path, name) for name, table in tables.items()}
    expected = told(answer(command, files, tmp_path, draws_few=False))
    del expected["exit"]
    given: dict[str, dict[str, Any]] = {"files": {name: str(path) for name, path in files.items()}}
    given[frames] = {name: FRAMES[frames](table.rows) for name, table in tables.items()}
    for kind, data in given.items():
        document = json.loads(call(data).to_json())["sections"]
        assert list(differences(expected, told(plain(document, tmp_path))))[:5] == [], kind


def told(document: Any) -> Any:
    """Numbers and verdicts alone: messages name options as the command or as the library does, and frames no files."""
    if isinstance(document, dict):
        return {key: told(value) for key, value in document.items() if key == "word" or not isinstance(value, str)}
    if isinstance(document, list):
        return [told(value) for value in document if not isinstance(value, str)]
    return document


#: Commands on one file, and on the same rows in two: the first half, and the second, which is compressed.
HALVED = [
    ("clicks", "clicks evaluate {log}", "clicks evaluate {first} {second}"),
    ("clicks", "clicks compare {log}", "clicks compare {first} {second}"),
    ("clicks", "clicks fit {log} --model PBM", "clicks fit {first} {second} --model PBM"),
    ("clicks", "log show {log}", "log show {first} {second}"),
    ("judges", "agreement evaluate {lab}", "agreement evaluate {first} {second}"),
    ("judges", "agreement evaluate {lab}", "agreement evaluate {9} {ana} {10} {ben}"),
]


@pytest.mark.parametrize(("case", "whole", "parts"), HALVED, ids=[row[2] for row in HALVED])
def test_a_file_says_the_same_in_two_parts(case: str, whole: str, parts: str, tmp_path: Path) -> None:
    ((name, table),) = tables_of(case).items()
    half = len(table.rows) // 2
    files = {
        name: written(table.rows, tmp_path, name),
        "first": written(table.rows[:half], tmp_path, "first"),
        "second": written(table.rows[half:], tmp_path, "second", "csv.gz"),
    }
    for judge in {row["judge"] for row in table.rows if "judge" in row}:
        rows = [{key: value for key, value in row.items() if key != "judge"} for row in table.rows]
        chosen = [row for row, of in zip(rows, table.rows, strict=True) if of["judge"] == judge]
        files[judge] = written(chosen, tmp_path, judge, "tsv")
    one, other = (told(answer(command, files, tmp_path)) for command in (whole, parts))
    assert list(differences(one, other))[:5] == []


HOSTILE = (
    *odd_data.ODD_IDS, *odd_data.QUOTED_IDS, "NA", "null", "NaN", "", " lead", "trail ", "new\nline", "\ufeffmark",
    "\\N", '"', "'", "=1+1", "+5", "1,5", "inf", "False", "2020-01-01", "12:30", "[1]", "{}", "#", "%", "\\", "a\r",
    "\u2028x", "\x85y", "q\x00z", "\xa0x", "<b>", "&amp;", "</DOC>", ".I", "1_0", "٣", "e\u0301", "\t", "--", "q1 q2",
)  # fmt: skip
READ: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[str]]] = {
    "run": (assay.Run.of, assay.read_run, ["query_id", "doc_id", "score"]),
    "qrels": (assay.Qrels.of, assay.read_qrels, ["query_id", "doc_id", "relevance"]),
    "labels": (assay.Labels.of, assay.read_labels, ["item_id", "judge", "label"]),
    "topics": (assay.Topics.of, assay.read_topics, ["query_id", "title", "description"]),
    "documents": (assay.Documents.of, assay.read_documents, ["doc_id", "title", "text"]),
}
#: MS MARCO's format keeps the order of a run, and not its scores.
KEEPS = {"msmarco-run": ["query_id", "doc_id"]}


@pytest.mark.parametrize("kind", READ)
def test_a_table_is_read_as_it_was_written_or_refused(kind: str, tmp_path: Path) -> None:
    make, read, columns = READ[kind]
    numbers: Any = [0.1 + 0.2, 1e-300, -5.0] if kind == "run" else [2, 0, 1]
    numbers = numbers if kind in {"run", "qrels", "labels"} else ["tea", "iced tea", "milk"]
    read_back = 0
    for odd in HOSTILE:
        rows = [*zip((odd, "b", odd), ("d1", odd, f"{odd}2"), numbers, strict=True)]
        try:
            table = make(pl.DataFrame(rows[:2] if kind in {"topics", "documents"} else rows, columns, orient="row"))
        except assay.AssayError:
            continue
        for writer in writers(kind):
            path = tmp_path / f"{kind}{writer.endings[0]}"
            try:
                assay.write(table, path, overwrite=True)
            except assay.AssayError:
                continue
            kept = KEEPS.get(writer.name, columns)
            before, after = (each.frame.select(kept).sort(kept[:2]).rows() for each in (table, read(path)))
            assert before == after, f"{odd!r} as {writer.name}"
            read_back += 1
    assert read_back > len(HOSTILE)


#: Tables that have no format of their own: their frames are read as what they are.
FRAMED: dict[str, Callable[..., Any]] = {
    "two labels": lambda given: assay.read_predictions(given, pos_label="spam")[0],
    "weighted items": lambda given: assay.read_predictions(given, pos_label="spam")[0],
    "classes": lambda given: assay.read_predictions(given)[0],
    "probabilities": lambda given: assay.read_predictions(given)[0],
    "sets of labels": lambda given: assay.read_predictions(given)[0],
    "clusters": lambda given: assay.read_clusters(given)[0],
    "scores": assay.read_scores,
    "judges in words": assay.read_labels,
}


@pytest.mark.parametrize("case", FRAMED)
def test_a_frame_that_is_written_is_read_as_what_it_was(case: str, tmp_path: Path) -> None:
    (table,) = tables_of(case).values()
    held = FRAMED[case](frame_of(table.rows))
    held.frame.write_parquet(tmp_path / "t.parquet")
    held.frame.write_ndjson(tmp_path / "t.jsonl")
    if case != "sets of labels":
        held.frame.write_csv(tmp_path / "t.csv")
    for path in tmp_path.iterdir():
        again = FRAMED[case](path).frame
        assert again.select(held.frame.columns).equals(held.frame), path.suffix


def test_what_has_no_format_to_write_says_so(tmp_path: Path) -> None:
    held: Any = FRAMED["classes"](frame_of(tables_of("classes")["pred"].rows))
    with pytest.raises(
        assay.ParameterError, match=r"got Predictions: write its frame, as in predictions\.frame\.write_"
    ):
        assay.write(held, tmp_path / "t.csv")


def test_an_imported_log_says_what_its_file_says(tmp_path: Path) -> None:
    files = {"log": written(tables_of("clicks")["log"].rows, tmp_path, "log")}
    imported = run_assay("log", "import", str(files["log"]), "-o", str(tmp_path / "held"), folder=tmp_path)
    assert imported.returncode == 0, imported.stderr
    for command in ("clicks evaluate {log}", "clicks compare {log}", "log show {log}"):
        one, other = (told(answer(command, {"log": path}, tmp_path)) for path in (files["log"], tmp_path / "held"))
        assert list(differences(one, other))[:5] == [], command


def silent_in_rows(unit: str, table: Table) -> Rows:
    """Without the rows of every other unit."""
    units = sorted({row[unit] for row in table.rows})[::2]
    return [row for row in table.rows if row[unit] in units]


def silent_in_cells(table: Table) -> Rows:
    """Sets of labels of a second system: those of the first, with none for every other item that has a true one."""
    rows = []
    for place, row in enumerate(sorted(table.rows, key=lambda row: str(row["item_id"]))):
        silent = place % 2 == 0 and any(row[f"truth_{label}"] for label in "abcd")
        rows.append(row | {f"prediction_{label}": 0 for label in "abcd"} if silent else dict(row))
    return rows


def silent_of_class(table: Table) -> Rows:
    """The old system is the new one, which never says 10 any more, but a."""
    said = [(row, row["prediction_new"]) for row in table.rows]
    return [row | {"prediction_old": new, "prediction_new": "a" if new == "10" else new} for row, new in said]


def silent_of_items(table: Table) -> Rows:
    """The old clustering is the new one, which has no cluster for every other item any more."""
    said = [(row, row["cluster_new"]) for row in table.rows]
    return [row | {"cluster_old": new, "cluster_new": "none" if n % 2 else new} for n, (row, new) in enumerate(said)]


def silent_to_users(table: Table) -> Rows:
    """The same pages for both systems, and no click on the new one by every other user who clicked."""
    rows = [row | {"serp_id": f"{row['serp_id']}-{system}", "variant": system,
                   "user_id": f"{row['user_id']}-{system}", "session_id": f"{row['session_id']}-{system}"}
            for row in table.rows for system in ("new", "silent")]  # fmt: skip
    clickers = sorted({row["user_id"] for row in rows if row["clicked"] and row["variant"] == "silent"})[::2]
    return [row | {"clicked": 0} if row["user_id"] in clickers else row for row in rows]


#: A case, how one of its tables is silenced, the name of that file, and a command about both.
SILENCED: list[tuple[str, str, str, Callable[[Table], Rows], str]] = [
    ("rankings", "new", "silent", lambda table: silent_in_rows("query_id", table),
     "compare {qrels} {new} {silent} -m AP -m RR -m nDCG@10 -m P@5"),
    ("spans", "new", "silent", lambda table: silent_in_rows("document", table),
     "extraction compare {truth} {new} {silent} -m F -m Recall"),
    ("sets of labels", "pred", "silent", silent_in_cells,
     "classifier compare {pred} {silent} -m Precision(average=samples) -m Recall(average=samples) "
     "-m F(average=samples) -m Jaccard(average=samples)"),
    ("classes", "pred", "pred", silent_of_class, "classifier compare {pred} -b old -m Precision -m Recall -m F"),
    ("clusters", "clus", "clus", silent_of_items,
     "clustering compare {clus} -b old --noise none -m NMI -m ARI -m BCubedRecall"),
    ("clicks", "log", "log", silent_to_users, "clicks compare {log} -b new -m CTR -m ClickRR -m ClicksPerQuery"),
]  # fmt: skip


@pytest.mark.parametrize("silenced", SILENCED, ids=[row[-1] for row in SILENCED])
def test_a_system_that_falls_silent_never_gains(
    silenced: tuple[str, str, str, Callable[[Table], Rows], str], tmp_path: Path
) -> None:
    """Queries, documents, items, classes, clusters and users."""
    case, name, silent, change, command = silenced
    tables = tables_of(case)
    files = {each: written(table.rows, tmp_path, each) for each, table in tables.items()}
    files[silent] = written(change(tables[name]), tmp_path, silent)
    findings = answer(command, files, tmp_path)["findings"]["findings"]
    assert findings
    for row in findings:
        gained = row["value"] - row["baseline_value"]
        assert gained <= 0 if case == "clusters" else gained < 0, row["measure"]  # noise is left out for both alike
        assert row["word"] != "better", row["measure"]
