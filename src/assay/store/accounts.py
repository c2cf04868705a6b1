"""Accounts of people, their sessions, links and tokens: secrets are given out once, and only their sha256 is kept."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from assay.core.errors import InputError, ParameterError
from assay.store import schema as db
from assay.store.database import Database, now
from assay.store.projects import record

_HOUR: Final = 3_600_000
_DAY: Final = 24 * _HOUR
#: A session ends after so many days without a visit; its end is put off at most once an hour.
SESSION_DAYS: Final = 14
_LONGEST_NAME: Final = 100
#: So many failures in a row are free; each further one makes people wait twice as long, up to the most.
_FREE, _WAIT, _MOST_WAIT = 5, 2_000, 900_000


@dataclass(frozen=True)
class User:
    """Somebody who is signed in."""

    id: int
    name: str
    is_administrator: bool


@dataclass(frozen=True)
class Link:
    """What a link is for, before it is used."""

    id: int
    purpose: str
    project_id: int | None
    account_id: int | None
    role: str
    invited_by: str


@dataclass(frozen=True)
class Token:
    """A token as its owner sees it in a list: without the secret."""

    id: int
    name: str
    scope: str
    created_at: int
    expires_at: int | None


def digest_of(secret: str) -> str:
    """What is stored in place of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_secret() -> str:
    """A secret that nobody guesses."""
    return secrets.token_urlsafe(32)


def add_account(
    database: Database, name: str, password: str, *, is_administrator: bool = False, actor: str = ""
) -> User:
    """Make an account; `password` as Argon2 gives it, empty where somebody only ever gets links."""
    with database.writing() as connection:
        return _add_account(connection, name, password, is_administrator=is_administrator, actor=actor)


def has_accounts(database: Database) -> bool:
    """True if anybody can sign in."""
    with database.reading() as connection:
        return connection.scalar(select(db.account.c.id).limit(1)) is not None


def account_named(database: Database, name: str) -> tuple[User, str] | None:
    """An account that may sign in, with its password as it is stored."""
    with database.reading() as connection:
        row = connection.execute(select(db.account).filter_by(folded=_folded(name), is_active=True)).one_or_none()
    return None if row is None else (_user(row), row.password)


def password_of(database: Database, account: int) -> str:
    """The password of an account as it is stored."""
    with database.reading() as connection:
        return connection.scalar(select(db.account.c.password).where(db.account.c.id == account)) or ""


def set_password(database: Database, account: int, password: str, *, keep: str = "") -> None:
    """Change a password; all sessions of the account end but the one whose secret is `keep`."""
    with database.writing() as connection:
        connection.execute(update(db.account).where(db.account.c.id == account).values(password=password))
        mine = db.session.c.account_id == account
        connection.execute(delete(db.session).where(mine, db.session.c.digest != digest_of(keep)))
        record(connection, None, _name(connection, account), "password changed", "", {})


def open_session(database: Database, account: int) -> str:
    """Begin a session; its secret, which only the browser keeps. Sessions that have ended are forgotten."""
    secret = new_secret()
    with database.writing() as connection:
        time = now(connection)
        connection.execute(delete(db.session).where(db.session.c.expires_at < time))
        values = {"account_id": account, "created_at": time, "expires_at": time + SESSION_DAYS * _DAY}
        connection.execute(insert(db.session).values(digest=digest_of(secret), **values))
    return secret


def session_user(database: Database, secret: str) -> User | None:
    """Whose session this is; None if it has ended."""
    joined = select(db.account, db.session.c.id.label("session"), db.session.c.expires_at).join(
        db.session, db.session.c.account_id == db.account.c.id
    )
    with database.reading() as connection:
        found = joined.where(db.session.c.digest == digest_of(secret), db.account.c.is_active)
        row = connection.execute(found).one_or_none()
        time = now(connection)
    if row is None or row.expires_at < time:
        return None
    until = time + SESSION_DAYS * _DAY
    if row.expires_at < until - _HOUR:
        with database.writing(durable=False) as connection:
            connection.execute(update(db.session).where(db.session.c.id == row.session).values(expires_at=until))
    return _user(row)


def close_session(database: Database, secret: str) -> None:
    """End a session."""
    with database.writing() as connection:
        connection.execute(delete(db.session).where(db.session.c.digest == digest_of(secret)))


