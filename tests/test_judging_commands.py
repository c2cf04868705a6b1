"""Judging from the command line: from runs to releases, with keys typed at a real terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select as waiting
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from command import invoke, run_assay
from judging import judge_all, make_project, say
from sqlalchemy import func, select

from assay import compare_signatures
from assay.cli.judge_screen import frame, plain_lines
from assay.cli.judge_session import Left, Session
from assay.store import schema as db
from assay.store.database import open_database
from assay.store.everything import everything
from assay.store.handout import hand_out
from assay.store.labels_table import history, labels_of
from assay.store.projects import open_project
from assay.store.releases import make_release
from assay.store.scales import aspect_of

BICYCLES = Path(__file__).parents[1] / "src" / "assay" / "data" / "bicycles"
RUNS = [
    str(BICYCLES / "runs" / f"{name}.run") for name in ("bm25", "described", "expanded", "tfidf", "titles", "shuffled")
]
TEXTS = ["--topics", str(BICYCLES / "topics.trec"), "--documents", str(BICYCLES / "documents.jsonl")]
HOSTILE = "before\x1b[2J\x1b]0;title\x07 \x9b31m after\r over \u202e turned"


class Terminal:
    """A command at a pseudo-terminal: what it shows, and keys for it."""

    def __init__(self, *words: str, folder: Path, colour: bool = True) -> None:
        master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
        if not colour:
            environment["NO_COLOR"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay", *words], stdin=slave, stdout=slave, stderr=slave, cwd=folder,
            env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.terminal, self.shown = master, ""

    def until(self, text: str, seconds: float = 60) -> str:
        """Everything that was shown since the last look, up to some text."""
        end, seen = time.monotonic() + seconds, ""
        while text not in seen:
            if not waiting.select([self.terminal], [], [], max(end - time.monotonic(), 0))[0]:
                raise AssertionError(f"{text!r} was not shown in {seconds} s, but {seen[-500:]!r}")
            try:
                data = os.read(self.terminal, 65536)
            except OSError:  # the other end has gone
                data = b""
            if not data:
                raise AssertionError(f"it ended before {text!r} was shown: {seen[-500:]!r}")
            seen += data.decode("utf-8", "replace")
        self.shown += seen
        return seen

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self.terminal, keys.encode())

    def close(self) -> int:
        """Wait for its end; its exit code."""
        code = self.process.wait(30)
        os.close(self.terminal)
        return code


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a project of two assessors."""
    made = run_assay("judge", "init", *(f"--run={run}" for run in RUNS[:2]), *TEXTS, "--depth", 2, "--overlap", 2,
                     "--assessor", "ana", "--assessor", "ben", folder=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    return tmp_path


def test_a_document_is_judged_at_a_terminal_by_single_keys(project: Path) -> None:
    screen = Terminal("judge", "--as", "ana", folder=project)
    first = screen.until("q quit")
    assert "\x1b[?1049h" in first
    assert "0 judged, about" in first
    screen.press("2")
    screen.until("saved: relevant")
    screen.press("u")
    screen.until("undone: judge it again")
    screen.press("nhalf of it\r")
    screen.until("note kept")
    screen.press("1")
    screen.until("saved: related")
    screen.press("q")
    screen.until("\x1b[?1049l")
    assert screen.close() == 0
    with open_database(str(project / "judging.db")) as database:
        rows = list(history(open_project(database)))
    assert [(row["verdict"], row["value"], row["note"]) for row in rows] == [
        ("graded", 2, ""), ("withdrawn", None, ""), ("graded", 1, "half of it"),
    ]  # fmt: skip
    assert all(row["input"] == "key" and row["shown"] for row in rows if row["value"] is not None)


def test_judging_that_is_killed_is_taken_up_where_it_was(project: Path) -> None:
    screen = Terminal("judge", "--as", "ana", folder=project)
    screen.until("q quit")
    screen.press("3")
    before = screen.until("saved: perfect")
    screen.process.kill()
    screen.close()
    again = Terminal("judge", "--as", "ana", folder=project, colour=False)
    shown = again.until("q quit")
    assert "1 judged, about" in shown
    document = re.search(r"b\d{3}", shown)
    assert document is not None
    assert document[0] in before  # the one that was on the screen when it was killed
    assert "\x1b[1;33m" not in shown
    again.press("q")
    again.close()


@pytest.mark.parametrize("how", [[], ["--plain"]])
def test_an_interrupt_gives_back_what_was_begun(how: list[str], project: Path) -> None:
    screen = Terminal("judge", "--as", "ana", *how, folder=project)
    screen.until("> " if how else "q quit")
    screen.process.send_signal(signal.SIGINT)
    screen.until("0 judged, about")
    assert screen.close() == 130  # as everywhere
    with open_database(str(project / "judging.db")) as database, database.reading() as connection:
        held = select(func.count()).select_from(db.assignment).where(db.assignment.c.state == "leased")
        assert connection.scalar(held) == 0


def test_a_screen_fits_and_shows_nothing_that_steers_a_terminal(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "a.db"), create=True) as database:
        project = make_project(database)
        session = Session(project, "ana")
        session.start()
        assert session.task is not None
        object.__setattr__(session.task, "text", f"{HOSTILE}\n" + "字" * 200 + "\n" + "word " * 5000)
        object.__setattr__(session.task, "narrative", "x" * 100_000)
        for width, height in ((80, 24), (40, 12), (200, 60)):
            for key in ("t", "?", "z", "/", "w", "o", "r", "d", "enter", "j", "k", " ", "home"):
                session.press(key)
                lines = frame(session, width, height, colour=True)
                assert len(lines) <= height
                for line in lines:
                    bare = re.sub(r"\x1b\[[0-9;]*m", "", line)
                    assert bare.isprintable(), repr(bare)
                    assert sum(2 if sign == "字" else 1 for sign in bare) <= width
        assert all(line.isprintable() for line in plain_lines(session))


