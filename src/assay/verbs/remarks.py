"""`Remark`: what is worth knowing about a result."""

from __future__ import annotations

from typing import NamedTuple


class Remark(NamedTuple):
    """What is worth knowing, with the number behind it, which label, pair or system it is about, and whose it is.

    >>> Remark("rare", "3 % of the items are spam", 0.03, "spam").system
    ''
    """

    code: str
    says: str
    number: float | None
    about: str
    system: str = ""
