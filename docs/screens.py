"""Pictures of the judge's screen, drawn from what the code shows today on the notes that come with Assay."""

import html
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.cli.judge_projects import demo_project
from assay.cli.judge_screen import frame
from assay.cli.judge_session import Session
from assay.store.database import open_database

WIDTH, HEIGHT = 80, 24
#: The size of a character in pixels, and of the text.
ACROSS, DOWN, TEXT = 8.4, 18, 14
#: What the codes of a terminal mean, on a dark ground.
GROUND, INK = "#1e222a", "#d7dae0"
LOOKS = {"1;36": ("#7fd4e8", "bold"), "1;33": ("#ffd166", "bold"), "2": ("#9aa3b2", "normal"), "7": (GROUND, "normal")}
STYLED = re.compile("\x1b\\[([0-9;]+)m(.*?)\x1b\\[0m|([^\x1b]+)")
#: What is typed before each picture is taken.
KEYS = {"judging": "22", "judging-find": "/night\n", "judging-help": "?"}


def screens() -> Iterator[tuple[str, str]]:
    """The names of the pictures, and the pictures as SVG."""
    for name, keys in KEYS.items():
        with tempfile.TemporaryDirectory() as folder, open_database(f"{folder}/demo.db", create=True) as database:
            session = Session(demo_project(database), "you")
            session.start()
            for key in keys:
                session.press("enter" if key == "\n" else key)
            yield name, as_svg(frame(session, WIDTH, HEIGHT, colour=True))


def as_svg(lines: Sequence[str]) -> str:
    """A screen as a picture: text that can be read, searched and scaled."""
    width, height = WIDTH * ACROSS + 24, HEIGHT * DOWN + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-size="{TEXT}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" role="img">',
        f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>',
    ]
    for row, line in enumerate(lines):
        at = 0
        for codes, styled, plain in STYLED.findall(line):
            text = styled or plain
            colour, weight = LOOKS.get(codes, (INK, "normal"))
            x, y = 12 + at * ACROSS, 12 + row * DOWN
            if codes == "7":
                across = len(text) * ACROSS
                parts.append(f'<rect x="{x:.1f}" y="{y}" width="{across:.1f}" height="{DOWN}" fill="{INK}"/>')
            parts.append(
                f'<text x="{x:.1f}" y="{y + 14}" fill="{colour}" font-weight="{weight}" '
                f'textLength="{len(text) * ACROSS:.1f}" xml:space="preserve">{html.escape(text)}</text>'
            )
            at += len(text)
    return "\n".join([*parts, "</svg>"]) + "\n"


def draw(folder: Path) -> None:
    """Bring the pictures in a folder up to date."""
    for name, picture in screens():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")
