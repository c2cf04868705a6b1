"""The measures of the toy subject: a vocabulary of its own, whose counts are the seconds that each page was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay import measure


@dataclass(frozen=True)
class Times:
    """How long each page was read."""

    vocabularies: ClassVar[tuple[str, ...]] = ("reading",)
    described: ClassVar[str] = "how long each page was read"

    seconds: tuple[float, ...]


@measure(bounds=None, higher_is_better=False, counted_as=None)
def Seconds(times: Times) -> object:
    """Seconds that a page was read."""
    return np.array(times.seconds)
