"""Feed mutated files to every reader and every verb, and count what happens.

Usage: python scripts/fuzz.py [--inputs 20000] [--verb-inputs 500] [--seed 1] [--only NAME ...] [--failures FOLDER]
       python scripts/fuzz.py --replay FOLDER/NAME-NUMBER

A target is a registered format, another reader, or a command. Each gets valid examples with a few seeded mutations:
turned bits, cuts, doubled and foreign pieces, huge numbers, control and odd Unicode characters, deep nesting, long runs
of the same, compression. It may read the input, or refuse it with an `AssayError` (a command: with exit code 2).
Anything else is a failure: another exception, something printed to stderr by a library, a dead process, more than 5
seconds of processor time or 1 GB of memory. Failing inputs are written to a folder, from which they can be replayed.
"""

import argparse
import bz2
import contextlib
import gzip
import io
import json
import lzma
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import polars as pl
import zstandard

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from command import parsed_once
from fuzz_tables import COMMANDS, NEIGHBOURS, table_of

import assay
from assay import AssayError
from assay.cli import main as run_command
from assay.files import formats
from assay.files.clusters import read_document_clusters, read_points
from assay.files.small_tables import read_ids, read_matrix, read_numbers
from assay.subjects.ranking.baselines import read_baseline
from assay.subjects.spans.span_files import read_spans, read_truth_and_predicted

SECONDS, BYTES, WATCHDOG = 5.0, 1 << 30, 300.0
ACCEPTED, REFUSED, UNEXPECTED, SLOW, LARGE = "accepted", "refused", "unexpected", "over 5 s", "over 1 GB"
Read = Callable[[bytes], object]

