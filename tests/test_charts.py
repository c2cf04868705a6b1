"""Charts: every kind in every form is written whole and stands alone, for one system and for many."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from cases import in_turn
from contrast import contrast
from strategies import random_tables

from assay import (
    Clusters,
    Evaluation,
    InputError,
    Log,
    ParameterError,
    Predictions,
    clicks,
    cluster,
    compare,
    evaluate,
    number_of_clusters,
)
from assay.core import registry
from assay.core.errors import MissingDependencyError
from assay.show import canvas, charts, svg, vega
from assay.show.figure import MOST_SERIES, Figure, Panel, Scale, Series
from assay.show.html import write
from assay.show.legible import legible
from assay.show.model import shown_rows
from assay.show.svg import COLOURS, draw, standalone
from assay.show.vega import DASHES, SHAPES
from assay.subjects.clicks import curves as click_curves
from assay.subjects.clusters import curves as cluster_curves
from assay.subjects.labels import curves as classifier_curves
from assay.subjects.ranking import curves
from assay.verbs.curves import Curve
from assay.verbs.sections.curves import ranked

pytest.importorskip("altair", reason="charts need the extra `report`")
pytest.importorskip("vl_convert", reason="charts in files need the extra `report`")

QRELS, RUN = random_tables(7, levels=None)
NAMES = ["bm25", "dense", "</script><script>alert(1)", "ßé日本", "a" * 90, "six", "seven", "eight", "nine", "ten"]


def systems(number: int) -> dict[str, dict[str, dict[str, float]]]:
    """The same run with its documents turned around a little further in each system."""
    turned = {}
    for shift, name in enumerate(NAMES[:number]):
        turned[name] = {
            query: dict(zip([*docs][shift % len(docs) :] + [*docs][: shift % len(docs)], docs.values(), strict=True))
            for query, docs in RUN.items()
        }
    return turned


KINDS: dict[str, Callable[[int], Curve]] = {
    "pr": lambda number: curves.precision_recall(QRELS, systems(number)),
    "pr of a query": lambda number: curves.precision_recall(QRELS, systems(number), query="thème 0"),
    "sawtooth": lambda number: curves.precision_recall(QRELS, systems(number), query="thème 0", interpolated=False),
    "roc": lambda number: curves.roc(QRELS, systems(number)),
    "roc of a query": lambda number: curves.roc(QRELS, systems(number), query="thème 0"),
    "cutoff": lambda number: curves.by_cutoff(QRELS, systems(number)),
    "queries": lambda number: curves.per_query(evaluate(QRELS, systems(number), "nDCG@10")),
    "difference": lambda number: curves.differences(evaluate(QRELS, systems(max(number, 2)), "AP"), None, *NAMES[:2]),
}


@cache
def of_two(kind: str) -> Curve:
    """The curve of two systems, made once for all forms."""
    return KINDS[kind](2)


def text_of(curve: Curve) -> str:
    """All text in the picture."""
    return "".join(ET.fromstring(standalone(curve.figure())).itertext())


@pytest.mark.parametrize("number", [1, 8, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_drawn_for_one_system_and_for_many(kind: str, number: int) -> None:
    curve = KINDS[kind](number)
    shown = text_of(curve)
    assert curve.title[:30] in shown.replace("…", curve.title)
    assert "bm25" in shown or number > 8
    assert ("2 others" in shown or "the best 8 of 10 systems" in shown) == (number == 10 and kind != "difference")


FORMS = [".svg", ".png", ".pdf", ".html", ".json", ".csv", ".md"]


@in_turn(
    ("kind", "suffix"),
    [*((kind, form) for kind in ("pr", "roc", "cutoff", "queries", "difference") for form in FORMS), ("pr", ".PNG")],
)
def test_every_form_of_every_kind_is_what_its_suffix_says(kind: str, suffix: str, tmp_path: Path) -> None:
    path = of_two(kind).save(tmp_path / f"curve{suffix}")
    starts = {
        ".svg": b"<svg", ".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".html": b"<!doctype html>", ".json": b"{",
        ".csv": b"query_id," if kind == "difference" else b"system,", ".md": b"| ",
    }  # fmt: skip
    assert path.read_bytes().startswith(starts[suffix.lower()])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_png_is_drawn_at_twice_the_size(tmp_path: Path) -> None:
    curve = KINDS["pr"](1)
    drawn = curve.save(tmp_path / "x.png").read_bytes()
    svg = ET.fromstring(standalone(curve.figure()))
    assert int.from_bytes(drawn[16:20], "big") == 2 * int(svg.attrib["width"])


def test_a_page_stands_alone_and_data_cannot_break_out_of_it() -> None:
    text = write(replace(KINDS["pr"](3), warnings=("<b>",)).page())
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=\s*.(?!data:)", text)
    assert "default-src &#39;none&#39;" in text
    assert "unsafe" not in text.split("</head>")[0]
    assert "<script>alert(1)" not in text
    assert text.count("<script>") == text.count("</script>") == 1
    assert "&lt;b&gt;" in text
    assert "recall: 0.1\nprecision: " in text  # where one points at a dot


def test_only_pictures_in_pixels_and_altair_need_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def missing(package: str, *, extra: str, purpose: str) -> None:
        raise MissingDependencyError(f"{purpose} needs {package}: pip install 'assay[{extra}]'")

    for module in (vega, svg):
        monkeypatch.setattr(module, "need", missing)
    curve = KINDS["pr"](1)
    assert set(curve._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}
    with pytest.raises(MissingDependencyError, match=r"a chart needs altair: pip install 'assay\[report\]'"):
        curve.chart()
    for suffix in (".png", ".pdf"):
        with pytest.raises(MissingDependencyError, match=r"a chart in a file needs vl_convert: pip install"):
            curve.save(tmp_path / f"x{suffix}")
    assert curve.save(tmp_path / "x.svg").exists()
    assert curve.save(tmp_path / "x.html").exists()


def test_a_notebook_shows_the_chart() -> None:
    assert KINDS["pr"](1)._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_an_unknown_suffix_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for name in ("curve.gif", "curve"):
        with pytest.raises(ParameterError, match=r"the name ends in one of \.svg, \.png"):
            KINDS["pr"](1).save(tmp_path / name)
    with pytest.raises(InputError, match="cannot be written"):
        KINDS["pr"](1).save(tmp_path / "no" / "such.csv")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_draw_is_said() -> None:
    curve = curves.roc({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(ParameterError, match="there is nothing to draw: ROC curve"):
        curve.figure()
    assert "text/html" in curve._repr_mimebundle_()


ILLEGAL = ["\x08", "\x01", "\ufffe", "\u2028", "\u2029", "\x1b"]


@in_turn("kind", ["queries", "difference", "pr"])
def test_characters_that_cannot_be_drawn_are_replaced(kind: str) -> None:
    """Two systems and as many topics whose names hold such a character."""
    names = [f"q{character}" for character in [*ILLEGAL, "\ufffd"]]
    qrels = {name: {"a": 1} for name in names}
    runs = {f"s{end}": {name: {"b": 2.0, "a": 1.0} for name in names} for end in ("\x01", "\x02")}
    result = evaluate(qrels, runs, "RR")
    drawn = {
        "queries": lambda: curves.per_query(result),
        "difference": lambda: curves.differences(result),
        "pr": lambda: curves.precision_recall(qrels, runs),
    }
    curve = drawn[kind]()
    shown = text_of(curve)
    assert "s\ufffd" in shown
    assert not set("".join(ILLEGAL)) & set(write(curve.page()).split("<script>")[0])
    assert not set("".join(ILLEGAL)) & set(result.to_html("\x01"))


def test_lone_surrogates_are_replaced() -> None:
    assert legible("a\ud800b\tc\U0001f600") == "a\ufffdb\tc\U0001f600"


NOTHING = {"q": {"a": 0}}, {"q": {"a": 1.0}}


def test_where_every_value_is_undefined_there_is_nothing_to_draw() -> None:
    for curve in (
        curves.precision_recall(*NOTHING, undefined="skip"),
        curves.by_cutoff(*NOTHING, undefined="skip"),
        curves.per_query(evaluate(*NOTHING, "AP")),
        curves.precision_recall(*NOTHING, query="q"),
        curves.precision_recall(*NOTHING, query="q", interpolated=False),
    ):
        with pytest.raises(ParameterError, match="there is nothing to draw"):
            curve.figure()


def test_the_best_come_first_also_where_less_is_better() -> None:
    """Each system retrieves one more irrelevant document than the one before."""
    runs = {f"s{n}": {"q": {f"d{number}": -float(number) for number in range(n + 1)}} for n in range(10)}
    result = evaluate({"q": {"d0": 1}}, runs, "ErrorRate", collection_size=20)
    assert [each.name for each in ranked(curves.per_query(result).summary)] == [f"s{n}" for n in range(10)]
    drawn = Figure("points", (), series=ranked(curves.per_query(result).summary))
    assert [drawn.style_of(f"s{n}") for n in range(10)] == [*(f"s{n}" for n in range(1, 9)), "rest", "rest"]


@in_turn("measure", ["P@2", "ErrorRate"])
def test_what_is_better_has_the_good_colour(measure: str) -> None:
    """The new system finds what the old one misses, and takes in less that is wrong."""
    runs = {"old": {"q": {"b": 2.0, "c": 1.0}}, "new": {"q": {"a": 1.0}}}
    size: dict[str, Any] = {"collection_size": 9} if measure == "ErrorRate" else {}
    curve = curves.differences(evaluate({"q": {"a": 1}}, runs, measure, **size))
    assert curve.figure().panels[0].marks[0].frame["meaning"].to_list() == ["s1"]
    assert COLOURS["line-1"].light in json.dumps(curve.chart().to_dict())


def test_eight_systems_differ_in_colour_dash_and_shape_and_stand_out() -> None:
    lines = [COLOURS[f"line-{place}"] for place in range(1, MOST_SERIES + 1)]
    assert all(len(set(looks)) == MOST_SERIES for looks in (lines, DASHES, SHAPES, canvas.SHAPES))
    assert min(contrast(line.light, "#ffffff") for line in lines) >= 3
    assert min(contrast(line.dark, COLOURS["page"].dark) for line in lines) >= 3


HOSTILE = [
    "</script><script>alert(1)</script>",
    "]]><b onclick=x>&amp;\"'",
    "a\x00\x08\x1b[31m",
    "\u202eright\u2066 to left \u2029",
    "שלום עולם",
    r"\input{x} $\alpha_1^2$ % # & ~",
    "**b** | `c` <!-- [x](y)",
    "w" * 400,
    "=1+1",
    "\ufffe",
    "日本語" * 30,
]


def hostile_curves() -> dict[str, Callable[[], Curve]]:
    """A curve of every kind, its systems, topics, labels, clusters and classes with hostile names."""
    names = HOSTILE
    qrels = {name: {"a": 1, "b": 0} for name in names}
    runs = {name: {query: {"b": 1.0, "a": float(place)} for query in names} for place, name in enumerate(names[:10])}
    truth, scores = [1, 0, 1, 0, 1, 0], [0.9, 0.4, 0.7, 0.1, 0.3, 0.6]
    labels = Predictions.of([names[0] if each else names[1] for each in truth], y_score=scores, name=names[2])
    named = dict.fromkeys(names[:9], scores)
    points = [[float(n), float(n % 3)] for n in range(22)]
    groups = Clusters.of([names[n % 11] for n in range(22)], [names[n // 2] for n in range(22)], X=points)

    times = [datetime(2026, 3, 1 + day) for day in range(len(names))]
    pages = [(name, names, names[:1]) for name in names]
    log = Log.from_pages(pages, user_id=names, system=[names[n % 9] for n in range(len(names))], time=times)

    def result() -> Evaluation:
        return evaluate(qrels, runs, "RR")

    return {
        "pr": lambda: curves.precision_recall(qrels, runs),
        "roc": lambda: curves.roc(qrels, runs),
        "cutoff": lambda: curves.by_cutoff(qrels, runs),
        "queries": lambda: curves.per_query(result()),
        "difference": lambda: curves.differences(result(), None, *names[:2]),
        "intervals": lambda: compare(result(), baseline=names[0], bootstrap_resamples=100).intervals(),
        "classifier_roc": lambda: classifier_curves.roc(truth, named, band="pointwise", resamples=20),
        "classifier_pr": lambda: classifier_curves.precision_recall(truth, named),
        "det": lambda: classifier_curves.det(truth, named),
        "calibration": lambda: classifier_curves.calibration(truth, named, bins=3),
        "gain": lambda: classifier_curves.gain(truth, named),
        "lift": lambda: classifier_curves.lift(truth, named),
        "scores": lambda: classifier_curves.score_distributions(labels, pos_label=names[0], threshold=0.5),
        "silhouette": lambda: cluster_curves.silhouettes(cluster(groups, "Silhouette", resamples=5)),
        "contingency": lambda: cluster_curves.contingency(cluster(groups, "Purity", resamples=5)),
        "over_k": lambda: cluster_curves.over_k(number_of_clusters(points, [2, 3], stability=False, resamples=2)),
        "click_ranks": lambda: click_curves.by_rank(clicks(log, "CTR")),
        "over_time": lambda: click_curves.over_time(clicks(log, "CTR")),
    }


@pytest.mark.parametrize(
    "kind", [*registry.FIGURES, *(kind for each in registry.declarations() for kind in each.figures)]
)
def test_every_figure_is_drawn_by_every_writer_whatever_its_text_is(kind: str, tmp_path: Path) -> None:
    curve = hostile_curves()[kind]()
    assert curve.name == kind
    curve = replace(curve, title="\ud800".join(HOSTILE), subtitle=HOSTILE[0], warnings=tuple(HOSTILE))
    figure = curve.figure()
    for text in (standalone(figure), str(draw(figure))):
        root = ET.fromstring(text)
        assert not [each.tag for each in root.iter() if "script" in each.tag or "onclick" in each.attrib]
        assert not re.search("[\x00\x08\x1b\u202e\u2066\u2029\ufffe]", "".join(root.itertext()))
        assert "nan" not in re.sub("<title>.*?</title>", "", text, flags=re.DOTALL)
    assert curve.chart().to_dict(validate=True)["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
    page = write(curve.page())
    assert "<script>alert" not in page
    assert page.count("<script") == 1
    png = curve.save(tmp_path / "x.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert min(int.from_bytes(png[start : start + 4], "big") for start in (16, 20)) > 100
    assert len(zlib.decompress(pixels(png))) > 10_000
    assert len(set(zlib.decompress(pixels(png)))) > 20  # not a blank sheet


def pixels(png: bytes) -> bytes:
    """The packed pixels of a picture."""
    place, parts = 8, []
    while place < len(png):
        size, kind = int.from_bytes(png[place : place + 4], "big"), png[place + 4 : place + 8]
        parts += [png[place + 8 : place + 8 + size]] if kind == b"IDAT" else []
        place += 12 + size
    return b"".join(parts)


def test_of_thousands_of_bars_only_those_at_the_ends_are_links() -> None:
    frame = pl.DataFrame({"query_id": [f"q{n}" for n in range(3000)], "value": [1 - n / 3000 for n in range(3000)]})
    frame = frame.with_columns(to=pl.col("query_id"), words=pl.col("query_id"))
    panel = charts.bars(frame, "value", link="to", label="words", meaning="gain")
    text = str(draw(Figure("bars", (panel,), says="all <queries>")))
    links = [each.attrib["href"] for each in ET.fromstring(text).iter("a")]
    assert links == [f"#q{n}" for n in shown_rows(3000)]
    assert text.count("<rect") == len(links)
    assert text.count('class="gain"') == 1  # all bars are one shape
    assert 'aria-label="all &lt;queries&gt;"' in text


def test_a_waterfall_has_a_bar_for_each_step_and_its_best_value() -> None:
    rows = [
        ("from", 1, 0.5, 0.5, "rank 1: d1"),
        ("to", 2, 0.25, 0.25, "rank 2: d2"),
        ("to", None, 0.1, 0.35, "all below"),
    ]
    frame = pl.DataFrame(rows, schema=["side", "rank", "adds", "running", "words"], orient="row")
    figure = charts.waterfall(frame, [Series("old"), Series("new")], best=1.0)
    root = ET.fromstring(str(draw(figure)))
    assert [each.text for each in root.iter("title")][1:] == ["rank 1: d1", "rank 2: d2", "all below"]
    assert {"1", "2", "below"} <= {each.text for each in root.iter("text")}
    assert figure.panels[0].ruler("y").high == 1.0


def test_a_line_that_a_script_moves_can_be_found() -> None:
    frame = pl.DataFrame(
        {"system": ["a"] * 2, "label": ["x", "y"], "low": [0.0] * 2, "high": [1.0] * 2, "share": [1.0] * 2}
    )
    text = str(draw(charts.score_distributions(frame, {"a": ""}, {"a": 0.5}, mirrored=True)))
    assert 'data-line="scores"' in text
    assert 'data-band="scores"' in text
    assert 'data-point="roc"' in str(draw(Figure("f", (Panel(Scale(), Scale(), (charts.here(None, 0.5, "roc"),)),))))
