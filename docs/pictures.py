"""The pictures of the pages, drawn when the documentation is built: they show what the code draws today."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import screens
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

import assay
from assay import Clusters, cluster, compare, evaluate, number_of_clusters
from assay.files.clusters import read_clusters, read_points
from assay.subjects.clicks import curves as click_curves
from assay.subjects.clusters import curves as cluster_curves
from assay.subjects.clusters.result import Clustering
from assay.subjects.labels import curves as classifier_curves
from assay.subjects.ranking import curves
from assay.verbs.curves import Curve

TEA = Path(assay.__file__).parent / "data" / "tea"
BICYCLES = TEA.parent / "bicycles"
SPAM = TEA.parent / "letters" / "spam.csv"
CLICKS = TEA.parent / "clicks" / "log.ndjson.gz"
NOTES = TEA.parent / "notes" / "notes.csv"
QRELS = TEA / "qrels.txt"
RUNS = {name: TEA / f"{name}.run" for name in ("alphabet", "words", "stems")}


def _two() -> dict[str, Path]:
    return {name: RUNS[name] for name in ("words", "stems")}


def _notes() -> Clustering:
    """What k-means made of the notes."""
    own = read_clusters(NOTES, points=["x", "y", "z"], systems=["kmeans"])
    return cluster(own, ["Purity", "Silhouette"], unlabelled="drop")


def _clustered(data: Any, k: int) -> Clustering:
    """K-means of a data set that comes with scikit-learn."""
    labels = KMeans(k, n_init=5, random_state=0).fit_predict(data.data)
    names = [str(data.target_names[one]) for one in data.target]
    return cluster(Clusters.of(names, labels, X=data.data, name=f"k-means, {k} clusters"), ["Purity", "Silhouette"])


def _wine() -> Curve:
    data = load_wine()
    measures = ["Silhouette", "DaviesBouldin", "CalinskiHarabasz", "ARI"]
    points = StandardScaler().fit_transform(data.data)
    return cluster_curves.over_k(number_of_clusters(points, range(2, 8), labels_true=data.target, measures=measures))


def _clicks() -> Curve:
    """Clicks in the log that comes along, without the robot; what was left out is no news to readers of the page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", assay.DataWarning)
        return click_curves.by_rank(assay.clicks(assay.read_log(CLICKS, most_per_minute=20), measures="CTR"))


PICTURES: dict[str, Callable[[], Curve]] = {
    "pr": lambda: curves.precision_recall(QRELS, RUNS),
    "sawtooth": lambda: curves.precision_recall(QRELS, RUNS["words"], query="t1"),
    "roc": lambda: curves.roc(QRELS, RUNS["words"], query="t1"),
    "roc-trivial": lambda: curves.roc(QRELS, RUNS["words"], query="t1", collection_size=100_000),
    "cutoff": lambda: curves.by_cutoff(QRELS, RUNS),
    "queries": lambda: curves.per_query(evaluate(QRELS, RUNS, "nDCG@10")),
    "intervals": lambda: compare(
        BICYCLES / "qrels.txt", sorted((BICYCLES / "runs").iterdir()), baseline="bm25", measures="nDCG@10"
    ).intervals(),
    "difference": lambda: curves.differences(evaluate(QRELS, _two(), "nDCG@10")),
    "classifier-roc": lambda: classifier_curves.roc(SPAM, pos_label="spam"),
    "classifier-band": lambda: classifier_curves.roc(SPAM, pos_label="spam", system="bayes", band="pointwise"),
    "classifier-pr": lambda: classifier_curves.precision_recall(SPAM, pos_label="spam"),
    "classifier-det": lambda: classifier_curves.det(SPAM, pos_label="spam"),
    "classifier-calibration": lambda: classifier_curves.calibration(SPAM, pos_label="spam"),
    "classifier-gain": lambda: classifier_curves.gain(SPAM, pos_label="spam"),
    "classifier-lift": lambda: classifier_curves.lift(SPAM, pos_label="spam"),
    "cluster-silhouettes": lambda: cluster_curves.silhouettes(_notes()),
    "cluster-contingency": lambda: cluster_curves.contingency(_notes()),
    "cluster-over-k": lambda: cluster_curves.over_k(
        number_of_clusters(read_points(NOTES, points=["x", "y", "z"]), range(2, 8))
    ),
    "iris-over-k": lambda: cluster_curves.over_k(number_of_clusters(load_iris().data, range(2, 8))),
    "iris-silhouettes": lambda: cluster_curves.silhouettes(_clustered(load_iris(), 3)),
    "wine-over-k": _wine,
    "digits-contingency": lambda: cluster_curves.contingency(_clustered(load_digits(), 9)),
    "click-ranks": _clicks,
    "classifier-scores": lambda: classifier_curves.score_distributions(SPAM, pos_label="spam", threshold="youden"),
}


def draw(folder: Path) -> None:
    """Bring the folder up to date."""
    folder.mkdir(exist_ok=True)
    for name, curve in PICTURES.items():
        curve().save(folder / f"{name}.svg")
    screens.draw(folder)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", lambda app: draw(Path(app.srcdir) / "pictures"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