def test_a_topic_and_guidelines_of_any_length_are_read_page_by_page(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "a.db"), create=True) as database:
        session = Session(make_project(database), "ana")
        session.start()
        assert session.task is not None
        long = " ".join(f"word{number}" for number in range(14_000))
        session.task = replace(session.task, narrative=long, guidelines=long, text="\n".join(map(str, range(100))))
        session.press(" ")
        at_hand = frame(session, 80, 24, colour=False)
        for key in ("t", "h"):
            session.press(key)
            pages = set[str]()
            for _ in range(150):
                lines = frame(session, 80, 24, colour=False)
                pages |= set(re.findall(r"word\d+", " ".join(lines)))
                session.press(" ")
            assert len(pages) == 14_000
            session.press("home")
            assert "word0 " in " ".join(frame(session, 80, 24, colour=False))
            session.press("end")
            assert "word13999" in " ".join(frame(session, 80, 24, colour=False))
            session.press("q")  # goes back, and does not leave
            assert frame(session, 80, 24, colour=False) == at_hand  # to where the document was left


def test_keys_of_ones_own_stand_for_the_grades(project: Path) -> None:
    said = run_assay("judge", "--as", "ana", "--plain", "--keys", "mlpo", stdin=b"p\n2\nq\n", folder=project)
    assert "relevance: m not relevant, l related, p relevant, o perfect; x cannot judge" in said.stdout
    assert "saved: relevant" in said.stdout
    assert "'2' means nothing here" in said.stdout
    for keys, problem in (("ml", "expected one for each of 4 grades"), ("mlpx", "none of"), ("mmpo", "key of its own")):
        wrong = run_assay("judge", "--as", "ana", "--plain", "--keys", keys, stdin=b"", folder=project)
        assert wrong.returncode == 2
        assert problem in wrong.stderr


def test_line_by_line_reads_what_was_found_and_reads_again_what_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tbrakes\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n")
    texts = [
        {"doc_id": name, "title": name, "text": f"Intro.\nOf brakes in {name}.\nThe end."} for name in ("d1", "d2")
    ]
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in texts))
    run_assay("judge", "init", "--runs", "a.run", "--topics", "topics.tsv", "--documents", "d.jsonl",
              "--assessor", "ana", folder=tmp_path)  # fmt: skip
    said = run_assay("judge", "--as", "ana", "--plain", stdin=b"/ end\n\nt\n1\nq\n", folder=tmp_path).stdout
    first, second = said.split("saved: related")
    assert "> The end.\nhit 1 of 1\n> Document d" in first
    assert first.count("Intro.") == 2
    assert first.count("Topic 1: brakes") == 2
    assert "Topic 1, as before" in second


