"""Documents of pools, simulations, choices of runs, estimates from samples and pool bias."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from assay.core.digits import as_level
from assay.core.errors import joined, number_of
from assay.ground_truth.bias import LEAST_TAU, MOST_LOSS, MOST_LOSS_OF_ONE
from assay.show import charts
from assay.show.figure import Figure, Scale, Series
from assay.show.model import Column, Document, Prose, Section, Table, Verdict

if TYPE_CHECKING:
    from assay.ground_truth.bias import FairnessVerdict, PoolBias
    from assay.ground_truth.choice import RunChoice
    from assay.ground_truth.inference import InferredScores
    from assay.ground_truth.pooling import Pool
    from assay.ground_truth.simulation import PoolSimulation

#: So many rows of long tables are shown where there is little room.
_MOST, _FIRST = 20, 6


def pool_document(pool: Pool) -> Document:
    """A pool: its size, what each run adds, and what the next step would cost; the pool itself in full."""
    sizes = pool.to_judge()["query_id"].value_counts()["count"].to_list()
    settings = pool.settings
    number = number_of("document", sum(sizes))
    runs = number_of("run", len(pool.ranks.runs))
    each = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    claim = f"{number} to judge for {number_of('topic', len(sizes))} ({each} per topic), from {runs}"
    seed = f", seed {settings['seed']}" if settings["order"] == "random" or settings["strata"] else ""
    how = f"{_strategy(settings)}; order: {settings['order']}{seed}"
    titles = {
        "unique": "only this run",
        "unique_to_group": "only its group",
        "unique_relevant": "relevant, only this run",
        "unique_relevant_to_group": "relevant, only its group",
    }
    contributions = Table.of("contributions", pool.contributions(), "What each run adds", titles, most=_MOST)
    sections = (
        Section("pool", parts=(Prose(claim, "claim"), Prose(how, "dim")), data={"settings": dict(settings)}),
        Section("contributions", parts=(contributions,)),
        Section("strata", parts=(_strata(pool),))
        if settings["strata"]
        else Section("next_steps", parts=(_steps(pool),)),
        Section("documents", "Documents to judge", (Table.of("documents", pool.frame, most=_FIRST),), long=True),
        Section("sources", "Where they come from", (Table.of("sources", pool.sources, most=_FIRST),), long=True),
        Section.of_lines("warnings", pool.warnings),
    )
    return Document("pool", sections, claim)


def _strategy(settings: Any) -> str:
    if settings["strata"]:
        rates = (f"{as_level(rate)} down to rank {rank}" for rank, rate in settings["strata"].items())
        return f"sample by best rank: {', '.join(rates)}"
    budget = "" if settings["budget"] is None else f", {number_of('document', settings['budget'])} per topic"
    return f"strategy {settings['strategy']}, runs read to rank {settings['depth']}{budget}"


def _strata(pool: Pool) -> Table:
    is_drawn = pl.col("order").is_not_null()
    frame = pool.frame.group_by("stratum").agg(documents=pl.len(), drawn=is_drawn.sum()).sort("stratum")
    frame = frame.with_columns(share=pl.col("drawn") / pl.col("documents"))
    titles = {"stratum": "best rank up to", "drawn": "to judge"}
    return Table.of("strata", frame, "What is drawn", titles, stratum="chosen", share="percent")


def _steps(pool: Pool) -> Table:
    titles = {"documents": "documents (mean)", "in_all": "in all topics", "relevant": "known relevant (mean)"}
    note = "one more rank: per topic; one more run: what each run adds to the others; one more topic: what each has"
    return Table.of(
        "next_steps",
        pool.next_steps(),
        "What the next step would cost",
        titles,
        notes=(note,),
        least=1,
        blank=("in_all",),
    )


def simulation_document(result: PoolSimulation) -> Document:
    """A simulation: finds by the number judged, the order of systems, and the finds of words alone."""
    settings = result.settings
    measures = result.settings["measures"]
    relevant = f"{settings['relevant']:,} relevant"
    topics = number_of("topic", settings["topics"])
    shares = result.curve.filter(measure=measures[0])
    tables = [_by_budget("found", shares, "share", "Share of the relevant documents found", "percent")]
    for measure in measures:
        caption = f"Kendall's tau of the order of systems by {measure}, against all judgments"
        tables.append(_by_budget(f"tau {measure}", result.curve.filter(measure=measure), "tau", caption, "number"))
    lines = (Prose(line, "plain" if number else "claim") for number, line in enumerate(_best(shares, result)))
    sections = [
        Section("summary", parts=tuple(lines), data={"settings": dict(settings)}),
        Section(
            "simulation",
            parts=tuple(tables),
            data={"curve": result.curve.to_dicts()},
            lead=f"{number_of('judgment', settings['judged'])}, {relevant}, {topics}",
        ),
        Section("figure", parts=(_curves(shares, result),)),
    ]
    if result.texts is not None:
        titles = {"strategy": "judge all documents with", "per_topic": "per topic", "share": "share found"}
        titles |= {"relevant": "relevant found", "missed": "relevant missed"}
        words = Table.of("texts", result.texts, "What words alone would find", titles, least=1, share="percent")
        sections.append(Section("texts", parts=(words,)))
    sections.append(Section.of_lines("warnings", result.warnings))
    return Document("pool simulation", tuple(sections), "Pooling strategies")


def _best(shares: pl.DataFrame, result: PoolSimulation) -> Iterator[str]:
    """The strategy with most finds at the budget nearest to half of all, and the order of systems there."""
    half = result.settings["in_runs"] / result.settings["topics"] / 2
    budget = min(result.settings["budgets"], key=lambda each: abs(each - half))
    rows = shares.filter(budget=budget).drop_nulls("share").sort("share", descending=True, maintain_order=True)
    if rows.height > 1:
        first = rows.row(0, named=True)
        last = rows.row(-1, named=True)
        most = f"{first['strategy']} finds most:"
        rest = f" ({last['strategy']}: {last['share']:.0%})"
        if first["share"] == last["share"]:
            most, rest = "all strategies find", ""
        yield (
            f"With {number_of('document', budget)} per topic, {most} {first['share']:.0%} of the relevant "
            f"documents{rest}."
        )
    is_low = pl.col("tau").is_null() | (pl.col("tau") < LEAST_TAU)
    last_low = pl.col("budget").filter(is_low).max().fill_null(0).over("strategy")
    for measure in result.settings["measures"]:
        stable = result.curve.filter(measure=measure).filter(pl.col("budget") > last_low)
        stable = stable.sort("budget", maintain_order=True)
        words = f"{measure}: no strategy keeps a tau of {LEAST_TAU:g} within these budgets."
        if stable.height:
            fewest = number_of("document", int(stable["budget"][0]))
            words = (
                f"{measure}: the order of systems is nearly that of all judgments (tau {LEAST_TAU:g} or more) from "
                f"{fewest} per topic on, by {stable['strategy'][0]}."
            )
        yield words


def _by_budget(name: str, rows: pl.DataFrame, value: str, caption: str, kind: Any) -> Table:
    frame = rows.pivot("strategy", index="budget", values=value, maintain_order=True)
    columns = (Column(each, kind=kind, least=3 if kind == "number" else None) for each in frame.columns[1:])
    return Table(name, frame, (Column("budget", "per topic", "chosen"), *columns), caption)


def _curves(shares: pl.DataFrame, result: PoolSimulation) -> Figure:
    points = shares.select(system="strategy", judged="judged", found="relevant")
    series = [Series(name) for name in result.settings["strategies"]]
    across, up = Scale("documents judged", zero=True), Scale("relevant documents found", zero=True)
    figure = charts.lines(points, ("judged", across), ("found", up), series, key="strategy")
    return replace(
        figure,
        name="found",
        title="Relevant documents found by documents judged",
        says="One line per strategy: the steeper it rises, the fewer judgments it takes to find what is relevant.",
    )


def choice_document(result: RunChoice) -> Document:
    """The runs in the order of choice, and the pools of other selections."""
    settings = result.settings
    claim = f"{joined(result.chosen['run'].to_list(), most=10)}: chosen by {settings['by']}, depth {settings['depth']}"
    titles = {"new": "new documents", "new_relevant": "new relevant", "overlap": "largest overlap"}
    chosen = Table.of("chosen", result.chosen.drop("place"), "", titles, blank=("overlap",), overlap="percent")
    rounded = result.selections.with_columns(pl.col(pl.Float64).round().cast(pl.Int64))
    others = Table.of("selections", rounded, "Pools of selections")
    sections = (
        Section("chosen", parts=(Prose(claim, "claim"), chosen), data={"settings": dict(settings)}),
        Section("selections", parts=(others,)),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("run choice", sections, "A varied choice of runs")


def inferred_document(result: InferredScores) -> Document:
    """The estimates with their intervals, and what they rest on."""
    level = as_level(result.settings["confidence"])
    columns = (
        Column("run"),
        Column("measure"),
        Column("value", "estimate", "number", compared="column"),
        Column("value", f"{level} interval", "interval", ends=("low", "high")),
        Column("published", "published formula", "number"),
    )
    titles = {"stratum": "best rank up to", "relevant": "judged relevant", "estimated": "relevant (estimate)"}
    strata = Table.of("strata", result.strata, "The sample", titles, least=0, stratum="chosen")
    meaning = (
        f"{level} interval: where the mean over these topics would lie if the whole pool were judged. It says nothing "
        "about other topics."
    )
    sections = (
        Section("scores", parts=(Table("scores", result.scores, columns),), data={"settings": dict(result.settings)}),
        Section("strata", parts=(strata, Prose(meaning, "dim"))),
        Section("topics", "By topic", (Table.of("topics", result.topics, most=_FIRST),), long=True),
        Section.of_lines("warnings", result.warnings),
    )
    return Document("inferred scores", sections, "Scores from a sample of the pool")


def bias_document(bias: PoolBias) -> Document:
    """The verdict, what leaving out does to each run, and further looks at the pool."""
    settings = bias.settings
    how = "stated" if settings["depth_stated"] else "assumed"
    basis = (
        f"{number_of('judgment', settings['judged'])} of {number_of('topic', settings['topics'])}; "
        f"{number_of('run', settings['runs'])} in {number_of('group', settings['groups'])}; pool depth "
        f"{settings['depth']} ({how})"
    )
    data = {"settings": dict(settings), "verdicts": [each._asdict() for each in bias.verdicts]}
    every = {"left_out_in_full": bias.left_out.to_dicts()}
    few = "What fewer judgments do to a system in the pool"
    sections = (
        Section("verdict", parts=(_verdict(bias), Prose(basis, "dim"), _verdicts(bias)), data=data),
        Section("direction", few, tuple(_direction(bias)), short="Fewer judgments"),
        Section("left_out", parts=(_left_out(bias),), short="Leave-out-uniques", data=every),
        Section("depths", parts=tuple(_depths(bias)), short="Shallower pools"),
        Section("sparse", parts=tuple(_sparse(bias)), short="Sparse judgments"),
        Section("coverage", parts=(_coverage(bias),), short="Coverage"),
        Section("unmatched", parts=tuple(_unmatched(bias.unmatched))),
        Section.of_lines("warnings", bias.warnings),
    )
    return Document("pool bias", tuple(section for section in sections if section.parts), "Pool bias")


def _verdict(bias: PoolBias) -> Verdict:
    """Can the judgments score a system that was not in the pool, and by which measures?"""
    fair = [each.measure for each in bias.verdicts if each.fair]
    unfair = [each for each in bias.verdicts if each.fair is False]
    without = "scored without what only their own group found"
    if not unfair and fair:
        kept = f"runs keep their order (tau {LEAST_TAU:g} or more), and good ones nearly all of their score"
        text = f"These judgments can score a new system fairly by {joined(fair)}: {without}, {kept}."
        return Verdict("fair", "good", text)
    if not unfair:
        if all(math.isnan(each.tau) for each in bias.verdicts):
            whys = [f"{measure} is undefined: {why}" for measure, why in bias.undefined.items()]
            whys += ["runs are tied, or have no score"] if len(whys) < len(bias.verdicts) else []
            return Verdict("undecided", "open", f"No measure has an order of systems to compare: {'; '.join(whys)}.")
        return Verdict("undecided", "open", "Too little to say whether these judgments can score a new system fairly.")
    names = joined([each.measure for each in unfair])
    why = f"{without}, {_reason(unfair)}"
    if fair:
        return Verdict("partly fair", "open", f"Fair to a new system by {joined(fair)}; not by {names}: {why}.")
    return Verdict("not fair", "bad", f"These judgments are not fair to a new system by {names}: {why}.")


def _reason(unfair: list[FairnessVerdict]) -> str:
    """The reason why a rule is broken, by the measure that breaks it most."""
    worst = max(unfair, key=lambda each: each.loss)
    if worst.loss > MOST_LOSS:
        return f"all runs together lose {worst.loss:.0%} of their {worst.measure}"
    worst = max(unfair, key=lambda each: each.largest_loss)
    if worst.largest_loss > MOST_LOSS_OF_ONE:
        return f"runs lose up to {worst.largest_loss:.0%} of their {worst.measure} ({worst.loser})"
    worst = min(unfair, key=lambda each: each.tau)
    return f"runs change places (tau {worst.tau:.2f} by {worst.measure})"


def _verdicts(bias: PoolBias) -> Table:
    words: dict[bool | None, str] = {True: "fair", False: "not fair", None: "undecided"}
    frame = pl.DataFrame([each._asdict() | {"fair": words[each.fair]} for each in bias.verdicts]).fill_nan(None)
    columns = (
        Column("measure"),
        Column("fair", "new systems"),
        Column("tau", kind="number", least=3),
        Column("tau_ap", "tau_AP", "number", least=3),
        Column("change", "mean change", "number", signed=True),
        Column("loss", "all runs lose", "percent"),
        Column("largest_loss", "worst good run", "percent"),
        Column("loser", "which", "words"),
        Column("places", "places moved", "count"),
    )
    note = (
        f"What becomes of systems left out. Fair: a tau of {LEAST_TAU:g} or more; all together lose {MOST_LOSS:.0%} at "
        f"most, and none that scores as much as the median or more loses over {MOST_LOSS_OF_ONE:.0%}."
    )
    return Table("verdicts", frame, columns, notes=(note,))


def _direction(bias: PoolBias) -> Iterator[Prose]:
    """In which direction, and how far, fewer judgments move the scores of systems in the pool."""
    if not bias.depths.height:
        return
    shallow = bias.depths.filter(pl.col("depth") == pl.col("depth").min())
    moves = [
        f"{name} {'falls' if after < before else 'rises'} from {before:.3f} to {after:.3f}"
        for name, before, after in shallow.select("measure", "mean_full", "mean").drop_nulls().iter_rows()
        if f"{before:.3f}" != f"{after:.3f}"
    ]
    if not moves:
        return
    text = (
        f"With the judgments of a pool of depth {shallow['depth'][0]} only, the mean over runs of {joined(moves)}. "
        "Where fewer documents are judged, fewer are known to be relevant: precision is understated, and recall, which "
        "is measured against what was found, overstated."
    )
    yield Prose(text, "paragraph")


def _left_out(bias: PoolBias) -> Table:
    """One row per run, the one that loses most first: its group's own finds, and the loss in each measure."""
    index = ["run", "group", "unique", "unique_relevant"]
    frame = bias.left_out.pivot("measure", index=index, values="relative", maintain_order=True)
    measures = [each.measure for each in bias.verdicts]
    frame = frame.sort(pl.min_horizontal(measures), nulls_last=True, maintain_order=True)
    grouped = (frame["run"] != frame["group"]).any()
    columns = (
        Column("run"),
        *([Column("group")] if grouped else []),
        Column("unique", "judged for it alone", "count"),
        Column("unique_relevant", "of these relevant", "count"),
        *(Column(name, kind="percent", signed=True) for name in measures),
    )
    caption = "Leave-out-uniques: change of score without what the run's group alone found"
    return Table("left_out", frame, columns, caption, most=_MOST)