def add_link(
    database: Database, purpose: str, *, hours: int = 24 * 7, project: int | None = None, account: int | None = None,
    role: str = "", invited_by: str = "",
) -> str:  # fmt: skip
    """Make a link that can be used once; its secret."""
    secret = new_secret()
    if purpose == "invite" and role not in db.ROLES:
        raise ParameterError(f"expected a role of {', '.join(db.ROLES)}, got {role!r}")
    with database.writing() as connection:
        time = now(connection)
        if purpose == "first":  # the newest one counts
            connection.execute(delete(db.invitation).filter_by(purpose="first", used_at=None))
        connection.execute(
            insert(db.invitation).values(
                digest=digest_of(secret), purpose=purpose, project_id=project, account_id=account, role=role,
                invited_by=invited_by, created_at=time, expires_at=time + hours * _HOUR,
            )
        )  # fmt: skip
        record(connection, project, invited_by, "link made", purpose, {"role": role})
    return secret


def link_of(database: Database, secret: str) -> Link | None:
    """What a link is for; None if it was used, or is too old."""
    with database.reading() as connection:
        return _link(connection, secret)


def use_sign_in(database: Database, secret: str) -> User:
    """Use a link that signs in."""
    with database.writing() as connection:
        link = _use(connection, secret, "sign-in")
        row = connection.execute(select(db.account).filter_by(id=link.account_id, is_active=True)).one_or_none()
        if row is None:
            raise InputError("this account is closed")
        record(connection, None, row.name, "signed in", "by a link", {})
        return _user(row)


def use_first(database: Database, secret: str, name: str, password: str) -> User:
    """Use the link for the first account, which may do everything."""
    with database.writing() as connection:
        _use(connection, secret, "first")
        if connection.scalar(select(db.account.c.id).limit(1)) is not None:
            raise InputError("there is an account already: sign in, or have somebody invite you")
        return _add_account(connection, name, password, is_administrator=True, actor=name)


def use_invitation(
    database: Database, secret: str, *, user: User | None = None, name: str = "", password: str = ""
) -> tuple[User, int]:
    """Use an invitation, with one's account or a new one; who has joined, and which project."""
    with database.writing() as connection:
        link = _use(connection, secret, "invite")
        joined = user or _add_account(connection, name, password, actor=name)
        mine = select(db.membership.c.id).filter_by(project_id=link.project_id, account_id=joined.id)
        if connection.scalar(mine) is not None:
            raise InputError("you belong to this project already: the link still works for somebody else")
        connection.execute(
            insert(db.membership).values(
                project_id=link.project_id, account_id=joined.id, role=link.role, created_at=now(connection)
            )
        )
        record(connection, link.project_id, joined.name, "joined", link.role, {"invited_by": link.invited_by})
        assert link.project_id is not None
        return joined, link.project_id


def add_token(database: Database, user: User, name: str, scope: str, *, days: int | None = None) -> str:
    """Make a token for a program; its secret, which is shown once."""
    if scope not in db.SCOPES:
        raise ParameterError(f"expected a scope of {', '.join(db.SCOPES)}, got {scope!r}")
    _check_name(name)
    secret = f"assay_{new_secret()}"
    with database.writing() as connection:
        time = now(connection)
        connection.execute(
            insert(db.token).values(
                account_id=user.id, digest=digest_of(secret), name=name, scope=scope, created_at=time,
                expires_at=None if days is None else time + days * _DAY,
            )
        )  # fmt: skip
        record(connection, None, user.name, "token made", name, {"scope": scope})
    return secret


def tokens_of(database: Database, user: User) -> list[Token]:
    """The tokens of somebody."""
    mine = select(db.token).filter_by(account_id=user.id).order_by(db.token.c.id)
    with database.reading() as connection:
        rows = connection.execute(mine).all()
    return [Token(row.id, row.name, row.scope, row.created_at, row.expires_at) for row in rows]


def drop_token(database: Database, user: User, key: int) -> None:
    """Make a token worthless."""
    with database.writing() as connection:
        gone = connection.execute(delete(db.token).where(db.token.c.id == key, db.token.c.account_id == user.id))
        if not gone.rowcount:
            raise InputError("there is no such token")
        record(connection, None, user.name, "token dropped", str(key), {})


