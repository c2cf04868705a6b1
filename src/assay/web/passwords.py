"""Passwords: hashed by Argon2, compared in the same time whether there is an account or not."""

from __future__ import annotations

from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from assay.core.errors import InputError

#: Long enough not to be guessed where guesses are slowed down.
_SHORTEST, _LONGEST = 10, 1000


class Passwords:
    """Hashes and compares passwords; `is_cheap` for tests, where nobody guesses."""

    def __init__(self, *, is_cheap: bool = False) -> None:
        self._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1) if is_cheap else PasswordHasher()

    @cached_property
    def _nobodys(self) -> str:
        return self._hasher.hash("nobody has this password")

    def hashed(self, password: str) -> str:
        """A new password as it is stored."""
        if not _SHORTEST <= len(password) <= _LONGEST:
            raise InputError(f"a password has {_SHORTEST} characters or more")
        return self._hasher.hash(password)

    def fits(self, stored: str, password: str) -> bool:
        """True if a password is the one that is stored; without one, it takes as long to say no."""
        try:
            return self._hasher.verify(stored or self._nobodys, password[: _LONGEST + 1]) and bool(stored)
        except (VerificationError, InvalidHashError):
            return False
