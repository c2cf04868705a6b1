"""What browsers, programs and machines ask for: styles and scripts, the description of the API, health."""

from __future__ import annotations

import json

from assay.store.accounts import has_accounts
from assay.web import assets
from assay.web.context import Context, File, NotFoundError


def static(context: Context) -> File:
    """A style or a script; its address changes with what it holds."""
    found = assets.every().get(context.path["name"])
    if found is None:
        raise NotFoundError
    is_current = context.path["version"] == assets.version()
    return File(found.content, found.type, is_lasting=is_current)


def openapi(context: Context) -> File:
    """The description of the API."""
    return _json(context.described())


def health(context: Context) -> File:  # noqa: ARG001  # it asks nothing of anything
    """Say that the process answers."""
    return _json({"status": "ok"})


def ready(context: Context) -> File:
    """Say that the database answers, too."""
    has_accounts(context.database)
    return _json({"status": "ready"})


def _json(data: object) -> File:
    return File(json.dumps(data).encode(), "application/json")
