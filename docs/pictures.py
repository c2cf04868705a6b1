"""The pictures of the pages, drawn when the documentation is built: they show what the code draws today."""

from collections.abc import Callable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from assay import classifier_curves, compare, curves, evaluate
from assay.curves import Curve

TEA = Path(curves.__file__).parent / "data" / "tea"
BICYCLES = TEA.parent / "bicycles"
SPAM = TEA.parent / "letters" / "spam.csv"
QRELS = TEA / "qrels.txt"
RUNS = {name: TEA / f"{name}.run" for name in ("alphabet", "words", "stems")}


def _two() -> dict[str, Path]:
    return {name: RUNS[name] for name in ("words", "stems")}


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
    "classifier-band": lambda: classifier_curves.roc(SPAM, pos_label="spam", system="bayes", band="simultaneous"),
    "classifier-pr": lambda: classifier_curves.precision_recall(SPAM, pos_label="spam"),
    "classifier-det": lambda: classifier_curves.det(SPAM, pos_label="spam"),
    "classifier-calibration": lambda: classifier_curves.calibration(SPAM, pos_label="spam"),
    "classifier-gain": lambda: classifier_curves.gain(SPAM, pos_label="spam"),
    "classifier-lift": lambda: classifier_curves.lift(SPAM, pos_label="spam"),
    "classifier-scores": lambda: classifier_curves.score_distributions(SPAM, pos_label="spam", threshold="youden"),
}


def draw(folder: Path) -> None:
    """Bring the folder up to date."""
    folder.mkdir(exist_ok=True)
    for name, curve in PICTURES.items():
        curve().save(folder / f"{name}.svg")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", lambda app: draw(Path(app.srcdir) / "pictures"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
