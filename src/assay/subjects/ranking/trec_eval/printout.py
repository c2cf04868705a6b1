"""The reference tool's text, byte for byte.

Where the reference crashes or contradicts its own help, this does what the help says, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from assay.core.errors import InputError, TopicError, number_of
from assay.files import RunFile, read_qrels, scan_run
from assay.measures.counting.judgments import Floats, Judgments
from assay.measures.counting.policies import Policies
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.subjects.ranking.trec_eval.catalogue import OF_JUDGES, Line, PrintOptions, lines_to_print
from assay.tables import Qrels


@dataclass(frozen=True)
class Printout:
    r"""The text, and what the user should know besides."""

    text: str
    warnings: tuple[str, ...] = field(default=())


def trec_eval(qrels: Any, run: Any, options: PrintOptions | None = None) -> Printout:
    """Evaluate a run file and give the reference tool's text.

    >>> import io
    >>> qrels, run = io.StringIO("q 0 d 1"), io.StringIO("q Q0 d 1 9.5 tag")
    >>> print(trec_eval(qrels, run, PrintOptions(measures=["map"])).text, end="")
    map                   \tall\t1.0000
    """
    options = options or PrintOptions()
    lines = lines_to_print(options)
    warnings: list[str] = []
    table = _whole_grades(read_qrels(qrels, judges=options.by_judge), warnings)
    warnings.extend(table.warnings)
    if options.by_judge and not table.judges:
        raise InputError(f"{table.name}: -R qrels_jg needs four columns, the second of which names the assessor")
    results = scan_run(run)
    if not isinstance(results, RunFile):
        raise InputError(f"{results.origin}: the reference tool reads TREC runs only, got {results.format}")
    policies = Policies(
        missing="zero" if options.complete else "skip",
        relevance_level=options.level,
        judged_only=options.judged_only,
        depth=options.depth,
    )
    values = _Values(table, results, policies, options, warnings)
    return Printout("".join(values.text(lines)), tuple(warnings))


class _Values:
    """The values of all topics, in the order in which they are printed."""

    def __init__(
        self, qrels: Qrels, run: RunFile, policies: Policies, options: PrintOptions, warnings: list[str]
    ) -> None:
        self.run, self.options = run, options
        if options.by_judge:
            self.judges = {judge: qrels.by_judge(judge) for judge in qrels.judges}
            anyone = qrels.frame.unique(["query_id", "doc_id"], keep="first", maintain_order=True).drop("judge")
            qrels = Qrels(anyone, qrels.name, qrels.format)
        ranks = Ranks.from_tables(run, Judgments.of(qrels), policies)
        left_out = len(qrels.topics) - len(ranks.queries)
        if left_out:
            warnings.append(f"{run.name}: {number_of('judged topic', left_out)} missing and left out (-c counts them)")
        if options.complete and options.level != 1 and "num_rel" in lines_to_print(options):
            warnings.append(
                "num_rel of all counts judgments above 0, whatever -l is, as the reference tool does with -c"
            )
        if options.judged_only and (emptied := int(((ranks.retrieved == 0) & ranks.in_run).sum())):
            warnings.append(
                f"{run.name}: {number_of('topic', emptied)} without a judged document (-J), with values of 0"
            )
        self.missing = ~ranks.in_run
        # The reference evaluates a missing topic as if one document that nobody judged had been retrieved; -J drops it.
        pretended = 0 if options.judged_only else 1
        self.ranks = replace(ranks, retrieved=np.where(self.missing, pretended, ranks.retrieved))
        self.order = sorted(range(len(ranks.queries)), key=lambda number: ranks.queries[number].encode())

    def text(self, lines: Mapping[str, list[Line]]) -> Iterator[str]:
        columns = [(name, line, self._column(name, line)) for name, group in lines.items() for line in group]
        if self.options.per_topic:
            for topic in self.order:
                for name, line, values in columns:
                    if line.per_topic:
                        yield _printed(name, line, self.ranks.queries[topic], self._value_text(line, values, topic))
        if self.options.summary:
            for name, line, values in columns:
                summary = self._summary(name, line, values)
                if summary is not None:
                    yield _printed(name, line, "all", summary)

    def _column(self, name: str, line: Line) -> Floats:
        if not line.measures:
            return np.zeros(len(self.ranks.queries))
        compute = self._mean_of_judges if name in OF_JUDGES else _values
        values = line.joined([compute(measure, self.ranks) for measure in line.measures])
        return values if line.when_missing is None else np.where(self.missing, line.when_missing, values)

    @cached_property
    def under_each_judge(self) -> list[Ranks]:
        """The run counted under each assessor's judgments alone; those who judged none of its topics left out."""
        counted = []
        for qrels in self.judges.values():
            with suppress(TopicError):
                counted.append(
                    Ranks.from_tables(self.run, Judgments.of(qrels), replace(self.ranks.policies, missing="zero"))
                )
        return counted

    def _mean_of_judges(self, measure: Measure, ranks: Ranks) -> Floats:
        """The plain measure under each assessor's judgments alone, on average over the topic's assessors."""
        number = {query: index for index, query in enumerate(ranks.queries)}
        total, count = np.zeros(len(number)), np.zeros(len(number))
        for theirs in self.under_each_judge:
            for query, value in zip(theirs.queries, _values(measure, theirs), strict=True):
                if query in number:
                    total[number[query]] += value
                    count[number[query]] += 1
        return total / np.maximum(count, 1)

    def _value_text(self, line: Line, values: Floats, topic: int) -> str:
        if not line.string_length:
            return f"{values[topic]:.0f}" if line.whole else f"{values[topic]:6.4f}"
        if self.missing[topic] and line.when_missing is not None:
            return "''"
        hits = self.ranks.hits
        marks = ["-"] * min(line.string_length, int(self.ranks.retrieved[topic]))
        for rank, grade in zip(hits.rank[hits.query == topic], hits.grade[hits.query == topic], strict=True):
            if rank <= len(marks):
                marks[rank - 1] = "." if grade < 0 else ">" if grade > 9 else f"{grade:.0f}"
        return f"'{''.join(marks)}'"

    def _summary(self, name: str, line: Line, values: Floats) -> str | None:
        topics = len(self.order)
        if name == "runid":
            return self.run.tag()
        if name == "num_q":
            return str(topics)
        if name == "num_rel" and self.options.complete:
            return str(int((self.ranks.ideal.grade > 0).sum()))
        if line.summary == "none":
            return None
        if line.summary == "geometric":
            values = np.log(values)
        # Added up one by one in the printed order, as the reference does: pairwise sums may round differently.
        total = float(np.add.accumulate(values[self.order])[-1])
        if line.summary == "geometric":
            return f"{np.exp(total / topics):6.4f}"
        return f"{total:.0f}" if line.whole else f"{total / topics:6.4f}"


def _values(measure: Measure, ranks: Ranks) -> Floats:
    """The measure's values, undefined ones as the reference counts them."""
    return np.nan_to_num(measure.of(ranks), nan=measure.definition.counted_as or 0.0)


def _whole_grades(qrels: Qrels, warnings: list[str]) -> Qrels:
    """The reference tool reads the whole part of a grade."""
    whole = pl.Series("relevance", np.trunc(qrels.frame["relevance"].to_numpy()))
    cut = int((whole != qrels.frame["relevance"]).sum())
    if not cut:
        return qrels
    warnings.append(
        f"{qrels.name}: {number_of('grade', cut)} with a fraction: the whole part is used, as the reference does"
    )
    return Qrels(qrels.frame.with_columns(whole), qrels.name, qrels.format, qrels.warnings)


def _printed(name: str, line: Line, topic: str, value: str) -> str:
    return f"{name + line.label:<22}\t{topic}\t{value}\n"
