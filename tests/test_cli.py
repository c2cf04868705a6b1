"""The command line: results on stdout, messages on stderr, one clear line and exit 2 for what is wrong."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import run_assay

from assay import parse_measure
from assay.cli import inputs
from assay.cli.measures import situations

RUN = "q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\nq2 Q0 d1 1 1.0 t\n"
QRELS = "q1 0 d1 1\nq1 0 d3 1\nq2 0 d2 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "my.qrels").write_text(QRELS)
    return tmp_path


BAD_RUNS = {
    "truncated.gz": (
        gzip.compress(RUN.encode() * 100, mtime=0)[:-20],
        "truncated.gz: expected an intact compressed file",
    ),
    "junk.bin": (bytes(range(256)) * 20, "junk.bin:1: expected TREC run"),
    "short-late.run": (RUN.encode() * 1 + b"q3 Q0 d9 1\n", "short-late.run:4: expected 6 columns"),
    "word.run": (b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 high t\n", "word.run:2: expected a number as score, got 'high'"),
    "nan.run": (b"q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 NaN t\n", "nan.run:2: expected a number as score, got 'NaN'"),
    "twice.run": (b"q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq1 Q0 d1 3 1 t\n", "twice.run:3: expected each document once"),
    "elsewhere.run": (b"z9 Q0 d1 1 2.0 t\n", "elsewhere.run: no topic in common"),
    "really.qrels": (QRELS.encode(), "really.qrels:1: expected TREC run"),
    "latin.run": ("q1 Q0 d\u00e9 1 2.0 t\n".encode("latin-1"), "latin.run:1: expected 6 columns"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_bad_runs_get_one_clear_message_and_exit_2(folder: Path, name: str) -> None:
    content, message = BAD_RUNS[name]
    (folder / name).write_bytes(content)
    done = run_assay("evaluate", "my.qrels", name, "-o", "out.md", folder=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"assay: {message}")
    assert done.stderr.count("\n") <= 2
    assert not (folder / "out.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["my.qrels", "absent.run"], "absent.run: cannot be read: no such file"),
        (["absent.qrels", "bm25.run"], "absent.qrels: cannot be read: no such file"),
        (["bm25.run", "bm25.run"], "bm25.run:1: expected TREC qrels"),
        (["my.qrels", "bm25.run", "-m", "nDGC@10"], "no measure is called 'nDGC'; did you mean nDCG"),
        (["my.qrels", "bm25.run", "-m", "nDCG@0"], "cutoff of nDCG is a whole number from 1 on, not 0"),
        (["my.qrels", "bm25.run", "-m", "AP(beta=2)"], "AP has no parameter 'beta'; it takes cutoff, rel"),
        (["my.qrels", "bm25.run", "--ties", "random"], "--ties is one of"),
        (["my.qrels", "bm25.run", "--depth", "0"], "--depth is a whole number from 1 on"),
        (["my.qrels", "bm25.run", "--json", "--csv"], "choose one of --json and --csv"),
        (["my.qrels", "bm25.run", "--compat", "trec_eval"], "--compat is one of"),
        (["my.qrels", "bm25.run", "-o", "no/such/folder.md"], "no/such/folder.md: cannot be written"),
        (["my.qrels", "bm25.run", "--judge", "A"], "my.qrels: expected a judge of '0', got 'A'"),
        (["my.qrels", "bm25.run", "--missing", "error", "-m", "AP"], ""),
    ],
)
def test_wrong_calls_get_one_clear_message(folder: Path, arguments: list[str], message: str) -> None:
    done = run_assay("evaluate", *arguments, folder=folder)
    if not message:
        assert done.returncode == 0
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("assay:") == 1


def test_the_table_shows_scores_and_the_counts_that_matter(folder: Path) -> None:
    done = run_assay("evaluate", "my.qrels", "bm25.run", folder=folder)
    rows = {line.split("  ")[0].strip(): line.split()[-1] for line in done.stdout.splitlines() if line.strip()}
    assert done.returncode == 0
    assert rows["AP"] == "0.2500"  # q1: (1/1) / 2, q2: 0
    assert rows["missing"] == "0"
    assert "relevant found" in rows
    assert "my.qrels: TREC qrels, 2 topics, 3 judgments" in done.stderr
    assert "bm25.run: TREC run" in done.stderr


def test_results_and_messages_do_not_mix(folder: Path) -> None:
    done = run_assay("evaluate", "my.qrels", "bm25.run", "--json", "-q", "-m", "AP", folder=folder)
    told = json.loads(done.stdout)
    assert (told["schema_version"], told["kind"]) == (2, "evaluation")
    queries = told["sections"]["queries"]["queries"]
    assert [(row["system"], row["query_id"], row["AP"]) for row in queries] == [
        ("bm25", "q1", 0.5),
        ("bm25", "q2", 0.0),
    ]
    assert told["sections"]["settings"]["signatures"]["AP"].startswith("AP|rel=1|ties=doc_id_descending")
    assert run_assay("evaluate", "my.qrels", "bm25.run", "--quiet", "--csv", "-m", "AP", folder=folder).stderr == ""


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("--csv", "system,AP,NumRet\nbm25,0.25,3.0\n"),
        ("--markdown", "| system | AP | NumRet |\n| --- | ---: | ---: |\n| bm25 | 0.2500 | 3 |\n"),
        (
            "--latex",
            "\\begin{tabular}{lrr}\n\\toprule\nsystem & AP & NumRet \\\\\n\\midrule\nbm25 & 0.2500 & 3 \\\\\n"
            "\\bottomrule\n\\end{tabular}\n",
        ),
    ],
)
def test_other_forms_of_the_table(folder: Path, form: str, expected: str) -> None:
    done = run_assay("evaluate", "my.qrels", "bm25.run", form, "-m", "AP", "-m", "NumRet", folder=folder)
    assert done.stdout == expected


def test_output_goes_to_a_file_and_nothing_else_is_left_behind(folder: Path) -> None:
    done = run_assay("evaluate", "my.qrels", "bm25.run", "--csv", "-m", "AP", "-o", "t.csv", folder=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert (folder / "t.csv").read_text() == "system,AP\nbm25,0.25\n"
    assert sorted(path.name for path in folder.iterdir()) == ["bm25.run", "my.qrels", "t.csv"]


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("t.json", '{\n  "schema_version"'),
        ("t.csv", "system,AP\n"),
        ("t.md", "| system | AP |"),
        ("t.tex", "\\begin"),
        ("t.HTML", "<!doctype html>"),
        ("t.txt", " "),
    ],
)
def test_the_ending_of_a_file_names_the_form(folder: Path, name: str, start: str) -> None:
    done = run_assay("evaluate", "my.qrels", "bm25.run", "-m", "AP", "-o", name, folder=folder)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (folder / name).read_text().startswith(start)


def test_an_option_goes_before_the_ending_of_a_file(folder: Path) -> None:
    run_assay("evaluate", "my.qrels", "bm25.run", "-m", "AP", "--csv", "-o", "t.json", folder=folder)
    assert (folder / "t.json").read_text() == "system,AP\nbm25,0.25\n"


def test_a_dash_as_output_is_stdout(folder: Path) -> None:
    done = run_assay("evaluate", "my.qrels", "bm25.run", "--csv", "-m", "AP", "-o", "-", folder=folder)
    assert (done.returncode, done.stdout) == (0, "system,AP\nbm25,0.25\n")
    assert sorted(path.name for path in folder.iterdir()) == ["bm25.run", "my.qrels"]


@pytest.mark.parametrize(
    "words",
    [("evaluate", "-q"), ("compare", "other=bm25.run", "--queries", 1), ("compare", "other=bm25.run", "--bounds")],
)
def test_a_table_that_is_not_there_is_refused_whatever_is_listed(folder: Path, words: tuple[str, ...]) -> None:
    command, *more = words
    done = run_assay(command, "my.qrels", "bm25.run", *more, "-m", "AP", "--csv", "--table", "none", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not 'none'" in done.stderr


def test_lists_of_a_comparison_are_a_page_of_their_own(folder: Path) -> None:
    files = ("my.qrels", "bm25.run", "other=bm25.run")
    done = run_assay("compare", *files, "-m", "AP", "--queries", 1, "-o", "t.html", folder=folder)
    assert done.returncode == 0
    assert (folder / "t.html").read_text().startswith("<!doctype html>")


def test_a_terminal_shows_what_is_going_on_and_results_go_where_they_go(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on its way is on stderr, and is gone in the end; a result that is redirected goes there, and whole."""
    monkeypatch.setattr(inputs, "_MOMENT", 0)
    monkeypatch.setattr(inputs, "_TURN", 0.01)
    opened = pty.openpty()
    with os.fdopen(opened[1], "w") as terminal, contextlib.redirect_stdout(io.StringIO()) as out:
        monkeypatch.setattr(sys, "stderr", terminal)
        with inputs.bar("reading", 4, hidden=False) as advance, inputs.working("comparing", hidden=False):
            assert advance is not None
            advance(1)
            time.sleep(0.2)
            sys.stdout.write("a result")
        monkeypatch.undo()
    shown = os.read(opened[0], 10_000).decode()
    os.close(opened[0])
    assert out.getvalue() == "a result"
    assert " comparing  25%" in shown
    assert shown.endswith("\r\x1b[K")
    assert run_assay("evaluate", "my.qrels", "bm25.run", "-m", "AP", folder=folder).stderr.count("\x1b") == 0


