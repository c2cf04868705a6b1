"""Where a report comes from: files that went in, and all it takes to make it again."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: What a file was read as.
Role = Literal["qrels", "run", "scores", "topics", "documents", "predictions", "clusters"]


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
