"""Coming and going: sign in and out, the first account, links that sign in or invite."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from assay.store import accounts
from assay.store.projects import project_by_key
from assay.web.context import Context, Fields, NotFoundError, ProblemError, SignedIn, safe_place

_WRONG = "the name or the password is wrong"


class Next(Fields):
    """Where somebody wanted to go."""

    next: str = Field(default="/", max_length=2000)


class SignIn(Next):
    """A name and its password."""

    name: str = Field(max_length=100)
    password: str = Field(max_length=1000)


class NewAccount(Fields):
    """An account that is made; nothing for those who are signed in."""

    name: str = Field(default="", max_length=100)
    password: str = Field(default="", max_length=1000)


@dataclass(frozen=True)
class SignInPage:
    """Where to go on after signing in."""

    next: str


@dataclass(frozen=True)
class LinkPage:
    """What a link leads to."""

    secret: str
    project: str = ""
    role: str = ""
    invited_by: str = ""


def sign_in(context: Context) -> SignInPage:
    """Ask for a name and a password."""
    return SignInPage(safe_place(context.query.next))


def signed_in(context: Context) -> SignedIn:
    """Begin a session, with a secret that nobody had before."""
    given: SignIn = context.form
    keys = (f"name:{given.name.casefold()}", f"from:{context.address}")
    if (seconds := accounts.waits(context.database, *keys)) > 0:
        raise ProblemError(429, f"too many attempts: try again in {seconds:,.0f} seconds")
    found = accounts.account_named(context.database, given.name)
    if not context.passwords.fits(found[1] if found else "", given.password) or found is None:
        accounts.count_failure(context.database, *keys)
        raise ProblemError(403, _WRONG)
    accounts.forget_failures(context.database, *keys)
    return _session(context, found[0], safe_place(given.next))


def signed_out(context: Context) -> SignedIn:
    """End the session."""
    accounts.close_session(context.database, context.session)
    return SignedIn("/sign-in", "You have signed out.")


def first(context: Context) -> LinkPage:
    """Ask how the first account is to be called."""
    return LinkPage(_link(context, "first").secret)


def first_made(context: Context) -> SignedIn:
    """Make the first account, and begin its session."""
    given: NewAccount = context.form
    password = context.passwords.hashed(given.password)
    user = accounts.use_first(context.database, context.path["secret"], given.name, password)
    return _session(context, user, "/")


def enter(context: Context) -> SignedIn:
    """Sign in by a link that works once."""
    if context.user is not None and accounts.link_of(context.database, context.path["secret"]) is None:
        return SignedIn("/", secret=context.session)  # opened a second time
    user = accounts.use_sign_in(context.database, context.path["secret"])
    return _session(context, user, "/")


def join(context: Context) -> LinkPage:
    """Show what an invitation is for."""
    return _link(context, "invite")


def joined(context: Context) -> SignedIn:
    """Become a member of a project, with one's account or a new one."""
    given: NewAccount = context.form
    password = "" if context.user else context.passwords.hashed(given.password)
    user, project = accounts.use_invitation(
        context.database, context.path["secret"], user=context.user, name=given.name, password=password
    )
    return _session(context, user, f"/projects/{project}")


def _link(context: Context, purpose: str) -> LinkPage:
    secret = context.path["secret"]
    link = accounts.link_of(context.database, secret)
    if link is None or link.purpose != purpose:
        raise NotFoundError("this link was used before, or is too old: ask for another one")
    project = "" if link.project_id is None else project_by_key(context.database, link.project_id).name
    return LinkPage(secret, project, link.role, link.invited_by)


def _session(context: Context, user: accounts.User, to: str) -> SignedIn:
    if context.session:
        accounts.close_session(context.database, context.session)
    return SignedIn(to, secret=accounts.open_session(context.database, user.id))