def test_a_run_may_come_from_stdin(folder: Path) -> None:
    done = run_assay("evaluate", "my.qrels", "-", "--csv", "-m", "AP", folder=folder, stdin=RUN.encode())
    assert done.stdout == "system,AP\nstdin,0.25\n"


def test_runs_of_the_same_name_are_told_apart_by_their_folders(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "x.run").write_text(RUN)
    done = run_assay("evaluate", "my.qrels", "a/x.run", "b/x.run", "--csv", "-m", "AP", folder=folder)
    assert done.stdout == "system,AP\na/x.run,0.25\nb/x.run,0.25\n"


@pytest.mark.parametrize("name", ["org/model", "x" * 300])
def test_a_run_has_the_name_that_it_is_given(folder: Path, name: str) -> None:
    """Names of models have slashes, and may be longer than names of files."""
    done = run_assay("evaluate", "my.qrels", f"{name}=bm25.run", "--csv", "-m", "AP", folder=folder)
    assert done.stdout == f"system,AP\n{name},0.25\n"
    done = run_assay("evaluate", "my.qrels", f"{name}/=absent.run", folder=folder)
    assert (done.returncode, done.stderr.splitlines()[-1][:7]) == (2, "assay: ")


def test_a_closed_pipe_ends_quietly(folder: Path) -> None:
    (folder / "long.run").write_text("".join(f"q{n} Q0 d1 1 1.0 t\n" for n in range(20_000)))
    (folder / "long.qrels").write_text("".join(f"q{n} 0 d1 1\n" for n in range(20_000)))
    command = f"{sys.executable} -m assay evaluate -q --csv long.qrels long.run | head -1"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("system,query_id")
    assert "Traceback" not in done.stderr


