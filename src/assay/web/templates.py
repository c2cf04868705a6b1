"""Pages as HTML: templates beside this module, in which everything is escaped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay import __version__
from assay.core.errors import number_of
from assay.show import html
from assay.web import access, assets
from assay.web.context import Context
from assay.web.documents import Kept
from assay.web.pages.judging import pieces
from assay.web.routes import BY_NAME, ROUTES, Route


def render(template: str, context: Context, *, route: Route | None, csrf: str, flash: str, **values: Any) -> str:
    """A page: its data under `page`, who asks under `context`, `url` to link to other routes by their names."""

    def url(target: str, /, **names: object) -> str:
        if context.project_key:
            names.setdefault("project", context.project_key)
        return context.settings.root_path + BY_NAME[target].filled(**names)

    def static(name: str) -> str:
        return url("service.static", version=assets.version(), name=name)

    return _environment().get_template(template).render(
        context=context, route=route, csrf=csrf, flash=flash, url=url, static=static, version=__version__,
        links=_links(context), **values,
    )  # fmt: skip


def _links(context: Context) -> Mapping[str, list[Route]]:
    """The navigation: what there is a link to, for whoever asks."""
    mine = [each for each in ROUTES if each.nav and access.may(each.who, context.user, context.role)]
    return {place: [each for each in mine if each.nav == place] for place in ("site", "project")}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("assay.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "sections": html.sections, "pieces": pieces, "number_of": _number_of, "day": _day, "as_json": _as_json,
        "kept": _kept,
    }  # fmt: skip
    return environment


def _number_of(number: int, what: str) -> str:
    return number_of(what, number)


def _as_json(found: Any) -> str:
    """The data of a page for its script, in an attribute: pages have no script of their own that could hold it."""
    return json.dumps(asdict(found))


def _kept(document: Kept) -> Markup:
    """A document as it was written when it was made, where everything was escaped."""
    return Markup(document.html)


def _day(time: int | None) -> str:
    """A time as people read it; nothing for none."""
    return "" if time is None else datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
