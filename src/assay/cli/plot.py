"""`assay plot QRELS RUN...`, `assay classifier plot FILE...`, `assay clustering plot FILE...`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from assay.cli import inputs, items, options
from assay.cli.choices import Numbers, number_of
from assay.cli.options import ClusterInputs, LabelInputs, group
from assay.cli.output import message, refuse_absent_columns, remarks
from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.core.evaluation_options import CONTENTS, option
from assay.core.options import ClickRules, EvaluationOptions, LogRules, Sampling, SeedOption

if TYPE_CHECKING:
    from assay.verbs.curves import Curve

#: The kinds of pictures, and the options that each takes, besides those that say what to read.
OF_RUNS = {
    "pr": ("query", "levels"), "roc": ("query",), "cutoff": ("measure", "query"),
    "queries": ("measure",), "difference": ("measure",),
}  # fmt: skip
OF_SCORES = {
    "roc": ("band", "confidence", "resamples", "seed"), "pr": (), "det": (),
    "calibration": ("binning", "confidence"), "gain": (), "lift": (), "scores": ("threshold",),
}  # fmt: skip
OF_CLICKS = ("ranks", "time")
#: Which measure each kind goes with: no other has to be computed.
OF_CLUSTERS = {"silhouette": "Silhouette", "contingency": "Purity", "over-k": ""}


@group
class Target:
    """The file to write."""

    path: Annotated[
        Path | None,
        option("-o", "--output", help="File to write: .svg, .png, .pdf, .html, .json, .csv, .md (assay-KIND.html)."),
    ] = None
    overwrite: options.Overwrite = False
    quiet: options.Quiet = False

    def checked(self, kind: str) -> Path:
        """The file; one whose form is not known, or cannot be drawn, is refused before anything is read."""
        from assay.show.svg import suffix_of  # noqa: PLC0415  # `--help` need not load Polars

        target = self.path or Path(f"assay-{kind}.html")
        suffix_of(target)
        return target


class CurveOfRuns(TypedDict, total=False):
    """What a curve of runs shows."""

    query: options.Query
    levels: Annotated[int, option(help="Levels of recall, evenly spaced from 0 to 1 (pr; 11).", panel=CONTENTS)]


class CurveOfScores(TypedDict, total=False):
    """What a curve of a classifier's scores shows."""

    threshold: Annotated[
        str, option(help="Threshold to mark in scores: a number, or a rule such as youden.", panel=CONTENTS)
    ]
    binning: Annotated[str, option(help="Calibration bins of equal width (default) or mass.", panel=CONTENTS)]
    band: Annotated[str, option(help="Band around the ROC curve: none (default) or pointwise.", panel=CONTENTS)]


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    look: CurveOfRuns,
    rules: EvaluationOptions,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="pr (precision-recall; default), roc, cutoff, queries, difference.")
    ] = "pr",
    measures: options.Measures = (),
) -> None:
    """Draw a curve: precision-recall, ROC, a measure by cutoff, query by query, or the difference of two runs.

    $ assay plot qrels.txt words.run stems.run -o curve.svg
    $ assay plot qrels.txt words.run stems.run --kind difference -m AP -o difference.svg
    """
    Choice(OF_RUNS).check("--kind", kind)
    chosen: dict[str, Any] = {**look}
    if measures:
        chosen["measure"] = options.only(measures, "-m")
    _check(chosen, OF_RUNS[kind], kind)
    target = to.checked(kind)
    files = inputs.opened(qrels, runs)
    with inputs.progress(files, hidden=to.quiet):
        curve = _of_runs(kind, qrels, files, chosen, rules)
    _deliver(curve, target, quiet=to.quiet)


def classifier(
    files: options.PredictionFiles,
    labels: LabelInputs,
    look: CurveOfScores,
    sampling: Sampling,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="roc (default), pr, det, calibration, gain, lift, scores.")
    ] = "roc",
) -> None:
    """Draw a curve of classifiers' scores.

    $ assay classifier plot letters/spam.csv --positive spam -o roc.svg
    $ assay classifier plot letters/spam.csv --positive spam --kind calibration -o calibration.svg
    """
    from assay.subjects.labels import curves as classifier_curves  # noqa: PLC0415

    Choice(OF_SCORES).check("--kind", kind)
    chosen: dict[str, Any] = {**look, **sampling}
    _check(chosen, OF_SCORES[kind], kind)
    with suppress(ValueError, KeyError):
        chosen["threshold"] = float(chosen["threshold"])
    target = to.checked(kind)
    draw = getattr(classifier_curves, {"pr": "precision_recall", "scores": "score_distributions"}.get(kind, kind))
    with inputs.working("drawing", hidden=to.quiet):
        curve = draw(items.scored(files, labels), **chosen)
    _deliver(curve, target, quiet=to.quiet)


