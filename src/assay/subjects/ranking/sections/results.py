"""Documents of evaluations, audits, tunings and clusters of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from assay.core.digits import as_level, number, numbers
from assay.core.errors import number_of
from assay.show.model import Column, Document, Prose, Section, Table
from assay.verbs.sections.estimates import DASH, end_of, prose_section, settings_of

if TYPE_CHECKING:
    from assay.measures.registry import Measure
    from assay.subjects.ranking.audit.audit import Answer, Audit, RuleValue
    from assay.subjects.ranking.audit.rules import ToolRule
    from assay.subjects.ranking.audit.signatures import SignatureComparison
    from assay.subjects.ranking.clustered_results import ClustersByUse
    from assay.subjects.ranking.evaluation import Evaluation
    from assay.subjects.ranking.tuning import Tuning


_MOST_MATCHES = 5
#: Fewer decimals are reached by many rules.
_TELLING_DIGITS = 3


def audit_document(audit: Audit) -> Document:
    """The value asked for, values by rule, the tools and the reasons, what makes no difference, and the signature."""
    title = f"{audit.measure}, {audit.where}"
    about = {"measure": str(audit.measure), "query": audit.query, "of": audit.where, "value": audit.value}
    about |= {"signature": audit.signature, "repeated_rows": audit.repeated_rows}
    asked = None if audit.answer is None else _asked(audit.answer)
    sections = (
        Section("rules", parts=(_rules(audit, title),), data={"rules": audit.to_frame().to_dicts()}),
        *([] if audit.answer is None else [Section.of_lines("answer", _answered(audit.answer))]),
        *(Section.of_lines(name, lines) for name, lines in _reasons(audit)),
        Section.of_lines("signature", [audit.signature], data=about | {"asked": asked}),
        Section.of_lines("notes", audit.notes, data={"notes": list(audit.notes)}),
    )
    return Document("audit", sections, title)


def differences(comparison: SignatureComparison) -> Document:
    """The differences, side by side; what follows from each, and what to pass to get either number."""
    about = {
        name: {"signature": each.text, "call": each.call, "measure": str(each.measure), "rules": dict(each.rules)}
        for name, each in (("first", comparison.first), ("second", comparison.second))
    }
    if comparison.is_same:
        same = "Both numbers were made by the same rules: what differs are the data."
        return Document("signatures", (Section.of_lines("differences", [same], data=about),))
    columns = (Column("field", "differs"), Column("first"), Column("second"))
    frame = comparison.to_frame()
    table = Table("differences", frame, columns)
    follows = (f"{field}: {follows}" for field, follows in frame.select("field", "follows").iter_rows())
    calls = (f"To get the {name}: {numbers['call']}" for name, numbers in about.items())
    sections = (
        Section("differences", parts=(table, *map(Prose, follows))),
        Section.of_lines("calls", calls, data=about),
    )
    return Document("signatures", sections, "What differs between two signatures")


def _rules(audit: Audit, title: str) -> Table:
    """Assay's value and those that differ from it, largest first; the value that was asked for stands out."""
    frame = audit.to_frame().head(1 + len(audit.different))
    own = pl.int_range(pl.len()) == 0
    values = [audit.value, *(finding.value for finding in audit.different)]
    fits = [audit.answer is not None and audit.answer.wanted.fits(value) for value in values]
    frame = frame.with_columns(pl.when(~own).then("difference"), pl.Series("fits", fits))
    columns = (
        Column("rule"),
        Column("value", kind="number", marked="fits"),
        Column("difference", kind="number", signed=True, missing=""),
    )
    return Table("rules", frame, columns, title)


def _asked(answer: Answer) -> dict[str, Any]:
    matches = [{"rules": [rule.name for rule in match.rules], "value": match.value} for match in answer.matches]
    return answer.wanted._asdict() | {"found": bool(matches), "tried": answer.tried, "matches": matches}


