"""Whether HTML is well formed: tags closed in their order, ids given once, no handlers, nothing from outside."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"area", "br", "hr", "img", "input", "link", "meta", "source", "wbr"}


class _Structure(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self.open.append(tag)
        self._look_at(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._look_at(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def _look_at(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name.startswith("on"):
                self.problems.append(f"<{tag} {name}>")
            if name == "id" and value is not None:
                self.ids.append(value)
            if name in {"href", "src"} and not (value or "").startswith(("#", "data:")):
                self.problems.append(f"<{tag} {name}={value}>")


def problems_of(html: str) -> list[str]:
    """What is wrong with a page or a part of one; empty if nothing is.

    >>> problems_of("<p><b>x</p>")
    ['</p> closes nothing', '<p> is left open']
    """
    found = _Structure()
    found.feed(html)
    found.close()
    twice = {name for name in found.ids if found.ids.count(name) > 1}
    left_open = [f"<{tag}> is left open" for tag in found.open]
    return [*found.problems, *left_open, *(f"id {name} is given twice" for name in sorted(twice))]
