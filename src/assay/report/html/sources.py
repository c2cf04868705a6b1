"""How the numbers were made: methods to paste, references, and everything it takes to make the report again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.html.markup import Html, element, given, joined, table

if TYPE_CHECKING:
    from assay.reporting.contents import Contents, Provenance


def copied(id: str, text: str, name: str, tag: str = "p") -> Html:
    """Text to copy; the button shows itself where there are scripts.

    >>> copied("m", "Text.", "text").count("hidden")
    1
    """
    button = element("button", "Copy", type="button", data_copy=id, aria_label=f"Copy the {name}", hidden=True)
    return element("div", element(tag, text, id=id, class_="copied"), button, class_="copy")


def methods(contents: Contents) -> Html:
    """The paragraph and the works that it cites."""
    works = [joined(element("dt", one.key), element("dd", given(one.entry))) for one in contents.references]
    listed = [element("h3", "References"), element("dl", *works, class_="works")] if works else []
    return joined(copied("methods-text", contents.methods, "methods paragraph"), *listed)


def provenance(made: Provenance) -> Html:
    """Command, inputs with digests, seed, settings and signatures."""
    command = [element("h3", "Command"), copied("command-text", made.command, "command", "pre")] if made.command else []
    settings = [("Assay", made.version), ("made", made.made), ("seed", str(made.seed)), *made.settings]
    pairs = joined(*(element("div", element("dt", name), element("dd", given(value))) for name, value in settings))
    rows = [
        element(
            "tr",
            element("th", one.role, scope="row"),
            element("td", given(one.name), element("span", one.says, class_="dim small block")),
            element("td", element("code", one.sha256, class_="digest") if one.sha256 else "not a file", class_="dim"),
        )
        for one in made.inputs
    ]
    head = joined(*(element("th", name, scope="col") for name in ("input", "file", "SHA-256")))
    inputs = [element("h3", "Inputs"), table("Files that went in", head, rows, "inputs")] if rows else []
    signatures = [
        element("h3", "Signatures"),
        element(
            "ul", *(element("li", element("code", _breakable(text))) for text in made.signatures), class_="signatures"
        ),
    ]
    return joined(
        *command,
        element("h3", "Settings"),
        element("dl", pairs, class_="settings"),
        *(signatures if made.signatures else []),
        *inputs,
    )


def _breakable(signature: str) -> Html:
    """A signature that may be broken between its parts."""
    return Html("|<wbr>".join(joined(part) for part in signature.split("|")))