def test_the_list_of_measures_and_the_card_of_one(folder: Path) -> None:
    listed = run_assay("measures", folder=folder).stdout
    assert "nDCG@k" in listed
    card = run_assay("measures", "ndcg_cut_10", folder=folder).stdout
    assert card.startswith("nDCG@10")
    assert "Σ" in card
    assert ">>> nDCG" in card
    known = json.loads(run_assay("measures", "--json", folder=folder).stdout)["sections"]["measures"]["measures"]
    assert {row["name"] for row in known} >= {"AP", "nDCG"}
    assert run_assay("measures", "AP", "--csv", folder=folder).stdout.startswith(
        "measure,what it is,in trec_eval\nAP@k,"
    )


def test_the_demo_shows_a_table_ends_with_the_verdict_and_writes_a_report(folder: Path) -> None:
    done = run_assay("demo", "-o", "page.html", folder=folder)
    assert done.returncode == 0
    assert "nDCG@10" in done.stdout
    words = " ".join(done.stdout.split())
    verdict, path = words.index("from bm25; titles and shuffled are worse than it"), words.index("page.html")
    assert words.index("relevant found") < verdict < path
    page = (folder / "page.html").read_text()
    assert "default-src &#39;none&#39;" in page
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page)
    assert "gears skipping under load" in page
    wrong = run_assay("demo", "-o", "page.gif", folder=folder)
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_trec_eval_takes_the_reference_tools_options(folder: Path) -> None:
    plain = run_assay("trec-eval", "-q", "-mmap", "-M1", "my.qrels", "bm25.run", folder=folder)
    assert plain.stdout == (
        "map                   \tq1\t0.5000\nmap                   \tq2\t0.0000\nmap                   \tall\t0.2500\n"
    )
    after = run_assay("trec-eval", "my.qrels", "bm25.run", "-m", "num_rel", "-n", "-q", folder=folder)
    assert after.stdout == "num_rel               \tq1\t2\nnum_rel               \tq2\t1\n"
    assert run_assay("trec-eval", "-h", folder=folder).stdout.startswith("Usage: assay trec-eval")