def _depths(bias: PoolBias) -> Iterator[Table]:
    order = ["depth", "judged", "relevant", "measure", "mean", "mean_full", "tau", "tau_ap"]
    titles = {"mean": "mean of runs", "mean_full": "all judgments", "tau_ap": "tau_AP"}
    caption = "Judgments of shallower pools, against all judgments"
    if bias.depths.height:
        frame = bias.depths.select(order)
        yield Table.of("depths", frame, caption, titles, least=3, depth="chosen", measure="words")


def _sparse(bias: PoolBias) -> Iterator[Table]:
    columns = (
        Column("measure"),
        Column("mean_dense", "all judgments", "number"),
        Column("mean_sparse", "one relevant per topic", "number"),
        Column("tau", kind="range", least=2, ends=("low", "high")),
    )
    note = f"Mean over draws of one relevant document per topic (seed {bias.settings['seed']}); 95% of the taus."
    if bias.sparse.height:
        yield Table("sparse", bias.sparse, columns, "Sparse judgments, against these", (note,))


def _coverage(bias: PoolBias) -> Table:
    names = [name for name in bias.coverage.columns if name != "run"]
    percent: dict[str, Any] = dict.fromkeys(names, "percent")
    return Table.of(
        "coverage", bias.coverage.sort(names[1]), "Share of the first documents judged", most=_MOST, **percent
    )


def _unmatched(table: pl.DataFrame | None) -> Iterator[Prose | Table]:
    if table is None:
        return
    relevant, without = int(table["relevant"].sum()), int(table["unmatched"].sum())
    yield Prose(
        f"{without:,} of {number_of('relevant document', relevant)} ({without / max(relevant, 1):.1%}) hold no word of "
        "the topic's title: a pool of runs that match words alone would miss their like."
    )
    rows = table.filter(pl.col("unmatched") > 0).sort("unmatched", descending=True, maintain_order=True)
    if rows.height:
        yield Table.of("unmatched", rows, "Relevant documents without a word of the title, by topic")