def _reasons(audit: Audit) -> Iterator[tuple[str, list[str]]]:
    """The basis of the values, by what it is about; trec_eval itself stops at a duplicate."""
    cleaned = ""
    if audit.repeated_rows:
        rows = f"{number_of('duplicate row', audit.repeated_rows)} (a document already listed for its query)"
        yield "repeated", [f"{rows}; Assay's own value counts each document once."]
        cleaned = ", after removing duplicates"
    if audit.tools:
        yield "tools", [f"Assay's own value is also that of {', '.join(audit.tools)}{cleaned}."]
    if audit.answer is None:
        yield "reasons", [f"{_with_tools(rule)}: {rule.why}" for each in audit.different for rule in each.rules]
    if audit.same:
        names = dict.fromkeys(rule.name for each in audit.same for rule in each.rules)
        yield "same", [f"Would give the same here: {'; '.join(names)}."]


def _answered(answer: Answer) -> Iterator[str]:
    """The rules that give the value; or what was done in vain, and what came nearest."""
    wanted = answer.wanted
    is_guessed = wanted.percent and not wanted.text.endswith("%")
    value = f"{wanted.text} (as a percentage)" if is_guessed else wanted.text
    if not answer.matches:
        yield f"No rule gives {value}."
        yield f"{answer.tried:,} ways of counting were tried: single rules, and a few pairs."
        if answer.nearest is not None:
            yield f"Nearest is {number(answer.nearest.value)}: {_named(answer.nearest)}."
        yield "The data may differ: other judgments, another run, other topics."
        return
    if not answer.matches[0].rules:
        others = list(dict.fromkeys(rule.name for match in answer.matches for rule in match.rules))
        too = f" Rules that differ less than its decimals tell: {'; '.join(others)}." if others else ""
        yield f"{value} is Assay's own value.{too}"
    else:
        for match in answer.matches[:_MOST_MATCHES]:
            yield f"{value} matches: {_named(match)}."
            yield from (f"  {rule.why}" for rule in match.rules)
        if (more := len(answer.matches) - _MOST_MATCHES) > 0:
            yield f"{number_of('other way', more)} of counting would give it, too."
    if wanted.digits < _TELLING_DIGITS:
        yield "So few decimals may agree by chance: with more, fewer rules are left."
    elif any(len(match.rules) > 1 for match in answer.matches):
        yield f"No single rule gives it; among {answer.tried:,} ways of counting, some may agree by chance."


def _named(match: RuleValue) -> str:
    return " + ".join(map(_with_tools, match.rules)) or "Assay's own value"


def _with_tools(rule: ToolRule) -> str:
    tools = ", ".join(rule.tools)
    return f"{rule.name} [{tools}]" if tools and rule.name != f"as {tools}" else rule.name


_PARTS = {"precision": "precision", "recall": "recall", "f1": "F1"}

_ROWS = {
    "best cluster of each query": "",
    "flat list, cut after as many": "_flat",
    "best cluster, by chance": "_chance",
}


def clusters_by_use_document(result: ClustersByUse) -> Document:
    """First what the best cluster is worth, which is more than anybody gets; then the comparison of both orders."""
    from assay.verbs.sections.comparisons import document  # noqa: PLC0415  # evaluations need no SciPy

    compared = document(result.comparison)
    title = f"reading order: {result.says}, against the flat list"
    findings, *others = compared.sections
    first = Section("findings", parts=tuple(replace(part, caption=title) for part in findings.tables()))
    order = Section("reading_order", parts=(replace(first, data=findings.data), *others))
    return Document("clusters by use", (_best(result), order), "Clusters of search results")


def _best(result: ClustersByUse) -> Section:
    means = {name: result.mean(name) for name in result.best.columns if name.startswith(tuple(_PARTS))}
    rows = [{"of": words} | {part: means[f"{part}{of}"] for part in _PARTS} for words, of in _ROWS.items()]
    columns = (Column("of", "mean over queries"), *(Column(part, name, "number") for part, name in _PARTS.items()))
    caption = f"best cluster (of {number(result.mean('clusters'), 1)} per query)"
    in_clusters, of_list, by_chance = numbers([means["f1"], means["f1_flat"], means["f1_chance"]])
    parts = (
        Table("means", pl.DataFrame(rows), columns, caption),
        Prose(
            "The best cluster is optimistic: to pick it, you would have to know which documents are relevant. Random "
            f"clusters of the same sizes reach an F1 of {by_chance} that way ({result.draws:,} deals, seed "
            f"{result.seed}), these reach {in_clusters}, and the flat list, cut after as many documents, {of_list}."
        ),
        Prose(f"{number_of('query', result.best.height)}; relevant from a grade of {result.level:g} on."),
    )
    data = settings_of(result, "order", "level", "draws", "seed", "warnings") | {"queries": result.best.to_dicts()}
    return Section("best", parts=parts, data=data)