ROWS = [("q1", "d1", 2.5, 1), ("q1", "d2", 1.5, 0), ("q2", "d1", 0.5, 2), ("q2", "d3", 0.25, 1)]
RUN = "".join(f"{query} Q0 {doc} {rank} {score} tag\n" for rank, (query, doc, score, _) in enumerate(ROWS, 1))
QRELS = "".join(f"{query} 0 {doc} {grade}\n" for query, doc, _, grade in ROWS)
RECORDS = [
    {"query_id": query, "doc_id": doc, "score": score, "relevance": grade, "title": "bitter tea", "text": "Steep it."}
    for query, doc, score, grade in ROWS
]
TOPICS = [{"query_id": "q1", "title": "tea"}, {"query_id": "q2", "title": "green tea"}]
DOCUMENTS = [{"doc_id": "d1", "title": "Tea", "text": "Steep it."}, {"doc_id": "d2", "title": "Oolong", "text": ""}]
RATED = {"id": "q1", "request": {}, "ratings": [{"_index": "i", "_id": "d1", "rating": 1}]}
HITS = {"hits": [{"hit": {"_id": "d1", "_score": 1.5}, "rating": 1}], "unrated_docs": []}
LISTED = {"query": "q1", "retrieved_ids": ["d1", "d2"], "expected_ids": ["d1"]}
RAGAS = {"user_input": "q1", "retrieved_context_ids": ["d1", "d2"], "reference_context_ids": ["d2"]}
RAGAS_TEXTS = {"user_input": "q1", "retrieved_contexts": ["a", "b"], "reference_contexts": ["b"]}
LLAMA = {"queries": {"q1": "tea?"}, "corpus": {"d1": "Steep."}, "relevant_docs": {"q1": ["d1"]}}
PREDICTED = "item_id,truth,prediction_old,prediction_new,score_old,weight\n" + "".join(
    f"{number},{'spam' if number % 3 else 'ham'},{'spam' if number % 2 else 'ham'},ham,{number / 12},{number}\n"
    for number in range(1, 13)
)
CLUSTERED = "id,class,cluster_few,cluster_many,x,y\n" + "".join(
    f"{number},{'ab'[number % 2]},{number % 2},{number % 4},{number},{number * number / 7}\n" for number in range(12)
)
FOLDS = "item_id,truth,prediction,fold,repeat\n" + "".join(
    f"{number},{number % 2},{number % 3 and 1},{number % 4},1\n" for number in range(16)
)
TAGGED = "Ada B-PER B-PER\nLovelace I-PER O\nspoke O O\n\nin O O\nRome B-LOC B-LOC\n"
SPANS = '{"document": "d1", "start": 0, "end": 4, "type": "PER"}\n{"document": "d2", "spans": [[1, 3, "LOC"]]}\n'
BOTH = '{"id": "d1", "text": "Ada spoke", "truth": [[0, 3, "PER"]], "prediction": [{"start": 0, "end": 3}]}\n'
SCORES = "system,measure,unit,value\n" + "".join(
    f"{system},AP,{unit},{(unit * 7 + len(system)) % 10 / 10}\n" for unit in range(8) for system in ("old", "newer")
)
WIDE = "query_id,bm25,dense\n" + "".join(f"{unit},{unit / 9},{1 - unit / 9}\n" for unit in range(9))
MATRIX = "truth,predicted a,predicted b\na,5,1\nb,2,4\n"
SGML_TOPICS = "<top>\n<num> Number: 1\n<title> tea\n<desc> Description:\nHow?\n</top>\n<!-- more -->\n"
XML_TOPICS = "<?xml version='1.0'?>\n<topics><topic number='1'><query>tea &amp; milk</query></topic></topics>\n"
SGML_DOCUMENTS = "<DOC>\n<DOCNO> d1 </DOCNO>\n<TITLE>Tea</TITLE>\n<TEXT>\nSteep <b>it</b>.\n</TEXT>\n</DOC>\n"
SMART = ".I 1\n.T\ntea\n.A\nsomebody\n.W\nSteep it.\n.X\n1 5 2\n.I 2\n.W\nwater\n"
CF_DOCUMENTS = (
    "<root>\n<RECORD>\n<PAPERNUM>PN1</PAPERNUM>\n<RECORDNUM>00001 </RECORDNUM>\n<TITLE>Tea</TITLE>\n"
    "<ABSTRACT>Steep it.</ABSTRACT>\n</RECORD>\n<RECORD>\n<RECORDNUM>00002</RECORDNUM>\n<TITLE></TITLE>"
    "<EXTRACT>Boil &lt; 1 &amp; a\n minute.</EXTRACT></RECORD></root>\n"
)
CF_TOPICS = (
    "<root>\n<QUERY>\n<QueryNumber>00001</QueryNumber>\n<QueryText>tea?</QueryText>\n<Results>00002</Results>\n"
    '<Records><Item score="1220">7</Item><Item score="0001">12</Item></Records>\n</QUERY>\n</root>\n'
)


def lines(*values: object) -> str:
    """One JSON value a line."""
    return "".join(json.dumps(value) + "\n" for value in values)


def table(rows: Sequence[dict[str, Any]], separator: str = ",") -> str:
    """Rows as CSV."""
    return "".join(separator.join(map(str, row)) + "\n" for row in [list(rows[0]), *(row.values() for row in rows)])


def columns(rows: Sequence[dict[str, Any]]) -> list[bytes]:
    """Rows as Parquet and as Arrow."""
    files = [io.BytesIO() for _ in range(3)]
    pl.DataFrame(rows).write_parquet(files[0])
    pl.DataFrame(rows).write_parquet(files[1], compression="uncompressed", use_pyarrow=False)
    pl.DataFrame(rows).write_ipc(files[2])
    return [file.getvalue() for file in files]


