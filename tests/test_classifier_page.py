"""The page of a report on classifiers as text: well formed, inert, complete. A browser is not needed."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import json
import re
from collections import Counter

import numpy as np
import pytest
from cases import in_turn
from contrast import contrast
from made_classifiers import KINDS, inside, made_reports
from test_report_page import HOSTILE, Read

from assay import Predictions, classify
from assay.show.svg import COLOURS


@pytest.fixture(params=[*KINDS, "hostile"], scope="module")
def read(request: pytest.FixtureRequest) -> Read:
    report = made_reports(HOSTILE)["a pair"] if request.param == "hostile" else made_reports()[request.param]
    return Read(report.to_html())


def test_ids_are_unique_and_every_link_leads_somewhere(read: Read) -> None:
    ids = Counter(str(attributes["id"]) for _, attributes in read.elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    links = [str(attributes["href"]) for tag, attributes in read.elements if tag in {"a", "use"}]
    assert [link for link in links if link[0] != "#" or link[1:] not in ids] == []


def test_nothing_is_loaded_and_nothing_runs_but_the_pages_own_script(read: Read) -> None:
    assert [tag for tag, _ in read.elements if tag in {"img", "iframe", "object", "embed", "form", "base"}] == []
    assert [attributes for _, attributes in read.elements if "src" in attributes or "style" in attributes] == []
    assert [name for _, attributes in read.elements for name in attributes if name.startswith("on")] == []
    kinds = [one.get("type") for one in read.all("script")]
    assert kinds.count(None) == len(read.all("style")) == 1
    assert set(kinds) <= {None, "application/json"}
    assert [str(one["href"])[:5] for one in read.all("link")] == ["data:"]


def test_headings_come_in_order_without_a_gap(read: Read) -> None:
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 2 for before, after in itertools.pairwise(levels))


def test_tables_have_captions_and_every_head_a_scope(read: Read) -> None:
    assert len(read.all("caption")) == len(read.all("table")) > 0
    assert [attributes for attributes in read.all("th") if attributes.get("scope") not in {"col", "row"}] == []


def test_every_chart_says_what_it_shows_or_is_hidden_from_screen_readers(read: Read) -> None:
    for place, (tag, attributes) in enumerate(read.elements):
        if tag != "svg" or read.parents[place] == "svg":
            continue
        if attributes.get("role") == "img":
            assert read.elements[place + 1][0] == "title"
        else:
            assert attributes.get("aria-hidden") == "true"


def test_no_number_is_written_that_is_none(read: Read) -> None:
    assert re.search(r"(?<!=)\b(nan|inf|None)\b", read.text) is None  # a signature may say max_fpr=None


@in_turn("kind", KINDS)
def test_the_policy_names_the_digests_of_style_and_script(kind: str) -> None:
    text = made_reports(HOSTILE)[kind].to_html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    said = html.unescape(policy[1])
    assert said.startswith("default-src 'none'; ")
    assert "unsafe" not in said
    for tag in ("style", "script"):
        (found,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()}'" in said


@in_turn("kind", KINDS)
def test_hostile_text_is_text(kind: str) -> None:
    """The same elements as with harmless text, in the same order, in the page's text and nowhere else."""
    read, plain = (Read(made[kind].to_html()) for made in (made_reports(HOSTILE), made_reports()))
    shape, harmless = ([tag for tag, _ in one.elements] for one in (read, plain))
    if kind != "many labels":  # whose order, and so whose confusions that are drawn, depends on their names
        assert shape == harmless
    assert "window.hacked=1</script>" in read.text
    assert "\u202e" not in read.text
    assert "<script>window" not in made_reports(HOSTILE)[kind].to_html()


def test_data_for_the_script_hold_numbers_and_nothing_from_outside() -> None:
    report = made_reports(HOSTILE)["a pair"]
    text = report.to_html()
    blocks = re.findall(r'<script type="application/json" class="data">(.*?)</script>', text, re.DOTALL)
    assert len(blocks) == 2
    for block, part in zip(blocks, inside(report, "threshold"), strict=True):
        data = json.loads(block)
        assert not set(block) & set("<>&")
        rows = list(zip(data["tp"], data["fp"], data["fn"], data["tn"], strict=True))
        assert rows == [tuple(row[name] for name in ("tp", "fp", "fn", "tn")) for row in part.data["rows"]]
        assert data["says"][0] == "above all scores"
        assert data["start"] == part.data["start"]


_DRAWN = re.compile(r'<svg class="whisker[^"]*"[^>]*><title>([^<,]*), [^<]*</title>.*?<circle cx="([\d.]+)%"')


@in_turn("systems", [1, 2])
def test_dots_stand_where_their_numbers_are_on_one_axis(systems: int) -> None:
    """One straight line from value to place serves all measures with bounds, from 0 or below to 1."""
    given = [Predictions.of([1, 0, 1, 0, 1, 1, 0, 0] * 5, [1, 0, 0, 0, 1, 1, 1, 0] * 5)] * systems
    wanted = ["Accuracy", "MCC", "Kappa", "BalancedAccuracy"]
    result = classify({f"system {place}": each for place, each in enumerate(given)}, wanted, resamples=100)
    shown = result.report().to_html().partition('id="measures"')[2].partition("</section>")[0]
    places = [(name, float(place)) for name, place in _DRAWN.findall(shown)]
    values = [result.value(name, "system 0") for name, _ in places]
    assert len(places) == len(wanted) * systems
    slope, zero = np.polyfit(values, [place for _, place in places], 1)
    assert [place for _, place in places] == pytest.approx([zero + slope * value for value in values], abs=0.02)
    assert zero + slope == pytest.approx(100, abs=0.1)
    heads, rows = shown.split("</thead>")
    assert heads.count('class="ticks-of"') == systems
    assert "ticks-of" not in rows


def test_every_colour_that_the_style_names_exists() -> None:
    (style,) = re.findall("<style>(.*?)</style>", made_reports()["binary"].to_html(), re.DOTALL)
    own = {"tone", "s", "d", "c", "t", "p", "shade", "hue"}
    assert set(re.findall(r"var\(--([a-z0-9-]+)", style)) - own == set(COLOURS)


@in_turn("theme", ["light", "dark"])
def test_numbers_are_told_from_the_strongest_shade(theme: str) -> None:
    def mixed(one: str, other: str, share: float) -> str:
        parts = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
        return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)

    colour = {name: getattr(both, theme) for name, both in COLOURS.items()}
    for hue in ("good", "bad"):
        assert contrast(colour["ink"], mixed(colour[hue], colour["surface"], 0.52)) >= 4.5, hue
