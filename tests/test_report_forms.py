"""A report is written whole in every form, from Python and by the command, whatever names and texts hold."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from itertools import accumulate
from pathlib import Path

import pytest
from cases import in_turn
from command import run_assay
from reported import TEA, bicycles_report, contents_of, random_data

from assay import InputError, ParameterError, Report, make_report


@pytest.fixture(scope="module")
def report() -> Report:
    return bicycles_report()


# Forms.

HOSTILE = "a_b%&\\$#{}~^<b>|`*[x](y)\x08\u2028\u202e\u2066\u200f\n- 1. "
TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def hostile() -> Report:
    """Names, queries and texts with whatever a form could take for its own."""
    qrels, runs = random_data(2)
    judged = {f"{query}{HOSTILE}": docs for query, docs in qrels.items()}
    named = {
        f"{name}{HOSTILE}": {f"{query}{HOSTILE}": docs for query, docs in run.items()} for name, run in runs.items()
    }
    texts = dict.fromkeys((f"d{number}" for number in range(20)), f"<script>alert(1)</script>{HOSTILE}")
    topics = dict.fromkeys(judged, f"</style>\\end{{document}}{HOSTILE}")
    return make_report(judged, named, "AP", topics=topics, documents=texts, title=f"# {HOSTILE}", command=HOSTILE)


def test_latex_is_balanced_and_everything_in_it_escaped(hostile: Report, report: Report) -> None:
    for text in (hostile.to_latex(), report.to_latex()):
        lines = [line.removesuffix("%") for line in text.splitlines() if not line.startswith("%")]
        bare = re.sub(r"\\[\\{}%&$#_]", "", "\n".join(lines))
        depths = list(accumulate({"{": 1, "}": -1}.get(character, 0) for character in bare))
        assert min(depths) == depths[-1] == 0
        assert not re.search(r"[%#_~^]", bare)
        assert bare.count("$") % 2 == 0
        begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", bare) for word in ("begin", "end"))
        assert sorted(begun) == sorted(ended)
        assert begun.count("document") == 1
        assert begun.count("tabular") == begun.count("table") > 2
        assert "\x08" not in text
        assert r"\toprule" in text
    assert r"a\_b\%\&\textbackslash{}\$\#\{\}" in hostile.to_latex()
    assert r"$\blacktriangledown$" in report.to_latex()
    assert "worse than the baseline" in report.to_latex()


def test_markdown_has_no_markup_but_its_own(hostile: Report) -> None:
    text = hostile.to_markdown()
    prose = "".join(re.split(r"^(?:`{3,})text\n.*?^`{3,}$", text, flags=re.MULTILINE | re.DOTALL))
    assert not re.search(r"(?<!\\)<", prose)
    assert not re.search(r"(?<!\\)\[x", prose)
    assert "\x08" not in text
    assert "\u2028" not in text
    titles = [line for line in prose.splitlines() if line.startswith("# ")]
    assert len(titles) == 1
    tables = re.findall(r"(?:^\|.*\n)+", prose, flags=re.MULTILINE)
    assert len(tables) > 5
    for table in tables:
        columns = {re.sub(r"\\.", "", row).count("|") for row in table.splitlines()}
        assert len(columns) == 1, table  # a bar in a name adds no column


@in_turn("form", ["to_html", "to_markdown", "to_latex", "_repr_html_"])
def test_no_name_turns_the_direction_of_writing(hostile: Report, form: str) -> None:
    assert TURNS.search(contents_of(hostile).verdicts[0].system)
    assert not TURNS.search(getattr(hostile, form)())


@in_turn("program", ["pdflatex", "lualatex"])
def test_latex_compiles_whatever_names_hold(tmp_path: Path, program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    qrels, runs = random_data(2)
    letters = "é \x00" if program == "pdflatex" else "中 ע é ∑ 😀 \x00"  # the fonts of pdfLaTeX are Latin
    named = {f"{name}{HOSTILE} {letters}": run for name, run in runs.items()}
    make_report(qrels, named, "AP", title=HOSTILE).save(tmp_path / "r.tex")
    command = [program, "-halt-on-error", "-interaction=nonstopmode", "r.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_html_holds_no_markup_of_others(hostile: Report) -> None:
    text = hostile.to_html()
    assert "<script>alert" not in text
    assert text.count("</style>") == 1
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", text)


def test_json_has_the_version_of_its_schema_and_every_section(report: Report, hostile: Report) -> None:
    payload = json.loads(report.to_json())
    assert [payload[key] for key in ("schema_version", "kind", "title")] == [2, "report", "5 systems against bm25"]
    assert list(payload["sections"]) == [
        "summary", "verdicts", "systems", "noticed", "differences", "curves", "changed", "coverage", "power", "methods",
        "provenance", "notes",
    ]  # fmt: skip
    finding = payload["sections"]["verdicts"]["findings"][0]
    assert finding["p"] == contents_of(report).verdicts[0].p
    baseline = next(row for row in payload["sections"]["systems"]["scores"] if row["system"] == "bm25")
    assert baseline["p"] is None
    assert "NaN" not in report.to_json()
    assert not re.search(r'"_\w+":', report.to_json())  # what is only there to be drawn
    assert json.loads(hostile.to_json())["title"] == f"# {HOSTILE}"


def test_markdown_and_latex_tell_the_same_numbers(report: Report) -> None:
    for text in (report.to_markdown(), report.to_latex()):
        for row in contents_of(report).systems:
            assert f"{row.scores[0].value:.4f}" in text
        assert "0.5133 to 0.7304" in text  # in the summary


def test_a_notebook_shows_the_summary_and_the_table(hostile: Report, report: Report) -> None:
    assert "<table>" in report._repr_html_()
    assert "titles and shuffled are worse" in report._repr_html_()
    assert "<b>|" not in hostile._repr_html_()


# Files.


def test_the_ending_of_the_name_chooses_the_form(report: Report, tmp_path: Path) -> None:
    starts = {"a.html": "<!doctype html>", "a.md": "# ", "a.tex": "% Made by Assay", "A.JSON": "{"}
    for name, start in starts.items():
        assert report.save(tmp_path / name).read_text(encoding="utf-8").startswith(start)
    for name in ("a.pdf", "a"):
        with pytest.raises(ParameterError, match=r"ends in one of \.html, \.md, \.tex, \.json"):
            report.save(tmp_path / name)
    assert len(list(tmp_path.iterdir())) == 4


def test_interrupted_writing_leaves_what_was_there(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.md"
    target.write_text("before")

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        report.save(target)
    assert target.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]
    monkeypatch.undo()
    with pytest.raises(InputError, match="cannot be written"):
        report.save(tmp_path / "nowhere" / "report.md")


# The command.


def test_the_command_writes_all_forms_and_ends_with_verdict_and_paths(tmp_path: Path) -> None:
    outputs = [option for suffix in ("html", "md", "tex", "json") for option in ("-o", f"my report.{suffix}")]
    done = run_assay("report", TEA / "qrels.txt", TEA / "words.run", TEA / "stems.run", *outputs, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("No clear difference between stems and words under nDCG@10")
    assert lines[-4:] == [str(tmp_path / f"my report.{suffix}") for suffix in ("html", "md", "tex", "json")]
    made = json.loads((tmp_path / "my report.json").read_text(encoding="utf-8"))["sections"]["provenance"]
    assert made["command"].startswith("assay report ")
    assert "-o 'my report.html'" in made["command"]
    assert {one.name for one in tmp_path.iterdir()} == {
        f"my report.{suffix}" for suffix in ("html", "md", "tex", "json")
    }


def test_what_is_printed_turns_no_direction_of_writing(tmp_path: Path) -> None:
    runs = [f"\u202eevil\u2066={TEA / 'words.run'}", TEA / "stems.run"]
    done = run_assay("report", TEA / "qrels.txt", *runs, "-o", "r.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "and \ufffdevil\ufffd under nDCG@10" in done.stdout
    assert not TURNS.search(done.stdout + done.stderr)
    assert re.search("^What to do: Inconclusive, and 49 unjudged documents", done.stdout, flags=re.MULTILINE)


def test_a_run_from_stdin_has_no_digest(tmp_path: Path) -> None:
    run = (TEA / "words.run").read_bytes()
    done = run_assay("report", TEA / "qrels.txt", "-", "-o", "r.json", "--quiet", folder=tmp_path, stdin=run)
    assert (done.returncode, done.stderr) == (0, "")
    inputs = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["sections"]["provenance"]["inputs"]
    assert [one["sha256"] is None for one in inputs] == [False, True]
    assert inputs[1]["says"].endswith("not a file, so without a digest")


def test_scores_alone_are_enough_and_html_is_what_is_written_unless_told(tmp_path: Path) -> None:
    rows = [f"{system},AP,q{n},{0.1 * n + place / 5}" for place, system in enumerate("ab") for n in range(6)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,measure,unit,value", *rows]))
    done = run_assay("scores", "report", "scores.csv", "-m", "AP", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "note: scores alone say nothing about documents" in done.stderr
    assert (tmp_path / "report.html").exists()
    (known,) = contents_of(make_report(tmp_path / "scores.csv")).provenance.inputs
    assert (known.role, known.says) == ("scores", "scores, 2 systems, 1 measure, 6 units")
    assert known.sha256 == hashlib.sha256((tmp_path / "scores.csv").read_bytes()).hexdigest()


@in_turn(
    ("arguments", "says"),
    [
        (["nowhere.qrels", "nowhere.run", "-o", "r.pdf"], "r.pdf: the name of a report ends in one of .html"),
        (["qrels.txt", "nowhere.run"], "nowhere.run: cannot be read"),
        (["qrels.txt", "words.run", "-m", "nDGC"], "no measure is called 'nDGC'"),
        (["qrels.txt", "words.run", "stems.run", "-b", "steam"], "choose a baseline of words, stems, not 'steam'"),
        (["qrels.txt", "words.run", "--topics", "nowhere"], "nowhere: cannot be read"),
        (["qrels.txt"], "RUN is missing"),
        (["scores.csv", "--level", "2"], "RUN is missing"),
        (["qrels.txt", "words.run", "-o", "a.html", "-o", "nowhere/b.md"], "b.md: cannot be written: no such file"),
        (["qrels.txt", "words.run", "-o", "a.html", "-o", "folder.md"], "folder.md: cannot be written: is a directory"),
        (["qrels.txt", "words.run", "-o", "a.html", "-o", "./a.html"], "a.html: named twice"),
        (["qrels.txt", "words.run", "-o", "a.html", "-o", "full.md"], "/dev/full: cannot be written: "),
        (["qrels.txt", "w=run.md", "-o", "run.md"], "run.md: is an input and would be replaced"),
        (["qrels.txt", "words.run", "-o", "linked.json"], "linked.json: is an input and would be replaced"),
    ],
)
def test_a_wrong_call_gives_one_line_and_writes_nothing(tmp_path: Path, arguments: list[str], says: str) -> None:
    for name in ("qrels.txt", "words.run", "stems.run"):
        (tmp_path / name).write_bytes((TEA / name).read_bytes())
    (tmp_path / "run.md").write_bytes((TEA / "words.run").read_bytes())
    (tmp_path / "linked.json").hardlink_to(tmp_path / "qrels.txt")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "full.md").symlink_to("/dev/full")
    before = set(tmp_path.iterdir())
    done = run_assay("report", *arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert set(tmp_path.iterdir()) == before
