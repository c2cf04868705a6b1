"""The report on clusterings: what it holds, in every form, as a page that is well formed, inert and complete."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import in_turn
from command import invoke
from made_classifiers import inside, rows
from test_report_browser import CONTRASTS, THEMES, Visit, opened
from test_report_page import HOSTILE, Read

import assay
from assay import (
    AssayError,
    Clustering,
    Clusters,
    Contingency,
    ParameterError,
    Report,
    cluster,
    compare,
    make_report,
)
from assay.show.figure import Figure
from assay.show.model import Prose, References

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOTES = Path(assay.__file__).parent / "data" / "notes" / "notes.csv"


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
def made(text: str = "") -> dict[str, Report]:
    """Reports of every kind: one, a pair, classes only, points only, a table, one cluster, weights, many clusters."""
    both = items(text)
    one = both[f"good{text}"]
    rng = np.random.default_rng(1)
    many = Clusters.of([f"k{n % 30}{text}" for n in range(300)], [f"m{n % 50}" for n in range(300)])
    kinds: dict[str, Any] = {
        "one": cluster({f"good{text}": one}).report(),
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
    return {kind: kinds[kind] for kind in KINDS}


@cache
def pair() -> tuple[Clustering, Report]:
    """Two clusterings, and the report on them."""
    result = cluster(items())
    return result, result.report()


def cells_of(report: Report) -> list[dict[str, Any]]:
    """The cells of the map of the first clustering."""
    cells: list[dict[str, Any]] = inside(report, "map")[0].data["cells"]
    return cells


def notes_of(report: Report) -> str:
    return " ".join(report.notes)


def methods_of(report: Report) -> str:
    part = report.section("methods").parts[0]
    assert isinstance(part, Prose)
    return part.text


def test_numbers_are_those_of_the_clustering() -> None:
    result, report = pair()
    frame = report.table("measures")
    for place, system in enumerate(["good", "poor"]):
        for measure, row in zip(result.measures, frame.iter_rows(named=True), strict=True):
            one, key = result.estimate(measure, system), f"system_{place}"
            shown = row[key], row[f"{key}_low"], row[f"{key}_high"]
            assert shown == pytest.approx((one.value, one.low, one.high), nan_ok=True)
    for part, system in zip(inside(report, "map"), ["good", "poor"], strict=True):
        table, cells = result.contingency(system), part.data["cells"]
        assert table is not None
        assert sum(cell["number"] for cell in cells) == table.items[0]
        purest = Counter[str]()
        for cell in cells:
            purest[cell["cluster"]] = max(purest[cell["cluster"]], cell["number"])
        assert purest.total() / table.items[0] == pytest.approx(result.value("Purity", system))


def test_cells_hold_their_items() -> None:
    given = items()["good"]
    for cell in cells_of(cluster(given).report()):
        both = (given.truth == cell["class"]) & (given.cluster == cell["cluster"])
        expected = given.item_id.filter(both).to_list()
        listed = [row["item_id"] for row in cell.get("items", ())]
        assert cell.get("all_items", 0) == cell["number"] == len(expected)
        assert listed == expected[: len(listed)]


def test_items_without_a_class_and_noise_are_as_they_were_counted() -> None:
    given = Clusters.of(["a", None, "a", "b", "b", None], [0, 0, -1, 1, 1, 1])
    left = cells_of(cluster(given, "Purity", noise=-1, unlabelled="drop").report())
    assert sum(cell.get("all_items", 0) for cell in left) == 3
    kept = cells_of(cluster(given, "Purity", unlabelled="class").report())
    assert "(none)" in {cell["class"] for cell in kept}
    assert sum(cell.get("all_items", 0) for cell in kept) == 6


def test_silhouettes_are_drawn_sorted_and_the_misplaced_listed() -> None:
    result, report = pair()
    part = inside(report, "silhouettes")[1]
    points = result.points("poor")
    assert points is not None
    assert part.data["below_zero"] == int((points.silhouettes < 0).sum()) > 0
    assert rows(part, "misplaced")["silhouette"][0] == points.silhouettes.min()
    (drawn,) = (each for each in part.parts if isinstance(each, Figure))
    assert drawn.data.height == part.data["items"] == rows(part, "silhouettes")["points"].sum() == 60
    assert part.data["mean"] == pytest.approx(result.value("Silhouette", "poor"))


def test_of_many_points_some_silhouettes_are_drawn_and_that_is_said() -> None:
    (part,) = inside(cluster(items(size=2_500)["good"], "Silhouette").report(), "silhouettes")
    words = " ".join(each.text for each in part.parts if isinstance(each, Prose))
    assert re.search(r"2,00\d of 2,500 silhouettes are drawn, evenly spaced within each cluster\.", words)


def test_verdicts_are_those_of_compare() -> None:
    result, report = pair()
    held = compare(result, baseline="good", seed=0)
    assert report.table("findings").select("difference", "low", "high").rows() == [
        (one.difference, one.interval.low, one.interval.high) for one in held.findings
    ]
    assert str(report).startswith("poor is worse than good")
    assert result.report(baseline="poor").table("findings")["baseline"][0] == "poor"
    with pytest.raises(ParameterError, match="choose a baseline of good, poor, not 'por'; did you mean poor"):
        result.report(baseline="por")


def test_clusterings_of_other_items_are_not_compared_and_that_is_said() -> None:
    one, other = items()["good"], items(size=48)["good"]
    report = cluster({"one": one, "other": other}).report()
    assert "findings" not in report.document().tables()
    assert "the clusterings are not compared" in notes_of(report)
    assert str(report).startswith("Under ARI, one has")


def test_splits_and_merges_have_their_parts() -> None:
    result = cluster(items()["good"])
    moves = [part for part in inside(result.report(), "groups")[0].parts if getattr(part, "data", None)]
    assert [part.data["moves"] for part in moves if hasattr(part, "data")] == [result.moves().to_dicts()]


def test_rules_of_other_reports_are_refused() -> None:
    result, _ = pair()
    for options, says in (
        ({"topics": "x"}, "topics has no meaning in a report on clusterings"),
        ({"measures": ["ARI"]}, "measures belongs to the clustering"),
        ({"noise": -1}, "noise belongs to the clustering"),
    ):
        with pytest.raises(ParameterError, match=says):
            make_report(result, **options)
    with pytest.raises(ParameterError, match="unknown argument 'nois'; did you mean noise"):
        make_report(items()["good"], nois=-1)  # type: ignore[call-arg]


def test_works_are_cited_for_what_was_used() -> None:
    (references,) = (part for part in made()["one"].section("methods").parts if isinstance(part, References))
    cited = " ".join(work.entry for work in references.works)
    for name in ("Hubert", "Rousseeuw", "Politis"):
        assert name in cited


def test_the_methods_say_what_was_done_about_noise_and_unknown_classes() -> None:
    given = Clusters.of(["a", None, "a", "b"], [0, 0, -1, 1])
    report = cluster(given, "Purity", noise=-1, unlabelled="drop").report()
    assert "items labelled -1 (noise) left out and items without a class left out" in methods_of(report)


# Markdown, LaTeX, JSON, and the command.


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_holds_every_measure_and_no_number_that_is_none(kind: str) -> None:
    report = made(HOSTILE)[kind]
    names = made()[kind].table("measures")["measure"]
    for text in (report.to_markdown(), report.to_latex()):
        assert re.search(r"(?<![=\w])\b(nan|inf|None)\b", text) is None
        assert all(name in text for name in names)
    assert "<script>" not in re.sub("```.*?```", "", report.to_markdown(), flags=re.DOTALL)
    told = json.loads(report.to_json())["sections"]["measures"]
    assert [row["measure"] for row in told["measures"]] == names.to_list()
    assert report._repr_html_().count("<table>") == 1


def test_the_command_writes_all_forms(tmp_path: Path) -> None:
    targets = [tmp_path / f"r.{suffix}" for suffix in ("html", "md", "tex", "json")]
    options = ["--points", "x,y,z", "--unlabelled", "drop", "--noise", "-1"]
    done = invoke(["clustering", "report", str(NOTES), *options, *(f"-o{target}" for target in targets)])
    assert done.exit_code == 0, done.output
    assert "Under ARI, kmeans has" in done.stdout
    told = json.loads(targets[-1].read_text())
    assert hashlib.sha256(NOTES.read_bytes()).hexdigest() in json.dumps(told["sections"]["provenance"])
    assert all(target.stat().st_size for target in targets)


def test_options_of_others_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    for options, says in (
        (["--unlabelled", "drop", "--positive", "1"], "--positive goes with assay classifier report"),
        (["--unlabelled", "drop", "--level", "2"], "level"),
        ([], "6 items without a class"),
    ):
        done = invoke(["clustering", "report", str(NOTES), *options, "-o", str(target)])
        assert isinstance(done.exception, AssayError)
        assert says in str(done.exception)
        assert not target.exists()


# The page as text.


@pytest.fixture(params=[*KINDS, "hostile"], scope="module")
def read(request: pytest.FixtureRequest) -> Read:
    return Read((made(HOSTILE)["a pair"] if request.param == "hostile" else made()[request.param]).to_html())


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


@in_turn("kind", KINDS)
def test_hostile_text_is_text_and_the_policy_names_digests(kind: str) -> None:
    text = made(HOSTILE)[kind].to_html()
    assert "<script>window" not in text
    assert "window.hacked=1</script>" in Read(text).text
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    said = html.unescape(policy[1])
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
        report = made(HOSTILE)["a pair"] if kind == "hostile" else made()[kind]
        path.write_text(report.to_html())
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
    path.write_text(made()["one"].to_html())
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
