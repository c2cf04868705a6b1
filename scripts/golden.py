"""What every documented command prints and writes, in every output form, recorded and compared.

    .venv/bin/python scripts/golden.py record /tmp/before [PAGE...]    # all pages, or some by name: compare gate
    .venv/bin/python scripts/golden.py compare /tmp/before /tmp/after    # differences.html in the second folder

Commands are those of README and docs, each run in a folder as `assay examples` makes it; a form is asked for by its
option where the command has it. JSON is parsed and written with sorted keys, HTML becomes its text and its
outline, other text stays as it is; pictures are kept to be looked at side by side. Nothing here is a test: a
difference is a question to whoever made the change.
"""

from __future__ import annotations

import difflib
import hashlib
import html
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from command import run_assay  # noqa: E402
from test_docs import PAGES, files, lay_out, session, words  # noqa: E402

FORMS = ("json", "csv", "markdown", "latex", "html")
PICTURES = {".png", ".svg", ".pdf"}
#: A report is asked for by the ending of the file it is written to.
REPORTS = ("html", "md", "tex", "json")


class _Outline(HTMLParser):
    """The text of a page, and how often each element with its classes occurs."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.elements: Counter[str] = Counter()
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[".".join([tag, *(dict(attrs).get("class") or "").split()])] += 1
        self._silent += tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in {"script", "style"}

    def handle_data(self, data: str) -> None:
        if not self._silent and data.strip():
            self.text.append(" ".join(data.split()))


def _normal(text: str, form: str, folder: Path) -> str:
    """Text that two recordings of the same content have in common."""
    text = text.replace(str(folder), "FOLDER")
    if form == "json":
        try:
            return json.dumps(json.loads(text), indent=1, sort_keys=True, ensure_ascii=False)
        except ValueError:
            return text
    if form == "html":
        page = _Outline()
        page.feed(text)
        outline = "\n".join(f"{count:6} {element}" for element, count in sorted(page.elements.items()))
        return "\n".join(page.text) + "\n\n" + outline
    return text


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Every documented call with its page, and for each form the call that asks for it."""
    seen = set()
    for page in PAGES:
        for command in session(page):
            typed = words(command.text)[1:]
            if not typed or tuple(typed) in seen:
                continue
            seen.add(tuple(typed))
            yield page.stem, typed
            if not any(f"--{form}" in typed for form in FORMS):
                yield from ((page.stem, [*typed, f"--{form}"]) for form in FORMS)
            if "report" in typed[:2]:
                yield from ((page.stem, [*_without_target(typed), "-o", f"golden.{ending}"]) for ending in REPORTS)


def _without_target(call: list[str]) -> list[str]:
    return [word for i, word in enumerate(call) if word != "-o" and call[i - 1 : i] != ["-o"]]


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def record(target: Path, pages: list[str]) -> None:
    """Run every documented command, or those of some pages, and write down what came of it."""
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "100"}
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "tea"
        lay_out(folder)
        known = _contents(folder)
        for page, typed in _commands():
            if pages and page not in pages:
                continue
            done = run_assay(*(name for word in typed for name in files(word, folder)), folder=folder)
            if "no such option" in done.stderr:
                continue
            form = next((form for form in FORMS if f"--{form}" in typed), "text")
            call = hashlib.sha256("\0".join(typed).encode()).hexdigest()[:8]
            entry = target / f"{page}.{typed[0]}.{form}.{call}"
            parts = [f"$ assay {' '.join(typed)}", f"exit {done.returncode}", _normal(done.stdout, form, folder)]
            parts += ["--- messages", done.stderr.replace(str(folder), "FOLDER")]
            before, known = known, _contents(folder)  # what one command writes, a later one of its page may read
            for path, data in known.items():
                if before.get(path) == data:
                    continue
                if path.suffix in PICTURES:
                    shutil.copy(path, f"{entry}.{path.name}")
                else:
                    text = _normal(data.decode("utf-8", "replace"), path.suffix.removeprefix("."), folder)
                    parts += [f"--- file {path.name}", text]
            Path(f"{entry}.txt").write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(f"{len(list(target.iterdir()))} outputs in {target}")


def _picture(path: Path) -> str:
    return f'<img src="{path.resolve().as_uri()}" width="48%">' if path.exists() else "<p>(none)</p>"


def compare(before: Path, after: Path) -> None:
    """List the differences, and write them as one page."""
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()} - {"differences.html"})
    pages = {path.name.split(".")[0] for path in after.iterdir()}
    names = [name for name in names if name.split(".")[0] in pages]
    body = []
    for name in names:
        old, new = before / name, after / name
        if old.exists() and new.exists() and old.read_bytes() == new.read_bytes():
            continue
        if not name.endswith(".txt"):
            print(f"picture  {name}")
            body.append(f"<h2>{html.escape(name)}</h2>{_picture(old)}{_picture(new)}")
            continue
        lines = [path.read_text(encoding="utf-8").splitlines() if path.exists() else [] for path in (old, new)]
        changes = list(difflib.unified_diff(*lines, "before", "after", lineterm="", n=1))[2:]
        call = re.sub(r"^\$ ", "", (lines[0] or lines[1])[0])
        print(f"{sum(line[:1] in '+-' for line in changes):7}  {call}")
        body.append(f"<h2>{html.escape(call)}</h2><pre>{html.escape(chr(10).join(changes))}</pre>")
    (after / "differences.html").write_text("<meta charset='utf-8'>" + "\n".join(body), encoding="utf-8")
    print(f"{len(body)} of {len(names)} outputs differ: {after / 'differences.html'}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", target, *pages]:
            record(Path(target), pages)
        case ["compare", before, after]:
            compare(Path(before), Path(after))
        case _:
            sys.exit(__doc__)
