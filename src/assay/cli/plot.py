"""`assay plot QRELS RUN...`, `assay classifier plot FILE...`, `assay clustering plot FILE...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import inputs, items, options
from assay.cli.clusters import Numbers, number_of
from assay.cli.options import CONTENTS, SearchRules, group, option, settings
from assay.cli.output import message, remarks
from assay.cli.subject_options import ClusterInputs, LabelInputs
from assay.core.domains import Choice
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.verbs.curves import Curve

#: The kinds of pictures, and the options that each takes, besides those that say what to read.
OF_RUNS = {
    "pr": ("query", "levels"), "roc": ("query", "unretrieved"), "cutoff": ("measure", "query"),
    "queries": ("measure",), "difference": ("measure",),
}  # fmt: skip
OF_SCORES = {
    "roc": ("band", "confidence", "resamples", "seed"), "pr": (), "det": (),
    "calibration": ("bins", "binning", "confidence"), "gain": ("at",), "lift": ("at",), "scores": ("bins", "threshold"),
}  # fmt: skip
#: Which measure each kind goes with: no other has to be computed.
OF_CLUSTERS = {"silhouette": "Silhouette", "contingency": "Purity", "over-k": ""}


@group
class Target:
    """The file to write."""

    path: options.PictureFile = None
    overwrite: options.Overwrite = False
    quiet: options.Quiet = False

    def checked(self, kind: str) -> Path:
        """The file; one whose form is not known, or cannot be drawn, is refused before anything is read."""
        from assay.show.pictures import suffix_of  # noqa: PLC0415  # `--help` need not load Polars

        target = self.path or Path(f"assay-{kind}.html")
        suffix_of(target)
        return target


def search(
    qrels: options.Judgments,
    runs: options.Runs,
    /,
    *,
    kind: Annotated[
        str, option("-k", "--kind", help="pr (precision-recall; default), roc, cutoff, queries, difference.")
    ] = "pr",
    measures: options.Measures = (),
    query: options.Query = None,
    levels: Annotated[
        int | None, option("--levels", help="Levels of recall, evenly spaced from 0 to 1 (pr; 11).", panel=CONTENTS)
    ] = None,
    unretrieved: Annotated[
        str | None,
        option(
            "--unretrieved",
            help="Documents not retrieved: left_out; with --collection-size random_order, relevant_last (roc).",
            panel=CONTENTS,
        ),
    ] = None,
    rules: SearchRules = SearchRules(),
    seed: options.Seed = None,
    to: Target = Target(),
) -> None:
    """Draw a curve: precision against recall, ROC, a measure by cut-off, query by query, or a difference.

    $ assay plot qrels.txt words.run stems.run -o curve.svg
    $ assay plot qrels.txt words.run stems.run --kind difference -m AP -o difference.svg
    """
    Choice(OF_RUNS).check("--kind", kind)
    chosen = {"measure": options.only(measures, "-m"), "query": query, "levels": levels, "unretrieved": unretrieved}
    chosen = _stated(chosen, OF_RUNS[kind], f"--kind {kind}")
    target = to.checked(kind)
    files = inputs.opened(qrels, runs)
    more = settings(rules) | options.stated(seed=seed)
    with inputs.progress(files, hidden=to.quiet):
        curve = _of_runs(kind, qrels, files, chosen, more)
    _deliver(curve, target, quiet=to.quiet)


def classifier(
    files: options.PredictionFiles,
    /,
    *,
    kind: Annotated[
        str, option("-k", "--kind", help="roc (default), pr, det, calibration, gain, lift, scores.")
    ] = "roc",
    labels: LabelInputs = LabelInputs(),
    threshold: Annotated[
        str | None, option("--threshold", help="In scores: a number, or a rule such as youden.", panel=CONTENTS)
    ] = None,
    bins: Annotated[
        int | None, option("--bins", help="Bins of calibration (10) and of scores (30).", panel=CONTENTS, least=1)
    ] = None,
    binning: Annotated[
        str | None, option("--binning", help="Bins of calibration: equal width (default) or mass.", panel=CONTENTS)
    ] = None,
    at: Annotated[
        float | None, option("--at", help="Share of items that gain and lift are told for (0.1).", panel=CONTENTS)
    ] = None,
    band: Annotated[
        str | None, option("--band", help="Around roc: none (default), pointwise, simultaneous.", panel=CONTENTS)
    ] = None,
    sampling: options.Sampling = options.Sampling(),
    to: Target = Target(),
) -> None:
    """Draw a curve of classifiers' scores.

    $ assay classifier plot letters/spam.csv --positive spam -o roc.svg
    $ assay classifier plot letters/spam.csv --positive spam --kind calibration -o calibration.svg
    """
    from assay.subjects.labels import curves as classifier_curves  # noqa: PLC0415  # `--help` need not load Polars

    Choice(OF_SCORES).check("--kind", kind)
    chosen = {
        "bins": bins,
        "binning": binning,
        "at": at,
        "band": band,
        "threshold": _number_or_rule(threshold),
    } | settings(sampling)
    chosen = _stated(chosen, OF_SCORES[kind], f"--kind {kind}")
    target = to.checked(kind)
    draw: Any = {
        "roc": classifier_curves.roc,
        "pr": classifier_curves.precision_recall,
        "det": classifier_curves.det,
        "calibration": classifier_curves.calibration,
        "gain": classifier_curves.gain,
        "lift": classifier_curves.lift,
        "scores": classifier_curves.score_distributions,
    }[kind]
    _deliver(draw(items.scored(files, labels), **chosen), target, quiet=to.quiet)


def clustering(
    files: options.ClusterFiles,
    /,
    *,
    kind: Annotated[
        str, option("-k", "--kind", help="silhouette (with --points; default), contingency, over-k.")
    ] = "silhouette",
    clusters: ClusterInputs = ClusterInputs(),
    ks: options.Ks = None,
    seed: options.Seed = None,
    to: Target = Target(),
) -> None:
    """Draw silhouettes, classes by clusters, or measures by number of clusters (with --ks).

    $ assay clustering plot notes/notes.csv --unlabelled drop --kind contingency -o contingency.svg
    """
    Choice(OF_CLUSTERS).check("--kind", kind)
    numbers = Numbers(ks=ks)
    target = to.checked(kind)
    with inputs.working("looking at clusters", hidden=to.quiet):
        curve = _of_clusters(kind, files, clusters, numbers, seed)
    _deliver(curve, target, quiet=to.quiet)


def _stated(chosen: dict[str, Any], takes: tuple[str, ...], what: str) -> dict[str, Any]:
    """The options that were set; what a kind has no use for is not passed over in silence."""
    stated = options.stated(**chosen)
    for name in stated:
        if name not in takes:
            raise ParameterError(f"--{name} has no meaning for {what}")
    return stated


def _of_runs(kind: str, qrels: str, files: Any, chosen: dict[str, Any], rules: dict[str, Any]) -> Curve:
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


def _of_clusters(kind: str, files: list[str], clusters: ClusterInputs, numbers: Numbers, seed: int | None) -> Curve:
    """The picture of all clusterings in the files, or of some."""
    from assay.subjects.clusters import curves as cluster_curves  # noqa: PLC0415  # `--help` need not load Polars
    from assay.subjects.clusters.evaluation import cluster  # noqa: PLC0415

    if kind == "over-k":
        return cluster_curves.over_k(number_of(files, clusters, numbers, seed))
    if numbers.ks is not None:
        raise ParameterError("--ks goes with --kind over-k")
    # Silhouettes need no classes, and items without one are points as others are.
    rules: dict[str, Any] = ({"unlabelled": "drop"} if kind == "silhouette" else {}) | items.cluster_rules(clusters)
    systems = items.clusterings(files, clusters)
    name, what = {"silhouette": ("points", "points"), "contingency": ("truth", "classes")}[kind]
    if lacking := next((each for each in systems if getattr(each, name) is None), None):
        raise ParameterError(f"{lacking.whence}: {kind} is of {what}, and there are none: --{name} names them")
    draw = cluster_curves.silhouettes if kind == "silhouette" else cluster_curves.contingency
    rules |= options.stated(seed=seed)
    return draw(cluster(systems, OF_CLUSTERS[kind], **rules))


def _number_or_rule(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _deliver(curve: Curve, target: Path, *, quiet: bool) -> None:
    """Write the picture, and say on stderr what it is of and what is odd."""
    curve.save(target)
    remarks(curve.warnings, quiet=quiet)
    if not quiet:
        message(f"{target}: {curve.title}, {curve.subtitle}")
