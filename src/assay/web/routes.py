"""The table of routes: where each page and form is, what it shows or does, and who may.

The application, the pages' JSON twins, the API, navigation, OpenAPI, the documentation's table of permissions and the
tests of permissions are all made from it. A page at `/a` has a twin at `/a.json`; a form at `/a` is called by programs
as `/api/a`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal, get_type_hints

from assay.web import access
from assay.web.access import Who
from assay.web.context import Done, Fields, Handler, Nothing
from assay.web.pages import (
    account,
    administration,
    comparisons,
    contest,
    disagreements,
    entry,
    exchange,
    home,
    jobs,
    judging,
    overview,
    people,
    pooling,
    releasing,
    results,
    rules,
    service,
    setup,
)  # fmt: skip


@dataclass(frozen=True)
class Route:
    """A page, or a form: one line of the table."""

    path: str
    handler: Handler
    who: Who
    #: The page as HTML; a form has none, and goes on to a page.
    template: str = ""
    title: str = ""
    #: Where a link to it stands: in the navigation of the site or of a project, or nowhere.
    nav: Literal["", "site", "project"] = ""
    method: Literal["GET", "POST"] = "GET"
    #: The fields of the form, or of the query of a page.
    fields: type[Fields] = Nothing
    #: What a token has to be good for; `session`: no token will do.
    scope: Literal["", "read", "judge", "manage", "session"] = ""
    #: Files come with it: the limit is that of uploads.
    takes_files: bool = False

    @property
    def name(self) -> str:
        """The name by which templates link to it: that of the handler."""
        return f"{self.handler.__module__.rpartition('.')[2]}.{self.handler.__name__}"

    @property
    def is_form(self) -> bool:
        """True if it changes something."""
        return self.method == "POST"

    @property
    def answer(self) -> Any:
        """The type of what it gives."""
        return get_type_hints(self.handler)["return"]

    @property
    def twin(self) -> str:
        """Where programs find the same: empty for files, and for what only browsers do."""
        if self.is_form:
            return f"/api{self.path}" if self.answer is Done else ""
        return f"{self.path}.json" if self.template else ""

    @property
    def needs(self) -> str:
        """What a token has to be good for."""
        return self.scope or ("manage" if self.is_form else "read")

    @property
    def in_project(self) -> bool:
        """True below a project: whoever does not belong to it learns nothing of it."""
        return "{project}" in self.path

    def filled(self, **values: object) -> str:
        """Its path, with values in place of names."""
        return re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), self.path)


def form(path: str, handler: Handler, who: Who, fields: type[Fields] = Nothing, **more: Any) -> Route:
    """A form that changes something."""
    return Route(path, handler, who, method="POST", fields=fields, **more)


ROUTES: Final = (
    # Coming and going
    Route("/sign-in", entry.sign_in, access.ANYONE, "sign_in.html", "Sign in", fields=entry.Next),
    form("/sign-in", entry.signed_in, access.ANYONE, entry.SignIn, scope="session"),
    form("/sign-out", entry.signed_out, access.SIGNED_IN, scope="session"),
    Route("/first/{secret}", entry.first, access.ANYONE, "first.html", "The first account", scope="session"),
    form("/first/{secret}", entry.first_made, access.ANYONE, entry.NewAccount, scope="session"),
    Route("/enter/{secret}", entry.enter, access.ANYONE, scope="session"),
    Route("/join/{secret}", entry.join, access.ANYONE, "join.html", "Join a project", scope="session"),
    form("/join/{secret}", entry.joined, access.ANYONE, entry.NewAccount, scope="session"),
    # The site
    Route("/", home.projects, access.SIGNED_IN, "home.html", "Projects", nav="site"),
    Route("/account", account.account, access.SIGNED_IN, "account.html", "Account", nav="site", scope="session"),
    form("/account/password", account.change_password, access.SIGNED_IN, account.NewPassword, scope="session"),
    form("/account/tokens", account.make_token, access.SIGNED_IN, account.NewToken, scope="session"),
    form("/account/tokens/{key}/drop", account.drop, access.SIGNED_IN, scope="session"),
    # A project
    Route("/projects/{project}", overview.overview, access.MEMBERS, "overview.html", "Overview", nav="project"),
    Route("/projects/{project}/status", overview.status, access.READERS, "status.html", "Status", nav="project"),
    # Judging
    Route("/projects/{project}/judge", judging.judge, access.ASSESSORS, "judge.html", "Judge", nav="project",
          scope="judge"),
    form("/projects/{project}/judge", judging.save_label, access.ASSESSORS, judging.Label, scope="judge"),
    form("/projects/{project}/judge/skip", judging.skip_document, access.ASSESSORS, judging.Asked, scope="judge"),
    form("/projects/{project}/judge/undo", judging.undo_label, access.ASSESSORS, judging.Undo, scope="judge"),
    form("/projects/{project}/judge/leave", judging.leave, access.ASSESSORS, judging.Leave, scope="judge"),
    form("/projects/{project}/judge/ahead", judging.ahead, access.ASSESSORS, judging.Ahead, scope="judge"),
    form("/projects/{project}/judge/keep", judging.keep, access.ASSESSORS, judging.Kept, scope="judge"),
    # Running a project
    Route("/projects/new", setup.new_project, access.ADMINISTRATOR, "new_project.html", "New project"),
    form("/projects/new", setup.make_project, access.ADMINISTRATOR, setup.NewProject),
    form("/projects/bundled", setup.make_bundled, access.ADMINISTRATOR),
    Route("/projects/{project}/disagreements", disagreements.disagreements, access.ADJUDICATORS, "disagreements.html",
          "Disagreements", nav="project", fields=disagreements.Place),
    form("/projects/{project}/disagreements", disagreements.decide, access.ADJUDICATORS, disagreements.Verdict),
    Route("/projects/{project}/releases", releasing.release_list, access.READERS, "releases.html", "Releases",
          nav="project", fields=releasing.Preview),
    form("/projects/{project}/releases", releasing.release, access.MANAGERS, releasing.NewRelease),
    Route("/projects/{project}/releases/changes", releasing.changes, access.READERS, "document.html", "Changes",
          fields=releasing.Two),
    Route("/projects/{project}/releases/file", exchange.export_release, access.READERS, fields=exchange.ReleaseExport),
    Route("/projects/{project}/files", setup.files, access.MANAGERS, "files.html", "Files", nav="project"),
    form("/projects/{project}/files/topics", setup.add_topics, access.MANAGERS, takes_files=True),
    form("/projects/{project}/files/documents", setup.add_documents, access.MANAGERS, takes_files=True),
    form("/projects/{project}/files/runs", setup.add_runs, access.MANAGERS, takes_files=True),
    form("/projects/{project}/files/remove", setup.remove, access.MANAGERS, setup.Part),
    Route("/projects/{project}/pool", pooling.pool, access.MANAGERS, "pool.html", "Pool", nav="project",
          fields=pooling.Pooling),
    form("/projects/{project}/pool", pooling.make_pool, access.MANAGERS, pooling.PoolToMake),
    Route("/projects/{project}/deciding", pooling.deciding, access.MANAGERS, "deciding.html", "What decides next",
          fields=pooling.Decision),
    form("/projects/{project}/deciding", pooling.hand_out_first, access.MANAGERS, pooling.Decision),
    Route("/projects/{project}/settings", rules.rules, access.MANAGERS, "rules.html", "Settings", nav="project"),
    form("/projects/{project}/settings", rules.change_rules, access.MANAGERS, rules.NewRules),
    form("/projects/{project}/settings/guidelines", rules.change_guidelines, access.MANAGERS, rules.NewGuidelines),
    form("/projects/{project}/settings/state", rules.change_state, access.MANAGERS, rules.NewState),
    form("/projects/{project}/settings/gold", rules.add_known_answers, access.MANAGERS, rules.Known, takes_files=True),
    Route("/projects/{project}/exchange", exchange.exchange, access.MANAGERS, "exchange.html", "In and out",
          nav="project", fields=exchange.Waiting),
    Route("/projects/{project}/export", exchange.export, access.MANAGERS, fields=exchange.Export),
    form("/projects/{project}/import/look", exchange.look, access.MANAGERS, exchange.Labels, takes_files=True),
    form("/projects/{project}/import", exchange.take, access.MANAGERS, exchange.Chosen),
    form("/projects/{project}/import/leave", exchange.leave, access.MANAGERS, exchange.Chosen),
    Route("/projects/{project}/log", administration.log, access.MANAGERS, "log.html", "Log", nav="project",
          fields=administration.Looked),
    Route("/database", administration.database, access.ADMINISTRATOR, "database.html", "Database", nav="site",
          scope="session"),
    Route("/database/log", administration.whole_log, access.ADMINISTRATOR, "log.html", "Log of the workbench",
          fields=administration.Looked),
    Route("/database/backup", administration.backup, access.ADMINISTRATOR, scope="session"),
    # Results of a release, and long work
    Route("/projects/{project}/results", results.results, access.READERS, "results.html", "Results", nav="project",
          fields=results.Asked),
    form("/projects/{project}/results/rank", results.rank, access.READERS, results.Asked),
    form("/projects/{project}/results/report", results.report, access.READERS, results.Pair),
    Route("/projects/{project}/results/compare", comparisons.compare, access.READERS, "comparison.html", "Comparison",
          fields=results.Pair),
    Route("/projects/{project}/results/query", comparisons.query, access.READERS, "query.html", "Query",
          fields=comparisons.OfQuery),
    Route("/projects/{project}/results/explanation", comparisons.explanation, access.READERS, "document.html",
          "Explanation", fields=comparisons.OfRun),
    form("/projects/{project}/results/judge-next", comparisons.ask_deciding, access.ADJUDICATORS, comparisons.Next),
    form("/projects/{project}/results/judge-query", comparisons.ask_query, access.ADJUDICATORS, comparisons.OfQuery),
    Route("/projects/{project}/jobs", jobs.jobs, access.READERS, "jobs.html", "Work", nav="project"),
    Route("/projects/{project}/jobs/{key}", jobs.job, access.READERS, "job.html", "Work"),
    Route("/projects/{project}/jobs/{key}/file", jobs.file, access.READERS, fields=jobs.Download),
    form("/projects/{project}/jobs/{key}/stop", jobs.stop, access.READERS),
    form("/projects/{project}/jobs/{key}/again", jobs.again, access.READERS),
    Route("/projects/{project}/contest", contest.contest, access.CONTESTANTS, "contest.html", "My runs", nav="project",
          fields=results.Asked),
    form("/projects/{project}/contest/send", contest.send_run, access.CONTESTANTS, contest.NewRun, takes_files=True),
    # People
    Route("/projects/{project}/people", people.people, access.MANAGERS, "people.html", "People", nav="project"),
    form("/projects/{project}/people/invite", people.invite, access.MANAGERS, people.Invitation),
    form("/projects/{project}/people/links/{key}/revoke", people.revoke, access.MANAGERS),
    form("/projects/{project}/people/{key}/role", people.set_role, access.MANAGERS, people.NewRole),
    form("/projects/{project}/people/{key}/drop", people.drop, access.MANAGERS),
    # Programs and machines
    Route("/static/{version}/{name}", service.static, access.ANYONE),
    Route("/openapi.json", service.openapi, access.ANYONE),
    Route("/health", service.health, access.ANYONE),
    Route("/ready", service.ready, access.ANYONE),
)  # fmt: skip

#: Routes by the names of their handlers.
BY_NAME: Final = {route.name: route for route in ROUTES}


def permissions() -> list[tuple[str, str, str, str]]:
    """The documentation's table of permissions: method, path, where programs find it, who may."""
    return [(route.method, route.path, route.twin, ", ".join(route.who)) for route in ROUTES]
