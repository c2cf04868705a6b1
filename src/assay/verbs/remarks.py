"""`Remark`: what is worth knowing about a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from assay.core.errors import ParameterError, did_you_mean


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


Check: TypeAlias = Callable[[Any], Iterator[Remark]]


class Remarks(dict[str, Check]):
    """Functions that make remarks on a case, by the codes of these; `mute=("rare",)` keeps those of a code quiet."""

    def made(self, *codes: str) -> Callable[[Check], Check]:
        """Register a function as the maker of remarks with these codes."""

        def register(check: Check) -> Check:
            self.update(dict.fromkeys(codes, check))
            return check

        return register

    def refuse_unknown(self, mute: Sequence[str]) -> None:
        """Refuse a code that no remark has."""
        for code in mute:
            if code not in self:
                raise ParameterError(f"no remark is called {code!r}: {', '.join(self)}{did_you_mean(code, self)}")

    def on(self, case: Any, mute: Sequence[str]) -> Iterator[Remark]:
        """All remarks on a case, but for those that were muted."""
        for check in dict.fromkeys(check for code, check in self.items() if code not in mute):
            yield from (remark._replace(system=case.system.name) for remark in check(case) if remark.code not in mute)
