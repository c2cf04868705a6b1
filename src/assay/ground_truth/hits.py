"""HITs: what to label as a file for Mechanical Turk, gold questions mixed in; `read_labels` reads the answers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.core.domains import Real, Whole
from assay.core.errors import InputError, ParameterError, listed, number_of
from assay.core.evaluation_options import Seed
from assay.core.results import Result, frame_as_csv
from assay.files import read_documents, read_topics
from assay.files.atomic import write_texts
from assay.files.named_columns import named_columns, names_in_any
from assay.files.sources import Source, is_file
from assay.ground_truth.run_ranks import PAIR, judged_pairs
from assay.subjects.ranking.evaluation import judgments_of
from assay.tables import Documents, Topics
from assay.tables.roles import is_frame, roles_in

#: What Mechanical Turk takes of each payment; twice as much where a HIT has ten assignments or more.
FEE, MANY_ASSIGNMENTS = 0.2, 10


@dataclass(frozen=True, eq=False)
class HitFile(Result):
    """HITs: `frame` is the file to upload, one row each; `key` says which document stands where, and which are gold.

    The key is a table of judgments, -1 for what is to be labelled: `crowd` takes it as its gold.
    """

    kind: ClassVar[str] = "hits"

    frame: pl.DataFrame
    key: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<HitFile: {number_of('HIT', self.frame.height)}>"

    def to_frame(self) -> pl.DataFrame:
        """The file to upload: one row per HIT."""
        return self.frame

    @property
    def assignments(self) -> int:
        """The number of assignments over all HITs."""
        return self.frame.height * int(self.settings["redundancy"])

    @property
    def cost(self) -> float:
        """The cost of all assignments, the fee included."""
        fee: float = self.settings["fee"]
        return self.assignments * float(self.settings["price"]) * (1 + fee)

    def write(
        self, path: str | os.PathLike[str], key: str | os.PathLike[str] | None = None, *, overwrite: bool = False
    ) -> None:
        """Write the file to upload, and the key, which workers must not see, to another one."""
        texts = {Path(path): frame_as_csv(self.frame)}
        if key is not None:
            if Path(key).resolve() == Path(path).resolve():
                raise ParameterError(f"{key}: workers must not see the key: name another file than that of the HITs")
            texts[Path(key)] = frame_as_csv(self.key)
        write_texts(texts, overwrite=overwrite)


def make_hits(
    topics: Any,
    pool: Any,
    *,
    documents: Any = None,
    gold: Any = None,
    per_hit: int = 5,
    gold_per_hit: int = 1,
    redundancy: int = 5,
    price: float = 0.05,
    seed: Seed = 0,
) -> HitFile:
    """Cut a pool into HITs, a topic each, with gold questions at random places among the others.

    `pool`: pairs of topic and document, as rows or a table, such as a pool; or judgments (then what is negative, or
    everything, is to be labelled). `gold`: judgments of documents for which the answer is known; `gold_per_hit` of the
    `per_hit` questions of a HIT are from these, where the topic has any. `redundancy`: workers per HIT. `price`: of one
    assignment, to which Mechanical Turk adds a fifth, from ten workers per HIT on two fifths.

    >>> topics = pl.DataFrame({"query_id": ["q"], "title": ["green tea"]})
    >>> hits = make_hits(topics, [("q", "d1"), ("q", "d2"), ("q", "d3")], per_hit=3, redundancy=2,
    ...                  gold={"q": {"g": 1}})
    >>> hits.frame.height, sorted(hits.key["doc_id"]), hits.cost  # 2 HITs x 2 workers x 0.05 x 1.2
    (2, ['d1', 'd2', 'd3', 'g', 'g'], 0.24)
    """
    Whole(1).check("per_hit", per_hit)
    Whole(0, high=per_hit - 1).check("gold_per_hit", gold_per_hit)
    Whole(1).check("redundancy", redundancy)
    Real(0.0).check("price", price)
    fee = FEE * (1 + (redundancy >= MANY_ASSIGNMENTS))
    described = _topics(topics)
    known = _gold(gold)
    wanted = _pool(pool).join(known.select(PAIR), on=PAIR, how="anti", maintain_order="left")
    if not wanted.height:
        raise InputError("the pool holds no document that is not gold: there is nothing to label")
    unknown = wanted.join(described, on="query_id", how="anti")
    if unknown.height:
        raise InputError(f"the pool has topics that are not described: {listed(list(unknown['query_id'].unique()))}")
    rng = np.random.default_rng(seed)
    cells: list[tuple[Any, ...]] = []
    without: list[str] = []
    number = 0
    for (query,), part in wanted.group_by("query_id", maintain_order=True):
        answers = known.filter(pl.col("query_id") == query)
        mixed_in = min(gold_per_hit, answers.height)
        without += [] if mixed_in == gold_per_hit else [str(query)]
        room = per_hit - mixed_in
        shuffled = part["doc_id"].gather(rng.permutation(part.height)).to_list()
        for start in range(0, part.height, room):
            chosen: list[int] = rng.choice(answers.height, mixed_in, replace=False).tolist() if mixed_in else []
            known_questions = answers[sorted(chosen)]
            questions = [*((doc, -1.0) for doc in shuffled[start : start + room]),
                         *zip(known_questions["doc_id"], known_questions["relevance"], strict=True)]  # fmt: skip
            number += 1
            order = rng.permutation(len(questions))
            cells += [(f"h{number}", query, place, *questions[at]) for place, at in enumerate(order, 1)]
    kinds = {"hit": pl.String, "query_id": pl.String, "place": pl.Int64, "doc_id": pl.String, "relevance": pl.Float64}
    key = pl.DataFrame(cells, schema=kinds, orient="row")
    warnings = (
        [f"too few gold documents for {listed(without)}: HITs of these have fewer"] if without and known.height else []
    )
    settings = {
        "per_hit": per_hit, "gold_per_hit": gold_per_hit if known.height else 0, "redundancy": redundancy,
        "price": price, "fee": fee, "seed": seed,
    }  # fmt: skip
    return HitFile(_wide(key, described, _texts(documents), per_hit), key, settings, tuple(warnings))


def _wide(key: pl.DataFrame, topics: pl.DataFrame, texts: pl.DataFrame | None, per_hit: int) -> pl.DataFrame:
    """One row per HIT: the topic, and for each place the document; empty where a HIT has fewer."""
    rows = key if texts is None else key.join(texts, on="doc_id", how="left", maintain_order="left")
    columns = ["doc_id", *([] if texts is None else ["title", "text"])]
    wide = rows.select("hit", "query_id").unique(maintain_order=True)
    wide = wide.join(topics, on="query_id", how="left", maintain_order="left")
    for place in range(1, per_hit + 1):
        here = rows.filter(pl.col("place") == place).select("hit", *(pl.col(c).alias(f"{c}_{place}") for c in columns))
        wide = wide.join(here, on="hit", how="left", maintain_order="left")
    return wide.rename({"hit": "hit_id"})


def _topics(source: Any) -> pl.DataFrame:
    topics = read_topics(source) if is_file(source) else source
    frame = (topics if isinstance(topics, Topics) else Topics.of(topics)).frame
    return frame.select("query_id", *(name for name in ("title", "description", "narrative") if name in frame.columns))


def _pool(source: Any) -> pl.DataFrame:
    """Pairs to be labelled: of a pool those with an order, of judgments those pooled and not judged, or all."""
    if isinstance(source, list | tuple):
        rows = [tuple(map(str, row[:2])) for row in source]
        source = pl.DataFrame(rows, schema=dict.fromkeys(PAIR, pl.String), orient="row")
    source = Source.of(source) if is_file(source) else source
    names = names_in_any(source) if isinstance(source, Source) or is_frame(source) else []
    columns = roles_in("sampled pool", names)
    if not columns.keys() >= set(PAIR) or "relevance" in roles_in("qrels", names):
        qrels = judgments_of(source).frame
        unjudged = qrels.filter(pl.col("relevance") < 0)
        return (unjudged if unjudged.height else qrels).select(PAIR).unique(maintain_order=True)
    table = named_columns(source, "sampled pool")
    frame = pl.DataFrame([table.ids(columns[name], name).alias(name) for name in PAIR])
    if "order" in columns:  # of a sample, documents that were not drawn have none
        frame = frame.filter(table.numbers(columns["order"], "order").is_not_null())
    return frame.unique(maintain_order=True)


def _gold(source: Any) -> pl.DataFrame:
    if source is None:
        return pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64})
    return judged_pairs(source)


def _texts(source: Any) -> pl.DataFrame | None:
    if source is None:
        return None
    documents = source if isinstance(source, Documents) else read_documents(source)
    return documents.frame.select("doc_id", "title", "text")
