"""The screen of judging: topic, document and keys as lines that fit; and the same line by line for screen readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from assay.cli.judge_session import KEYS, PAGES, Session
from assay.core.errors import number_of
from assay.show.legible import legible, on_one_line
from assay.show.terminal import cells_of, wrapped

#: A part of the screen that the topic takes at most.
_TOPIC: Final = 0.3
_STYLES: Final = {"bold": "1", "dim": "2", "hit": "1;4", "bar": "7"}
_COLOURS: Final = {**_STYLES, "hit": "1;33", "bold": "1;36"}
_NO_TEXT, _NO_GUIDELINES = "(this document has no text)", "This project has no guidelines."
#: Characters before and after a hit that are read line by line.
_AROUND: Final = 200
Line = list[tuple[str, str]]


def frame(session: Session, width: int, height: int, *, colour: bool) -> list[str]:
    """The screen, line by line: never wider nor longer than there is room."""
    bottom = [*_bar(session, width)][: max(height - 4, 1)]
    top = _topic(session, width, height)
    room = session.room = max(height - len(top) - len(bottom) - 2, 1)
    body, first = _body(session, width)
    if session.hit >= 0 and session.mode == "grade":
        session.top = _shown(session, first, room)
    session.top = min(session.top, max(len(body) - room, 0))
    shown = body[session.top : session.top + room]
    shown += [[]] * (room - len(shown))
    rule: Line = [("─" * width, "dim")]
    more = len(body) - session.top - room
    below: Line = (
        [(_cut(f"── {number_of('more line', more)} below ".ljust(width, "─"), width), "dim")] if more > 0 else rule
    )
    styles = _COLOURS if colour else _STYLES
    return [_painted(line, styles) for line in [*top, rule, *shown, below, *bottom][:height]]


def plain_lines(session: Session, *, topic: str = "") -> Iterator[str]:
    """The document at hand and the question, line by line, for screen readers and logs.

    `topic`: the topic that was read last: of the same one, only the title is read again.
    """
    task = session.task
    if task is None:
        yield "Nothing is left for you to judge. Type u to undo the last label, q to quit."
        return
    if not session.given:
        yield from (
            topic_lines(session) if task.topic_id != topic else [f"Topic {on_one_line(task.topic_id)}, as before"]
        )
        if session.others:
            yield on_one_line(f"Others said: {session.others}")
        yield from document_lines(session)
        yield session.pace()
    yield question(session)


def topic_lines(session: Session) -> Iterator[str]:
    """The topic in full."""
    if (task := session.task) is not None:
        yield f"Topic {on_one_line(task.topic_id)}: {on_one_line(task.title)}"
        yield from (on_one_line(text) for text in (task.description, task.narrative) if text)


def document_lines(session: Session) -> Iterator[str]:
    """The document in full."""
    if (task := session.task) is not None:
        yield f"Document {on_one_line(task.doc_id)}{': ' if task.heading else ''}{on_one_line(task.heading)}"
        yield from map(_clean, (task.text or _NO_TEXT).splitlines())


def hit_line(session: Session) -> str:
    """The line of the text that a hit stands in; nothing without one."""
    hits = session.hits()
    if session.task is None or session.hit < 0 or not hits:
        return ""
    text, at = session.task.text, hits[min(session.hit, len(hits) - 1)]
    start = max(text.rfind("\n", 0, at) + 1, at - _AROUND)
    return _clean(text[start : at + _AROUND].split("\n")[0])


def question(session: Session) -> str:
    """What is asked now, and the keys that answer."""
    aspect = session.aspect
    if aspect is None:
        return ""
    asked = aspect.question or aspect.name
    grades = ", ".join(f"{grade.key} {grade.label}" for grade in aspect.scale.grades)
    return f"{asked}: {grades}; x cannot judge, s skip, u undo, n note, h guidelines, ? help, q quit"


def help_lines(session: Session) -> Iterator[str]:
    """The grades with what they mean, and the other keys, one per line."""
    for aspect in session.task.aspects if session.task else ():
        yield on_one_line(aspect.question or aspect.name)
        for grade in aspect.scale.grades:
            meaning = f": {grade.help}" if grade.help else ""
            yield on_one_line(f"{grade.key:<10}{grade.label}{meaning}")
    yield "Besides:"
    yield from (f"{keys:<10}{what}" for keys, what in KEYS)


def _topic(session: Session, width: int, height: int) -> list[Line]:
    """Who judges, how far it is, and the topic: as much of it as leaves room for the document."""
    task = session.task
    lines: list[Line] = [[(_cut(on_one_line(f"{session.assessor}  {session.pace()}"), width), "dim")]]
    if task is None:
        return lines
    most = max(int(height * _TOPIC), 2)
    # Of a long narrative, only what can be shown is laid out.
    texts = [
        text[: width * (most + 1)] for text in (f"{task.topic_id}  {task.title}", task.description, task.narrative)
    ]
    told: list[Line] = [
        [(part, "" if place else "bold")]
        for place, text in enumerate(texts)
        if text
        for part in wrapped(on_one_line(text), width)
    ]
    if session.mode in PAGES:
        return [*lines, *told[:1]]
    if len(told) > most:
        told = [*told[: most - 1], [(_cut("… t shows the topic in full", width), "dim")]]
    others: list[Line] = [[(part, "dim")] for part in wrapped(on_one_line(f"Others said: {session.others}"), width)][:2]
    return [*lines, *told, *(others if session.others else [])]


def _body(session: Session, width: int) -> tuple[list[Line], list[int]]:
    """The lines of the document, or what is read in its place; and where in the text each line begins."""
    task = session.task
    if session.mode == "help":
        return _laid_out("\n".join(help_lines(session)), width), []
    if task is None:
        return _laid_out("Nothing is left for you to judge: thank you. u undoes the last label, q quits.", width), []
    if session.mode == "guidelines":
        return _laid_out(task.guidelines or _NO_GUIDELINES, width), []
    if session.mode == "topic":
        return _laid_out("\n\n".join(topic_lines(session)), width), []
    heading = f"{task.doc_id}  {task.heading}" if task.heading else task.doc_id
    lines: list[Line] = [[(part, "bold")] for part in wrapped(on_one_line(heading), width)]
    starts = [-1] * len(lines)
    pattern = session.pattern()
    for text, start in _rows(task.text or _NO_TEXT, width):
        lines.append(_highlighted(text, pattern))
        starts.append(start)
    return lines, starts


@lru_cache(maxsize=4)
def _rows(text: str, width: int) -> tuple[tuple[str, int], ...]:
    """A text as rows of the screen, and where in it each begins; kept, since every key draws it anew."""
    rows = []
    at = 0
    for paragraph in text.splitlines(keepends=True):
        clean = _clean(paragraph.rstrip("\r\n"))
        place = at
        for part in wrapped(clean, width) or [""]:
            place = at + max(clean.find(part, max(place - at, 0)), 0)
            rows.append((part, place))
            place += len(part)
        at += len(paragraph)
    return tuple(rows)


def _laid_out(text: str, width: int) -> list[Line]:
    return [[(row, "")] for row, _ in _rows(text, width)]


def _clean(line: str) -> str:
    """A line without anything that steers a terminal."""
    return legible(line).replace("\t", " ")


def _shown(session: Session, starts: Sequence[int], room: int) -> int:
    """The first line to show, so that the hit is on the screen."""
    hits = session.hits()
    if not hits or not starts:
        return session.top
    at = hits[min(session.hit, len(hits) - 1)]
    line = max((number for number, start in enumerate(starts) if start <= at), default=0)
    return session.top if session.top <= line < session.top + room else max(line - room // 3, 0)


def _bar(session: Session, width: int) -> Iterator[Line]:
    if session.mode in {"note", "find"}:
        ask = "note" if session.mode == "note" else "find"
        typed = on_one_line(session.typed)[-(width - 35) :] if width > 40 else on_one_line(session.typed)[-5:]
        yield [(_cut(f"{ask}: {typed}▏  (enter: keep, esc: back)", width).ljust(width), "bar")]
        return
    aspect = session.aspect
    if aspect is None or session.mode == "done":
        yield [("u undo   q quit".ljust(width), "bar")]
    elif session.mode in PAGES:
        yield [(_cut("space b, arrows: read on   any other key: back to the document", width).ljust(width), "bar")]
    else:
        asked = f"{aspect.question or aspect.name}:" if session.task and len(session.task.aspects) > 1 else ""
        words = [asked, *(f"{grade.key} {grade.label}" for grade in aspect.scale.grades), "x cannot judge", "s skip",
                 "u undo", "n note*" if session.note else "n note", "/ find", "? help", "q quit"]  # fmt: skip
        for line in wrapped("   ".join(word.replace(" ", "\xa0") for word in words if word), width):
            yield [(line.replace("\xa0", " ").ljust(width), "bar")]
    if session.message:
        yield from ([(part, "bold")] for part in wrapped(on_one_line(session.message), width))


def _highlighted(text: str, pattern: re.Pattern[str] | None) -> Line:
    if pattern is None:
        return [(text, "")]
    line: Line = []
    at = 0
    for match in pattern.finditer(text):
        line += [(text[at : match.start()], ""), (match[0], "hit")]
        at = match.end()
    return [*line, (text[at:], "")]


def _painted(line: Line, styles: dict[str, str]) -> str:
    return "".join(f"\x1b[{styles[style]}m{text}\x1b[0m" if style else text for text, style in line if text)


def _cut(text: str, width: int) -> str:
    text = text[: 2 * width]
    while cells_of(text) > width:
        text = text[:-1]
    return text
