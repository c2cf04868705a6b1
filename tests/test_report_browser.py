"""The page of a report in a real browser: silent, offline, drawn in both themes, and usable by all."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from reported import made_report

import assay
from assay import Report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BICYCLES = Path(__file__).parents[1] / "src" / "assay" / "data" / "bicycles"
THEMES: list[Literal["light", "dark"]] = ["light", "dark"]
HOSTILE = (
    "</title></style></svg></bdi><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    "<svg onload='window.hacked = 1'>\u202e\u2067reversed &lt;b&gt; "
)

# Every piece of text that is shown, with the contrast to what lies behind it.
CONTRASTS = """() => {
  const read = text => {
    const parts = text.match(/[\\d.]+(?:e-?\\d+)?/g).map(Number);
    const [r, g, b, a = 1] = parts;
    return text.startsWith("color(") ? [r, g, b, a] : [r / 255, g / 255, b / 255, a];
  };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3])).concat(1);
  const behind = place => {
    const layers = [];
    for (; place; place = place.parentElement) layers.push(read(getComputedStyle(place).backgroundColor));
    return layers.reduceRight((under, top) => over(top, under), [1, 1, 1, 1]);
  };
  const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const place = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !place.checkVisibility() || place.closest("title, script")) continue;
    const style = getComputedStyle(place), ground = behind(place);
    const ink = over(read(place.closest("svg") ? style.fill : style.color), ground);
    const [high, low] = [light(ink), light(ground)].sort((a, b) => b - a);
    found.push([texts.currentNode.data.trim().slice(0, 40), (high + 0.05) / (low + 0.05)]);
  }
  return found;
}"""


@pytest.fixture(scope="session")
def bicycles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report that the demo makes: six systems, with topics and documents."""
    report = assay.make_report(
        BICYCLES / "qrels.txt",
        {path.stem: path for path in sorted((BICYCLES / "runs").glob("*.run"))},
        ["nDCG@10", "AP", "RR"],
        baseline="bm25",
        topics=BICYCLES / "topics.trec",
        documents=BICYCLES / "documents.jsonl",
    )
    return report.save(tmp_path_factory.mktemp("bicycles") / "report.html")


def written(report: Report, to: Path) -> Path:
    return report.save(to / "report.html")


class Visit:
    """A page that was opened, with what it said and asked for, and what came of that."""

    def __init__(self, browser: Browser, path: Path, **settings: Any) -> None:
        self.context = browser.new_context(**settings)
        self.page: Page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.refused: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", lambda request: self.refused.append(request.url))
        self.page.goto(path.as_uri())

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)


Visited = Callable[..., Visit]


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


def opened(visit: Visit) -> None:
    visit.ask("() => document.querySelectorAll('details').forEach(one => one.open = true)")


@pytest.mark.parametrize("theme", THEMES)
def test_it_is_silent_and_asks_for_nothing(visited: Visited, bicycles: Path, theme: str) -> None:
    visit = visited(bicycles, color_scheme=theme)
    opened(visit)
    visit.page.mouse.wheel(0, 20_000)
    visit.page.wait_for_load_state("networkidle")
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith("data:")] == [bicycles.as_uri()]


@pytest.mark.parametrize("theme", THEMES)
def test_all_charts_are_drawn_in_both_themes(visited: Visited, bicycles: Path, theme: str) -> None:
    visit = visited(bicycles, color_scheme=theme)
    opened(visit)
    for kind in ("whisker", "ticks-of", "shares", "sparkline", "chart", "meter"):
        boxes = visit.ask(f"""() => [...document.querySelectorAll("svg.{kind}")].map(one => {{
            const box = one.getBoundingClientRect(); return [box.width, box.height]; }})""")
        assert boxes, f"no chart of the kind {kind}"
        assert all(width > 20 and height > 4 for width, height in boxes), kind
    shapes = visit.ask("""() => [...document.querySelectorAll(
        ".chart .gain, .chart .loss, .chart .line, .chart .mark, .chart .from, .chart .to, .dot, .filled")].map(one => {
            const box = one.getBoundingClientRect(), style = getComputedStyle(one);
            const colour = ["none", "transparent"].includes(style.fill) ? style.stroke : style.fill;
            return [Math.max(box.width, box.height), colour]; })""")
    assert len(shapes) > 200
    assert all(size > 0 for size, _ in shapes)
    surface = visit.ask("() => getComputedStyle(document.querySelector('.card')).backgroundColor")
    assert surface not in {colour for _, colour in shapes}
    assert visit.page.locator("#d1 .chart a").count() == 20


