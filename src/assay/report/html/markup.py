"""Markup, made so that nothing can be forgotten: whatever is plain text is escaped, and only `Html` is not.

Names, queries and documents come from anywhere. They reach the page through `element`, which escapes them, or through
`given`, which also keeps their direction of writing to themselves.
"""

from __future__ import annotations

import html
import math
import re

from assay.core import digits

# What is to be typed stays as it is: its first group.
_MINUS = re.compile(r"(--[\w-]+ \S+)|(?<![^\s(±])-(?=\d)")
_P = re.compile(r"\bp ([=<>]) (?=\d)")
# Letters that are written from right to left, and words of them one after the other.
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD_WORDS = re.compile(rf"[{_LEFTWARD}][\w{_LEFTWARD}-]*(?:\s+[{_LEFTWARD}][\w{_LEFTWARD}-]*)*")
_SHORT = 14  # rows of a table that is kept on one sheet of paper
#: More rows than this scroll below their head.
TALL = 24
_VOID = {"input", "meta", "link", "br"}


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | float | bool | None) -> Html:
    """An element; text in it is escaped unless it is `Html`. `_` in attributes is `-`; None and False leave them out.

    >>> element("a", "<b>", href="#q1", aria_label='"x"', hidden=True, title=None)
    '<a href="#q1" aria-label="&quot;x&quot;" hidden>&lt;b&gt;</a>'
    >>> element("p", element("b", "AP"), " of 20", class_="dim")
    '<p class="dim"><b>AP</b> of 20</p>'
    """
    opened = name + "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{opened}>")
    return Html(f"<{opened}>{joined(*children)}</{name}>")


def joined(*parts: str) -> Html:
    """Parts one after the other, escaped unless they are `Html`.

    >>> joined("a & b", Html("<br>"))
    'a &amp; b<br>'
    """
    return Html("".join(part if isinstance(part, Html) else html.escape(part) for part in parts))


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    key = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {key}"
    return f' {key}="{html.escape(value) if isinstance(value, str) else _rounded(value)}"'


def _rounded(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def percent(share: float) -> str:
    """A place or a length in a chart, as a share of its width or height.

    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{_rounded(100.0 * share + 0.0)}%"


def given(text: str) -> Html:
    """Text from outside: escaped, and set apart so that its direction of writing does not reach what is around it.

    >>> given("<script>")
    '<bdi>&lt;script&gt;</bdi>'
    """
    return element("bdi", text)


def number(value: float, least: int = 4) -> str:
    """A number with four decimals, so many, or as many as it takes, and a true minus.

    >>> number(0.5), number(-0.25, 2), number(float("nan"))
    ('0.5000', '−0.25', 'NA')
    """
    return digits.number(value, least).replace("-", "−")


def span(low: float, high: float) -> str:
    """From where to where, with true minus signs.

    >>> span(-0.25, 0.5)
    '−0.2500 to 0.5000'
    """
    return digits.span(low, high).replace("-", "−")


def change(value: float) -> str:
    """A difference with its sign, and a true minus.

    >>> change(0.05), change(-0.05), change(0.0), change(float("nan"))
    ('+0.0500', '−0.0500', '0.0000', 'NA')
    """
    return digits.signed(value).replace("-", "−")


def prose(text: str) -> Html:
    """A sentence of ours, its numbers with true minus signs; names in it that are written from right to left are set
    apart, so that what follows them stays in its place.

    >>> prose("from -0.05 to +0.1 (-3%) under the top-10")
    'from −0.05 to +0.1 (−3%) under the top-10'
    >>> prose("say --noise -1")  # to be typed as it is
    'say --noise -1'
    >>> prose("שלום is better")
    '<bdi>שלום</bdi> is better'
    """
    said = _P.sub("p\u00a0\\1\u00a0", _MINUS.sub(lambda found: found[1] or "−", text))
    return Html(_LEFTWARD_WORDS.sub(r"<bdi>\g<0></bdi>", joined(said)))


def tested(p: float) -> str:
    """A p-value that no line end takes apart, or nothing where there is none.

    >>> tested(0.04), tested(float("nan"))
    ('p\\xa0=\\xa00.0400', '')
    """
    return "" if math.isnan(p) else digits.p_phrase(p).replace(" ", "\u00a0")


def table(caption: str, head: Html, rows: list[Html], class_: str = "") -> Html:
    """A table that scrolls by itself where the page is too narrow, by keyboard, too."""
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", head)),
            element("tbody", *rows),
        ),
        class_=" ".join(filter(None, ("scroll", class_, *_size(len(rows))))),
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _size(rows: int) -> list[str]:
    return ["short"] if rows <= _SHORT else ["tall"] if rows > TALL else []


def heads(*names: str) -> Html:
    """The heads of a table's columns; all but the first stand over numbers.

    >>> heads("system", "AP")
    '<th scope="col">system</th><th scope="col" class="n">AP</th>'
    """
    return joined(
        *(element("th", name, scope="col", class_="n" if place else None) for place, name in enumerate(names))
    )