TEXTS: dict[str, list[str]] = {
    "smart-documents": [SMART], "smart-plain": [SMART], "smart-topics": [SMART],
    "npl-documents": ["1\nSteep\nit.\n  /\n2\nBoil it.\n  /\n"], "npl-topics": ["1\ngreen\ntea\n/\n2\niced tea\n/\n"],
    "npl-qrels": ["1\n  7  12\n   /\n2\n 3\n   /\n"],
    "time-documents": ["*TEXT 017 01/04/63 PAGE 020\n\nSteep it.\n*TEXT 020 01/04/63 PAGE 021\nBoil it.\n*STOP\n"],
    "time-topics": ["*FIND 1\n\ngreen\n\ntea\n\n*FIND 2\niced tea\n*STOP\n"], "time-qrels": ["1  7 12\n\n2  3\n"],
    "lisa-documents": ["Document    1\nTea\n\nSteep\nit.\n*****\nDocument    2\nWater\n     \nBoil it.\n"],
    "lisa-topics": ["1\ngreen\ntea #\n2\niced tea #\n"],
    "lisa-qrels": [f"{1:12}{2:12}{7:12}   \n{12:12}\n{2:12}{1:12}{3:12}\n"],
    "cf-documents": [CF_DOCUMENTS], "cf-topics": [CF_TOPICS], "cf-qrels": [CF_TOPICS],
    "smart-qrels": ["1 28 0 0.000000\n1 29 0 0.000000\n2 3 0 0.000000\n"],
    "trec-run": [RUN, "# ir_metadata.start\n# tag: mine\n# ir_metadata.end\n" + RUN], "trec-qrels": [QRELS],
    "msmarco-run": ["q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n"], "qrels-3": ["q1 d1 1\nq1 d2 0\nq2 d1 2\n"],
    "topic-sections": ["[topic 1]\ntitle: tea\nnarrative: how long,\n  and how hot\n[topic 2]\ntitle: ice\n"],
    "trec-topics": [SGML_TOPICS, XML_TOPICS], "trec-documents": [SGML_DOCUMENTS],
    "llamaindex-dataset": [json.dumps(LLAMA)], "llamaindex": [lines(LISTED), json.dumps([LISTED])],
    "ragas": [lines(RAGAS)], "ragas-texts": [lines(RAGAS_TEXTS)],
    "opensearch": [json.dumps({"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "2.0"}]}]})],
    "elasticsearch-request": [json.dumps({"requests": [RATED]})],
    "elasticsearch": [json.dumps({"metric_score": 0.5, "details": {"q1": HITS}})],
    "json": ['{"q1": {"d1": 2.5, "d2": 1}, "q2": {}}'],
    "jsonl": [lines(*RECORDS), json.dumps(RECORDS)], "jsonl-topics": [lines(*TOPICS)],
    "jsonl-documents": [lines(*DOCUMENTS), json.dumps(DOCUMENTS)],
    "csv": [table(RECORDS), table(RECORDS, "\t")], "csv-topics": [table(TOPICS, ";")],
    "csv-documents": [table(DOCUMENTS), table(DOCUMENTS, "\t")],
    "tsv": ["1\thow to make tea\n2\tgreen tea\n"],
}  # fmt: skip


class Target(NamedTuple):
    """What is fuzzed: its name, valid examples, and what reads them."""

    name: str
    examples: list[bytes]
    read: Read
    is_verb: bool = False
    #: Makes an input of its own from random numbers, where examples are not mutated.
    make: Callable[[random.Random], bytes] | None = None


def examples_of(name: str) -> list[bytes]:
    """Valid files of a registered format; those of all formats, if it has none of its own here."""
    if name.startswith("parquet"):
        return columns(TOPICS if "topics" in name else DOCUMENTS if "documents" in name else RECORDS)
    own = TEXTS.get(name) or TEXTS.get(name.rpartition("-")[0])
    return [text.encode() for text in own or [text for texts in TEXTS.values() for text in texts]]


def targets() -> list[Target]:
    """All registered formats, the other readers, and the commands."""
    kinds: dict[str, Callable[..., object]] = {
        "run": assay.read_run, "qrels": assay.read_qrels, "topics": assay.read_topics,
        "documents": assay.read_documents,
    }  # fmt: skip

    def by_format(name: str, kind: str, data: bytes) -> object:
        """As what the file looks like, and then as what it should be."""
        with contextlib.suppress(assay.AssayError):
            kinds[kind](io.BytesIO(data))
        return kinds[kind](io.BytesIO(data), format=name)

    def plain(read: Callable[..., object], **options: object) -> Read:
        return lambda data: read(io.BytesIO(data), **options)

    found = [
        Target(known.name, examples_of(known.name), partial(by_format, known.name, known.kind)) for known in formats()
    ]
    predicted = [PREDICTED, lines(*({"truth": 1, "prediction": [1, 0][n % 2], "score": n / 4} for n in range(4)))]
    frozen = assay.freeze(io.StringIO(QRELS), io.StringIO(RUN), ["AP"]).to_json()
    more: list[tuple[str, list[str], Read]] = [
        ("predictions", predicted, plain(assay.read_predictions)),
        ("predictions of several labels", ['{"truth": ["a", "b"], "prediction": ["a"]}\n'],
         plain(assay.read_predictions, list_separator="|")),
        ("clusters", [CLUSTERED, lines({"cluster": 1, "x": 0.5}, {"cluster": 2, "x": 1})],
         plain(assay.read_clusters, points="rest")),
        ("points", [CLUSTERED], plain(read_points, points="rest")),
        ("document clusters", ["query_id,doc_id,cluster\nq1,d1,a\nq1,d2,b\n"], plain(read_document_clusters)),
        ("folds", [FOLDS], plain(assay.crossval)),
        ("spans", [SPANS, TAGGED, "document,start,end,type\nd1,0,4,PER\n"], plain(read_spans)),
        ("truth and predicted spans", [TAGGED, BOTH], plain(read_truth_and_predicted)),
        ("scores", [SCORES, WIDE], plain(assay.read_scores)),
        ("lists of numbers", ["system,AP,RR\nbm25,0.25,0.5\ndense,0.75,NA\n"], plain(read_numbers)),
        ("lists of ids", ["401\n402  a remark\n\n"], plain(read_ids)),
        ("confusion matrices", [MATRIX], plain(read_matrix)),
        ("baselines", [frozen], plain(read_baseline)),
    ]  # fmt: skip
    found += [Target(name, [text.encode() for text in texts], read) for name, texts, read in more]
    wide = columns([{"item_id": n, "truth": n % 2, "prediction": 1, "cluster": n, "start": n, "end": 9, "document": "d"}
                    for n in range(4)])  # fmt: skip
    found += [
        Target("Parquet predictions", wide, plain(assay.read_predictions)),
        Target("Parquet clusters", wide, plain(assay.read_clusters, points="rest")),
        Target("Parquet spans", wide, plain(read_spans)),
    ]
    collections = [text.encode() for texts in TEXTS.values() for text in texts]
    found.append(Target("collections", collections, partial(in_a_folder, assay.read_collection)))
    return found + list(verbs(frozen))


def in_a_folder(read: Callable[[Path], object], data: bytes) -> object:
    """Read a folder in which one file is mutated."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "qrels.txt").write_text(QRELS)
        Path(folder, "file.txt").write_bytes(data)
        return read(Path(folder))


#: Commands run in a folder in memory, where there is one: nothing there waits for a disk.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
#: Where a command has the mutated file, as in `name=@.csv`; the @ of a measure is none.
_HOLE = re.compile(r"(?<![^=])@")
FILES = {
    "qrels": QRELS, "run": RUN, "other": RUN.replace("2.5", "0.1"), "predictions": PREDICTED, "clusters": CLUSTERED,
    "folds": FOLDS, "tagged": TAGGED, "scores": SCORES, "grouped": "query_id,doc_id,cluster\nq1,d1,a\nq1,d2,b\n",
    "matrix": MATRIX, "means": "system,AP,RR\na,.1,.2\nb,.3,.5\nc,.4,.1\n", "topics": SGML_TOPICS,
    "records": json.dumps(RECORDS), "wide": WIDE,
}  # fmt: skip
#: A command, and the kinds of file that take the place of @.
VERBS: list[tuple[str, str]] = [
    ("evaluate @ run -q --quiet", "qrels records"),
    ("evaluate qrels @ -m AP -m nDCG --json", "run records"),
    ("compare qrels run @ -m AP", "run records"),
    ("scores compare @", "scores wide"),
    ("classifier compare @ --positive spam -m Accuracy", "predictions"),
    ("clustering compare @ -m ARI", "clusters"),
    ("explain AP qrels @ --query q1", "run"),
    ("classifier explain Recall @ --positive spam --system old", "predictions"),
    ("audit qrels @ -m AP --value 0.5", "run"),
    ("doctor @ run", "qrels records scores"),
    ("doctor qrels @", "run records qrels topics"),
    ("classifier doctor @", "predictions"),
    ("classifier evaluate @ --positive spam --resamples 50", "predictions"),
    ("classifier evaluate --matrix @ --positive a", "matrix"),
    ("clustering evaluate @ --points rest", "clusters"),
    ("extraction evaluate @", "tagged"),
    ("classifier crossval @", "folds"),
    ("classifier thresholds @ --positive spam --resamples 20", "predictions"),
    ("gate qrels run @", "run"),
    ("gate qrels @ run", "run baseline"),
    ("scores power @", "scores wide"),
    ("scores correlate @.csv", "means"),
    ("correlate qrels @ other -m AP -m RR", "run"),
    ("report qrels run @ -o page.html", "run"),
    ("classifier report @ -o page.md --positive spam", "predictions"),
    ("plot qrels @", "run"),
    ("trec-eval -q @ run", "qrels"),
    ("trec-eval qrels @", "run"),
    ("convert @ out.jsonl", "run qrels topics records"),
]  # fmt: skip


def verbs(frozen: str) -> Iterator[Target]:
    """The commands, each in a folder of valid files with a mutated one, or with a table of any cells."""
    files = FILES | {"baseline": frozen}
    for command, kinds in VERBS:
        yield Target(command, [files[kind].encode() for kind in kinds.split()], partial(called, command, files), True)
    for command, kinds in COMMANDS:
        read = partial(called, _HOLE.sub("@.csv", command), NEIGHBOURS)
        yield Target(command, [], read, True, partial(table_of, kinds))


def called(command: str, files: dict[str, str], data: bytes) -> object:
    """Run a command in this process; raise if it finds a bug in itself, and an `AssayError` where it refuses."""
    said = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", write_through=True)
    arguments = command.split()
    mutated_file = next(word.rpartition("=")[2] for word in arguments if _HOLE.search(word)).replace("@", "file")
    arguments = [_HOLE.sub("file", word) for word in arguments]
    handlers = signal.getsignal(signal.SIGPIPE)
    code: object = 0
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, contextlib.chdir(folder):
        asked = {word.rpartition("=")[2] for word in arguments}
        for name in asked & set(files):
            Path(name).write_text(files[name])
        Path(mutated_file).write_bytes(data)
        try:
            with (
                mock.patch.object(sys, "argv", ["assay", *arguments]), mock.patch("atexit.register"),
                contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")), contextlib.redirect_stderr(said),
                parsed_once(),
            ):  # fmt: skip
                run_command()
        except SystemExit as ended:
            code = ended.code
        finally:
            signal.signal(signal.SIGPIPE, handlers)
    said.seek(0)
    text = said.read()
    if "this is a bug in assay" in text or code not in {0, None, 1, 2, 3}:
        raise RuntimeError(text[-2000:])
    if code == 2:
        raise AssayError(text)
    return text


# Mutations.

PIECES = [
    "9" * 400, "9" * 5000, "1" + "0" * 19, "-1", "0", "-0.0", "1e999", "1e-999", "nan", "inf", "0x10", "1_000",
    "²",
    "\0", "\ufeff", "\u2028", "\x85", "\x1b[31m", "é", "e\u0301", "\U0001f600", "\u202e", "\\ud800",
    "\\u0000", "\\",
    '"', '""', "'", ",", ";", "\t", " ", "\r", "\r\n", "\n", "\n\n", "#", "# x\n", "|", "=", ":",
    "{", "}", "[", "]",
    "null", "true", "{}", "[]", '{"a": 1}', '"a"', "<top>", "</top>", "<DOC>", "</DOC>",
    "<!--", "-->", "<?", "&lt;",
    "&#xD800;", ".I 9\n", ".W\n", "B-PER", "I-", "-DOCSTART-", "query_id", "doc_id",
    "cluster_few", "truth",
    "x\x01", "[" * 3000, '{"a":' * 3000, "<!--" * 3000, "\n" * 20000, "#\n" * 10000,
    " " * 20000, '"' * 9999, "<text>" * 3000,
    "a" * 50000, '"k":1,' * 3000, ",x" * 2000, "\t" * 3000,
    "<top>" * 3000, ".X\n" * 5000,
]  # fmt: skip
MARKS = [
    b"\x1f\x8b",
    b"\x1f\x8b\x08",
    b"PAR1",
    b"ARROW1",
    b"BZh91AY&SY",
    b"\xfd7zXZ\x00",
    b"\xff\xfe",
    b"\xff",
    b"\xed\xa0\x80",
]
PACKED: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, partial(lzma.compress, preset=0)]


def mutated(target: Target, seed: int, number: int) -> bytes:
    """The input of this number: always the same one."""
    rng = random.Random(f"{seed}/{target.name}/{number}")
    if target.make is not None:
        return target.make(rng)
    data = rng.choice(target.examples)
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        data = mutation(data, rng, target.examples)
    if rng.random() < 0.04:
        data = packed(data, rng)
        if rng.random() < 0.5:
            data = mutation(data, rng, target.examples)
    return data


def packed(data: bytes, rng: random.Random) -> bytes:
    """Compressed, and sometimes a bomb."""
    if rng.random() < 0.02:
        return zstandard.compress((data or b"\0") * ((128 << 20) // max(len(data), 1)))
    return rng.choice([*PACKED, zstandard.compress])(data)


def mutation(data: bytes, rng: random.Random, examples: Sequence[bytes]) -> bytes:
    """One change."""
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((0, 1, 1, 2, 5, 20, 200)))
    before, cut, after = data[:start], data[start:end], data[end:]
    other = rng.choice(examples)
    place = rng.randrange(len(other) + 1)
    rows = data.splitlines(keepends=True)
    rng.shuffle(rows)
    changes: list[Callable[[], bytes]] = [
        lambda: before + bytes([ord(data[start : start + 1] or b"0") ^ 1 << rng.randrange(8)]) + data[start + 1 :],
        lambda: before,
        lambda: before + after,
        lambda: before + cut * rng.choice((2, 3, 100)) + after,
        lambda: before + other[place : place + rng.choice((5, 50, 500))] + after,
        lambda: rng.choice((before, b"")) + rng.choice(MARKS) + rng.choice((after, data)),
        lambda: data.decode(errors="replace").encode(rng.choice(("utf-16", "utf-8-sig", "latin-1")), "replace"),
        lambda: b"".join(rows),
        lambda: with_piece(data, start, end, rng),
        lambda: with_piece(data, start, end, rng),
        lambda: with_piece(data, start, end, rng),
    ]
    return rng.choice(changes)()


def with_piece(data: bytes, start: int, end: int, rng: random.Random) -> bytes:
    """Something odd in place of a number, or anywhere."""
    numbers = [found.span() for found in re.finditer(rb"[0-9]+", data)]
    if numbers and rng.random() < 0.5:
        start, end = rng.choice(numbers)
    return data[:start] + rng.choice(PIECES).encode(errors="surrogatepass") + data[end:]


# Trying, in processes that may die.


class OvertimeError(BaseException):
    """An input took too long; no reader catches this."""


def overtime(*_: object) -> None:
    """Stop where we are."""
    raise OvertimeError


def tried(target: Target, data: bytes) -> tuple[str, str]:
    """What becomes of an input, and why if it should not be so."""
    printed = os.fstat(2).st_size
    verdict, why = ACCEPTED, ""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        target.read(data)
    except AssayError:
        verdict = REFUSED
    except OvertimeError:
        verdict, why = SLOW, traceback.format_exc(limit=-8)
    except BaseException:
        verdict, why = UNEXPECTED, traceback.format_exc(limit=-8)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if time.process_time() - began > SECONDS:
        verdict = SLOW
    elif resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > BYTES:
        verdict = LARGE
    elif verdict in {ACCEPTED, REFUSED} and os.fstat(2).st_size > printed:
        verdict, why = UNEXPECTED, "something was printed to stderr"
    return verdict, why


def work(name: str, seed: int, numbers: range, reports: Any) -> None:
    """Try inputs one by one, telling which; end after one that took too much memory."""
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 2)
    signal.signal(signal.SIGPROF, overtime)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    target = next(target for target in targets() if target.name == name)
    for number in numbers:
        reports.send((number, "", ""))
        verdict, why = tried(target, mutated(target, seed, number))
        reports.send((number, verdict, why))
        if verdict == LARGE:
            return


def fuzz(target: Target, seed: int, count: int, failures: Path) -> Counter[str]:
    """Try so many inputs in processes of their own, and keep those that fail."""
    context = multiprocessing.get_context("spawn")
    tally: Counter[str] = Counter()
    done = 0

    def note(number: int, verdict: str, why: str) -> None:
        tally[verdict] += 1
        if verdict not in {ACCEPTED, REFUSED}:
            path = failures / f"{target.name.replace('/', '_')}-{number}"
            _keep(path, mutated(target, seed, number), f"{verdict}\n{why}")

    while done < count:
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(target.name, seed, range(done, count), theirs), daemon=True)
        worker.start()
        theirs.close()
        number, verdict, why = done, "", ""
        with contextlib.suppress(EOFError):  # the worker has ended
            while ours.poll(WATCHDOG):
                number, verdict, why = ours.recv()
                if verdict:
                    note(number, verdict, why)
                    done = number + 1
            verdict = SLOW
            note(number, verdict, "nothing for minutes")
        worker.kill()
        worker.join()
        if not verdict:
            note(number, UNEXPECTED, f"the process died: {worker.exitcode}")
        done = max(done, number + 1)
    return tally


def _keep(path: Path, data: bytes, why: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.with_name(f"{path.name}.txt").write_text(why)


def replay(path: Path) -> None:
    """Read one kept input, with its traceback."""
    name = path.name.rpartition("-")[0]
    target = next(target for target in targets() if target.name.replace("/", "_") == name)
    signal.signal(signal.SIGPROF, overtime)
    print(*tried(target, path.read_bytes()), sep="\n")


def main() -> None:
    """Fuzz, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000, help="inputs per format")
    parser.add_argument("--verb-inputs", type=int, default=500, help="inputs per command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="names of targets")
    parser.add_argument("--jobs", type=int, default=2, help="how many targets at once")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--replay", type=Path)
    asked = parser.parse_args()
    if asked.replay:
        replay(asked.replay)
        return
    os.environ["POLARS_MAX_THREADS"] = "2"
    chosen = [target for target in targets() if not asked.only or target.name in asked.only]
    shutil.rmtree(asked.failures, ignore_errors=True)
    verdicts = (ACCEPTED, REFUSED, UNEXPECTED, SLOW, LARGE)
    print(f"| target | inputs | {' | '.join(verdicts)} |\n|---|{'--:|' * 6}", flush=True)
    total: Counter[str] = Counter()

    def one(target: Target) -> Counter[str]:
        tally = fuzz(target, asked.seed, asked.verb_inputs if target.is_verb else asked.inputs, asked.failures)
        print(_row(f"`{target.name}`", tally, verdicts), flush=True)
        return tally

    with ThreadPoolExecutor(asked.jobs) as pool:
        for tally in pool.map(one, chosen):
            total += tally
    print(_row("all", total, verdicts))
    sys.exit(any(total[verdict] for verdict in verdicts[2:]))


def _row(name: str, tally: Counter[str], verdicts: Sequence[str]) -> str:
    return f"| {name} | {sum(tally.values()):,} | {' | '.join(f'{tally[verdict]:,}' for verdict in verdicts)} |"


if __name__ == "__main__":
    main()
