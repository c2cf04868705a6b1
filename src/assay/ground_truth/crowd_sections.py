"""Documents of crowd labels, files of HITs and audits of a model's labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from assay.core.errors import joined, listed, number_of
from assay.core.words import Tone
from assay.show import charts
from assay.show.figure import Scale, Series
from assay.show.model import Column, Document, Prose, Section, Table, Verdict

if TYPE_CHECKING:
    from assay.ground_truth.crowd import CrowdLabels
    from assay.ground_truth.hits import HitFile
    from assay.ground_truth.llm import Criterion, JudgeAudit

#: So many rows of items and of workers are shown in a terminal.
_MOST = 20
#: More workers than this are counted, and not named.
_MOST_NAMED = 10
_METHODS = {
    "dawid-skene": "Dawid and Skene's model: a confusion matrix for each worker",
    "mace": "MACE: each worker knows the answer, or guesses",
    "majority": "majority vote",
    "weighted": "vote weighted by accuracy",
    "median": "median label",
}
_TONES: dict[str, Tone] = {"usable": "good", "not usable": "bad", "cannot say": "open"}
_WHAT = {
    "kappa": "agreement with people (kappa)",
    "leniency": "leniency (share of the scale)",
    "flips": "flips when asked again",
    "position flips": "flips at another position",
    "ranking": "ranking of systems (tau)",
    "family": "lift of its own family",
}


def crowd_document(result: CrowdLabels) -> Document:
    """The items, what the labels rest on, the workers, how many labels are enough."""
    settings = {name: value for name, value in result.settings.items() if name not in {"gold", "categories"}}
    trace = {"trace": result.aggregate.trace, "converged": result.aggregate.converged}
    sections = (
        Section("summary", parts=tuple(Prose(line) for line in _summary(result)), data={"settings": settings, **trace}),
        Section("items", "Labels", (_item_table(result),)),
        Section("workers", "Workers", (_workers_table(result), *_flag_lines(result))),
        *_enough_section(result),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("crowd labels", sections, "Labels of a crowd")


def workers_document(result: CrowdLabels) -> Document:
    """The workers alone, with what each of them cost where labels have a price."""
    table = _workers_table(result)
    price = result.settings["price"]
    cost: tuple[Prose, ...] = ()
    if price is not None:
        frame = table.frame.with_columns(cost=price * pl.col("labels"))
        columns = (*table.columns, Column("cost", kind="number", least=2))
        table, cost = replace(table, frame=frame, columns=columns), (Prose(_cost(result)),)
    sections = (
        Section("workers", "Workers", (table, *_flag_lines(result), *cost)),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("crowd labels", sections, "Workers")


def _cost(result: CrowdLabels) -> str:
    return f"Cost: {result.cost:,.2f} at {result.settings['price']:g} per label."


def _summary(result: CrowdLabels) -> list[str]:
    labels, items, workers = result.labels.sizes
    names = f" ({joined(result.labels.judges)})" if workers <= _MOST_NAMED else ""
    counts = f"{number_of('label', labels)} of {number_of('item', items)} by {number_of('worker', workers)}{names}"
    lines = [f"{counts}; {_METHODS[result.settings['method']]}."]
    right, known, interval = result.accuracy
    if known:
        ends = f"{interval.low:.1%} to {interval.high:.1%}"
        lines.append(f"Right on {right:,} of {known:,} gold items: {right / known:.1%} ({ends}).")
    passes = len(result.aggregate.trace)
    if passes:
        end = "Converged" if result.aggregate.converged else "Stopped before it converged,"
        lines.append(f"{end} after {number_of('iteration', passes)}.")
    if result.excluded:
        lines.append(f"Left out (their labels stay in the table): {listed(list(result.excluded))}.")
    if result.cost is not None:
        lines.append(_cost(result))
    return lines


def _item_table(result: CrowdLabels) -> Table:
    unseen = [] if result.accuracy[1] else ["gold"]
    frame = result.items.with_columns(pl.col("label", "gold").cast(pl.String)).drop(unseen)
    titles = {"entropy": "entropy (bits)"}
    return Table.of("items", frame, "", titles, most=_MOST, least=3, blank=("gold",), label="words", gold="words")


def _workers_table(result: CrowdLabels) -> Table:
    """One row per worker: the flagged ones first, then by number of labels."""
    columns = (
        Column("worker"),
        Column("labels", kind="count"),
        Column("accuracy", "right on gold", "percent", also="_of"),
        Column("agreement", "with the others", "percent"),
        Column("chance", "by chance", "percent"),
        Column("p_corrected", "p", "p"),
        Column("seconds", kind="number", least=1),
        Column("commonest_share", "commonest answer", "percent", also="_which", spare=True),
        Column("flagged", kind="flag"),
    )
    frame = result.workers.sort("flagged", "labels", descending=True, maintain_order=True).with_columns(
        _of=pl.when(pl.col("gold") > 0).then(pl.format(" of {}", "gold")).otherwise(pl.lit("")),
        _which=pl.format(" ({})", "commonest"),
    )
    known = tuple(column for column in columns if frame[column.name].count())
    note = "p: whether a worker beats what the same habits would give by chance, corrected for all workers (Holm)."
    return Table("workers", frame, known, notes=(note,), most=_MOST)


def _flag_lines(result: CrowdLabels) -> tuple[Prose, ...]:
    flagged = result.workers.filter("flagged").sort("labels", descending=True)
    if not flagged.height:
        return (Prose("No worker is flagged."),)
    share = float(flagged["labels"].sum()) / len(result.labels)
    head = f"{number_of('worker', flagged.height)} flagged, with {share:.1%} of the labels:"
    points = [f"{worker}: {reason}" for worker, reason in flagged.select("worker", "reason").iter_rows()]
    more = [f"and {number_of('worker', len(points) - _MOST)} more"] if len(points) > _MOST else []
    return (Prose(head), Prose(style="list", points=(*points[:_MOST], *more)))


def _enough_section(result: CrowdLabels) -> tuple[Section, ...]:
    frame, k = result.enough, result.labels_enough
    if k is None or frame.height < 2:
        return ()
    by_gold = frame["reference"][0] == "gold"
    most = int(frame["labels_per_item"][-1])
    text = f"{number_of('label', k)} per item: within 0.01 of what {most} give."
    if k == most:
        text = f"More than {most} labels per item might still help: the last one did."
    if not by_gold:
        text += " The labels drawn are among those they are compared with, so small numbers look better than they are."
    columns = (
        Column("labels_per_item", "labels per item", "count"),
        Column(
            "share", f"agree with {'gold' if by_gold else 'the label of all workers'}", "estimate", ends=("low", "high")
        ),
        *([Column("cost", kind="number", least=2)] if result.cost is not None else []),
    )
    lead = (
        f"Majority of labels drawn at random, {number_of('item', frame['items'][0])}, seed {result.settings['seed']}; "
        "in brackets the least and the most over the draws."
    )
    x, y = ("labels_per_item", Scale("labels per item")), ("share", Scale("share right"))
    figure = charts.lines(frame.with_columns(system=pl.lit("majority")), x, y, [Series("majority")])
    parts = (Table("enough", frame, columns), figure, Prose(text))
    return (Section("enough", "How many labels are enough", parts, lead=lead, short="Enough labels"),)


def hits_document(result: HitFile) -> Document:
    """The document of a file of HITs: its contents and its cost."""
    settings = result.settings
    gold = int((result.key["relevance"] >= 0).sum())
    documents = result.key.height - gold
    lines = [
        f"{number_of('HIT', result.frame.height)}: {number_of('document', documents)} to label, "
        f"{number_of('gold question', gold)} mixed in (seed {settings['seed']}).",
        f"{number_of('worker', settings['redundancy'])} per HIT: {number_of('assignment', result.assignments)} at "
        f"{settings['price']:g}, and a fee of {settings['fee']:.0%}: {result.cost:,.2f} in all.",
    ]
    frame = result.key.group_by("hit", "query_id", maintain_order=True).agg(
        questions=pl.len(), gold_questions=(pl.col("relevance") >= 0).sum()
    )
    table = Table.of("hits", frame, "", {"gold_questions": "gold"}, most=_MOST)
    sections = (
        Section("summary", parts=tuple(map(Prose, lines)), data={"settings": dict(settings), "cost": result.cost}),
        Section("hits", "HITs", (table,)),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("hits", sections, "HITs")


def audit_document(audit: JudgeAudit) -> Document:
    """The verdict and what it rests on; then the confusion, flips, systems and slices."""
    verdict = Verdict(audit.verdict, _TONES[audit.verdict], _sentence(audit))
    data = {"recorded": dict(audit.recorded), "settings": dict(audit.settings)}
    confusion = Table.of("confusion", audit.confusion, "", {"people": ""})
    ends = ("low", "high")
    flips = (
        Column("kind", "labelled again"), Column("items", kind="count"), Column("flips", kind="count"),
        Column("share", kind="estimate", ends=ends),
    )  # fmt: skip
    slices = (
        Column("slice"), Column("group"), Column("items", kind="count"), Column("agreement", kind="percent"),
        Column("kappa", kind="estimate", ends=ends), Column("leniency", kind="number", least=3, signed=True),
    )  # fmt: skip
    sections = (
        Section("verdict", parts=(verdict, *_context(audit)), data=data),
        Section("criteria", "What that rests on", (_criteria(audit),)),
        Section("confusion", "People's labels (rows) by the model's (columns)", (confusion,)),
        Section("flips", "Flips", (Table("flips", audit.flips, flips),)),
        Section("systems", f"Systems by {audit.settings['measure']}", (_systems(audit),)),
        Section("slices", "Slices", (Table("slices", audit.slices, slices, most=_MOST),)),
        Section.of_lines("notes", audit.warnings),
    )
    empty = {name for name in ("flips", "systems", "slices") if not getattr(audit, name).height}
    return Document(
        "judge audit", tuple(each for each in sections if each.name not in empty), "Audit of a model's labels"
    )


def _sentence(audit: JudgeAudit) -> str:
    failed = [each for each in audit.criteria if each.holds is False]
    undecided = [each for each in audit.criteria if each.holds is None]
    if failed:
        return f"Not usable for this collection: {_named(failed)}."
    if undecided:
        return f"Cannot say whether it is usable; still open: {_named(undecided)}."
    return "Usable for this collection: it reaches everything asked for below. For another one, audit it again."


def _named(criteria: list[Criterion]) -> str:
    return "; ".join(_WHAT[each.name] + (f" ({each.reason})" if each.reason else "") for each in criteria)


def _context(audit: JudgeAudit) -> tuple[Prose, ...]:
    recorded = ", ".join(f"{name} {value}" for name, value in audit.recorded.items())
    missing = "Not recorded: which model, prompt and parameters made these labels. Keep them beside the labels."
    lines = [f"Recorded: {recorded}." if recorded else missing]
    agreement = audit.settings["people_agreement"]
    if agreement is not None:
        flagged = [f"{name} ({reason})" for name, reason in audit.settings.get("people_flagged", {}).items()]
        named = f"; flagged: {', '.join(flagged)}" if flagged else ""
        lines.append(f"{audit.settings['people']:,} people agree with one another on {agreement:.1%} of pairs{named}.")
    return tuple(map(Prose, lines))


def _criteria(audit: JudgeAudit) -> Table:
    words = {True: "holds", False: "does not hold", None: "open"}
    outcomes = [(_WHAT[each.name], words[each.holds]) for each in audit.criteria]
    frame = audit.to_frame().hstack(pl.DataFrame(outcomes, schema=["what", "outcome"], orient="row"))
    columns = (
        Column("what", "criterion"), Column("value", "value [95% interval]", "estimate", ends=("low", "high")),
        Column("asked", "asked for", "words"), Column("outcome", kind="words"),
    )  # fmt: skip
    note = "The interval of tau comes from resampled topics, the others from resampled items."
    return Table("criteria", frame, columns, notes=(note,) if audit.systems.height else ())


def _systems(audit: JudgeAudit) -> Table:
    titles = {"people_place": "place", "model_place": "place"}
    return Table.of("systems", audit.systems, "", titles, blank=("family",))
