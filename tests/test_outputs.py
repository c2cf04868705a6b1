"""Output: inputs are never replaced unasked, ids in CSV are exact, nothing in names steers a terminal."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from command import run_assay

import assay
from assay import ParameterError
from assay.subjects.ranking.curves import precision_recall

DATA = Path(assay.__file__).parent / "data"
#: Each command that writes a file, with what it reads; the last argument is the input to be kept.
COMMANDS = {
    "evaluate": ("evaluate", "qrels.txt", "words.txt"),
    "compare": ("compare", "qrels.txt", "stems.run", "words.txt"),
    "audit": ("audit", "qrels.txt", "words.txt"),
    "doctor": ("doctor", "qrels.txt", "words.txt"),
    "power": ("power", "qrels.txt", "stems.run", "words.txt"),
    "correlate": ("correlate", "-m", "AP", "-m", "RR", "qrels.txt", "alphabet.run", "stems.run", "words.txt"),
    "explain": ("explain", "AP", "qrels.txt", "words.txt"),
    "gate": ("gate", "qrels.txt", "stems.run", "words.txt"),
    "freeze": ("freeze", "qrels.txt", "words.txt"),
    "classifier evaluate": ("classifier", "evaluate", "letters.csv"),
    "clustering evaluate": ("clustering", "evaluate", "clusters.csv"),
}
HOSTILE = "a\x1b]0;owned\x07b\x1b[31mc\nzq\u202ee"
IDS = ["007", " lead", "trail ", "=1+1", "+x", "-y", "@z", "\ttab", "a\rb", "a\nb", 'q"uote', "a,b", "\u00a0x\u00a0",
       "\x1b[31mred", "'x", "NA", "1e5", "#c"]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "tea", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "words.run", tmp_path / "words.txt")
    (tmp_path / "letters.csv").write_text("truth,prediction\n" + "1,1\n1,0\n0,0\n0,0\n" * 5)
    (tmp_path / "clusters.csv").write_text(
        "item_id,class,cluster\n" + "".join(f"{n},{n % 2},{n % 3}\n" for n in range(30))
    )
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_replaces_what_it_reads_unless_told_to(name: str, folder: Path) -> None:
    kept = folder / COMMANDS[name][-1]
    before = kept.read_bytes()
    done = run_assay(*COMMANDS[name], "-o", kept, folder=folder)
    assert (done.returncode, kept.read_bytes()) == (2, before), done.stderr
    assert "is an input and would be replaced" in done.stderr
    assert "--overwrite" in done.stderr
    done = run_assay(*COMMANDS[name], "-o", kept, "--overwrite", folder=folder)
    assert done.returncode in {0, 1, 3}, done.stderr  # 1 and 3 are answers
    assert kept.read_bytes() != before


def test_links_lead_to_the_same_input(folder: Path) -> None:
    kept = folder / "words.txt"
    before = kept.read_bytes()
    (folder / "sub").mkdir()
    (folder / "symbolic").symlink_to(kept)
    (folder / "hard").hardlink_to(kept)
    for target in ("sub/../words.txt", "symbolic", "hard"):
        done = run_assay("evaluate", "qrels.txt", "words.txt", "-o", target, folder=folder)
        assert (done.returncode, kept.read_bytes()) == (2, before), target


def test_convert_and_pictures_and_reports_replace_no_input_either(folder: Path) -> None:
    for name in ("words.json", "words.html"):
        shutil.copy(folder / "words.run", folder / name)
    before = (folder / "words.run").read_bytes()
    for arguments in (
        ("convert", "words.run", "words.run"),
        ("plot", "qrels.txt", "words.json", "-o", "words.json"),
        ("report", "qrels.txt", "words.html", "-o", "words.html"),
        ("compare", "qrels.txt", "stems.run", "words.json", "--plot", "words.json"),
    ):
        done = run_assay(*arguments, folder=folder)
        assert done.returncode == 2, arguments
        assert "or use --overwrite" in done.stderr
        assert {(folder / name).read_bytes() for name in ("words.run", "words.json", "words.html")} == {before}
    assert run_assay("convert", "words.run", "words.run", "--overwrite", folder=folder).returncode == 0


@pytest.mark.parametrize("qrels", ["qrels.txt", "absent.txt"])
@pytest.mark.parametrize("option", ["--junit", "--summary"])
def test_a_pipelines_files_are_no_inputs(option: str, qrels: str, folder: Path) -> None:
    """Neither the outcome nor what went wrong is written to a file that is read."""
    before = (folder / "words.txt").read_bytes()
    arguments = ("gate", qrels, "stems.run", "words.txt", option, "words.txt")
    done = run_assay(*arguments, folder=folder)
    assert (done.returncode, (folder / "words.txt").read_bytes()) == (2, before), done.stderr


def test_an_input_by_redirection_is_an_input(folder: Path) -> None:
    before = (folder / "words.run").read_bytes()
    with (folder / "words.run").open("rb") as redirected:
        command = [sys.executable, "-m", "assay", "convert", "-", "words.run"]
        done = subprocess.run(command, stdin=redirected, cwd=folder, capture_output=True, check=False)
    assert (done.returncode, (folder / "words.run").read_bytes()) == (2, before)


def test_saving_replaces_no_file_that_was_read(folder: Path) -> None:
    path, qrels = folder / "words.run", str(folder / "qrels.txt")
    before = path.read_bytes()
    shutil.copy(path, folder / "words.html")
    shutil.copy(path, folder / "words.csv")
    with pytest.raises(ParameterError, match="is an input"):
        assay.write(assay.read_run(path), path)
    evaluation = assay.evaluate(qrels, str(folder / "words.html"))
    with pytest.raises(ParameterError, match="is an input"):
        evaluation.report().save(folder / "words.html")
    with pytest.raises(ParameterError, match="is an input"):
        precision_recall(qrels, str(folder / "words.csv")).save(folder / "words.csv")
    with pytest.raises(ParameterError, match="is an input"):
        assay.freeze(qrels, str(path)).save(path)
    assert {(folder / name).read_bytes() for name in ("words.run", "words.html", "words.csv")} == {before}
    assay.write(assay.read_run(path), path, overwrite=True)
    assert path.read_bytes() != before
    assay.write(assay.read_run(path), folder / "new.run")
    assay.write(assay.read_run(folder / "new.run"), folder / "new.run")  # its own product, not an original


#: What is typed, and what is to be typed instead of its last words, where their ending names another form.
OF_OTHER_FORMS = {
    "crowd aggregate labels.csv -o gold.qrels": "--qrels gold.qrels",
    "crowd aggregate labels.csv -o sub/gold.trec": "--qrels sub/gold.trec",
    "gate qrels.txt stems.run words.run --inconclusive pass --junit gate.json": "--junit gate.xml",
    "gate qrels.txt stems.run words.run --inconclusive pass --summary gate.html": "--summary gate.md",
}


@pytest.mark.parametrize("typed", OF_OTHER_FORMS)
def test_a_name_that_ends_in_another_form_is_refused_and_the_advice_works(typed: str, folder: Path) -> None:
    shutil.copy(DATA / "crowd" / "labels.csv", folder)
    (folder / "sub").mkdir()
    before = sorted(folder.rglob("*"))
    *words, _, _ = typed.split()
    done = run_assay(*typed.split(), folder=folder)
    assert (done.returncode, done.stdout, sorted(folder.rglob("*"))) == (2, "", before)
    [advice] = re.findall("`(.*?)`", done.stderr)
    assert advice == OF_OTHER_FORMS[typed]
    done = run_assay(*words, *advice.split(), folder=folder)
    assert done.returncode == 0, done.stderr
    written = folder / advice.split()[1]
    assert written.read_text().startswith({".xml": "<?xml", ".md": "#"}.get(written.suffix, "7 0 b187 "))


@pytest.mark.parametrize("name", ["t.run", "t.qrels", "t.png", "t.svg", "t.pdf", "t.parquet", "t.xlsx"])
def test_a_result_is_not_written_to_a_file_of_another_kind(name: str, folder: Path) -> None:
    done = run_assay("evaluate", "qrels.txt", "words.run", "-o", name, folder=folder)
    assert (done.returncode, (folder / name).exists()) == (2, False)
    assert f"{name}: the ending names no form of a result" in done.stderr


def test_a_command_and_the_session_that_calls_it_each_know_their_own_inputs(folder: Path) -> None:
    run = assay.read_run(folder / "words.txt")
    assert run_assay("show", "stems.run", folder=folder).returncode == 0
    assert run_assay("evaluate", "qrels.txt", "stems.run", "-o", "o.json", folder=folder).returncode == 0
    with pytest.raises(ParameterError, match="is an input"):
        assay.write(run, folder / "words.txt", format="trec-run")
    assay.write(run, folder / "stems.run")
    assert run_assay("evaluate", "qrels.txt", "stems.run", "-o", "words.txt", folder=folder).returncode == 0


def hostile_files(folder: Path) -> tuple[str, str]:
    """Judgments and a run whose topics and documents have hostile ids."""
    rows = [{"query_id": one, "doc_id": other} for one in IDS for other in IDS[:3]]
    for name, column in (("q.jsonl", "relevance"), ("r.jsonl", "score")):
        text = "".join(json.dumps(row | {column: place % 3}) + "\n" for place, row in enumerate(rows))
        (folder / name).write_text(text, encoding="utf-8")
    return "q.jsonl", "r.jsonl"


def test_ids_in_csv_come_back_as_they_were(tmp_path: Path) -> None:
    qrels, run = hostile_files(tmp_path)
    done = run_assay("evaluate", qrels, run, "-m", "AP", "--per-query", "--csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO(done.stdout, newline="")))
    assert [row[1] for row in rows[1:]] == IDS
    frame = pl.read_csv(io.BytesIO(done.stdout.encode()), infer_schema=False)
    assert frame["query_id"].to_list() == IDS
    converted = run_assay("convert", run, "out.csv", folder=tmp_path)
    assert converted.returncode == 0, converted.stderr
    again = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert again["query_id"].unique(maintain_order=True).to_list() == IDS


def test_for_a_spreadsheet_no_cell_is_a_formula_and_numbers_stay(tmp_path: Path) -> None:
    qrels, run = hostile_files(tmp_path)
    arguments = ("evaluate", qrels, run, "-m", "AP", "--per-query", "--csv", "--spreadsheet")
    done = run_assay(*arguments, folder=tmp_path)
    rows = list(csv.reader(io.StringIO(done.stdout, newline="")))[1:]
    risky = ("=", "+", "-", "@", "\t", "\r", "\n")
    assert [row[1] for row in rows] == [f"'{one}" if one.startswith(risky) else one for one in IDS]
    plain = assay.evaluate({"q": {"d": 1}}, {"=run": {"q": {"d": -1.5}}}, "AP")
    assert plain.to_csv() == "system,AP\n=run,1.0\n"
    assert plain.to_csv(spreadsheet=True) == "system,AP\n'=run,1.0\n"


def test_without_csv_there_is_no_spreadsheet(folder: Path) -> None:
    done = run_assay("evaluate", "qrels.txt", "words.run", "--spreadsheet", folder=folder)
    assert (done.returncode, done.stderr) == (2, "assay: --spreadsheet goes with --csv\n")


def on_terminal(folder: Path, *arguments: str) -> str:
    """What a terminal gets, on stdout and stderr, colours and the marks of progress taken away."""
    text = run_assay(*arguments, folder=folder, together=True, terminal=True).stdout
    return re.sub(r"\x1b\[(?:\d+(?:;\d+)*)?m|\x1b\[\?25[lh]|\x1b\[\d*[AK]|\r", "", text)


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "qrels.txt", HOSTILE),
        ("evaluate", "qrels.txt", HOSTILE, "--csv"),
        ("evaluate", "qrels.txt", f"{HOSTILE}.absent"),
        ("compare", "qrels.txt", "stems.run", HOSTILE),
        ("doctor", "qrels.txt", HOSTILE),
        ("show", HOSTILE),
        ("convert", HOSTILE, "-", "--to", "csv"),
        ("trec-eval", "-q", "q.trec", "r.trec"),
        ("report", "qrels.txt", HOSTILE, "-o", f"{HOSTILE}.html"),
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[3:]).replace(HOSTILE, "NAME"),
)
def test_nothing_in_names_or_ids_steers_the_terminal(arguments: tuple[str, ...], folder: Path) -> None:
    shutil.copy(folder / "words.run", folder / HOSTILE)
    (folder / "q.trec").write_text("q\x1b]0;x\x07\x1b[31m 0 d 1\n")
    (folder / "r.trec").write_text("q\x1b]0;x\x07\x1b[31m Q0 d 1 1.0 tag\n")
    text = on_terminal(folder, *arguments)
    assert text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), repr(text)
    assert "\nzq" not in text


def test_piped_output_of_trec_eval_keeps_every_byte(folder: Path) -> None:
    query = "q\x1b[31mred"
    (folder / "q.trec").write_text(f"{query} 0 d 1\n")
    (folder / "r.trec").write_text(f"{query} Q0 d 1 1.0 tag\n")
    done = run_assay("trec-eval", "-q", "-m", "map", "q.trec", "r.trec", folder=folder)
    assert f"\t{query}\t1.0000\n" in done.stdout


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "freeze"])
def test_a_terminal_gets_the_colours_of_the_tables_themselves(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = run_assay(*COMMANDS[name], folder=folder, terminal=True).stdout
    assert "\x1b[1m" in text
    assert "\ufffd" not in text