def test_where_judges_are_not_blind_they_see_what_others_said(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "a.db"), create=True) as database:
        for name, blind in (("open", False), ("shut", True)):
            project = make_project(database, name=name, overlap=2, blind=blind, topics=1, documents=1)
            task = hand_out(project, "ana")
            assert task is not None
            say(project, "ana", task, 2, note="half of it")
            session = Session(project, "ben")
            session.start()
            shown = "\n".join([*frame(session, 80, 24, colour=False), *plain_lines(session)])
            assert shown.count("Others said: assessor 1: relevant (half of it)") == (0 if blind else 2)
            assert ("half of it" in shown) != blind


def test_every_byte_of_a_judges_screen_is_free_of_runs_ranks_scores_and_other_judges(tmp_path: Path) -> None:
    """The runs have names, ranks, tags and scores that can be told from everything else."""
    rows = {"zebrafish": (811, 0.73912), "quokka": (977, 0.61357)}
    for name, (rank, score) in rows.items():
        lines = [f"{topic} Q0 b{number:03} {rank} {score} {name}tag\n" for topic in (1, 2) for number in range(1, 4)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    made = run_assay("judge", "init", "--runs", "zebrafish.run", "quokka.run", *TEXTS, "--overlap", 2,
                     "--assessor", "walrusana", "--assessor", "ben", folder=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    run_assay("judge", "--as", "walrusana", "--plain", stdin=b"n verywalrus\n3\n" * 6, folder=tmp_path)
    seen = run_assay("judge", "--as", "ben", "--plain", stdin=b"?\nh\nt\n2\nu\nq\n", folder=tmp_path).stdout
    screen = Terminal("judge", "--as", "ben", folder=tmp_path)
    screen.until("q quit")
    for key, answer in (("?", "Besides:"), ("q", "0 not"), ("t", "Topic"), ("q", "0 not"), ("2", "saved"),
                        ("s", "skipped"), ("u", "undone"), ("1", "saved")):  # fmt: skip
        screen.press(key)
        screen.until(answer)
    screen.press("q")
    screen.until("\x1b[?1049l")
    screen.close()
    for tool, name in (("label-studio", "t.json"), ("quepid", "b.json"), ("quepid", "r.csv")):
        run_assay("judge", "export", "--what", "tasks", "--for", tool, "-o", name, folder=tmp_path)
        seen += (tmp_path / name).read_text().replace('"show_rank": false', "")  # a setting of Quepid's
    seen += screen.shown
    assert "b001" in seen
    for secret in ("zebrafish", "quokka", "811", "977", "0.739", "0.613", "walrus", "assessor 1", "rank", "score"):
        assert secret not in seen, secret


def test_notes_searches_and_help_say_what_they_do(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "a.db"), create=True) as database:
        session = Session(make_project(database), "ana")
        session.start()
        assert session.task is not None
        for key in ("/", *"text", "enter"):
            session.press(key)
        assert session.message == "hit 1 of 1"
        for key in ("/", *["backspace"] * 4, *"nowhere", "enter"):
            session.press(key)
        assert session.message == "'nowhere' is not in the text"
        session.press("z")
        assert session.message == "'z' means nothing here; ? shows the keys"
        session.press("?")
        assert "cannot judge" in "\n".join(frame(session, 80, 24, colour=False))
        session.press("z")
        at_hand = session.task
        session.press("u")
        assert (session.message, session.task) == ("there is nothing to undo", at_hand)
        with pytest.raises(Left):
            session.press("q")


def test_line_by_line_help_repeats_no_message(project: Path) -> None:
    said = run_assay("judge", "--as", "ana", "--plain", stdin=b"1\n?\nh\nu\nu\nq\n", folder=project)
    assert [said.stdout.count(message) for message in ("saved: related", "undone", "nothing to undo")] == [1, 1, 1]
    assert "This project has no guidelines." in said.stdout


def test_further_aspects_are_asked_one_after_the_other_and_exported(tmp_path: Path) -> None:
    words = ["judge", "init", *(f"--run={run}" for run in RUNS[:2]), *TEXTS, "--depth", 1, "--aspect", "support",
             "--aspect", "reading level", "--assessor", "ana"]  # fmt: skip
    assert run_assay(*words, folder=tmp_path).returncode == 0
    said = run_assay("judge", "--as", "ana", "--plain", stdin=b"2\n1\n3\n0\nx\nq\n", folder=tmp_path)
    assert "Does the passage itself support the answer?: 0 no, 1 yes" in said.stdout
    assert "saved: relevant" in said.stdout
    with open_database(str(tmp_path / "judging.db")) as database:
        project = open_project(database)
        assert [row["aspects"] for row in history(project)] == [{"support": 1, "reading level": 3}, {}]
        assert labels_of(project, aspect="reading level").frame["label"].to_list() == [3]
    assert aspect_of("mine:0=no,1=yes").scale.values == (0, 1)


def test_from_runs_to_two_releases(tmp_path: Path) -> None:
    """Six runs, three assessors at terminals, disagreement, decisions, a verdict, what decides, the next release."""
    made = run_assay("judge", "init", *(f"--run={run}" for run in RUNS), *TEXTS, "--depth", 1, "--overlap", 2,
                     *(f"--assessor={who}" for who in ("ana", "ben", "cleo")), folder=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    run_assay("judge", "assign", "ana", "ben", "cleo", "--topics", "1,2,3", folder=tmp_path)
    for who, key in (("ana", "3"), ("ben", "0"), ("cleo", "2")):
        screen = Terminal("judge", "--as", who, folder=tmp_path)
        shown = screen.until("q quit")
        while "Nothing is left for you" not in shown:
            screen.press(key)
            shown = screen.until("saved")
        screen.press("q")
        screen.close()
    status = json.loads(run_assay("judge", "status", "--json", folder=tmp_path).stdout)
    assert status["sections"]["progress"]["labels"] > 12
    listed = run_assay("judge", "adjudicate", "--json", folder=tmp_path)
    waiting = {(row["query_id"], row["doc_id"]) for row in json.loads(listed.stdout)["sections"]["labels"]["labels"]}
    assert waiting
    for topic, document in sorted(waiting):
        decided = run_assay(
            "judge", "adjudicate", "--topic", topic, "--document", document, "--grade", 2, folder=tmp_path
        )
        assert decided.returncode == 0, decided.stderr
    first = run_assay("judge", "release", "--note", "first", folder=tmp_path)
    assert "Release 1:" in first.stdout
    verdict = run_assay("compare", "judging.db@1", *RUNS[:2], "-m", "nDCG@10", folder=tmp_path)
    assert verdict.returncode == 0, verdict.stderr
    assert "release 1 of judging" in verdict.stderr
    found = run_assay("judge", "next", "-n", 20, "-b", "shuffled", "--run", RUNS[0], "--run", RUNS[5], folder=tmp_path)
    assert found.returncode == 0, found.stderr
    run_assay("judge", "assign", "dora", folder=tmp_path)
    run_assay("judge", "--as", "dora", "--plain", stdin=b"1\n" * 20 + b"q\n", folder=tmp_path)
    assert "Release 2:" in run_assay("judge", "release", folder=tmp_path).stdout
    frozen = run_assay("freeze", "judging.db@1", RUNS[0], "-o", "base.json", folder=tmp_path)
    assert frozen.returncode == 0, frozen.stderr
    across = run_assay("gate", "judging.db@2", "base.json", RUNS[1], folder=tmp_path)
    assert across.returncode == 2
    assert "the judgments are not those that the baseline was frozen with (judging.db@1" in across.stderr
    advice = re.search(r"`assay (judge diff .*?)`", across.stderr)
    assert advice is not None
    assert run_assay(*advice[1].split(), folder=tmp_path).returncode == 0
    told = json.loads(run_assay("evaluate", "judging.db@2", RUNS[0], "-m", "AP", "--json", folder=tmp_path).stdout)
    (signature,) = told["sections"]["settings"]["signatures"].values()
    assert "|release=judging@2:" in signature
    assert compare_signatures(signature, signature.replace("@2:", "@1:")).differences.keys() == {"release"}
    diff = run_assay("judge", "diff", 1, 2, folder=tmp_path)
    assert "Scores by different releases must not be compared" in diff.stdout


WRONG = {
    "no project": (["judge", "status"], "judging.db: there is no such file; `assay judge init` makes a project"),
    "a file that is none": (["judge", "status", str(BICYCLES / "qrels.txt")], "expected a judging project"),
    "unknown assessor": (["judge", "--as", "zoe", "--plain"], "no assessor is called 'zoe': there are ana, ben"),
    "no terminal": (["judge", "--as", "ana"], "judging needs a terminal for keys and screen; --plain reads lines"),
    "empty release": (["judge", "release"], "nothing is judged yet"),
    "unknown release": (["evaluate", "judging.db@9", RUNS[0]], "there is no release 9"),
    "unknown scale": (["judge", "init", "b.db", "--run", RUNS[0], *TEXTS, "--scale", "tea"], "tea"),
    "two runs of one name": (
        ["judge", "init", "b.db", "--runs", RUNS[0], f"bm25={RUNS[1]}", *TEXTS], "two runs are called 'bm25'"
    ),
    "pairs of grades": (["judge", "init", "b.db", "--run", RUNS[0], *TEXTS, "--pairs", "3"], "--pairs goes with"),
    "known answers that others give away": (
        ["judge", "init", "b.db", "--run", RUNS[0], *TEXTS, "--gold-every", "5", "--blind", "no"],
        "what others said gives known answers away",
    ),
    "no topics": (["judge", "init", "b.db", "--run", RUNS[0]], "--topics FILE is missing"),
    "half a decision": (["judge", "adjudicate", "--topic", "1"], "--topic and --document go together"),
    "a grade of nothing": (["judge", "adjudicate", "--grade", "1"], "--topic and --document go together"),
    "a grade that is none": (
        ["judge", "adjudicate", "--topic", "1", "--document", "b001", "--grade", "1", "--cannot-judge"],
        "--grade and --cannot-judge contradict one another",
    ),
    "a grade off the scale": (
        ["judge", "adjudicate", "--topic", "1", "--document", "b001", "--grade", "9"],
        "expected a grade of 0 (not relevant)",
    ),
    "nothing to change": (["judge", "change"], "nothing to change"),
    "a typo": (["judge", "stauts"], "stauts: there is no such file"),
    "the same name twice": (
        ["judge", "init", "judging.db", "--run", RUNS[0], *TEXTS], "there is a project 'judging' already"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a project, for calls that change nothing."""
    folder = tmp_path_factory.mktemp("wrong")
    run_assay(
        "judge", "init", "--run", RUNS[0], *TEXTS, "--depth", 1, "--assessor", "ana", "--assessor", "ben", folder=folder
    )
    return folder


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(case: str, opened: Path, tmp_path: Path) -> None:
    words, message = WRONG[case]
    folder = tmp_path if case in {"no project", "a file that is none"} else opened
    done = run_assay(*words, folder=folder)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "b.db").exists()


def test_every_command_of_judging_describes_itself(tmp_path: Path) -> None:
    page = invoke(["judge", "--help"])
    for verb in ("start", "init", "status", "assign", "adjudicate", "release", "import", "export", "backup", "check"):
        assert f"  {verb}" in page.stdout
    for verb in ("", "init", "next", "release", "export"):
        assert run_assay("judge", *verb.split(), "--help", folder=tmp_path).returncode == 0


def test_preferences_are_judged_in_pairs_and_come_out_by_side(tmp_path: Path) -> None:
    made = run_assay("judge", "init", "--runs", *RUNS[:2], *TEXTS, "--depth", 3, "--scale", "preference", "--pairs", 2,
                     "--overlap", 2, "--assessor", "ana", "--assessor", "ben", folder=tmp_path)  # fmt: skip
    assert re.search(r"\d+ pairs of 20 topics", made.stderr), made.stderr
    for who, keys in (("ana", "1\n3\n1\n"), ("ben", "1\n3\n3\n")):
        run_assay("judge", "assign", who, "--topics", "1", folder=tmp_path)
        said = run_assay("judge", "--as", who, "--plain", stdin=(keys + "q\n").encode(), folder=tmp_path)
        assert "relevance: 1 left is better, 2 no difference, 3 right is better" in said.stdout
        assert re.search(r"^LEFT: (.|\n)*^RIGHT: ", said.stdout, re.MULTILINE)
    assert run_assay("judge", "release", folder=tmp_path).returncode == 0
    assert run_assay("judge", "export", "-o", "pairs.jsonl", folder=tmp_path).returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "pairs.jsonl").read_text().splitlines()]
    for row in rows:
        better = {-1: row["left"], 0: None, 1: row["right"]}
        assert row["preferred"] == better[row["relevance"]]
        assert row["left"] != row["right"]
    refused = run_assay("evaluate", "judging.db@1", RUNS[0], folder=tmp_path)
    assert "these are preferences between two documents, and no grades of documents" in refused.stderr
    with open_database(str(tmp_path / "judging.db")) as database:
        project = open_project(database)
        frame = make_release(project).frame
        texts = everything(project)
        pairs = [row["doc_id"].split(" : ") for row in texts if row["record"] == "item" and row["query_id"] == "1"]
    met = Counter(name for pair in pairs for name in pair)
    assert set(met.values()) == {2}
    assert len(pairs) == len({frozenset(pair) for pair in pairs})
    undecided = frame.filter(pl.col("labels") == 2).filter(pl.col("otherwise") > 0)
    assert undecided["relevance"].null_count() == undecided.height  # a tie is no vote for the left side


def test_a_sampled_pool_keeps_what_was_drawn_and_how_probable_it_was(tmp_path: Path) -> None:
    words = ["--strategy", "sample", "-o", "pool.csv"]
    assert run_assay("pool", "make", *RUNS[:2], *words, folder=tmp_path).returncode == 0
    pool = pl.read_csv(tmp_path / "pool.csv").drop_nulls("order")
    made = run_assay("judge", "init", "--pool", "pool.csv", "--runs", *RUNS[:2], *TEXTS, folder=tmp_path)
    assert f"{pool.height} documents of 20 topics" in made.stderr
    with open_database(str(tmp_path / "judging.db")) as database:
        items = [row for row in everything(open_project(database)) if row["record"] == "item"]
    drawn = {(row["query_id"], row["doc_id"]): (row["stratum"], row["inclusion"]) for row in items}
    wanted = pool.select(pl.col("query_id").cast(pl.String), "doc_id", "stratum", "inclusion").iter_rows()
    assert drawn == {(query, document): (stratum, chance) for query, document, stratum, chance in wanted}
    (tmp_path / "own.csv").write_text("query_id,doc_id\n1,b001\n2,b002\n")
    made = run_assay("judge", "init", "own.db", "--pool", "own.csv", "--runs", *RUNS[:2], *TEXTS, folder=tmp_path)
    assert "2 documents of 2 topics" in made.stderr
    (tmp_path / "odd.csv").write_text("query,doc\n1,b001\n")
    odd = run_assay("judge", "init", "odd.db", "--pool", "odd.csv", "--runs", *RUNS[:2], *TEXTS, folder=tmp_path)
    assert "expected a pool with query_id and doc_id, as `assay pool make` writes it, got query, doc" in odd.stderr
    assert odd.stderr.count("\n") == 1


def test_a_scale_of_ones_own_says_what_its_grades_mean_and_are_worth(tmp_path: Path) -> None:
    grades = [
        {"value": 0, "label": "off", "help": "something else"},
        {"value": 1, "label": "near", "is_relevant": False},
        {"value": 2, "label": "on", "gain": 5, "key": "w"},
    ]
    (tmp_path / "scale.json").write_text(json.dumps(grades))
    made = run_assay("judge", "init", "--run", RUNS[0], *TEXTS, "--depth", 1, "--scale", "scale.json",
                     "--assessor", "ana", folder=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    said = run_assay("judge", "--as", "ana", "--plain", stdin=b"?\nw\n0\nq\n", folder=tmp_path).stdout
    assert "0         off: something else\n1         near\nw         on\n" in said
    run_assay("judge", "release", folder=tmp_path)
    told = run_assay("evaluate", "judging.db@1", RUNS[0], "-m", "nDCG@5", folder=tmp_path).stderr
    assert "grades from 2 on are relevant" in told
    assert "nDCG(gain={2: 5}) counts them so" in told
    again = run_assay("evaluate", "judging.db@1", RUNS[0], "-m", "nDCG(gain={2: 5})", folder=tmp_path)
    assert again.returncode == 0, again.stderr


def test_what_fails_leaves_no_project_behind(tmp_path: Path) -> None:
    (tmp_path / "few.jsonl").write_text('{"doc_id": "b001", "text": "one"}\n')
    made = run_assay("judge", "init", "--run", RUNS[0], TEXTS[0], TEXTS[1], "--documents", "few.jsonl", folder=tmp_path)
    assert "in the pool have no text" in made.stderr
    assert made.stderr.endswith("or keep them without text, --keep-missing\n")
    assert [path.name for path in tmp_path.iterdir()] == ["few.jsonl"]


def test_whoever_decides_reads_the_document_and_what_was_said_of_it(tmp_path: Path) -> None:
    with open_database(str(tmp_path / "judging.db"), create=True) as database:
        project = make_project(database, overlap=2, topics=1, documents=1)
        for who, grade in (("ana", 0), ("ben", 3)):
            task = hand_out(project, who)
            assert task is not None
            say(project, who, task, grade, note=f"because of {who}")
    listed = run_assay("judge", "adjudicate", folder=tmp_path).stdout
    reading = re.search(r"Read one with: assay (.*)", listed)
    assert reading is not None
    shown = run_assay(*reading[1].split(), folder=tmp_path).stdout
    for text in ("about q0", "The text of d0-0.", "because of ana", "because of ben", "Decide with:"):
        assert text in shown
    assert "because of ana" in run_assay("judge", "adjudicate", folder=tmp_path).stdout  # to read decides nothing
    decided = run_assay(*reading[1].split(), "--cannot-judge", "--reason", "empty", folder=tmp_path)
    assert "q0 d0-0: cannot be judged" in decided.stderr
    assert "Nothing is disputed" in run_assay("judge", "adjudicate", folder=tmp_path).stdout


@pytest.mark.parametrize("words", [["judge", "--help"], ["judge", "start", "--help"], ["clicks", "judge", "--help"]])
def test_help_says_which_judging_is_which(words: list[str]) -> None:
    other = "assay clicks judge" if words[0] == "judge" else "assay judge"
    assert f"`{other}`" in " ".join(invoke(words).stdout.split())


def test_documents_that_a_comparison_lists_are_judged_first(tmp_path: Path) -> None:
    made = run_assay("judge", "init", "--runs", *RUNS[:2], *TEXTS, "--depth", 1, "--assessor", "ana", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    run_assay("judge", "--as", "ana", "--plain", stdin=b"2\n1\n0\nq\n", folder=tmp_path)
    run_assay("judge", "release", folder=tmp_path)
    words = ["-m", "nDCG@10", "--judge-next", "6", "--csv", "-o", "next.csv"]
    compared = run_assay("compare", "judging.db@1", *RUNS[:2], *words, folder=tmp_path)
    assert compared.returncode == 0, compared.stderr
    wanted = pl.read_csv(tmp_path / "next.csv").select(pl.col("query_id").cast(pl.String), "doc_id").rows()
    done = run_assay("judge", "next", "--from", "next.csv", "--documents", TEXTS[3], folder=tmp_path)
    assert "6 documents will be handed out first" in done.stderr
    with open_database(str(tmp_path / "judging.db")) as database:
        project = open_project(database)
        assert [(task.topic_id, task.doc_id) for task in judge_all(project, "ana", lambda _: 0, most=6)] == wanted
    odd = run_assay("judge", "next", "--from", RUNS[0], folder=tmp_path)
    assert odd.returncode == 2
    assert odd.stderr.count("\n") == 1