def token_user(database: Database, secret: str) -> tuple[User, str] | None:
    """Whose token this is, and its scope; None if it is worthless."""
    joined = select(db.account, db.token.c.scope).join(db.token, db.token.c.account_id == db.account.c.id)
    with database.reading() as connection:
        in_time = or_(db.token.c.expires_at.is_(None), db.token.c.expires_at > now(connection))
        found = joined.where(db.token.c.digest == digest_of(secret), db.account.c.is_active, in_time)
        row = connection.execute(found).one_or_none()
    return None if row is None else (_user(row), row.scope)


def waits(database: Database, *keys: str) -> float:
    """Seconds that have to pass before another attempt to sign in, by the worst of the keys; 0: none."""
    digests = [digest_of(key) for key in keys]
    with database.reading() as connection:
        rows = connection.execute(select(db.throttle).where(db.throttle.c.key.in_(digests))).all()
        time = now(connection)
    ends = [row.failed_at + min(_WAIT * 2 ** min(row.failures - _FREE, 20), _MOST_WAIT)
            for row in rows if row.failures >= _FREE]  # fmt: skip
    return max(max(ends, default=0) - time, 0) / 1000


def count_failure(database: Database, *keys: str) -> None:
    """Count an attempt to sign in that failed."""
    with database.writing(durable=False) as connection:
        time = now(connection)
        connection.execute(delete(db.throttle).where(db.throttle.c.failed_at < time - _DAY))
        for key in sorted(map(digest_of, keys)):
            again = update(db.throttle).where(db.throttle.c.key == key)
            counted = connection.execute(again.values(failures=db.throttle.c.failures + 1, failed_at=time))
            if not counted.rowcount:
                connection.execute(insert(db.throttle).values(key=key, failures=1, failed_at=time))


def forget_failures(database: Database, *keys: str) -> None:
    """Begin to count failures anew, after somebody has signed in."""
    digests = [digest_of(key) for key in keys]
    with database.reading() as connection:
        if not connection.scalar(select(func.count()).where(db.throttle.c.key.in_(digests))):
            return
    with database.writing(durable=False) as connection:
        connection.execute(delete(db.throttle).where(db.throttle.c.key.in_(digests)))


def _add_account(
    connection: Connection, name: str, password: str, *, is_administrator: bool = False, actor: str = ""
) -> User:
    name = " ".join(name.split())
    _check_name(name)
    if connection.scalar(select(db.account.c.id).filter_by(folded=_folded(name))) is not None:
        raise InputError(f"somebody is called {name} already: choose another name")
    made = connection.execute(
        insert(db.account).values(
            name=name, folded=_folded(name), password=password, is_administrator=is_administrator,
            created_at=now(connection),
        )
    )  # fmt: skip
    assert made.inserted_primary_key is not None
    record(connection, None, actor, "account made", name, {"administrator": is_administrator})
    return User(int(made.inserted_primary_key[0]), name, is_administrator)


def _link(connection: Connection, secret: str) -> Link | None:
    row = connection.execute(select(db.invitation).filter_by(digest=digest_of(secret), used_at=None)).one_or_none()
    if row is None or row.expires_at < now(connection):
        return None
    return Link(row.id, row.purpose, row.project_id, row.account_id, row.role, row.invited_by)


def _use(connection: Connection, secret: str, purpose: str) -> Link:
    link = _link(connection, secret)
    if link is None or link.purpose != purpose:
        raise InputError("this link was used before, or is too old: ask for another one")
    once = update(db.invitation).where(db.invitation.c.id == link.id, db.invitation.c.used_at.is_(None))
    if not connection.execute(once.values(used_at=now(connection))).rowcount:
        raise InputError("this link was used before: ask for another one")
    return link


def _user(row: Row[tuple[object, ...]]) -> User:
    return User(row.id, row.name, row.is_administrator)


def _name(connection: Connection, account: int) -> str:
    return connection.scalar(select(db.account.c.name).where(db.account.c.id == account)) or ""


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise ParameterError(f"expected a name of 1 to {_LONGEST_NAME} printable characters, got {name!r}")
