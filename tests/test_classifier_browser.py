"""The page on classifiers in a real browser: the threshold moves everything, by mouse and keyboard, in silence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from made_classifiers import inside, labelled, made_reports, rows, scored
from test_report_browser import CONTRASTS, HOSTILE, THEMES, Visit, opened

from assay import Confusion, Predictions, Report, make_report, parse_measure
from assay.core import digits
from assay.core.digits import threshold
from assay.show.model import Section
from assay.subjects.labels.moving_threshold import FORMULAS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visited = Callable[..., Visit]
STATE = """() => { const one = name => document.querySelector(`.explorer ${name}`);
    const text = name => one(name).textContent, attribute = (name, key) => one(name).getAttribute(key);
    return {
      threshold: text(".at-threshold"),
      cells: ["tp", "fp", "fn", "tn"].map(name => text(`[data-cell=${name}]`)),
      measures: [...document.querySelectorAll(".explorer [data-measure]")].map(
        cell => [cell.dataset.measure, cell.textContent, Number(cell.dataset.value)]),
      roc: ["cx", "cy", "display"].map(key => attribute("[data-point=roc]", key)),
      pr: ["cx", "cy", "display"].map(key => attribute("[data-point=pr]", key)),
      line: attribute("[data-line]", "x1"),
      band: attribute("[data-band]", "width"),
      says: attribute(".slider", "aria-valuetext"),
      pressed: [...document.querySelectorAll(".explorer [aria-pressed=true]")].map(one => one.textContent),
    }; }"""
MOVE = """row => { const slider = document.querySelector(".slider");
    slider.value = Number(slider.max) - row; slider.dispatchEvent(new Event("input")); }"""


@pytest.fixture
def visited(browser: Browser) -> Iterator[Visited]:
    """Opens pages, and closes them after the test."""
    visits: list[Visit] = []

    def visit(path: Path, **settings: Any) -> Visit:
        visits.append(Visit(browser, path, **settings))
        return visits[-1]

    yield visit
    for one in visits:
        one.context.close()


def written(report: Report, to: Path) -> Path:
    return report.save(to / "report.html", overwrite=True)


def number(value: float) -> str:
    """A number as the page writes it."""
    return digits.number(value).replace("-", "−")


@pytest.fixture(scope="session")
def spam() -> Report:
    return make_report(scored(120))


@pytest.fixture
def page(spam: Report, tmp_path: Path) -> Path:
    return written(spam, tmp_path)


def cells_of(row: dict[str, Any]) -> list[int]:
    return [row[name] for name in ("tp", "fp", "fn", "tn")]


def measured(part: Section) -> list[list[float]]:
    """The measures of every row, as Python computes them."""
    tp, fp, fn, tn = (np.array(column) for column in zip(*map(cells_of, part.data["rows"]), strict=True))
    confusion = Confusion(tuple(map(str, range(len(tp)))), tp, fp, fn, tn, "table")
    return [parse_measure(name, "binary").of(confusion).tolist() for name in FORMULAS]


def test_every_position_of_the_slider_shows_what_python_computes(visited: Visited, spam: Report, page: Path) -> None:
    visit = visited(page)
    (part,) = inside(spam, "threshold")
    expected = measured(part)
    assert len(part.data["rows"]) > 80
    for place, row in enumerate(part.data["rows"]):
        visit.page.evaluate(MOVE, place)
        state = visit.ask(STATE)
        assert state["cells"] == [f"{count:,}" for count in cells_of(row)]
        assert state["threshold"] == threshold(row["threshold"], row["below"])
        assert [name for name, _, _ in state["measures"]] == list(FORMULAS)
        for (name, shown, value), of_name in zip(state["measures"], expected, strict=True):
            wanted = of_name[place]
            assert shown == number(wanted), (name, row)
            assert value == pytest.approx(wanted, abs=1e-12, nan_ok=True), (name, row)
        tp, fp, fn, tn = cells_of(row)
        fpr, tpr = fp / (fp + tn), tp / (tp + fn)
        assert [percent(text) for text in state["roc"][:2]] == pytest.approx([100 * fpr, 100 * (1 - tpr)], abs=0.01)
        if tp + fp:
            at = [100 * tpr, 100 * (1 - tp / (tp + fp))]
            assert [percent(text) for text in state["pr"][:2]] == pytest.approx(at, abs=0.01)
            assert state["pr"][2] is None
        else:
            assert state["pr"][2] == "none"
        line = 100 * min(row["threshold"], 1.0)
        assert percent(state["line"]) == pytest.approx(line, abs=0.01)
        assert percent(state["band"]) == pytest.approx(100 - line, abs=0.01)
    assert visit.said == []


@pytest.mark.parametrize("width", [1280, 420])
def test_long_names_of_labels_leave_the_numbers_in_view(visited: Visited, tmp_path: Path, width: int) -> None:
    """Both matrices fit into their boxes, names with blanks and without; a phone scrolls to the sums at most."""
    report = make_report(scored(60, text=f" {'as it is called ' * 6}{'x' * 90}"))
    visit = visited(written(report, tmp_path), viewport={"width": width, "height": 900})
    beyond = """name => { const box = document.querySelector(name), edge = box.getBoundingClientRect().right;
        return [...box.querySelectorAll("td:not(.margin)")].filter(
            cell => cell.getBoundingClientRect().right > edge).length; }"""
    assert visit.page.evaluate(beyond, ".two-by-two") == 0
    assert visit.page.evaluate(beyond, ".heat .scroll") == 0


def test_twenty_labels_fit_into_a_wide_page(visited: Visited, tmp_path: Path) -> None:
    visit = visited(written(make_report(labelled(600, labels=40), measures="Accuracy"), tmp_path))
    wide, room = visit.page.evaluate(
        "() => { const box = document.querySelector('.heat .scroll'); return [box.scrollWidth, box.clientWidth]; }"
    )
    assert wide <= room


def percent(text: str) -> float:
    return float(text.removesuffix("%"))


def test_numbers_between_two_are_rounded_as_python_does(visited: Visited, tmp_path: Path) -> None:
    """Of 32 positive items, shares such as 1/32 = 0.03125 lie in the middle between two numbers of four decimals."""
    truth = [1] * 32 + [0] * 32
    scores = [n / 100 for n in range(64)]
    report = make_report(Predictions.of(truth, y_score=scores))
    visit = visited(written(report, tmp_path))
    (part,) = inside(report, "threshold")
    expected = measured(part)
    ties = 0
    for place in range(len(part.data["rows"])):
        visit.page.evaluate(MOVE, place)
        wanted = [number(of_name[place]) for of_name in expected]
        assert [shown for _, shown, _ in visit.ask(STATE)["measures"]] == wanted
        ties += sum(value[place] * 32 % 2 == 1 for value in expected)
    assert ties > 20


def test_the_page_opens_with_what_stands_in_it_without_a_script(visited: Visited, spam: Report, page: Path) -> None:
    with_script, without = visited(page), visited(page, java_script_enabled=False)
    (part,) = inside(spam, "threshold")
    start = part.data["rows"][part.data["start"]]
    assert with_script.page.locator(".slider").is_visible()
    assert not without.page.locator(".slider").is_visible()
    for visit in (with_script, without):
        assert visit.page.locator(".at-threshold").text_content() == f"{start['threshold']:.6g}"
        shown = visit.page.locator(".explorer [data-measure]").all_text_contents()
        assert shown == list(map(number, part.data["values"].values()))
        cells = [visit.page.locator(f"[data-cell={name}]").text_content() for name in ("tp", "fp", "fn", "tn")]
        assert cells == [f"{count:,}" for count in cells_of(start)]
    places = [one.page.locator("[data-point=roc]").bounding_box() for one in (with_script, without)]
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["x"] == pytest.approx(places[1]["x"], abs=1)


def test_the_keyboard_moves_the_threshold_and_the_rules_set_it(visited: Visited, spam: Report, page: Path) -> None:
    visit = visited(page)
    (part,) = inside(spam, "threshold")
    before = visit.ask(STATE)
    assert before["pressed"] == ["back to the start"]
    slider = visit.page.get_by_role("slider", name="Threshold of words")
    slider.focus()
    visit.page.keyboard.press("ArrowRight")  # one threshold higher, which is one row up
    after = visit.ask(STATE)
    assert after["threshold"] == f"{part.data['rows'][part.data['start'] - 1]['threshold']:.6g}"
    assert after["says"].startswith(f"{after['threshold']}: ")
    for key in ("threshold", "roc", "pr", "line", "band", "cells", "measures"):
        changed = after[key] != before[key]
        assert changed or key in {"roc", "pr"}, key
    assert after["roc"] != before["roc"] or after["pr"] != before["pr"]
    visit.page.keyboard.press("End")
    assert visit.ask(STATE)["threshold"] == "above all scores"
    visit.page.keyboard.press("Home")
    assert visit.ask(STATE)["cells"] == [f"{count:,}" for count in cells_of(part.data["rows"][-1])]
    for rule in rows(part, "rules")[1:].iter_rows(named=True):
        button = visit.page.get_by_role("button", name=rule["rule"], exact=True)
        button.focus()
        visit.page.keyboard.press("Enter")
        state = visit.ask(STATE)
        assert state["cells"] == [f"{count:,}" for count in cells_of(rule)]
        assert rule["rule"] in state["pressed"]
        assert all(value == pytest.approx(rule[name], nan_ok=True) for name, _, value in state["measures"])
    assert visit.said == []


def test_dragging_the_slider_moves_everything(visited: Visited, page: Path) -> None:
    visit = visited(page)
    before = visit.ask(STATE)
    box = visit.page.locator(".slider").bounding_box()
    assert box is not None
    visit.page.locator(".slider").click(position={"x": box["width"] * 0.2, "y": box["height"] / 2})
    after = visit.ask(STATE)
    assert all(after[key] != before[key] for key in ("threshold", "cells", "measures", "roc", "pr", "line", "band"))


def test_two_systems_have_sliders_of_their_own(visited: Visited, tmp_path: Path) -> None:
    visit = visited(written(made_reports()["a pair"], tmp_path))
    opened(visit)
    texts = visit.page.locator(".at-threshold")
    before = texts.all_text_contents()
    visit.page.get_by_role("slider", name="Threshold of letters").focus()
    visit.page.keyboard.press("PageUp")
    after = texts.all_text_contents()
    assert (after[0], after[1] != before[1]) == (before[0], True)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_cell_lists_its_items(visited: Visited, spam: Report, page: Path, scripts: bool) -> None:
    visit = visited(page, java_script_enabled=scripts)
    cells = inside(spam, "confusion")[0].data["cells"]
    assert visit.page.locator(".cell-panel:visible").count() == 0
    assert visit.page.locator(".hint").is_visible()
    cell = visit.page.locator(".heat td a").nth(1)
    cell.focus()
    visit.page.keyboard.press("Enter")
    panel = visit.page.locator(".cell-panel:visible")
    assert panel.count() == 1
    wanted = cells[1]
    assert panel.locator("tbody th").all_text_contents() == [item["item_id"] for item in wanted["items"]]
    assert panel.locator("tbody tr").first.locator("td").all_text_contents() == [
        "ham", "spam", number(wanted["items"][0]["score"])
    ]  # fmt: skip
    assert f"{int(wanted['number'])} items of ham predicted as spam" in str(panel.text_content())
    assert not visit.page.locator(".hint").is_visible()
    visit.page.locator(".heat td a").first.click()
    assert visit.page.locator(".cell-panel:visible").count() == 1
    if scripts:
        assert visit.page.evaluate("document.activeElement.className") == "cell-panel"
        assert visit.page.locator(".heat a[aria-current]").count() == 1
        assert visit.said == []


def test_cells_show_counts_or_shares_as_chosen(visited: Visited, spam: Report, page: Path) -> None:
    visit = visited(page, java_script_enabled=False)
    cells = inside(spam, "confusion")[0].data["cells"]
    cell = cells[2]
    shown = visit.page.locator(".heat td.wrong").nth(1)

    def seen() -> str:
        return str(shown.inner_text()).strip()

    before = shown.screenshot()
    assert seen() == f"{cell['number']:.0f}"
    radio = visit.page.get_by_role("radio", name="Share of each true label (rows)")
    radio.focus()
    visit.page.keyboard.press("Space")
    assert seen() == f"{cell['of_truth']:.1%}"
    assert shown.screenshot() != before
    visit.page.keyboard.press("ArrowRight")
    assert seen() == f"{cell['of_prediction']:.1%}"
    visit.page.keyboard.press("ArrowRight")
    assert seen() == f"{cell['of_all']:.1%}"


@pytest.mark.parametrize("theme", THEMES)
def test_it_is_silent_asks_for_nothing_and_is_legible(visited: Visited, tmp_path: Path, theme: str) -> None:
    for kind in ("a pair", "topics"):
        path = written(made_reports()[kind], tmp_path)
        visit = visited(path, color_scheme=theme)
        opened(visit)
        visit.page.mouse.wheel(0, 20_000)
        visit.page.wait_for_load_state("networkidle")
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [path.as_uri()]
        assert [found for found in visit.ask(CONTRASTS) if found[1] < 4.5] == []


def test_hostile_text_stays_inert(visited: Visited, tmp_path: Path) -> None:
    for kind in ("a pair", "topics"):
        visit = visited(written(made_reports(HOSTILE)[kind], tmp_path))
        opened(visit)
        cells = visit.page.locator(".heat td a")
        if cells.count():
            cells.first.click()
        for slider in visit.page.locator(".slider:visible").all():
            slider.press("ArrowRight")
        assert visit.said == [], kind
        assert visit.ask("() => window.hacked") is None
        assert visit.ask("() => [document.images.length, document.styleSheets.length]") == [0, 1]
        assert len([url for url in visit.asked if not url.startswith("data:")]) <= 2  # the page, and a place in it


@pytest.mark.parametrize(("width", "text"), [(400, ""), (320, "_a_name_without_any_blank_that_goes_on_and_on_and_on")])
def test_a_phone_shows_it_without_scrolling_sideways(visited: Visited, tmp_path: Path, width: int, text: str) -> None:
    for report in made_reports(text).values():
        visit = visited(written(report, tmp_path), viewport={"width": width, "height": 812})
        opened(visit)
        assert visit.ask("() => document.documentElement.scrollWidth") <= width
        outside = visit.ask("""() => [...document.querySelectorAll("body *")].filter(one =>
            one.checkVisibility() && !one.closest(".scroll, nav, svg, .skip, caption")
            && one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 120))""")
        assert outside == []


def test_the_controls_stay_in_view_while_their_charts_are_looked_at(visited: Visited, page: Path) -> None:
    visit = visited(page, viewport={"width": 400, "height": 800})
    visit.page.locator(".at-values").evaluate("one => one.scrollIntoView({behavior: 'instant', block: 'center'})")
    box = visit.page.locator(".slider").bounding_box()
    assert box is not None
    assert 0 < box["y"] < 400


def test_paper_shows_everything_and_no_controls(visited: Visited, tmp_path: Path) -> None:
    visit = visited(written(made_reports()["a pair"], tmp_path), color_scheme="dark")
    printed = visit.page.pdf(prefer_css_page_size=True, print_background=True)
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= 14
    visit.page.emulate_media(media="print")
    visit.ask("() => dispatchEvent(new Event('beforeprint'))")
    for hidden in (".slider", "header.bar", "button", ".by"):
        assert visit.page.locator(f"{hidden}:visible").count() == 0, hidden
    assert visit.page.locator(".heat:visible").count() == 2
    assert visit.page.locator(".explorer:visible").count() == 2
    cut = """() => [...document.querySelectorAll(".numbers .scroll")].filter(
        one => one.classList.add("tall") || getComputedStyle(one).maxHeight !== "none").length"""
    assert visit.ask(cut) == 0


def test_many_labels_stay_a_map_that_can_be_read(visited: Visited, tmp_path: Path) -> None:
    visit = visited(written(make_report(labelled(900, labels=40)), tmp_path))
    assert visit.page.locator(".heat tbody tr").count() > 20
    cells = visit.ask("""() => [...document.querySelectorAll(".heat td.right, .heat td.wrong")].map(one => {
        const box = one.getBoundingClientRect(); return [box.width, box.height]; })""")
    assert len(cells) == 400
    assert all(width >= 24 and height >= 20 for width, height in cells)