def evaluation_document(evaluation: Evaluation, per_query: bool = False) -> Document:
    """The queries if they are asked for; then scores and coverage, why there is no number, and how scores were made."""
    scores = [
        {"system": system.name, "measure": str(measure)} | evaluation.summary(measure, system.name)._asdict()
        for system in evaluation.systems
        for measure in evaluation.measures
    ]
    qrels = evaluation.qrels
    judgments = {"name": qrels.name, "format": qrels.format, "topics": len(qrels.topics)}
    settings = {
        "qrels": judgments | {"judgments": qrels.frame.height},
        "policies": asdict(evaluation.policies) | {"undefined": evaluation.undefined},
        "seed": evaluation.seed,
        "signatures": evaluation.signatures,
        "warnings": list(evaluation.warnings),
    }
    sections = (
        *([_queries(evaluation)] if per_query else []),
        Section("systems", parts=(_systems(evaluation),), data={"scores": scores}),
        _coverage(evaluation),
        Section.of_lines("undefined", evaluation.without_number),
        Section("settings", data=settings),
        *([prose_section("notes", evaluation.notes)] if evaluation.notes else []),
    )
    return Document("evaluation", sections, "Evaluation")


def _kind(measure: Measure) -> Literal["short", "number"]:
    """Counts are whole numbers, unless ties are counted as expected."""
    return "short" if measure.definition.summary == "sum" else "number"


def _systems(evaluation: Evaluation) -> Table:
    numbers = (
        Column(str(measure), kind=_kind(measure), compared="column", best=end_of(measure))
        for measure in evaluation.measures
    )
    return Table("systems", evaluation.to_frame(), (Column("system"), *numbers), turned=True)


def _queries(evaluation: Evaluation) -> Section:
    """Every query of every system, and why one has no value."""
    numbers = (Column(str(measure), kind=_kind(measure)) for measure in evaluation.measures)
    columns = (Column("system"), Column("query_id"), *numbers)
    undefined = {
        system.name: {
            str(measure): {query: why for query, why in zip(system.ranks.queries, result.reasons(), strict=True) if why}
            for measure, result in system.results.items()
            if result.undefined
        }
        for system in evaluation.systems
    }
    table = Table("queries", evaluation.to_frame(per_query=True), columns)
    return Section("queries", parts=(table,), data={"undefined": undefined})


def _coverage(evaluation: Evaluation) -> Section:
    topics = {
        "missing_topics": {system.name: system.ranks.missing_topics for system in evaluation.systems},
        "ignored_topics": {system.name: sorted(system.ranks.ignored_topics) for system in evaluation.systems},
    }
    return Section("coverage", parts=(coverage_table(evaluation),), data=topics)


def coverage_table(evaluation: Evaluation) -> Table:
    """Topics, missing and ignored ones, relevant documents found, the share judged, ties, undefined values."""
    undefined = [
        max(evaluation.summary(measure, system.name).undefined for measure in evaluation.measures)
        for system in evaluation.systems
    ]
    counts = evaluation.coverage.select("relevant_retrieved", "relevant").rows()
    retrieved = [f"{relevant:,} of {every:,}" for relevant, every in counts]
    frame = evaluation.coverage.with_columns(_relevant_found=pl.Series(retrieved), undefined=pl.Series(undefined))
    share = Column("judged@10", "judged in top 10", "bar")
    if evaluation.policies.complete:
        frame, share = frame.with_columns(judgments=pl.lit("declared complete")), Column("judgments", kind="words")
    columns = (
        Column("system"),
        *(Column(name, kind="count") for name in ("topics", "missing", "ignored")),
        Column("_relevant_found", "relevant found", "words"),
        share,
        Column("tied", "judged documents with tied scores", "count"),
        Column("undefined", kind="count"),
    )
    return Table("coverage", frame, columns, turned=True)


#: More folds or settings than these are not listed one by one.
_MOST_FOLDS, _MOST_SETTINGS = 12, 30


