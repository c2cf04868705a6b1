"""`assay clicks ...` on the log that comes along, and on small ones: every form, errors that say where, exit codes."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import run_assay

import assay

LOG = Path(assay.__file__).parent / "data" / "clicks" / "log.ndjson.gz"
PEOPLE = ("--most-per-minute", "20")


def strict(text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text, parse_constant=pytest.fail)
    return data


def test_numbers_of_a_call_from_a_terminal_go_to_a_file(tmp_path: Path) -> None:
    """With stdout sent to a file and stderr on a terminal, the file holds the result: it was empty once."""
    ends = pty.openpty()
    with (tmp_path / "out.csv").open("wb") as file, os.fdopen(ends[1], "wb") as terminal:
        command = [sys.executable, "-m", "assay", "clicks", "evaluate", str(LOG), "-m", "CTR", "--csv", *PEOPLE]
        subprocess.run(command, stdout=file, stderr=terminal, check=True)
    os.close(ends[0])
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").startswith("system,measure,value")


def table(rows: list[tuple[str, str, str, int, int]], path: Path) -> Path:
    """A log as a table: page, user, system, rank, whether it was clicked."""
    lines = ["serp_id,query,user_id,system,doc_id,rank,clicked"]
    lines += [f"{page},tea,{user},{system},d{rank},{rank},{clicked}" for page, user, system, rank, clicked in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def is_clicked(user: int, turn: int) -> bool:
    """Users of the old system, who are even, click two pages in three; those of the new one, one in five."""
    place = user // 2 + turn
    return place % 5 == 0 if user % 2 else place % 3 > 0


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty users with three pages each, of two systems."""
    rows = [
        (f"p{user}-{turn}", f"u{user}", ("old", "new")[user % 2], rank, int(rank == 1 and is_clicked(user, turn)))
        for user in range(40)
        for turn in range(3)
        for rank in (1, 2)
    ]
    return table(rows, tmp_path_factory.mktemp("clicks") / "small.csv")


def test_every_form_of_an_evaluation(small: Path, tmp_path: Path) -> None:
    data = strict(run_assay("clicks", "evaluate", small, "--json", folder=tmp_path).stdout)
    assert data["kind"] == "behaviour"
    frame = pl.read_csv(run_assay("clicks", "evaluate", small, "-m", "CTR", "--csv", folder=tmp_path).stdout.encode())
    rates = dict(frame.select("system", "value").rows())
    clicked = [sum(is_clicked(user, turn) for user in range(side, 40, 2) for turn in range(3)) for side in (0, 1)]
    assert rates == pytest.approx({"old": clicked[0] / 60, "new": clicked[1] / 60})
    for form in ("--markdown", "--latex", "--html"):
        done = run_assay("clicks", "evaluate", small, form, folder=tmp_path)
        assert (done.returncode, bool(done.stdout.strip())) == (0, True), form
    by_page = run_assay("clicks", "evaluate", small, "-m", "CTR", "--unit", "page", folder=tmp_path)
    assert "units are pages (as asked for)" in by_page.stderr


def test_numbers_of_the_bundled_log_are_those_of_the_library(tmp_path: Path) -> None:
    done = run_assay("clicks", "compare", LOG, *PEOPLE, "-m", "CTR", "--json", folder=tmp_path)
    finding = strict(done.stdout)["sections"]["findings"]["findings"][0]
    log = assay.read_log(LOG, most_per_minute=20)
    expected = assay.compare(log, measures="CTR").finding()
    assert (finding["difference"], finding["p"]) == (expected.difference, expected.p)
    assert (finding["units"], finding["verdict"]) == (417, "better")


def test_a_gate_has_exit_codes(small: Path, tmp_path: Path) -> None:
    def code(*words: object) -> int:
        return run_assay("clicks", "gate", small, *words, folder=tmp_path).returncode

    assert code("-b", "old", "-c", "new", "--margin", "0.05") == 1
    assert code("-b", "new", "-c", "old", "--margin", "0.05") == 0
    assert code("-b", "old", "-c", "newer") == 2


def test_two_logs_are_two_systems(small: Path, tmp_path: Path) -> None:
    rows = [(f"p{user}", f"v{user}", "", 1, int(user % 4 > 0)) for user in range(40)]
    other = table(rows, tmp_path / "june.csv")
    done = run_assay("clicks", "compare", f"may={small}", f"june={other}", "-m", "CTR", "--json", folder=tmp_path)
    findings = strict(done.stdout)["sections"]["findings"]["findings"]
    assert {(row["baseline"], row["system"]) for row in findings} == {("new", "old"), ("new", "june"), ("old", "june")}
    gated = run_assay("clicks", "gate", other, "-b", "june", folder=tmp_path)
    assert gated.returncode == 2
    assert "june alone" in gated.stderr


def test_errors_name_what_was_expected(small: Path, tmp_path: Path) -> None:
    def problem(*words: object) -> str:
        done = run_assay("clicks", *words, folder=tmp_path)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
        return done.stderr

    assert "Latency is undefined: the log has no latencies" in problem("compare", small, "-m", "Latency")
    assert "no measure is called 'CTRR'; did you mean CTR?" in problem("evaluate", small, "-m", "CTRR")
    assert "choose segments of" in problem("evaluate", small, "--by", "device")
    assert "choose a system of new, old" in problem("explain", "CTR", small)
    assert "old has no user 'u1'" in problem("explain", "CTR", small, "--system", "old", "--user", "u1")
    assert "of one day, or has no times" in problem("plot", small, "--kind", "time", "-o", "time.svg")
    assert not list(tmp_path.glob("time.svg"))
    assert "--shrinkage goes with --by COEC" in problem("judge", small, "--by", "PBM", "--shrinkage", "2")
    assert "--quantiles goes without --thresholds" in problem("judge", small, "--quantiles", "0.5", "--thresholds", "1")
    assert "--clickless goes with --model DCM or SDBN" in problem("fit", small, "--clickless", "dropped")


def test_pictures_and_reports_are_written(small: Path, tmp_path: Path) -> None:
    done = run_assay("clicks", "plot", small, "-o", "ranks.svg", folder=tmp_path)
    assert done.returncode == 0
    assert "Clicks by rank" in (tmp_path / "ranks.svg").read_text(encoding="utf-8")
    names = ("report.html", "report.md", "report.tex", "report.json")
    words = [word for name in names for word in ("-o", name)]
    assert run_assay("clicks", "report", LOG, *PEOPLE, "--by", "week", *words, folder=tmp_path).returncode == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for heading in ("Compared", "Measures", "By rank", "Over time", "By week", "What it rests on"):
        assert heading in page
    data = strict((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["kind"] == "report"
    assert "Fox, S." in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_power_and_doctor_speak_of_users(small: Path, tmp_path: Path) -> None:
    power = run_assay("clicks", "power", small, "-m", "CTR", "--difference", "0.1", folder=tmp_path)
    assert "What 40 users can show" in power.stdout
    assert "users divided between the systems as here" in power.stdout
    doctor = run_assay("clicks", "doctor", LOG, folder=tmp_path)
    assert (doctor.returncode, "robots" in doctor.stdout) == (0, True)


def test_a_report_says_at_once_what_else_got_better_or_worse(tmp_path: Path) -> None:
    done = run_assay("clicks", "report", LOG, *PEOPLE, "-o", "users.md", folder=tmp_path)
    assert done.returncode == 0
    said = done.stdout.splitlines()
    assert said[1:3] == [
        "described is better under ClickRR.",
        "described is worse under ZeroResults and Latency.",
    ]