@pytest.mark.parametrize(
    "arguments",
    [["-R", "prefs"], ["-Z", "zscores"], ["-T", "other"], ["-o"], ["-l", "x"], ["-M", "0"], ["-N", "-1"], ["-y"]],
)
def test_what_trec_eval_leaves_out_is_said(folder: Path, arguments: list[str]) -> None:
    done = run_assay("trec-eval", *arguments, "my.qrels", "bm25.run", folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: trec-eval: ")
    assert done.stderr.count("\n") == 1


def test_colour_is_off_when_piped(folder: Path) -> None:
    assert "\x1b" not in run_assay("evaluate", "my.qrels", "bm25.run", folder=folder).stdout


def test_the_version_is_told(folder: Path) -> None:
    assert run_assay("--version", folder=folder).stdout == "assay 0.1.0\n"


def test_help_does_not_load_the_heavy_packages(folder: Path) -> None:
    code = (
        "import sys\nfrom assay.cli.calling import call\ncall(['--help'])\ncall(['compare', '--help'])\n"
        "print([m for m in ('polars', 'numpy', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_run_may_come_through_a_named_pipe(folder: Path) -> None:
    command = f"{sys.executable} -c 'from assay.cli import main; main()' evaluate my.qrels <(cat bm25.run) --csv -m AP"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.endswith(",0.25\n"), done.stderr


def test_the_size_of_the_collection_is_an_option(folder: Path) -> None:
    """q1: one of two results is right and one relevant document missed; q2: one wrong, one missed."""
    options = ("-m", "Accuracy", "--csv", "--quiet", "--collection-size", 10)
    done = run_assay("evaluate", "my.qrels", "bm25.run", *options, folder=folder)
    assert done.stdout.splitlines() == ["system,Accuracy", f"bm25,{(8 / 10 + 8 / 10) / 2}"]


def test_measures_are_recommended_for_a_situation(folder: Path) -> None:
    shown = run_assay("measures", "--for", "fact-checking", folder=folder).stdout
    assert "SetF(beta=0.5)" in shown
    told = json.loads(run_assay("measures", "--for", "sparse-judgments", "--json", folder=folder).stdout)
    assert told["sections"]["situation"]["measures"][0]["measure"] == "RR@10"
    wrong = run_assay("measures", "--for", "patents", folder=folder)
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
    assert wrong.stderr.endswith("not 'patents'; did you mean patent?\n")
    both = run_assay("measures", "AP", "--for", "patent", folder=folder)
    assert (both.returncode, both.stdout) == (2, "")


def test_every_recommended_measure_exists() -> None:
    for situation in situations().values():
        assert situation["description"].endswith(".")
        for name, reason in situation["measures"].items():
            parse_measure(name)
            assert reason.endswith(".")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["my.qrels", "bm25.run", "-o", "curve.gif"], "curve.gif: the name ends in one of .svg, .png, .pdf"),
        (["my.qrels", "bm25.run", "--kind", "prr"], "--kind is one of pr, roc, cutoff, queries, difference"),
        (
            ["my.qrels", "bm25.run", "--query", "q3", "-o", "c.svg"],
            "no topic of the judgments is called 'q3'; there are q1, q2",
        ),
        (["my.qrels", "bm25.run", "-k", "difference"], "--kind difference is between two runs"),
        (["my.qrels", "bm25.run", "-k", "queries", "--query", "q1"], "--query has no meaning for --kind queries"),
        (["my.qrels", "bm25.run", "-k", "pr", "-m", "AP"], "--measure has no meaning for --kind pr"),
        (["my.qrels", "bm25.run", "-k", "queries", "-m", "AP,RR"], "--kind queries draws one measure, not 2"),
        (["my.qrels", "bm25.run", "-k", "cutoff", "-m", "P@5"], "choose a measure that takes a cut-off"),
        (["my.qrels", "bm25.run", "--levels", "1"], "--levels is a whole number from 2 to 1001"),
        (["my.qrels", "bm25.run", "-k", "roc", "--levels", "11"], "--levels has no meaning for --kind roc"),
        (["my.qrels", "bm25.run", "--levels", "1002"], "--levels is a whole number from 2 to 1001"),
        (["none.qrels", "bm25.run", "--undefined", "skip", "-o", "c.svg"], "there is nothing to draw"),
        (["none.qrels", "bm25.run", "--undefined", "skip", "-k", "cutoff", "-o", "c.html"], "there is nothing to draw"),
        (["none.qrels", "bm25.run", "--query", "q1", "-o", "c.svg"], "topic q1: NA, no relevant document"),
        (["my.qrels", "absent.run"], "absent.run: cannot be read: no such file"),
        (["my.qrels", "bm25.run", "-o", "no/such.csv"], "no/such.csv: cannot be written"),
    ],
)
def test_a_wrong_plot_gets_one_clear_line_and_writes_nothing(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "none.qrels").write_text("q1 0 d1 0\nq1 0 d2 0\n")
    before = sorted(folder.iterdir())
    done = run_assay("plot", *arguments, folder=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("evaluate", "my.qrels", "bm25.run", "--quiet"), "reading or writing failed: no space left on device"),
        (("evaluate", "my.qrels", "absent.run"), "absent.run: cannot be read: no such file or directory"),
        (("--version",), "reading or writing failed: no space left on device"),
    ],
)
def test_a_full_disk_behind_stdout_gets_one_line_and_exit_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], problem: str
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    command = [sys.executable, "-m", "assay", *arguments]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"assay: {problem}\n")


