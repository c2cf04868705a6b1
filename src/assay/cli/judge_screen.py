"""The screen of judging: topic, document and keys as lines that fit; and the same line by line for screen readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from assay.cli.judge_session import KEYS, Session
from assay.show.legible import legible, on_one_line
from assay.show.terminal import cells_of, wrapped

#: A part of the screen that the topic takes at most, unless it is wanted in full.
_TOPIC: Final = 0.3
_STYLES: Final = {"bold": "1", "dim": "2", "hit": "1;4", "bar": "7"}
_COLOURS: Final = {**_STYLES, "hit": "1;33", "bold": "1;36"}
Line = list[tuple[str, str]]


def frame(session: Session, width: int, height: int, *, colour: bool) -> list[str]:
    """The screen, line by line: never wider nor longer than there is room."""
    bottom = [*_bar(session, width)]
    top = _topic(session, width, height)
    room = max(height - len(top) - len(bottom) - 2, 1)
    body, first = _body(session, width)
    if session.hit >= 0 and session.mode == "grade":
        session.top = _shown(session, first, room)
    session.top = min(session.top, max(len(body) - room, 0))
    shown = body[session.top : session.top + room]
    shown += [[]] * (room - len(shown))
    rule: Line = [("─" * width, "dim")]
    more = len(body) - session.top - room
    below: Line = [(f"── {more} more lines below ".ljust(width, "─"), "dim")] if more > 0 else rule
    styles = _COLOURS if colour else _STYLES
    return [_painted(line, styles) for line in [*top, rule, *shown, below, *bottom][:height]]


def plain_lines(session: Session) -> Iterator[str]:
    """The document at hand and the question, line by line, for screen readers and logs."""
    task = session.task
    if task is None:
        yield "Nothing is left for you to judge. Type u to undo the last label, q to quit."
        return
    if not session.given:
        yield f"Topic {on_one_line(task.topic_id)}: {on_one_line(task.title)}"
        for text in (task.description, task.narrative):
            if text:
                yield on_one_line(text)
        yield f"Document {on_one_line(task.doc_id)}{': ' if task.heading else ''}{on_one_line(task.heading)}"
        yield from (
            legible(line).replace("\t", " ") for line in (task.text or "(this document has no text)").splitlines()
        )
        yield session.pace()
    yield question(session)


def question(session: Session) -> str:
    """What is asked now, and the keys that answer."""
    aspect = session.aspect
    if aspect is None:
        return ""
    asked = aspect.question or aspect.name
    grades = ", ".join(f"{grade.key} {grade.label}" for grade in aspect.scale.grades)
    return f"{asked}: {grades}; x cannot judge, s skip, u undo, n note, h guidelines, ? help, q quit"


def help_lines() -> Iterator[str]:
    """The keys, one per line."""
    yield "Grades have the keys that stand below the document. Besides:"
    yield from (f"{keys:<10}{what}" for keys, what in KEYS)


def _topic(session: Session, width: int, height: int) -> list[Line]:
    task = session.task
    head = f"{session.assessor}  {session.pace()}"
    lines: list[Line] = [[(_cut(on_one_line(head), width), "dim")]]
    if task is None:
        return lines
    texts = [f"{task.topic_id}  {task.title}", task.description, task.narrative]
    told = [
        [(part, "bold" if place == 0 else "")]
        for place, text in enumerate(texts)
        if text
        for part in wrapped(on_one_line(text), width)
    ]
    most = height - 8 if session.wants_topic else max(int(height * _TOPIC), 2)
    if len(told) > most:
        told = [*told[: most - 1], [(f"… t shows {'less' if session.wants_topic else 'the topic in full'}", "dim")]]
    return lines + told


def _body(session: Session, width: int) -> tuple[list[Line], list[int]]:
    """The lines of the document, or what is shown in its place; and where in the text each line begins."""
    task = session.task
    if session.mode == "help":
        return [[(line, "")] for text in help_lines() for line in wrapped(text, width)], []
    if task is None:
        ended = "Nothing is left for you to judge: thank you. u undoes the last label, q quits."
        return [[(line, "")] for line in wrapped(ended, width)], []
    if session.mode == "guidelines":
        text = task.guidelines or "This project has no guidelines."
        return [[(line, "")] for part in legible(text).splitlines() for line in wrapped(part, width) or [""]], []
    heading = f"{task.doc_id}  {task.heading}" if task.heading else task.doc_id
    lines: list[Line] = [[(part, "bold")] for part in wrapped(on_one_line(heading), width)]
    starts = [-1] * len(lines)
    pattern = session.pattern()
    at = 0
    for paragraph in (task.text or "(this document has no text)").splitlines(keepends=True):
        clean = legible(paragraph.rstrip("\r\n")).replace("\t", " ")
        place = at
        for part in wrapped(clean, width) or [""]:
            found = clean.find(part, max(place - at, 0))
            place = at + max(found, 0)
            lines.append(_highlighted(part, pattern))
            starts.append(place)
            place += len(part)
        at += len(paragraph)
    return lines, starts


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
        yield [(_cut(f"{ask}: {session.typed}▏  (enter: keep, esc: back)", width), "bar")]
        return
    aspect = session.aspect
    if aspect is None or session.mode == "done":
        yield [("u undo   q quit", "bar")]
    elif session.mode in {"help", "guidelines"}:
        yield [("any key goes back", "bar")]
    else:
        asked = f"{aspect.question or aspect.name}:" if session.task and len(session.task.aspects) > 1 else ""
        words = [asked, *(f"{grade.key} {grade.label}" for grade in aspect.scale.grades), "x cannot judge", "s skip",
                 "u undo", "n note*" if session.note else "n note", "/ find", "? help", "q quit"]  # fmt: skip
        for line in wrapped("   ".join(word.replace(" ", "\xa0") for word in words if word), width):
            yield [(line.replace("\xa0", " ").ljust(width), "bar")]
    if session.message:
        yield [(_cut(on_one_line(session.message), width), "bold")]


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
    while cells_of(text) > width:
        text = text[:-1]
    return text
