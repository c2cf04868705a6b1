"""Documents of compared click models: the quality of predictions, examination, differences to judgments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from assay.core.digits import as_level, as_percents
from assay.core.errors import number_of, several
from assay.show.charts import lines
from assay.show.figure import Figure, Scale, Series
from assay.show.model import Column, Document, Prose, Section, Table
from assay.subjects.clicks.model_comparison import ClickModelComparison

#: Rows in text to be read at a stretch.
_MOST = 20
#: Models that know nothing of examination.
_RATES = ("GCTR", "RCTR", "DCTR")


def comparison_document(result: ClickModelComparison) -> Document:
    """The models by how well they predict clicks, curves of examination and perplexity, disagreements."""
    compared = result.disagreements
    sections = [
        Section("summary", parts=tuple(Prose(line) for line in _summary(result)), data={"settings": result.settings}),
        Section("models", "On held-out pages", (_models(result),)),
        Section("ranks", "By rank", (_perplexity(result), _ranks(result))),
        Section("examination", "What is examined", (_examination(result), _examined(result))),
        Section("continuation", "Continuation", (_continuation(result),) if _going_on(result).height else ()),
    ]  # fmt: skip
    if compared is not None:
        sections.append(
            Section("disagreements", "Where clicks and judgments disagree most", (_disagreements(compared),))
        )
    sections.append(Section.of_lines("warnings", result.warnings))
    kept = tuple(section for section in sections if section.parts)
    return Document("click model comparison", kept, f"Click models: {result.name}")


def _summary(result: ClickModelComparison) -> Iterator[str]:
    best, settings = result.best, result.settings
    top = result.table.filter(pl.col("model") == best).row(0, named=True)
    if top["log_likelihood"] is None:
        hint = "" if any(settings["prior"]) else ": a prior above 0 makes rare events possible"
        yield f"Every model rules out something that happened{hint}."
    elif result.table.height > 1 and not result.is_enough:
        units = number_of(f"held-out {settings['unit']}", settings["held_out_units"])
        yield f"{best} has the highest log-likelihood, but {units} are too few to tell which model is best."
    elif result.table.height > 1:
        unsure = (pl.col("behind_best_high") >= 0) | pl.col("behind_best_high").is_null()
        known = pl.col("log_likelihood").is_not_null()  # one that rules out what happened is worse
        alike = result.table.filter((pl.col("model") != best) & known & unsure)["model"].to_list()
        others = f"; no clear difference from {', '.join(alike)}" if alike else ", clearly better than all others"
        yield f"Best: {best} predicts the held-out clicks best{others}."
    clicks, skips = settings["prior"]
    if clicks or skips:
        yield (
            f"Every parameter has a prior of {clicks:g} pseudo-click{'s' * (clicks != 1)} and {skips:g} pseudo-skip"
            f"{'s' * (skips != 1)}, which pulls what was rarely shown towards {clicks / (clicks + skips):.2g}."
        )
    else:
        yield "Parameters are those of maximum likelihood, without a prior."
    pages = (number_of("page", settings[name]) for name in ("training_pages", "held_out_pages"))
    how = "the latest" if settings["split"] == "time" else f"drawn at random, seed {settings['seed']}"
    yield "Fitted to {}, tested on {} ({}).".format(*pages, how)
    unseen, more = as_percents([settings["unseen"], settings["several_clicks"]])
    yield (
        f"{unseen} of the held-out results were never shown for their query in training: they count with the mean of "
        f"all. {more} of all pages have several clicks."
    )
    for row in result.table.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
        yield f"{row['model']}: {row['reason']}. Its log-likelihood is minus infinity, and not shown."


def _models(result: ClickModelComparison) -> Table:
    level = as_level(result.settings["confidence"])
    columns: tuple[Column, ...] = (
        Column("model"),
        Column("log_likelihood", "log-likelihood", "number", least=4, best="high", note="per result"),
        Column("behind_best", "behind the best", "estimate", ends=("behind_best_low", "behind_best_high")),
        Column("perplexity", kind="estimate", ends=("perplexity_low", "perplexity_high"), best="low"),
        Column("conditional_perplexity", "given clicks above", "estimate", best="low",
               ends=("conditional_perplexity_low", "conditional_perplexity_high")),
        Column("impossible_pages", "impossible pages", "percent", spare=True),
        Column("iterations", kind="count", missing="", spare=True),
    )  # fmt: skip
    paired = "; those behind the best are of paired differences"
    if len(result.order) == 1:  # nothing to be behind of
        columns, paired = tuple(column for column in columns if column.name != "behind_best"), ""
    notes = (
        f"Log-likelihood: mean natural logarithm per result of what happened, given the clicks above. Perplexity: mean "
        f"over ranks, 1 is perfect, 2 a coin. {level} intervals over {several(result.settings['unit'])}{paired}.",
    )
    frame = pl.DataFrame({"model": result.order}).join(result.table, on="model", maintain_order="left")
    return Table("models", frame, columns, notes=notes)


def _shown(result: ClickModelComparison) -> list[str]:
    """The models, best first, those that know nothing of examination last: what is grey is what matters least."""
    return sorted(result.order, key=lambda name: name in _RATES)


def _ranks(result: ClickModelComparison) -> Table:
    caption = "Perplexity by rank, regardless of the clicks above"
    return _by_model("ranks", result.ranks, "perplexity", _shown(result), caption)


def _examined(result: ClickModelComparison) -> Table:
    names = [name for name in _shown(result) if name not in _RATES] or _shown(result)
    return _by_model(
        "examined", result.examination, "examination", names,
        f"How probable it is that a result is examined ({_prior(result)}; at most 1, which is the scale)",
    )  # fmt: skip


def _prior(result: ClickModelComparison) -> str:
    clicks, skips = result.settings["prior"]
    return f"prior {clicks:g} {skips:g}" if clicks or skips else "maximum likelihood"


def _by_model(name: str, frame: pl.DataFrame, value: str, models: list[str], caption: str) -> Table:
    """One row per rank, one column per model."""
    wide = frame.filter(pl.col("model").is_in(models)).pivot("model", index=["rank", "shown"], values=value)
    columns = (Column("rank", kind="count"), Column("shown", kind="count"),
               *(Column(model, kind="number", least=3) for model in models))  # fmt: skip
    return Table(name, wide, columns, caption, most=_MOST)


def _going_on(result: ClickModelComparison) -> pl.DataFrame:
    frames = [model.shared.select(pl.lit(name).alias("model"), pl.all()) for name, model in result.models.items()]
    return pl.concat(frames).filter(pl.col("parameter").str.starts_with("continuation"))


def _continuation(result: ClickModelComparison) -> Table:
    columns = (Column("model"), Column("parameter"), Column("rank", kind="count", missing=""),
               Column("value", kind="number", least=3))  # fmt: skip
    return Table("continuation", _going_on(result), columns, most=_MOST)


def _perplexity(result: ClickModelComparison) -> Figure:
    frame = result.ranks.select("model", "rank", "shown", "perplexity", low="perplexity_low", high="perplexity_high")
    return _curve(result, "perplexity_by_rank", frame, ("perplexity", Scale("perplexity", low=1.0)),
                  "Perplexity by rank: lower is better")  # fmt: skip


def _examination(result: ClickModelComparison) -> Figure:
    modelled = ~pl.col("model").is_in(_RATES)
    frame = result.examination.filter(modelled) if result.examination.filter(modelled).height else result.examination
    return _curve(result, "examination", frame, ("examination", "probability of being examined"),
                  "How probable it is that a result is examined, by rank")  # fmt: skip


def _curve(
    result: ClickModelComparison, name: str, frame: pl.DataFrame, up: tuple[str, Scale | str], title: str
) -> Figure:
    frame = frame.rename({"model": "system"})
    series = [Series(each) for each in _shown(result) if each in set(frame["system"])]
    across = Scale("rank", 1.0, max(2.0, *map(float, frame["rank"])), whole=True)
    figure = lines(frame, ("rank", across), up, series, key="model")
    return replace(figure, name=name, title=title, says=f"{title}, one line for each model")


def _disagreements(frame: pl.DataFrame) -> Table:
    columns = (
        Column("query_id", "query"), Column("doc_id", "document"), Column("grade", kind="short"),
        Column("grade_mean", "usual for the grade", "number", least=3),
        Column("relevance", "by clicks", "estimate", ends=("low", "high")), Column("impressions", "shown", "count"),
    )  # fmt: skip
    differing = frame.filter(pl.col("distance") > 0)
    caption = (
        f"{differing.height:,} of {number_of('judged document', frame.height)} whose relevance by the clicks "
        f"({frame['model'][0]}) is not what is usual for their grade; the {min(_MOST, differing.height)} most different"
    )
    return Table("disagreements", differing.head(_MOST), columns, caption)
