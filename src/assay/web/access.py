"""Who may do what: sets of roles by name, as the table of routes states them."""

from __future__ import annotations

from typing import Final, TypeAlias

from assay.store.accounts import User

#: Who may: roles in the project, or one of the three words below.
Who: TypeAlias = tuple[str, ...]

ANYONE: Final[Who] = ("anyone",)
SIGNED_IN: Final[Who] = ("signed in",)
ADMINISTRATOR: Final[Who] = ("administrator",)
OWNERS: Final[Who] = ("owner",)
MANAGERS: Final[Who] = ("owner", "manager")
ADJUDICATORS: Final[Who] = (*MANAGERS, "adjudicator")
ASSESSORS: Final[Who] = (*ADJUDICATORS, "assessor")
#: Who sees how a project stands: agreement and labels of others would influence assessors, and help contestants.
READERS: Final[Who] = (*ADJUDICATORS, "viewer")
#: Who sends runs, and sees how they did, and nothing else.
CONTESTANTS: Final[Who] = ("contestant",)
MEMBERS: Final[Who] = (*ASSESSORS, "contestant", "viewer")

#: What tokens of each scope are good for.
_SCOPES: Final = {"read": {"read"}, "judge": {"read", "judge"}, "all": {"read", "judge", "manage"}}


def may(who: Who, user: User | None, role: str | None) -> bool:
    """True if somebody may, by what they are at all and in the project.

    >>> may(ANYONE, None, None), may(SIGNED_IN, None, None)
    (True, False)
    >>> may(MANAGERS, User(1, "ana", False), "assessor"), may(MANAGERS, User(2, "ben", False), "owner")
    (False, True)
    """
    if who == ANYONE:
        return True
    if user is None:
        return False
    if who == ADMINISTRATOR:
        return user.is_administrator
    return who == SIGNED_IN or role in who


def token_may(scope: str, needed: str) -> bool:
    """True if a token of a scope is good for a route; for one that needs a session, none is.

    >>> token_may("read", "read"), token_may("judge", "manage"), token_may("all", "session")
    (True, False, False)
    """
    return needed in _SCOPES[scope]