@pytest.mark.parametrize("theme", THEMES)
def test_all_text_is_told_from_its_ground(visited: Visited, bicycles: Path, tmp_path: Path, theme: str) -> None:
    for path in (bicycles, written(made_report(), tmp_path)):
        visit = visited(path, color_scheme=theme)
        opened(visit)
        contrasts = visit.ask(CONTRASTS)
        assert len(contrasts) > 500
        assert [found for found in contrasts if found[1] < 4.5] == []


def test_the_switch_turns_the_theme_until_the_tab_is_closed(visited: Visited, bicycles: Path) -> None:
    def ground() -> Any:
        return visit.ask("() => getComputedStyle(document.body).backgroundColor")

    grounds: dict[str, Any] = {}
    for theme in THEMES:
        visit = visited(bicycles, color_scheme=theme)
        grounds[theme] = ground()
        visit.page.get_by_role("switch").press("Space")
        grounds[f"not {theme}"] = ground()
        visit.page.reload()
        assert ground() == grounds[f"not {theme}"]
        visit.page.get_by_role("switch").press("Space")
        visit.page.reload()
        assert ground() == grounds[theme]
        assert visit.ask("() => [localStorage.length, document.cookie.length]") == [0, 0]
        assert visit.said == []
    assert grounds["light"] == grounds["not dark"] != grounds["dark"] == grounds["not light"]


