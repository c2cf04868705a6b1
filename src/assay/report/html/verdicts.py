"""The verdicts, as cards: one a system, the main measure in full, the others in a line each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.html.axis import Axis, around
from assay.report.html.markup import Html, change, element, given, joined, number, prose, table, tested
from assay.report.html.whiskers import Reach, difference, shares, whisker

if TYPE_CHECKING:
    from assay.reporting.contents import Spoken

_MARKS = {"good": "▲", "bad": "▼", "even": "≈", "open": "?"}
_MARKS_OF_WORDS = {"identical": "=", "higher": "↑", "lower": "↓"}  # of measures where neither is better

#: Up to so many cards show their paragraphs; more show them when asked, and on paper.
FEW = 2


def cards(verdicts: Sequence[Spoken]) -> Html:
    """A card for each pair of systems, in the order in which they come."""
    pairs: dict[tuple[str, str], list[Spoken]] = {}
    for spoken in verdicts:
        pairs.setdefault((spoken.baseline, spoken.system), []).append(spoken)
    axes = {
        measure: _axis([spoken for spoken in verdicts if spoken.measure == measure])
        for measure in dict.fromkeys(spoken.measure for spoken in verdicts)
    }
    is_open = len(pairs) <= FEW
    listed = [_card(of_pair, axes, place, is_open) for place, of_pair in enumerate(pairs.values(), start=1)]
    return element("div", *listed, class_="cards" if is_open else "cards many")


def at_a_glance(verdicts: Sequence[Spoken]) -> Html:
    """The verdicts under the main measure in a line of words, each a link to its card."""
    pairs: dict[tuple[str, str], Spoken] = {}
    for spoken in verdicts:
        pairs.setdefault((spoken.baseline, spoken.system), spoken)
    links = [
        element("li", element("a", given(spoken.system), badge(spoken.tone, spoken.word), href=f"#v{place}"))
        for place, spoken in enumerate(pairs.values(), start=1)
    ]
    return element("ul", *links, class_="glance") if links else Html("")


def _axis(verdicts: Sequence[Spoken]) -> Axis:
    """One axis for all differences under a measure, so that cards can be compared by eye."""
    return around(
        value
        for spoken in verdicts
        for value in (spoken.low, spoken.high, spoken.difference, -1.5 * spoken.margin, 1.5 * spoken.margin)
    )


def badge(tone: str, word: str) -> Html:
    """A verdict in a word, with its mark.

    >>> badge("good", "better")
    '<span class="badge good"><span aria-hidden="true">▲</span> better</span>'
    """
    mark = _MARKS_OF_WORDS.get(word, _MARKS[tone])
    return element("span", element("span", mark, aria_hidden="true"), f" {word}", class_=f"badge {tone}")


def _card(of_pair: Sequence[Spoken], axes: dict[str, Axis], place: int, is_open: bool) -> Html:
    main, *others = of_pair
    counts = f"▲ higher for {main.won} · same for {main.tied} · ▼ lower for {main.lost}"
    relative = "" if math.isnan(main.relative) else f"{main.relative:+.1%}".replace("-", "−")
    return element(
        "article",
        element("p", badge(main.tone, main.word), " ", element("span", main.measure, class_="measure"), class_="top"),
        element("h3", given(main.headline)),
        element(
            "p",
            element("span", change(main.difference), class_="big"),
            *([" ", element("span", relative, class_="relative")] if relative else []),
            element("span", f"{number(main.baseline_value)} → {number(main.value)}", class_="values"),
            class_="figures",
        ),
        difference(axes[main.measure], _reach(main), main.margin, _says(main)),
        element("p", *_interval(main), class_="facts dim small"),
        element(
            "p",
            shares(main.won, main.tied, main.lost),
            element("span", counts, class_="dim small"),
            class_="won",
        ),
        element(
            "details",
            element("summary", "In words"),
            element("p", prose(main.paragraph)),
            class_="words on-paper",
            open=is_open,
        ),
        *([element("p", prose(main.caveat), class_="caveat")] if main.caveat else []),
        *([_others(others, axes)] if others else []),
        class_=f"card verdict {main.tone}",
        id=f"v{place}",
    )


def _interval(spoken: Spoken) -> list[Html]:
    parts = []
    if not math.isnan(spoken.low):
        parts.append(f"{spoken.level:.0%} interval {change(spoken.low)} to {change(spoken.high)}")
    parts += [part for part in (tested(spoken.p),) if part]
    if not math.isnan(spoken.d_z):
        parts.append(f"d_z {spoken.d_z:+.2f}".replace("-", "−"))
    return [element("span", part) for part in parts]


def _reach(spoken: Spoken) -> Reach:
    return Reach(spoken.difference, spoken.low, spoken.high)


def _says(spoken: Spoken) -> str:
    said = f"{spoken.system} less {spoken.baseline} under {spoken.measure}: {change(spoken.difference)}"
    return said if math.isnan(spoken.low) else f"{said}, interval {change(spoken.low)} to {change(spoken.high)}"


def _others(others: Sequence[Spoken], axes: dict[str, Axis]) -> Html:
    """What the other measures say: a line each, and their paragraphs behind it."""
    head = joined(
        element("th", "also under", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "difference", scope="col", class_="n"),
        element("th", "interval", scope="col", class_="drawn"),
    )
    rows = [
        element(
            "tr",
            element("th", other.measure, scope="row"),
            element("td", badge(other.tone, other.word)),
            element("td", change(other.difference), class_="n"),
            element(
                "td",
                whisker(axes[other.measure], _reach(other), _says(other), other.tone, zero=True),
                class_="drawn",
            ),
        )
        for other in others
    ]
    paragraphs = [
        joined(
            element("p", prose(other.paragraph)),
            element("p", prose(other.caveat), class_="caveat") if other.caveat else Html(""),
        )
        for other in others
    ]
    system = others[0].system
    return joined(
        table(f"{system} under the other measures", head, rows, "plain"),
        element("details", element("summary", "The other measures in words"), *paragraphs, class_="words"),
    )
