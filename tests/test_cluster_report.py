"""The report on clusterings: what it holds, in every form, as a page that is well formed, inert and complete."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from test_report_browser import CONTRASTS, THEMES, Visit, opened
from test_report_page import HOSTILE, Read
from typer.testing import CliRunner

from assay import Clusters, Contingency, cluster, cluster_curves, compare, make_report, number_of_clusters
from assay.cli import app
from assay.core.errors import AssayError, ParameterError
from assay.report.html.cluster_page import cluster_page
from assay.reporting.cluster_contents import ClusterContents

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOTES = Path(cluster_curves.__file__).parent / "data" / "notes" / "notes.csv"


def items(text: str = "", *, size: int = 60, seed: int = 0) -> dict[str, Clusters]:
    """Two clusterings of points in three classes, all names with some text in them."""
    rng = np.random.default_rng(seed)
    truth = np.arange(size) % 3
    points = rng.normal(size=(size, 2)) + np.array([[0, 0], [4, 0], [0, 4]])[truth]
    good = np.where(rng.uniform(size=size) < 0.9, truth, rng.integers(0, 3, size))
    poor = rng.integers(0, 5, size)
    named: dict[str, Any] = {"item_id": [f"i{n}{text}" for n in range(size)], "X": points}
    classes = [f"class {one}{text}" for one in truth]
    return {
        f"good{text}": Clusters.of(classes, [f"c{one}{text}" for one in good], **named),
        f"poor{text}": Clusters.of(classes, [f"p{one}{text}" for one in poor], **named),
    }


KINDS = ("one", "a pair", "classes", "points", "table", "one cluster", "weights", "many")


@cache
def made(text: str = "") -> dict[str, ClusterContents]:
    """Reports of every kind: one, a pair, classes only, points only, a table, one cluster, weights, many clusters."""
    both = items(text)
    one = both[f"good{text}"]
    rng = np.random.default_rng(1)
    many = Clusters.of([f"k{n % 30}{text}" for n in range(300)], [f"m{n % 50}" for n in range(300)])
    found = number_of_clusters(one, range(2, 5), resamples=3)
    kinds: dict[str, Any] = {
        "one": cluster({f"good{text}": one}).report(over_k=found),
        "a pair": cluster(both).report(title=f"Two{text}"),
        "classes": cluster({f"a{text}": Clusters.of(one.truth, one.cluster)}).report(),
        "points": cluster({f"a{text}": Clusters.of(None, one.cluster, X=one.points)}).report(),
        "table": cluster(
            {f"t{text}": Contingency.from_table([[5, 1, 2], [1, 4, 0], [0, 1, 3]], classes=[f"x{text}", "o", "d"])}
        ).report(),
        "one cluster": cluster({f"a{text}": Clusters.of(one.truth, [0] * len(one), X=one.points)}).report(),
        "weights": cluster(
            {f"a{text}": Clusters.of(one.truth, one.cluster, sample_weight=rng.uniform(0.5, 2, len(one)))}
        ).report(),
        "many": cluster(many).report(),
    }
    return {kind: kinds[kind].contents for kind in KINDS}


def test_numbers_are_those_of_the_clustering() -> None:
    result = cluster(items())
    contents = result.report().contents
    for row in contents.systems:
        for measure, shown in zip(result.measures, row.estimates, strict=True):
            one = result.estimate(measure, row.system)
            assert (shown.value, shown.low, shown.high) == pytest.approx((one.value, one.low, one.high), nan_ok=True)
    for one_map in contents.maps:
        table = result.contingency(one_map.system)
        assert table is not None
        assert sum(cell.number for row in one_map.cells for cell in row) == table.items[0]
        purest = sum(max(row[place].number for row in one_map.cells) for place in range(len(one_map.clusters)))
        assert purest / table.items[0] == pytest.approx(result.value("Purity", one_map.system))


def test_cells_hold_their_items() -> None:
    given = items()["good"]
    (shown,) = cluster(given).report().contents.maps
    for row, name in enumerate(shown.classes):
        for column, label in enumerate(shown.clusters):
            cell = shown.cells[row][column]
            both = (given.truth == name) & (given.cluster == label)
            expected = given.item_id.filter(both).to_list()
            assert cell.all_items == cell.number == len(expected)
            assert list(cell.items) == expected[: len(cell.items)]


def test_items_without_a_class_and_noise_are_as_they_were_counted() -> None:
    given = Clusters.of(["a", None, "a", "b", "b", None], [0, 0, -1, 1, 1, 1])
    left = cluster(given, "Purity", noise=-1, unlabelled="drop").report().contents.maps[0]
    assert sum(cell.all_items for row in left.cells for cell in row) == 3
    kept = cluster(given, "Purity", unlabelled="class").report().contents.maps[0]
    assert "(none)" in kept.classes
    assert sum(cell.all_items for row in kept.cells for cell in row) == 6


def test_silhouettes_are_drawn_sorted_and_the_misplaced_listed() -> None:
    result = cluster(items())
    (_, own) = result.report().contents.silhouettes
    points = result.points(own.system)
    assert points is not None
    assert own.misplaced == int((points.silhouettes < 0).sum()) > 0
    assert own.worst[0].value == points.silhouettes.min()
    assert sum(len(one.values) for one in own.clusters) == own.items == 60
    assert own.mean == pytest.approx(result.value("Silhouette", own.system))


def test_of_many_points_some_silhouettes_are_drawn_and_that_is_said() -> None:
    (own,) = cluster(items(size=2_500)["good"], "Silhouette").report().contents.silhouettes
    assert own.note.startswith("2,00")
    assert own.note.endswith("of 2,500 silhouettes are drawn, evenly spaced within each cluster")


def test_verdicts_are_those_of_compare() -> None:
    result = cluster(items())
    contents, held = result.report().contents, compare(result, baseline="good", seed=0)
    assert [(one.difference, one.low, one.high) for one in contents.verdicts] == [
        (one.difference, one.interval.low, one.interval.high) for one in held.findings
    ]
    assert contents.summary[0].startswith("poor is worse than good")
    turned = result.report(baseline="poor").contents
    assert turned.verdicts[0].baseline == "poor"
    with pytest.raises(ParameterError, match="the baseline is one of good, poor, not 'por'; did you mean poor"):
        result.report(baseline="por")


def test_clusterings_of_other_items_are_not_compared_and_that_is_said() -> None:
    one, other = items()["good"], items(size=48)["good"]
    contents = cluster({"one": one, "other": other}).report().contents
    assert contents.verdicts == ()
    assert any("the clusterings are not compared" in note for note in contents.notes)
    assert contents.summary


def test_the_number_of_clusters_is_in_it_where_it_was_looked_for() -> None:
    found = made()["one"].number_of
    assert found is not None
    assert [one.measure for one in found.measures] == ["Silhouette", "DaviesBouldin", "CalinskiHarabasz", "Stability"]
    assert made()["classes"].number_of is None


def test_rules_of_other_reports_are_refused() -> None:
    result = cluster(items())
    for options, says in (
        ({"topics": "x"}, "topics goes with rankings"),
        ({"measures": ["ARI"]}, "measures belongs to the clustering"),
        ({"noise": -1}, "noise belongs to the clustering"),
    ):
        with pytest.raises(ParameterError, match=says):
            make_report(result, **options)
    with pytest.raises(ParameterError, match="unknown argument 'nois'; did you mean noise"):
        make_report(items()["good"], nois=-1)


def test_works_are_cited_for_what_was_used() -> None:
    cited = " ".join(one.entry for one in made()["one"].references)
    for name in ("Hubert", "Rousseeuw", "Politis", "Ben-Hur", "Tibshirani"):
        assert name in cited


def test_the_methods_say_what_was_done_about_noise_and_unknown_classes() -> None:
    given = Clusters.of(["a", None, "a", "b"], [0, 0, -1, 1])
    text = cluster(given, "Purity", noise=-1, unlabelled="drop").report().contents.methods
    assert "items labelled -1 (noise) left out and items without a class left out" in text


# Markdown, LaTeX, JSON, and the command.


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_holds_every_measure_and_no_number_that_is_none(kind: str) -> None:
    from assay.reporting.cluster_result import ClusterReport  # noqa: PLC0415

    report = ClusterReport(made(HOSTILE)[kind])
    for text in (report.to_markdown(), report.to_latex()):
        assert re.search(r"(?<![=\w])\b(nan|inf|None)\b", text) is None
        assert all(one.name in text for one in made()[kind].measures)
        assert "<script>" not in report.to_markdown()
    told = json.loads(report.to_json())
    assert [one["name"] for one in told["measures"]] == [one.name for one in made()[kind].measures]
    assert report._repr_html_().count("<table>") == 1


def test_the_command_writes_all_forms(tmp_path: Path) -> None:
    targets = [tmp_path / f"r.{suffix}" for suffix in ("html", "md", "tex", "json")]
    options = ["--points", "x,y,z", "--unlabelled", "drop", "--ks", "2:3", "--noise", "-1"]
    done = CliRunner().invoke(app, ["report", str(NOTES), *options, *(f"-o{target}" for target in targets)])
    assert done.exit_code == 0, done.output
    assert "Under ARI, kmeans has" in done.stdout
    told = json.loads(targets[-1].read_text())
    assert told["number_of"]["measures"][0]["ks"] == [2, 3]
    assert told["provenance"]["inputs"][0]["sha256"] == hashlib.sha256(NOTES.read_bytes()).hexdigest()
    assert all(target.stat().st_size for target in targets)


def test_options_of_others_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    for options, says in (
        (["--unlabelled", "drop", "--positive", "1"], "--positive goes with predictions"),
        (["--unlabelled", "drop", "--level", "2"], "level"),
        ([], "6 items without a class"),
    ):
        done = CliRunner().invoke(app, ["report", str(NOTES), *options, "-o", str(target)])
        assert isinstance(done.exception, AssayError)
        assert says in str(done.exception)
        assert not target.exists()


# The page as text.


@pytest.fixture(params=[*KINDS, "hostile"], scope="module")
def read(request: pytest.FixtureRequest) -> Read:
    return Read(cluster_page(made(HOSTILE)["a pair"] if request.param == "hostile" else made()[request.param]))


def test_ids_are_unique_and_every_link_leads_somewhere(read: Read) -> None:
    ids = Counter(str(attributes["id"]) for _, attributes in read.elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    links = [str(attributes["href"]) for tag, attributes in read.elements if tag in {"a", "use"}]
    assert [link for link in links if link[0] != "#" or link[1:] not in ids] == []


def test_nothing_is_loaded_and_nothing_runs_but_the_pages_own_script(read: Read) -> None:
    assert [tag for tag, _ in read.elements if tag in {"img", "iframe", "object", "embed", "form", "base"}] == []
    assert [attributes for _, attributes in read.elements if "src" in attributes or "style" in attributes] == []
    assert [name for _, attributes in read.elements for name in attributes if name.startswith("on")] == []
    assert len(read.all("script")) == len(read.all("style")) == 1


def test_tables_have_captions_charts_say_what_they_show_and_headings_come_in_order(read: Read) -> None:
    assert len(read.all("caption")) == len(read.all("table")) > 0
    assert [attributes for attributes in read.all("th") if attributes.get("scope") not in {"col", "row"}] == []
    for place, (tag, attributes) in enumerate(read.elements):
        if tag != "svg" or read.parents[place] == "svg":
            continue
        shown = attributes.get("role") == "img" and read.elements[place + 1][0] == "title"
        assert shown or attributes.get("aria-hidden") == "true"
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 2 for before, after in itertools.pairwise(levels))


def test_no_number_is_written_that_is_none(read: Read) -> None:
    assert re.search(r"(?<!=)\b(nan|inf|None)\b", read.text) is None


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_is_text_and_the_policy_names_digests(kind: str) -> None:
    text = cluster_page(made(HOSTILE)[kind])
    assert "<script>window" not in text
    assert "window.hacked=1</script>" in Read(text).text
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    said = policy[1].replace("&#x27;", "'")
    assert said.startswith("default-src 'none'; ")
    assert "unsafe" not in said
    for tag in ("style", "script"):
        (found,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()}'" in said


# The page in a browser.


@pytest.mark.parametrize("theme", THEMES)
def test_it_is_silent_asks_for_nothing_fits_and_is_legible(browser: Browser, tmp_path: Path, theme: str) -> None:
    for kind, width in (("one", 1280), ("a pair", 420), ("many", 420), ("hostile", 1280)):
        path = tmp_path / "page.html"
        path.write_text(cluster_page(made(HOSTILE)["a pair"] if kind == "hostile" else made()[kind]))
        visit = Visit(browser, path, color_scheme=theme, viewport={"width": width, "height": 900})
        opened(visit)
        visit.page.mouse.wheel(0, 20_000)
        visit.page.wait_for_load_state("networkidle")
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [path.as_uri()]
        assert visit.ask("() => window.hacked") is None
        assert visit.ask("() => document.documentElement.scrollWidth - innerWidth") <= 0
        assert [found for found in visit.ask(CONTRASTS) if found[1] < 4.5] == []
        visit.context.close()


def test_a_cell_leads_to_its_items_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(cluster_page(made()["one"]))
    visit = Visit(browser, path)
    cell = visit.page.locator(".heat td > a").first
    cell.focus()
    cell.press("Enter")
    shown = visit.page.locator(".cell-panel:target")
    assert shown.is_visible()
    assert "items of class class 0 in cluster" in shown.inner_text()
    assert cell.get_attribute("aria-current") == "true"
    visit.page.locator("input[value=predicted]").first.press("Space")
    assert cell.locator(".in-predicted").is_visible()
    assert not cell.locator(".in-count").is_visible()
    visit.context.close()
