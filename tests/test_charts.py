"""Charts: every kind in every form is written whole and stands alone, for one system and for many."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from strategies import random_tables

from assay import curves, evaluate
from assay.core.errors import InputError, MissingDependencyError, ParameterError
from assay.curves import Curve
from assay.report import chart_parts, charts, pictures
from assay.show.legible import all_legible, legible

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


@pytest.mark.parametrize("number", [1, 8, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_drawn_for_one_system_and_for_many(kind: str, number: int) -> None:
    curve = KINDS[kind](number)
    text = pictures.svg(curve)
    shown = "".join(ET.fromstring(text).itertext())
    assert curve.title[:30] in shown.replace("…", curve.title)
    assert "bm25" in shown or number > 8
    assert ("2 others" in shown or "the best 8 of 10 systems" in shown) == (number == 10 and kind != "difference")


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".html", ".json", ".csv", ".md", ".PNG"])
@pytest.mark.parametrize("kind", ["pr", "roc", "cutoff", "queries", "difference"])
def test_every_form_of_every_kind_is_what_its_suffix_says(kind: str, suffix: str, tmp_path: Path) -> None:
    path = KINDS[kind](2).save(tmp_path / f"curve{suffix}")
    starts = {
        ".svg": b"<svg", ".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".html": b"<!doctype html>", ".json": b"{",
        ".csv": b"query_id," if kind == "difference" else b"system,", ".md": b"| ",
    }  # fmt: skip
    assert path.read_bytes().startswith(starts[suffix.lower()])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_png_is_drawn_at_twice_the_size() -> None:
    drawn = pictures._png(KINDS["pr"](1))
    width = int.from_bytes(drawn[16:20], "big")
    svg = ET.fromstring(pictures.svg(KINDS["pr"](1)))
    assert width == pytest.approx(2 * float(svg.attrib["width"]), abs=2)


def test_a_page_stands_alone_and_data_cannot_break_out_of_it() -> None:
    text = pictures.page(KINDS["pr"](3), ("<b>",))
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=", text.split("</head>")[0])
    assert not re.findall(r"<script[^>]+src", text)
    assert "default-src 'none'" in text
    assert "<script>alert(1)" not in text
    assert text.count("<script>") == 2
    assert text.count("</script>") == 2
    assert "&lt;b&gt;" in text
    spec = re.search(r'vegaEmbed\("#chart", (\{.*\}), \{renderer', text)
    assert spec is not None
    assert "$schema" not in json.loads(spec[1])
    assert "tooltip" in spec[1]


def test_points_are_shown_where_charts_are_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(package: str, *, extra: str, purpose: str) -> None:
        raise MissingDependencyError(f"{purpose} needs {package}: pip install 'assay[{extra}]'")

    for module in (chart_parts, pictures):
        monkeypatch.setattr(module, "need", missing)
    curve = KINDS["pr"](1)
    assert set(curve._repr_mimebundle_()) == {"text/html", "text/plain"}
    with pytest.raises(MissingDependencyError, match=r"a chart needs altair: pip install 'assay\[report\]'"):
        curve.chart()


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
        curve.chart()
    assert "text/html" in curve._repr_mimebundle_()


ILLEGAL = ["\x08", "\x01", "\ufffe", "\u2028", "\u2029", "\x1b"]


@pytest.mark.parametrize("kind", ["queries", "difference", "pr"])
def test_characters_that_cannot_be_drawn_are_replaced_and_no_two_names_become_one(kind: str) -> None:
    """Two systems and as many topics whose names differ in such a character only; one has the name they would get."""
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
    shown = "".join(ET.fromstring(pictures.svg(curve)).itertext())
    assert "s\ufffd" in shown
    assert kind == "difference" or "s\ufffd (2)" in shown
    as_drawn = all_legible(curve)
    assert as_drawn.summary["system"].to_list() == ["s\ufffd", "s\ufffd (2)"]
    if kind != "pr":
        assert as_drawn.frame["query_id"].n_unique() == len(names)
    assert not set("".join(ILLEGAL)) & set(pictures.page(curve, curve.warnings).split("<script>")[0])
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
            curve.chart()


def test_the_best_come_first_also_where_less_is_better() -> None:
    """Each system retrieves one more irrelevant document than the one before."""
    runs = {f"s{n}": {"q": {f"d{number}": -float(number) for number in range(n + 1)}} for n in range(10)}
    result = evaluate({"q": {"d0": 1}}, runs, "ErrorRate", collection_size=20)
    chosen, rest = charts.looks(curves.per_query(result).summary)
    assert [each.system for each in chosen] == [f"s{n}" for n in range(8)]
    assert rest == ["s8", "s9"]


@pytest.mark.parametrize(("measure", "sign"), [("P@2", ">="), ("ErrorRate", "<=")])
def test_what_is_better_has_the_good_colour(measure: str, sign: str) -> None:
    runs = {"old": {"q": {"b": 2.0, "c": 1.0}}, "new": {"q": {"a": 1.0}}}
    curve = curves.differences(evaluate({"q": {"a": 1}}, runs, measure, collection_size=9))
    condition = {"test": f"datum.difference {sign} 0", "value": chart_parts.PALETTE[0]}
    assert json.dumps(condition) in json.dumps(curve.chart().to_dict())


def contrast(colour: str) -> float:
    """The contrast of a colour with white, from 1 to 21."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


def test_eight_systems_differ_in_colour_dash_and_shape_and_stand_out_on_white() -> None:
    assert all(len(set(looks)) == 8 for looks in (chart_parts.PALETTE, chart_parts.DASHES, chart_parts.SHAPES))
    assert min(map(contrast, chart_parts.PALETTE)) >= 3


def test_the_chart_is_a_valid_specification() -> None:
    for draw in KINDS.values():
        specification = draw(2).chart().to_dict(validate=True)
        assert specification["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
