"""The colours of the page, each with a name, once for light and once for dark.

Charts and text take colours by name only, so that whatever is drawn is drawn well in both. The page follows the
reader's system; the switch, a plain check box, turns it round without a script. Paper is always light.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import NamedTuple


class Colour(NamedTuple):
    """A colour of the page by what it is for."""

    light: str
    dark: str


COLOURS = {
    "page": Colour("#f5f7f6", "#0f1413"),
    "surface": Colour("#ffffff", "#171d1c"),
    "sunken": Colour("#edf1f0", "#212928"),
    "ink": Colour("#16201f", "#e9efed"),
    "dim": Colour("#55625f", "#a4b1ae"),
    "line": Colour("#dbe2e0", "#2d3836"),
    "axis": Colour("#7f8b88", "#75837f"),
    "accent": Colour("#0a6c66", "#5fc7bc"),
    "on-accent": Colour("#ffffff", "#08211f"),
    "soft": Colour("#d9eeea", "#14383a"),
    "band": Colour("#e3e9e7", "#2a3433"),
    # How a verdict is meant. Never alone: a mark and a word stand beside each.
    "good": Colour("#0a6c66", "#5fc7bc"),
    "good-soft": Colour("#def0ed", "#12312f"),
    "bad": Colour("#b23c12", "#f39a72"),
    "bad-soft": Colour("#fbe9e1", "#3a2016"),
    "even": Colour("#3d579f", "#a3b6f2"),
    "even-soft": Colour("#e7ecf8", "#1f2842"),
    "open": Colour("#735800", "#dbc070"),
    "open-soft": Colour("#f6efd8", "#322a12"),
    # Lines of charts, told apart by most kinds of colour vision; each has its own dashes and marks as well.
    "line-1": Colour("#0072b2", "#56b4e9"),
    "line-2": Colour("#c04800", "#ff9a5c"),
    "line-3": Colour("#00855f", "#3ecf9f"),
    "line-4": Colour("#a84a80", "#e79ac4"),
    "line-5": Colour("#111111", "#f2f2f2"),
    "line-6": Colour("#6352c9", "#b7aefc"),
    "line-7": Colour("#8f5d00", "#f0c24a"),
    "line-8": Colour("#5a6872", "#a9b8c2"),
}


def variables() -> str:
    """The colours as CSS: light, dark where the reader's system is, and the other one where the switch is set.

    >>> variables().splitlines()[0][:36]
    ':root { color-scheme: light; --page:'
    """
    light, dark = (
        f"color-scheme: {theme}; "
        + " ".join(f"--{name}: {getattr(colour, theme)};" for name, colour in COLOURS.items())
        for theme in ("light", "dark")
    )
    switched = ":root:has(#theme:checked)"
    on_screen = "@media screen and (prefers-color-scheme:"
    rules = f":root {{ {light} }}\n{on_screen} dark) {{ :root {{ {dark} }} {switched} {{ {light} }} }}"
    return f"{rules}\n{on_screen} light) {{ {switched} {{ {dark} }} }}"


@cache
def asset(name: str) -> str:
    """A file of the page: style, script, or the looks of charts."""
    return resources.files("assay.show").joinpath("assets", name).read_text(encoding="utf-8")


def in_light(text: str) -> str:
    """Colours of the light theme in place of their names, for programs that know no variables.

    >>> in_light("stroke: var(--ink)")
    'stroke: #16201f'
    """
    return re.sub(r"var\(--([\w-]+)\)", lambda match: COLOURS[match[1]].light, text)