def test_plot_writes_the_points_and_says_so(folder: Path) -> None:
    done = run_assay("plot", "my.qrels", "bm25.run", "--levels", "3", "-o", "points.csv", folder=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "points.csv: Interpolated precision at 3 levels of recall, mean over 2 topics\n"
    # q1: 1/1 up to a recall of 1/2, then nothing; q2: nothing
    assert [line.split(",")[-1] for line in (folder / "points.csv").read_text().splitlines()[1:]] == [
        "0.5",
        "0.5",
        "0.0",
    ]


def test_plot_draws_what_has_a_control_character_in_its_name(folder: Path) -> None:
    pytest.importorskip("vl_convert", reason="charts in files need the extra `report`")
    (folder / "c.qrels").write_text("a\x08b 0 d1 1\na\x08b 0 d2 0\n")
    (folder / "c.run").write_text("a\x08b Q0 d1 1 3 r\na\x08b Q0 d3 2 2 r\n")
    assert run_assay("plot", "c.qrels", "c.run", "-k", "queries", "-o", "c.svg", folder=folder).returncode == 0
    assert "a\ufffdb" in (folder / "c.svg").read_text(encoding="utf-8")
    done = run_assay("evaluate", "c.qrels", "n\x01m=c.run", "--html", "-o", "c.html", folder=folder)
    assert done.returncode == 0
    assert "n\ufffdm" in (folder / "c.html").read_text(encoding="utf-8")


def test_plot_refuses_a_name_that_is_not_text(folder: Path) -> None:
    done = run_assay("plot", "my.qrels", "n\udcff=bm25.run", "-o", "c.csv", folder=folder)
    expected = r"assay: the run's name 'n\udcff' is not text: give it another, as in name=FILE"
    assert (done.returncode, done.stderr) == (2, f"{expected}\n")


def test_plot_takes_judgments_of_subtopics(folder: Path) -> None:
    (folder / "sub.qrels").write_text("q1 1 d1 1\nq1 2 d1 1\nq1 2 d2 0\n")
    done = run_assay("plot", "sub.qrels", "bm25.run", "--subtopics", "-o", "c.csv", folder=folder)
    assert done.returncode == 0
    assert "c.csv: Interpolated precision" in done.stderr


def test_plot_without_an_output_names_its_page(folder: Path) -> None:
    pytest.importorskip("vl_convert", reason="charts in files need the extra `report`")
    done = run_assay("plot", "my.qrels", "bm25.run", "--kind", "queries", "-m", "AP", folder=folder)
    assert done.returncode == 0
    assert done.stderr == "assay-queries.html: AP, topic by topic, 2 topics\n"
    assert (folder / "assay-queries.html").read_text().startswith("<!doctype html>")
    assert run_assay("plot", "my.qrels", "bm25.run", "--quiet", "-o", "c.svg", folder=folder).stderr == ""


def test_plot_says_how_to_install_what_it_needs_before_it_reads_anything(folder: Path) -> None:
    code = (
        "import importlib.util as u, sys; real = u.find_spec; "
        "u.find_spec = lambda name, *rest: None if name == 'vl_convert' else real(name, *rest); "
        "from assay.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "plot", "my.qrels", "absent.run", "-o", "c.png"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = "assay: a chart in a file needs vl_convert: pip install 'assay[report]'\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_a_file_with_an_equals_sign_in_its_name_is_read_after_the_first_one_and_never_written_over(
    folder: Path,
) -> None:
    (folder / "x=y.md").write_text(RUN)
    done = run_assay("report", "my.qrels", "old=x=y.md", "-o", "x=y.md", folder=folder)
    assert (done.returncode, (folder / "x=y.md").read_text()) == (2, RUN)
    assert "x=y.md: is an input" in done.stderr