def test_a_browser_that_keeps_nothing_is_no_error(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    visit.page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    visit.page.reload()
    ground = "() => getComputedStyle(document.body).backgroundColor"
    before = visit.ask(ground)
    visit.page.get_by_role("switch").press("Space")
    assert visit.ask(ground) != before
    assert visit.page.locator("button:visible").count() > 0  # the rest of the script has run
    assert visit.said == []


def test_a_head_stays_in_view_while_its_table_scrolls(visited: Visited, tmp_path: Path) -> None:
    visit = visited(written(made_report(systems=40, measures=2), tmp_path), viewport={"width": 375, "height": 800})
    table = visit.page.locator(".scroll.systems")
    assert table.evaluate("one => one.scrollHeight > one.clientHeight + 500")
    head = table.evaluate("""one => { one.scrollIntoView({behavior: "instant", block: "center"});
        one.scrollTo({top: 500, left: 60, behavior: "instant"});
        const box = one.getBoundingClientRect();
        return document.elementFromPoint(box.left + 15, box.top + 15).closest("th").textContent; }""")
    assert head == "system"  # and neither a system's name nor another column's head


def test_no_card_stands_alone_beside_empty_room(visited: Visited, tmp_path: Path) -> None:
    for systems in (2, 3, 5, 8):
        visit = visited(written(made_report(systems=systems, measures=1), tmp_path))
        for width in (1280, 900):
            visit.page.set_viewport_size({"width": width, "height": 900})
            rows: dict[int, float] = {}
            for top, wide in visit.ask("""() => [...document.querySelectorAll(".cards > .card")].map(one => {
                const box = one.getBoundingClientRect(); return [Math.round(box.top), box.width]; })"""):
                rows[top] = rows.get(top, 0.0) + wide
            whole = visit.ask("() => document.querySelector('.cards').getBoundingClientRect().width")
            assert all(taken > 0.6 * whole for taken in rows.values()), (systems, width)


def test_the_keyboard_reaches_everything(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    visit.ask("""() => { window.stops = []; document.addEventListener("focusin", ({target}) => stops.push([
        target.localName, target.getAttribute("class") ?? "", target.getAttribute("href") ?? target.id,
    ].join(" "))); }""")
    for _ in range(120):
        visit.page.keyboard.press("Tab")
    stops = visit.ask("() => stops")
    assert stops[0] == "a skip #top"
    assert "a  #verdicts" in stops[:5]
    for wanted in ("input  theme", "summary", "div scroll systems", "a skip inline", "button"):
        assert any(stop.startswith(wanted) for stop in stops), wanted
    assert sum(bool(re.fullmatch(r"a  #(d1-\d+|q\d+)", stop)) for stop in stops) >= 20  # the bars
    visit.page.locator(".bar nav a").first.focus()
    visit.page.keyboard.press("Tab")
    style = visit.ask(
        "() => { const {outlineStyle, outlineWidth} = getComputedStyle(document.activeElement); "
        "return [outlineStyle, outlineWidth]; }"
    )
    assert style == ["solid", "3px"]


def test_a_bar_leads_to_its_query(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    bars = visit.page.locator("#d1 .chart a")
    first, middle = bars.nth(0), bars.nth(8)
    for bar, kind in ((middle, "d1-"), (first, "q")):
        target = str(bar.get_attribute("href"))
        assert target.startswith(f"#{kind}")
        query = str(bar.locator("title").text_content()).split(":", maxsplit=1)[0].removeprefix("Query ")
        bar.focus()
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_function(
            f"""() => {{ const one = document.querySelector("{target}"), box = one.getBoundingClientRect();
            return one.contains(document.elementFromPoint(box.left + 30, box.top + 20)); }}"""
        )
        assert query in str(visit.page.locator(target).text_content())


@pytest.mark.parametrize("width", [375, 320])
def test_a_phone_shows_it_without_scrolling_sideways(
    visited: Visited, bicycles: Path, tmp_path: Path, width: int
) -> None:
    long = made_report(systems=5, text="_a_name_without_any_blank_that_goes_on_and_on_and_on")
    for path in (bicycles, written(long, tmp_path)):
        visit = visited(path, viewport={"width": width, "height": 812})
        opened(visit)
        assert visit.ask("() => document.documentElement.scrollWidth") <= width
        outside = visit.ask("""() => [...document.querySelectorAll("body *")].filter(one =>
            one.checkVisibility() && !one.closest(".scroll, nav, svg, .skip, caption")
            && one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 120))""")
        assert outside == []
    wide = visit.page.locator(".scroll.systems")
    assert wide.evaluate("one => one.scrollWidth > one.clientWidth && getComputedStyle(one).overflowX === 'auto'")


def test_paper_shows_the_queries_and_no_controls(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles, color_scheme="dark")
    printed = visit.page.pdf(prefer_css_page_size=True, print_background=True)
    assert printed.startswith(b"%PDF")
    assert len(printed) > 100_000
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", printed)
    assert 5 <= len(pages) <= 25
    visit.page.emulate_media(media="print")
    assert visit.ask("() => getComputedStyle(document.querySelector('.card')).backgroundColor") == "rgb(255, 255, 255)"
    assert not visit.page.locator("header.bar").is_visible()
    assert visit.page.locator("button:visible").count() == 0
    for place in range(visit.page.locator(".query").count()):
        assert visit.page.locator(".query").nth(place).locator(".ranking").first.is_visible()


def test_on_paper_the_name_of_an_axis_stays_clear_of_its_numbers(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    visit.page.emulate_media(media="print")
    gaps = visit.ask("""() => [...document.querySelectorAll('#curves .axis-name.right, .query[open] .axis-name.right')]
      .map(name => name.getBoundingClientRect().top - Math.max(...[...name.parentElement.querySelectorAll('svg text')]
        .map(text => text.getBoundingClientRect().bottom)))""")
    assert len(gaps) == 2
    assert min(gaps) > 0


def test_printing_opens_queries_and_closes_them_again(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    count = "() => document.querySelectorAll('.query[open]').length"
    assert visit.ask(count) == 1
    visit.ask("() => dispatchEvent(new Event('beforeprint'))")
    assert visit.ask(count) == visit.page.locator(".query").count() > 1
    visit.ask("() => dispatchEvent(new Event('afterprint'))")
    assert visit.ask(count) == 1


def test_it_works_without_scripts(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles, java_script_enabled=False)
    assert visit.page.locator("button:visible").count() == 0
    assert visit.page.locator("#methods-paragraph-text").is_visible()
    second = visit.page.locator(".query").nth(1)
    assert not second.locator(".ranking").first.is_visible()
    second.locator("summary").first.click()
    assert second.locator(".ranking").first.is_visible()
    before = visit.page.screenshot(clip={"x": 0, "y": 100, "width": 40, "height": 40})
    visit.page.get_by_role("switch").check(force=True)
    assert visit.page.screenshot(clip={"x": 0, "y": 100, "width": 40, "height": 40}) != before


def test_methods_are_copied(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    button = visit.page.get_by_role("button", name="Copy the methods paragraph")
    button.click()
    # Where the clipboard is closed, the text is selected instead.
    visit.page.wait_for_function(
        "() => /^(Copied|Selected)$/.test(document.querySelector('#methods button').textContent)"
    )
    visit.page.wait_for_function("() => document.querySelector('#methods button').textContent === 'Copy'")
    assert visit.said == []


def test_hostile_text_stays_inert(visited: Visited, tmp_path: Path) -> None:
    visit = visited(written(made_report(text=HOSTILE), tmp_path))
    opened(visit)
    visit.page.wait_for_load_state("networkidle")
    assert visit.said == []
    assert len([url for url in visit.asked if not url.startswith("data:")]) == 1
    assert visit.ask("() => window.hacked") is None
    assert visit.ask("() => [document.images.length, document.scripts.length, document.styleSheets.length]") == [
        0,
        1,
        1,
    ]
    assert "<script>window.hacked = 1</script>" in visit.page.locator("h1").inner_text()
    # Directions of writing end with the text that sets them: what follows a hostile name is in its place.
    order = visit.ask("""() => { const box = one => one.getBoundingClientRect();
        const [name, badge] = document.querySelector(".glance a").children;
        return box(name).right <= box(badge).left; }""")
    assert order


def test_the_policy_holds_even_if_markup_got_through(visited: Visited, bicycles: Path) -> None:
    visit = visited(bicycles)
    visit.ask("""() => { const one = document.createElement("div"); document.body.append(one);
        one.innerHTML = "<img src='https://example.org/x.png' onerror='window.hacked = 1'><b style='color: red'>x</b>";
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1"; one.append(script); }""")
    visit.page.wait_for_timeout(200)
    assert visit.ask("() => window.hacked") is None
    assert [url for url in visit.asked if url.startswith("http")] == visit.refused == ["https://example.org/x.png"]
    assert any("Content Security Policy" in said for said in visit.said)


def test_a_large_report_is_small_and_opens_at_once(
    visited: Visited, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """225 topics and 8 systems: the size is tested; the time to open is recorded, as machines differ."""
    rng = np.random.default_rng(225)
    documents = [f"doc{n:05}" for n in range(2000)]
    qrels, runs = {}, {f"system{n}": {} for n in range(8)}  # type: ignore[var-annotated]
    for topic in range(225):
        judged = rng.choice(len(documents), 60, replace=False)
        grades = rng.choice([0, 0, 0, 1, 2], 60)
        qrels[f"t{topic}"] = {documents[d]: int(grade) for d, grade in zip(judged, grades, strict=True)}
        for place, run in enumerate(runs.values()):
            scores = grades * (0.2 + 0.05 * place) + rng.normal(size=60)
            run[f"t{topic}"] = {documents[d]: float(score) for d, score in zip(judged, scores, strict=True)}
    topics = {topic: f"what is known about {topic} and its surroundings" for topic in qrels}
    texts = {name: f"{name} holds a text of some length. " * 12 for name in documents}
    report = assay.make_report(qrels, runs, ["nDCG@10", "AP", "RR", "P@10"], topics=topics, documents=texts)
    path = report.save(tmp_path / "large.html")
    size = path.stat().st_size
    assert size < 5_000_000
    start = time.perf_counter()
    visit = visited(path)
    seconds = time.perf_counter() - start
    load = visit.ask("() => performance.getEntriesByType('navigation')[0].loadEventEnd")
    record_property("large_report_bytes", size)
    record_property("large_report_load_ms", load)
    print(f"225 topics, 8 systems: {size / 1e6:.2f} MB, load event after {load:.0f} ms, opened in {seconds:.2f} s")
    assert visit.page.locator("#differences .panel .chart").count() == 7
    assert visit.said == []
