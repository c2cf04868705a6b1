"""`plot`, of any subject: the file to write, and the picture in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from assay.cli import items, options
from assay.cli.options import group
from assay.cli.output import message, refuse_absent_columns, remarks
from assay.core.evaluation_options import option

if TYPE_CHECKING:
    from assay.verbs.curves import Curve


@group
class Target:
    """The file to write."""

    path: Annotated[
        Path | None,
        option("-o", "--output", help="File to write: .svg, .png, .pdf, .html, .json, .csv, .md (assay-KIND.html)."),
    ] = None
    overwrite: options.Overwrite = False
    quiet: options.Quiet = False

    def checked(self, kind: str) -> Path:
        """The file; one whose form is not known, or cannot be drawn, is refused before anything is read."""
        from assay.show.svg import suffix_of

        target = self.path or Path(f"assay-{kind}.html")
        suffix_of(target)
        return target


def check_kind(chosen: dict[str, Any], takes: tuple[str, ...], kind: str) -> None:
    """Refuse options that a kind has no use for: they are not passed over in silence."""
    items.refuse({name: chosen[name] for name in chosen if name not in takes}, f"has no meaning for --kind {kind}")


def deliver_curve(curve: Curve, target: Path, *, quiet: bool) -> None:
    """Write the picture, and say on stderr what it is of and what is odd."""
    refuse_absent_columns()
    curve.save(target)
    remarks(curve.warnings, quiet=quiet)
    if not quiet:
        message(f"{target}: {curve.title}, {curve.subtitle}")
