"""The workbench as it is run for a team: signals, proxies, lost passwords, the page about it, PostgreSQL, its API."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
import schemathesis
from command import run_assay
from hypothesis import HealthCheck, given, settings
from judging import fast_folder, make_project
from postgres import make_database
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance
from test_web_results import RUNS_OF_TEN, released
from workbench import PASSWORD, Workbench, opened, running

from assay.store.accounts import add_token
from assay.store.database import open_database
from assay.store.handout import hand_out
from assay.store.projects import add_assessors
from assay.web.context import Settings
from assay.web.routes import permissions

#: What holds for every answer.
CHECKS = [status_code_conformance, response_schema_conformance]
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_stop_ends_in_peace(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "assay", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(number)
        _, told = process.communicate(timeout=60)
    assert "Traceback" not in told
    assert process.returncode in {0, 128 + number, -number}


def test_somebody_who_lost_their_password_chooses_another_one_by_a_link(tmp_path: Path) -> None:
    with opened(tmp_path) as bench:
        stolen = bench.browser("assessor")
        done = run_assay("serve", "--db", "judging.db", "--link", "Assessor", "--allow-host", "a.b", folder=tmp_path)
        link = done.stdout.strip()
        assert link.startswith("https://a.b/enter/"), done
        assert stolen.get("/account").status_code == 303
        own = bench.browser()
        assert own.get(link.removeprefix("https://a.b")).status_code == 303
        other = "another password"
        assert own.post("/account/password", {"new": other}).status_code == 303
        for password, status in ((PASSWORD, 403), (other, 303)):
            guest = bench.browser()
            guest.get("/sign-in")
            assert guest.post("/sign-in", {"name": "assessor", "password": password}).status_code == status
    done = run_assay("serve", "--db", "judging.db", "--link", "nobody", folder=tmp_path)
    assert (done.returncode, "there is no account 'nobody'" in done.stderr) == (2, True)


def test_a_proxy_is_believed_about_https(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    with running(tmp_path / "judging.db") as server:
        place, forwarded = f"{server.address}/sign-in", {"X-Forwarded-Proto": "https", "X-Forwarded-For": "10.1.2.3"}
        plain, proxied = httpx2.get(place), httpx2.get(place, headers=forwarded)
    assert "secure" not in plain.headers["set-cookie"].lower()
    assert "strict-transport-security" not in plain.headers
    assert "secure" in proxied.headers["set-cookie"].lower()
    assert "max-age" in proxied.headers["strict-transport-security"]


@pytest.mark.parametrize("keeps_path", [True, False])
def test_a_proxy_may_leave_the_path_or_take_it_away(tmp_path: Path, keeps_path: bool) -> None:
    with opened(tmp_path, Settings(root_path="/assay")) as bench:
        browser = bench.browser("viewer")
        browser.client.base_url = "http://localhost"
        answer = browser.get("/assay/account" if keeps_path else "/account")
        assert answer.status_code == 200
        assert 'href="/assay/account"' in answer.text
        lost = bench.browser()
        lost.client.base_url = "http://localhost"
        place = lost.get("/assay/account" if keeps_path else "/account").headers["location"]
        assert place == "/assay/sign-in?next=/account"


def test_the_page_about_running_it_names_every_route_and_files_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import workbench_page  # type: ignore[import-not-found]  # noqa: PLC0415  # beside the pages, not in a package

    page = (ROOT / "docs" / "run-the-workbench.md").read_text(encoding="utf-8")
    assert workbench_page.MARK in page
    source = [page]
    workbench_page.fill(None, workbench_page.PAGE, source)
    assert all(f"`{path}`" in source[0] for _, path, _, _ in permissions())
    for name in re.findall(r"deploy/[\w.]+\w", page):
        assert (ROOT / name).is_file(), name
    caddy = re.sub(r"^#.*\n", "", (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8"))
    assert caddy in page


def test_what_is_deployed_calls_the_command_as_it_is_and_not_as_root(tmp_path: Path) -> None:
    unit, image = ((ROOT / "deploy" / name).read_text(encoding="utf-8") for name in ("assay.service", "Dockerfile"))
    assert "DynamicUser=yes" in unit
    assert "USER assay" in image
    options = set(re.findall(r"--[a-z-]+(?= )", " ".join(re.findall(r"ExecStart=.*", unit)))) | {"--host", "--port"}
    told = run_assay("serve", "--help", folder=tmp_path).stdout
    assert all(option in told for option in options), options


def test_results_are_the_same_on_postgresql(postgres: str) -> None:
    boards = []
    with fast_folder() as folder, opened(folder, runs=RUNS_OF_TEN) as bench:
        released(bench)
        boards.append(bench.browser("viewer").get(f"{bench.at}/results.json").json()["board"])
    with open_database(make_database(postgres, "results"), create=True) as database:
        bench = Workbench(database, make_project(database, people=(), runs=RUNS_OF_TEN))
        released(bench)
        boards.append(bench.browser("viewer").get(f"{bench.at}/results.json").json()["board"])
        key = bench.browser("owner").call(
            f"/api{bench.at}/results/report", {"baseline": "first", "system": "second"}
        ).json()["data"]["job"]  # fmt: skip
        assert bench.browser("owner").call(f"/api{bench.at}/jobs/{key}/stop").status_code == 200
    assert boards[0] == boards[1]


def test_many_who_begin_at_the_same_moment_wait_for_one_another_and_not_for_ever(tmp_path: Path) -> None:
    """Each takes a thread of the server, and its transactions take connections: nobody holds one who waits."""
    with opened(tmp_path, topics=40, documents=2, order="random") as bench, ThreadPoolExecutor(40) as threads:
        names = [f"person {number}" for number in range(40)]
        add_assessors(bench.project, names)
        tasks = list(threads.map(lambda name: hand_out(bench.project, name), names))
    assert len({each.assignment for each in tasks if each is not None}) == 40


def test_no_answer_of_the_api_is_an_error_of_ours_or_outside_its_schema() -> None:
    """Schemathesis sends what the description allows, and some of what it does not, as an owner."""
    with fast_folder() as folder, opened(folder) as bench:
        released(bench, RUNS_OF_TEN, most=4)
        token = add_token(bench.database, bench.users["owner"], "program", "all", days=1)
        headers = {"Authorization": f"Bearer {token}", "Host": "localhost"}
        schema = schemathesis.openapi.from_asgi("/openapi.json", bench.app, headers={"Host": "localhost"})
        statuses: set[int] = set()
        for found in schema.get_all_operations():
            operation = cast("Any", found).ok()
            if re.search("sign-|/account|/jobs/|/contest/", operation.path):  # these end the session, or start work
                continue

            @settings(max_examples=2, deadline=None, database=None, suppress_health_check=list(HealthCheck))
            @given(case=operation.as_strategy())
            def tried(case: Any) -> None:
                if "project" in case.path_parameters:
                    case.path_parameters["project"] = bench.project.id
                answer = case.call(headers=headers)
                statuses.add(answer.status_code)
                assert answer.status_code < 500, f"{case.method} {case.path}: {answer.text}"
                case.validate_response(answer, checks=CHECKS)

            tried()
    assert {200, 422} <= statuses
