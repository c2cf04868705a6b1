"""A session of judging: what each key does; every decision is saved before the next document is shown."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Literal, TypeAlias

from assay.core.errors import AssayError
from assay.ground_truth.matching import words_of
from assay.store.adjudication import said_by_others
from assay.store.feedback import feed_back
from assay.store.handout import Task, hand_out
from assay.store.leases import give_back, renew
from assay.store.progress import Progress, progress_of
from assay.store.projects import Project
from assay.store.rows import digest
from assay.store.saving import save, skip, undo
from assay.store.scales import Aspect

Mode: TypeAlias = Literal["grade", "note", "find", "help", "guidelines", "topic", "done"]
#: What is read in place of the document, and left by any key that does not move in it.
PAGES = ("help", "guidelines", "topic")
#: A pause longer than this is no reading, in seconds.
_PAUSE = 60.0
#: Of so many of the last documents the pace is told.
_PACE = 20
#: Further than any text is long, in lines.
_FAR = 10**9
#: Leases are renewed when less than this is left of them, in milliseconds.
_RENEWED = 120_000

#: What keys do besides grades, as the help tells it.
KEYS = (
    ("x", "cannot judge"), ("s", "skip: leave it to somebody else"), ("u", "undo the last label"),
    ("n", "note"), ("/", "find in the text, and highlight"), ("j k", "next and previous hit"),
    ("space b", "page down and up"), ("arrows", "line by line"), ("home end", "first and last page"),
    ("t", "topic in full"), ("h", "guidelines"),
    ("?", "this help"), ("q", "quit: all is saved"),
)  # fmt: skip


@dataclass
class Session:
    """Somebody judges: the document at hand, what was typed so far, and what comes next."""

    project: Project
    assessor: str
    #: Keys for the grades, the lowest first, in place of those of the scale.
    keys: str = ""
    clock: Callable[[], float] = time.monotonic
    task: Task | None = None
    mode: Mode = "grade"
    #: Grades of aspects so far, relevance first.
    given: list[int] = field(default_factory=list)
    typed: str = ""
    note: str = ""
    find: str = ""
    #: The first line on the screen, lines that fit on it, and where the document was left for a page.
    top: int = 0
    room: int = 10
    left_at: int = 0
    hit: int = -1
    #: What others said of this document, where the project is not blind.
    others: str = ""
    message: str = ""
    judged: int = 0
    progress: Progress | None = None
    _paces: list[float] = field(default_factory=list)
    _active: float = 0.0
    _last: float = 0.0
    _key: str = ""

    def start(self) -> None:
        """Take up what was left, or the next document."""
        self.progress = progress_of(self.project, self.assessor)
        self._next()

    @property
    def aspect(self) -> Aspect | None:
        """What is asked now."""
        if self.task is None:
            return None
        return self.task.aspects[min(len(self.given), len(self.task.aspects) - 1)]

    @property
    def terms(self) -> list[str]:
        """The words to highlight: those of the topic's title, and what was looked for."""
        words = [word for word in words_of(self.task.title if self.task else "") if len(word) > 2]
        return [*sorted(words, key=len, reverse=True), *([self.find.casefold()] if self.find else [])]

    def press(self, key: str) -> None:
        """Do what a key means; what cannot be done is said, and nothing is lost."""
        self._count()
        self.message = ""
        try:
            if self.mode in {"note", "find"}:
                self._type(key)
            elif self.mode in PAGES:
                self._read(key)
            else:
                self._command(key)
        except AssayError as problem:
            self.message = f"{problem} (not saved; press the key again)"

    def _command(self, key: str) -> None:
        actions: dict[str, Callable[[], None]] = {
            "x": lambda: self._save(None), "s": self._skip, "u": self._undo, "q": self.leave,
            "n": lambda: self._ask("note", self.note), "/": lambda: self._ask("find", self.find),
            "?": lambda: self._show("help"), "h": lambda: self._show("guidelines"), "t": lambda: self._show("topic"),
            "j": lambda: self._hit(1), "k": lambda: self._hit(-1), "backspace": self._back,
        }  # fmt: skip
        aspect = self.aspect
        grade = None if aspect is None else next((each for each in aspect.scale.grades if each.key == key), None)
        if self.mode == "done":
            if key == "q":
                self.leave()
            elif key == "u":
                self._undo()
        elif grade is not None:
            self._grade(grade.value)
        elif self._move(key):
            pass
        elif key in actions:
            actions[key]()
        else:
            self.message = f"{key!r} means nothing here; ? shows the keys"

    def _move(self, key: str) -> bool:
        """Move in what is read; False if the key means something else."""
        page = max(self.room - 1, 1)
        moves = {
            "down": 1, "up": -1, " ": page, "pagedown": page, "b": -page, "pageup": -page, "home": -_FAR, "end": _FAR,
        }  # fmt: skip
        if key not in moves:
            return False
        self.top, self.hit = max(self.top + moves[key], 0), -1
        return True

    def _read(self, key: str) -> None:
        """Read a page that stands in the document's place: move in it, or go back."""
        if not self._move(key):
            self.mode, self.top = "grade", self.left_at

    def leave(self) -> None:
        """Stop: what was begun and not judged goes back, so that nobody waits for it."""
        if self.task is not None:
            give_back(self.project, self.assessor)
        self.task, self.mode = None, "done"
        raise Left

    def pace(self) -> str:
        """How far this is, and how long the rest takes at this pace."""
        if self.progress is None:
            return ""
        left = max(self.progress.left - self.judged, 0)
        said = f"{self.progress.done + self.judged:,} judged, about {left:,} left"
        if len(self._paces) < 3 or not left:  # two documents are no pace
            return said
        minutes = median(self._paces[-_PACE:]) * left / 60
        if minutes < 1:
            return f"{said}, less than a minute at this pace"
        duration = f"{minutes:,.0f} minutes" if minutes < 90 else f"{minutes / 60:,.1f} hours"
        return f"{said}, about {duration} at this pace"

    def _grade(self, value: int) -> None:
        assert self.task is not None
        self.given.append(value)
        if len(self.given) == len(self.task.aspects):
            first, *others = self.given
            names = [aspect.name for aspect in self.task.aspects[1:]]
            try:
                self._save(first, dict(zip(names, others, strict=True)))
            except AssayError:
                self.given.pop()  # the key can be pressed again
                raise

    def _save(self, value: int | None, further: dict[str, int] | None = None) -> None:
        if self.task is None:
            return
        save(
            self.project, self.assessor, self.task.assignment, value, client_key=self._key, further=further,
            note=self.note, active_ms=round(self._active * 1000), input="key",
            shown=digest(self.task.shown, self.others) if self.others else self.task.shown,
            guideline=self.task.guideline, client_at=time.time_ns() // 1_000_000,
        )  # fmt: skip
        aspect = self.task.aspects[0]
        said = "cannot judge" if value is None else aspect.scale.grade(value).label
        self.message = f"saved: {said}"
        feed_back(self.project, self.task.topic_id)
        self.judged += 1
        self._paces.append(self._active)
        self._next()

    def _skip(self) -> None:
        if self.task is not None:
            skip(self.project, self.assessor, self.task.assignment)
            self.message = "skipped"
            self._next()

    def _undo(self) -> None:
        undone = undo(self.project, self.assessor, client_key=uuid.uuid4().hex)
        if undone is None:
            self.message = "there is nothing to undo"
            return
        give_back(self.project, self.assessor, keep=undone)
        self.judged -= 1
        self._next()
        self.message = "undone: judge it again"

    def _next(self) -> None:
        task = hand_out(self.project, self.assessor)
        self.task = task and self._with_keys(task)
        self.others = (
            "" if task is None or self.project.settings.blind else said_by_others(self.project, task.assignment)
        )
        self.given, self.note, self.find, self.typed = [], "", "", ""
        self.top, self.hit = 0, -1
        self.mode = "done" if self.task is None else "grade"
        self._active, self._last, self._key = 0.0, self.clock(), uuid.uuid4().hex

    def _with_keys(self, task: Task) -> Task:
        """A task with the keys of whoever judges."""
        if not self.keys:
            return task
        return replace(
            task, aspects=tuple(replace(each, scale=each.scale.with_keys(self.keys)) for each in task.aspects)
        )

    def _count(self) -> None:
        """Count the time since the last key, but for long pauses; keep the document where it took long."""
        now = self.clock()
        self._active += min(now - self._last, _PAUSE)
        self._last = now
        if self.task is not None and self.task.lease_until - time.time_ns() // 1_000_000 < _RENEWED:
            try:
                lease = renew(self.project, self.assessor, self.task.assignment)
            except AssayError:
                return  # it ran out: the label is saved all the same, as a late one
            self.task = replace(self.task, lease_until=lease)

    def _ask(self, mode: Mode, before: str) -> None:
        self.mode, self.typed = mode, before

    def _type(self, key: str) -> None:
        if key == "enter":
            if self.mode == "note":
                self.note = self.typed
                self.message = "note kept; it is saved with the grade" if self.note else "no note"
                self.mode = "grade"
            else:
                self.find, self.mode, self.hit = self.typed.strip(), "grade", -1
                self._hit(1)
        elif key == "escape":
            self.mode = "grade"
        elif key == "backspace":
            self.typed = self.typed[:-1]
        elif len(key) == 1 and key.isprintable():
            self.typed += key

    def _back(self) -> None:
        if self.given:
            self.given.pop()

    def _show(self, mode: Mode) -> None:
        self.mode, self.left_at, self.top = mode, self.top, 0

    def _hit(self, step: int) -> None:
        count = len(self.hits())
        if not count:
            self.message = f"{self.find!r} is not in the text" if self.find else "no word of the topic is in the text"
            return
        self.hit = (self.hit + step) % count
        self.message = f"hit {self.hit + 1:,} of {count:,}"

    def hits(self) -> list[int]:
        """Where words to highlight stand in the text; where something is looked for, only that."""
        if self.task is None:
            return []
        pattern = self.pattern(only_found=bool(self.find))
        return [] if pattern is None else [match.start() for match in pattern.finditer(self.task.text)]

    def pattern(self, *, only_found: bool = False) -> re.Pattern[str] | None:
        """What is highlighted: the topic's words at the beginning of words, and what was looked for anywhere."""
        found = [re.escape(self.find)] if self.find else []
        words = (
            [] if only_found else [rf"\b{re.escape(word)}\w*" for word in self.terms if word != self.find.casefold()]
        )
        parts = [*found, *words]
        return re.compile("|".join(parts), re.IGNORECASE) if parts else None


class Left(Exception):  # noqa: N818  # it is no error: somebody stops
    """The assessor has left."""
