"""Clusterings: the options of all commands that take them, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from assay.cli import inputs
from assay.cli.options import one_of, refuse
from assay.cli.output import message
from assay.core.errors import InputError, ParameterError, did_you_mean, listed, number_of

if TYPE_CHECKING:
    from assay.counting.contingency import Contingency
    from assay.files import Source
    from assay.tables.clusters import Clusters

PANEL = "Clusterings"
NOISE_AS = ("drop", "singletons", "cluster")
UNLABELLED = ("error", "drop", "class")

Truth: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the classes; usual names are known.", rich_help_panel=PANEL)
]
ClusterColumns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--cluster", help="Column of the clusters; repeat for several clusterings.", rich_help_panel=PANEL),
]
ItemId: TypeAlias = Annotated[
    str | None,
    typer.Option("--item-id", help="Column of the items' ids; usual names are known.", rich_help_panel=PANEL),
]
Weight: TypeAlias = Annotated[
    str | None, typer.Option(help="Column of the items' weights; usual names are known.", rich_help_panel=PANEL)
]
Systems: TypeAlias = Annotated[
    list[str] | None, typer.Option("--system", help="Only this clustering of several; repeat.", rich_help_panel=PANEL)
]
PointColumns: TypeAlias = Annotated[
    str | None,
    typer.Option("--points", help="Columns of the points: x,y, or rest: all other numbers.", rich_help_panel=PANEL),
]
Noise: TypeAlias = Annotated[
    str | None, typer.Option(help="Label of items that are in no cluster, such as -1.", rich_help_panel=PANEL)
]
NoiseAs: TypeAlias = Annotated[
    str | None, typer.Option(help="Such items: drop (default), singletons, cluster.", rich_help_panel=PANEL)
]
Unlabelled: TypeAlias = Annotated[
    str | None, typer.Option(help="Items without a class: error (default), drop, class.", rich_help_panel=PANEL)
]
Metric: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Distance of points: euclidean (default), cosine, manhattan, ...", rich_help_panel=PANEL),
]
SampleSize: TypeAlias = Annotated[
    int | None, typer.Option(help="Average the silhouettes of so many items only.", min=2, rich_help_panel=PANEL)
]
#: Options that only a table of clusters has a use for: whoever says them gives one.
_COLUMNS = ("cluster", "points")
#: Options that nothing but clusterings has.
_ONLY_HERE = ("noise", "noise_as", "unlabelled", "metric", "sample_size")


class ClusterInputs(NamedTuple):
    """Options about clusterings, as they were typed."""

    truth: str | None = None
    cluster: Sequence[str] | None = None
    item_id: str | None = None
    weight: str | None = None
    system: Sequence[str] | str | None = None
    points: str | None = None
    noise: str | None = None
    noise_as: str | None = None
    unlabelled: str | None = None
    metric: str | None = None
    sample_size: int | None = None

    def refuse(self, why: str, *names: str) -> None:
        """Refuse options, or those of the names given, where they have no meaning."""
        refuse({name: getattr(self, name) for name in names or self._fields}, why)

    def looked_at(self, files: Sequence[str]) -> tuple[bool, list[str | Source]]:
        """Whether the files hold clusterings, and the files: what can be read only once was opened for that."""
        inputs.each_named("", list(files))
        said = self._says_columns
        every = [inputs.kept(file) for file in files]
        held = [said or _holds_clusters(file) for file in every]
        if any(held) and not all(held):
            one, other = (files[held.index(answer)] for answer in (True, False))
            raise _of_two_kinds(one, other)
        return bool(held) and held[0], every

    def among(self, files: Sequence[str]) -> list[str | Source] | None:
        """The files, if they hold clusterings; None if they hold something else, and no pipe was read to find out.

        Where other kinds of files are taken, too, what was said of columns settles it, else those of the files do.
        """
        held = [
            self._says_columns or (Path(inputs.named(file)[1]).is_file() and _holds_clusters(file)) for file in files
        ]
        if held[0]:
            return self.looked_at(files)[1]
        if any(held):
            raise _of_two_kinds(files[held.index(True)], files[0])
        if Path(inputs.named(files[0])[1]).exists():
            self.refuse("goes with clusterings, and these are none", *_ONLY_HERE)
        return None

    @property
    def _says_columns(self) -> bool:
        return any(getattr(self, name) not in (None, []) for name in _COLUMNS)

    def may_be_file(self, word: str) -> bool:
        """Whether a word, which may also name a clustering, is a file."""
        path = inputs.named(word)[1]
        return path == "-" or Path(path).is_file()

    def read(self, files: Sequence[str | Source]) -> list[Clusters]:
        """The clusterings of all files, as far as they were asked for; `name=FILE` names one, or goes before it."""
        from assay.files.clusters import read_clusters  # noqa: PLC0415  # `assay --help` loads no Polars

        found: list[Clusters] = []
        columns: Any = list(self.cluster or ()) or None
        if columns is not None and len(columns) == 1:
            columns = columns[0]
        for file in files:
            name, path = inputs.named(file) if isinstance(file, str) else (None, file)
            own = read_clusters(
                path, truth=self.truth, cluster=columns, item=self.item_id, weight=self.weight,
                points=self.named_points(), name=name,
            )  # fmt: skip
            several = len(own) > 1
            found += own if name is None else [
                replace(one, name=f"{name} {one.name}" if several else name) for one in own
            ]  # fmt: skip
        chosen = self._chosen(found)
        names = [one.name for one in chosen]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ParameterError(f"two clusterings are called {twice!r}: name=FILE gives a file a name of its own")
        return chosen

    def named_points(self) -> list[str] | None:
        """The columns of the points; None if they were not said."""
        if self.points is None:
            return None
        names = [name.strip() for name in self.points.split(",")]
        if "" in names:
            raise ParameterError(f"--points: expected columns with commas between them, or rest, got {self.points!r}")
        return names

    def _chosen(self, found: list[Clusters]) -> list[Clusters]:
        if self.system is None or self.system == []:
            return found
        asked = [self.system] if isinstance(self.system, str) else list(self.system)
        names = [one.name for one in found]
        for name in asked:
            if name not in names:
                raise ParameterError(
                    f"--system: no clustering is called {name!r}: there are {listed(names)}{did_you_mean(name, names)}"
                )
        return [one for one in found if one.name in asked]

    def table(self, text: str) -> Contingency:
        """The table of classes (rows) and clusters (columns) that was typed."""
        from assay.cli.typed_labels import table_in  # noqa: PLC0415
        from assay.counting.contingency import Contingency  # noqa: PLC0415

        self.refuse("goes with a file, not with --table")
        return Contingency.from_table(table_in(text))

    def rules(self) -> dict[str, Any]:
        """The rules as `cluster` takes them."""
        if self.noise_as is not None and self.noise is None:
            raise ParameterError("--noise-as goes with --noise, which says what noise is")
        said = {
            "noise": self.noise,
            "noise_as": one_of("noise-as", self.noise_as, NOISE_AS),
            "unlabelled": one_of("unlabelled", self.unlabelled, UNLABELLED),
            "metric": self.metric,
            "sample_size": self.sample_size,
        }
        return {name: value for name, value in said.items() if value is not None}


def say(systems: Sequence[Clusters]) -> None:
    """Tell on stderr what was read."""
    for path in dict.fromkeys(one.origin for one in systems):
        here = [one for one in systems if one.origin == path]
        names = f", clusterings {', '.join(one.name for one in here)}" if len(here) > 1 else ""
        points = here[0].points
        shape = "" if points is None else f", points of {number_of('number', points.shape[1])}"
        message(f"{path}: {number_of('item', len(here[0]))}{shape}{names}")


def _of_two_kinds(one: str, other: str) -> InputError:
    path = inputs.named(other)[1]
    if path != "-" and not Path(path).exists():
        return InputError(f"{path}: cannot be read: no such file or directory")
    return InputError(f"{one} holds clusters, and {other} does not: give files of one kind")


def _holds_clusters(file: str | Source) -> bool:
    from assay.files.clusters import looks_like_clusters  # noqa: PLC0415

    path = inputs.named(file)[1] if isinstance(file, str) else file
    if isinstance(path, str) and path != "-" and not Path(path).exists():
        return False
    return looks_like_clusters(path)