def clustering(
    files: options.ClusterFiles,
    clusters: ClusterInputs,
    drawing: SeedOption,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="silhouette (with --points; default), contingency, over-k.")
    ] = "silhouette",
    ks: options.Ks | None = None,
) -> None:
    """Draw silhouettes, classes by clusters, or measures by number of clusters (with --ks).

    $ assay clustering plot notes/notes.csv --unlabelled drop --kind contingency -o contingency.svg
    """
    Choice(OF_CLUSTERS).check("--kind", kind)
    target = to.checked(kind)
    with inputs.working("looking at clusters", hidden=to.quiet):
        if kind == "over-k":
            from assay.subjects.clusters.curves import over_k as curve_over_k  # noqa: PLC0415

            numbers = Numbers(ks=ks, seed=drawing.get("seed"))
            curve = curve_over_k(number_of(files, clusters, clusters.rules, numbers))
        else:
            items.refuse({"ks": ks} if ks else {}, "goes with --kind over-k")
            curve = _of_clusters(kind, files, clusters, drawing)
    _deliver(curve, target, quiet=to.quiet)


def clicks(
    logs: options.LogFiles,
    rules: ClickRules,
    reading: LogRules,
    to: Target,
    kind: Annotated[
        str, option("-k", "--kind", help="ranks (default): clicks by rank; time: a measure by day.")
    ] = "ranks",
    measures: options.Measures = (),
) -> None:
    """Draw how often each rank is clicked, or a measure over time, with confidence bands.

    $ assay clicks plot clicks/log.ndjson.gz -o ranks.svg
    $ assay clicks plot clicks/log.ndjson.gz --kind time -m ZeroResults -o zero-results.svg
    """
    from assay.subjects.clicks import curves  # noqa: PLC0415  # `--help` need not load Polars
    from assay.subjects.clicks.evaluation import clicks as evaluate_clicks  # noqa: PLC0415

    Choice(OF_CLICKS).check("--kind", kind)
    items.refuse({"measures": measures} if measures and kind == "ranks" else {}, "goes with --kind time")
    if len(measures) > 1:
        raise ParameterError(f"--kind {kind} draws one measure, not {len(measures)}")
    target = to.checked(kind)
    with inputs.working("counting clicks", hidden=to.quiet):
        result = evaluate_clicks(items.click_logs(logs, reading), measures=[*(measures or ("CTR",))], **rules)
        curve = curves.by_rank(result) if kind == "ranks" else curves.over_time(result)
    _deliver(curve, target, quiet=to.quiet)


def _check(chosen: dict[str, Any], takes: tuple[str, ...], kind: str) -> None:
    """Refuse options that a kind has no use for: they are not passed over in silence."""
    items.refuse({name: chosen[name] for name in chosen if name not in takes}, f"has no meaning for --kind {kind}")


def _of_runs(kind: str, qrels: str, files: Any, chosen: dict[str, Any], rules: EvaluationOptions) -> Curve:
    from assay.subjects.ranking import curves  # noqa: PLC0415
    from assay.subjects.ranking.evaluation import evaluate  # noqa: PLC0415

    if kind in {"pr", "roc", "cutoff"}:
        kinds: dict[str, Any] = {"pr": curves.precision_recall, "roc": curves.roc, "cutoff": curves.by_cutoff}
        curve: Curve = kinds[kind](qrels, files, **chosen, **rules)
        return curve
    if kind == "difference" and len(files) != 2:
        raise ParameterError(f"--kind difference is between two runs: the second against the first; got {len(files)}")
    evaluation = evaluate(qrels, files, chosen.get("measure", "nDCG@10"), **rules)
    if len(evaluation.measures) > 1:
        raise ParameterError(f"--kind {kind} draws one measure, not {len(evaluation.measures)}")
    return curves.per_query(evaluation) if kind == "queries" else curves.differences(evaluation)


def _of_clusters(kind: str, files: list[str], clusters: ClusterInputs, drawing: SeedOption) -> Curve:
    """The picture of all clusterings in the files, or of some."""
    from assay.subjects.clusters import curves as cluster_curves  # noqa: PLC0415  # `--help` need not load Polars
    from assay.subjects.clusters.evaluation import cluster  # noqa: PLC0415

    # Silhouettes need no classes, and items without one are points as others are.
    rules: dict[str, Any] = ({"unlabelled": "drop"} if kind == "silhouette" else {}) | items.cluster_rules(clusters)
    systems = items.clusterings(files, clusters)
    name, what = {"silhouette": ("points", "points"), "contingency": ("truth", "classes")}[kind]
    if lacking := next((each for each in systems if getattr(each, name) is None), None):
        raise ParameterError(f"{lacking.whence}: {kind} is of {what}, and there are none: --{name} names them")
    draw = cluster_curves.silhouettes if kind == "silhouette" else cluster_curves.contingency
    return draw(cluster(systems, OF_CLUSTERS[kind], **rules, **drawing))


def _deliver(curve: Curve, target: Path, *, quiet: bool) -> None:
    """Write the picture, and say on stderr what it is of and what is odd."""
    refuse_absent_columns()
    curve.save(target)
    remarks(curve.warnings, quiet=quiet)
    if not quiet:
        message(f"{target}: {curve.title}, {curve.subtitle}")