def tuning_document(result: Tuning) -> Document:
    """The numbers side by side, what each fold chose if folds are few, the settings; and what all that means."""
    folds = _folds(result)
    every = {"folds": folds.frame.to_dicts(), "topics": result.per_topic().to_dicts()}
    settings = {"settings": result.per_setting().to_dicts()}
    sections = (
        Section("numbers", parts=(_numbers(result),), data=_values(result)),
        Section("folds", parts=(folds,) if len(result.folds) <= _MOST_FOLDS else (), data=every),
        Section("settings", parts=(_settings(result),), data=settings),
        prose_section("meaning", _lines(result)),
        prose_section("notes", result.notes),
    )
    return Document("tuning", sections, f"{number_of('setting', len(result.settings))} tuned by {result.measure}")


def _values(result: Tuning) -> dict[str, Any]:
    """The values that the tables have no room for."""
    from assay.verbs.sections.comparisons import finding_rows  # noqa: PLC0415  # evaluations need no SciPy

    finding = None if result.finding is None else finding_rows([result.finding])[0]
    values = settings_of(result, "measure", "seed", "warnings", "optimism", "stability")
    return values | {"splits": result.says, "interval": result.interval._asdict(), "comparison": finding}


def _numbers(result: Tuning) -> Table:
    level = f"{as_level(result.interval.level)} interval"
    columns = (
        Column("what", ""),
        Column("setting", missing="chosen in each fold"),
        Column(result.measure, kind="number"),
        Column(result.measure, level, "interval", ends=("interval_low", "interval_high"), missing=DASH),
    )
    return Table("numbers", result.to_frame().filter(pl.col("what") != "setting"), columns)


def _folds(result: Tuning) -> Table:
    columns = (
        Column("fold"),
        Column("chosen"),
        Column("topics", kind="count"),
        Column("train", "on other topics", "number"),
        Column("test", "on its own", "number"),
    )
    frame = pl.DataFrame([fold._asdict() for fold in result.folds])
    return Table("folds", frame, columns, "chosen in each fold")


def _settings(result: Tuning) -> Table:
    """All settings, or the best of many. The name tells the parameters already."""
    frame = result.per_setting()
    caption = "settings on all topics"
    if frame.height > _MOST_SETTINGS:
        is_lower_better = result.sample.higher_is_better is False
        frame = frame.sort(result.measure, descending=not is_lower_better, maintain_order=True).head(_MOST_SETTINGS)
        caption = f"the best {_MOST_SETTINGS} of {len(result.settings)} settings on all topics"
    frame = frame.with_columns(often=pl.col("chosen").replace(0, None))
    columns = (
        Column("setting"),
        Column(result.measure, kind="number"),
        Column("often", "folds that chose it", "count", missing=DASH),
    )
    best = frozenset({(frame["setting"].to_list().index(result.hindsight), result.measure)})
    return Table("settings", frame, columns, caption, best=best)


def _lines(result: Tuning) -> Iterator[str]:
    """The meaning of the numbers, the certainty of the gain, and what is not covered."""
    flatters = f"flatters by {number(result.optimism)} here" if result.optimism > 0 else ""
    (name, most), *others = Counter(fold.chosen for fold in result.folds).most_common()
    choices = f"; {number_of('setting', 1 + len(others))} were chosen in all" if others else ""
    tested = "" if result.finding is None else f"; test: {result.finding.outcome.note}"
    yield (
        f"Tuned on other topics: each topic is measured with the setting that was best on the topics of other folds "
        f"({result.says}). Expect this on new topics if you choose one of "
        f"{number_of('setting', len(result.settings))} with this many topics."
    )
    yield (
        "Best in hindsight: chosen and measured on the same topics, which "
        f"{flatters or 'mostly flatters, though not here'}. "
        f"{result.hindsight} is the setting to use; its number is not the one to report."
    )
    yield f"{name} was chosen in {most} of {number_of('fold', len(result.folds))}{choices}."
    if result.finding is not None:
        from assay.verbs.sections.sentences import of_finding  # noqa: PLC0415  # evaluations need no SciPy

        yield of_finding(result.finding, result.sample.unit_kind, power=0.8)
    yield (
        f"Interval: topics resampled, and settings chosen again each time{tested}; seed {result.seed}. Not covered: "
        "topics of another kind, and a grid that was drawn up after looking at these topics."
    )
