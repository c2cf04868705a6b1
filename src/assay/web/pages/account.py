"""One's account: password and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from assay.store import accounts
from assay.web.context import Context, Done, Fields, ProblemError


class NewPassword(Fields):
    """The password so far, if there is one, and a new one."""

    current: str = Field(default="", max_length=1000)
    new: str = Field(max_length=1000)


class NewToken(Fields):
    """A token: what it is for, what it may, how many days it holds (0: until it is dropped)."""

    name: str = Field(min_length=1, max_length=100)
    scope: Literal["read", "judge", "all"] = "read"
    days: int = Field(default=90, ge=0, le=3650)


@dataclass(frozen=True)
class AccountPage:
    """An account as its owner sees it."""

    name: str
    is_administrator: bool
    has_password: bool
    tokens: list[accounts.Token]


def account(context: Context) -> AccountPage:
    """Show the account of whoever asks."""
    user = context.somebody
    stored = accounts.password_of(context.database, user.id)
    return AccountPage(user.name, user.is_administrator, bool(stored), accounts.tokens_of(context.database, user))


def change_password(context: Context) -> Done:
    """Change the password; all other sessions of the account end."""
    given: NewPassword = context.form
    user = context.somebody
    stored = accounts.password_of(context.database, user.id)
    if stored and not context.passwords.fits(stored, given.current):
        raise ProblemError(403, "the password so far is wrong")
    accounts.set_password(context.database, user.id, context.passwords.hashed(given.new), keep=context.session)
    return Done("/account", "The password is changed; other sessions of yours have ended.")


def make_token(context: Context) -> Done:
    """Make a token, which is shown once."""
    given: NewToken = context.form
    secret = accounts.add_token(context.database, context.somebody, given.name, given.scope, days=given.days or None)
    return Done("/account", f"The token, which is not shown again: {secret}", {"token": secret})


def drop(context: Context) -> Done:
    """Make a token worthless."""
    accounts.drop_token(context.database, context.somebody, context.path["key"])
    return Done("/account", "The token is worthless now.")
