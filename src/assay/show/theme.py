"""The files of the page, and its colours by name, once for light and once for dark: see `assets/theme.css`."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import NamedTuple


class Colour(NamedTuple):
    """A colour of the page by what it is for."""

    light: str
    dark: str


@cache
def asset(name: str) -> str:
    """A file of the page: style, script, or the looks of charts."""
    return resources.files("assay.show").joinpath("assets", name).read_text(encoding="utf-8")


COLOURS = {
    name: Colour(light, dark)
    for name, light, dark in re.findall(r"--([\w-]+): light-dark\((\S+), (\S+)\);", asset("theme.css"))
}


def in_light(text: str) -> str:
    """Colours of the light theme in place of their names, for programs that know no variables.

    >>> in_light("stroke: var(--ink)")
    'stroke: #16201f'
    """
    return re.sub(r"var\(--([\w-]+)\)", lambda match: COLOURS[match[1]].light, text)
