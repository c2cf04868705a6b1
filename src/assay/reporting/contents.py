"""What reports hold besides their sections: where they come from, and what they cite."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from assay.core.words import Tone

#: What a file was read as.
Role = Literal["qrels", "run", "scores", "topics", "documents", "predictions", "clusters"]


class Spoken(NamedTuple):
    """One comparison: the verdict in a few words, in a paragraph, and the numbers behind it.

    `low` and `high` are the interval of the difference at `level`; NaN where there is none. `narrow_low` and
    `narrow_high`, at `narrow_level` (1 - 2 alpha), are what equivalence is decided by. `caveat` says what the verdict
    depends on: `unjudged` documents that could change the sign of the difference; empty, and 0, if none is known to.
    `mark` is that of the verdict.

    `p` is corrected over a family of `comparisons` by the method that `correction` names (empty: it is not corrected,
    since there is one comparison only, or the test covers all at once, or nobody asked for it); `p_uncorrected` never
    is, nor are the intervals. `conflict`: how test, interval and difference do not fit together (that of `Verdict`;
    empty if they do), and `conflict_says` the same in words.
    """

    measure: str
    baseline: str
    system: str
    tone: Tone
    word: str
    headline: str
    paragraph: str
    caveat: str
    baseline_value: float
    value: float
    difference: float
    relative: float
    low: float
    high: float
    level: float
    p: float
    d_z: float
    margin: float
    won: int
    tied: int
    lost: int
    mark: str = ""
    unjudged: int = 0
    p_uncorrected: float = math.nan
    comparisons: int = 1
    correction: str = ""  # "Holm"
    narrow_low: float = math.nan
    narrow_high: float = math.nan
    narrow_level: float = math.nan
    conflict: str = ""
    conflict_says: str = ""


class Reference(NamedTuple):
    """A work that the methods paragraph cites: a key such as `[2]`, the entry, and the same for BibTeX."""

    key: str
    entry: str
    bibtex: str = ""


class Input(NamedTuple):
    """A file that went in; `sha256` is the digest of its bytes, None where it was not a file."""

    role: Role
    name: str
    sha256: str | None
    says: str  # format and counts, such as "TREC qrels, 20 topics, 682 judgments"


class Provenance(NamedTuple):
    """How the report was made, so that it can be made again."""

    version: str
    command: str  # empty where it was made from Python
    made: str  # date and time, UTC
    seed: int
    inputs: tuple[Input, ...]
    signatures: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]  # alpha, test, correction, ...: name and value
