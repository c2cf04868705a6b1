"""Which number of clusters: the options `--ks` and `--over-k`, and what they are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from assay.cli import inputs, options
from assay.cli.cluster_inputs import ClusterInputs
from assay.cli.output import message
from assay.core.errors import ParameterError, listed, number_of

if TYPE_CHECKING:
    from assay.clustering.over_k import NumberOfClusters
    from assay.tables.clusters import Clusters

PANEL = "Which number of clusters"
_HOLE = "{}"
_RANGE = re.compile(r"(\d+):(\d+)(?::(\d+))?")
#: So many subsamples and data sets without structure, unless told otherwise.
RESAMPLES = 20

Ks: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Cluster the points into so many: 2:10, or 2,4,8. Needs scikit-learn.", rich_help_panel=PANEL),
]
OverK: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--over-k", help="Columns of clusterings by their number: 'cluster_{}' is cluster_2, ...", rich_help_panel=PANEL
    ),
]


class NumberInputs(NamedTuple):
    """Options about the number of clusters, as they were typed."""

    ks: str | None = None
    over_k: str | None = None
    resamples: int | None = None

    def __bool__(self) -> bool:
        return self.ks is not None or self.over_k is not None

    def refuse(self, why: str) -> None:
        """Refuse them where they have no meaning."""
        options.refuse({"ks": self.ks, "over_k": self.over_k}, why)

    def result(
        self, files: Sequence[Any], said: ClusterInputs, measures: Sequence[str] | None, *, seed: int,
        hidden: bool = True,
    ) -> NumberOfClusters:  # fmt: skip
        """Cluster the points of a file, or take its clusterings; a bar shows how far it is, unless it is hidden."""
        from assay.clustering.number_of_clusters import number_of_clusters, numbers_given  # noqa: PLC0415
        from assay.clustering.rules import Rules  # noqa: PLC0415

        if self.ks is not None and self.over_k is not None:
            raise ParameterError("--ks clusters the points, --over-k takes clusterings of the file: choose one")
        if len(files) != 1:
            raise ParameterError(f"expected one file to choose a number of clusters for, got {len(files)}")
        if self.ks is None:
            options.refuse({"resamples": self.resamples}, "goes with --ks: nothing is drawn of clusters that were made")
            found = numbered(files[0], self.over_k or f"cluster_{_HOLE}", said)
            return numbers_given(found, measures or None, rules=Rules(**said.rules()), seed=seed)
        tried = numbers_in(self.ks)
        said.refuse("is about clusters of the file, and --ks makes its own", "cluster", "system", "noise", "noise_as")
        own = points_of(files[0], said)
        if not hidden:
            shown = f"points of {number_of('number', len(own.point_names))}: {listed(list(own.point_names))}"
            message(f"{own.origin}: {number_of('item', len(own))}, {shown}")
        resamples = RESAMPLES if self.resamples is None else self.resamples
        with steps(2 * len(tried) + resamples, hidden=hidden) as tell:
            return number_of_clusters(
                own, tried, measures=measures or None, resamples=resamples, metric=said.metric or "euclidean",
                sample_size=said.sample_size, seed=seed, tell=tell,
            )  # fmt: skip


def numbers_in(text: str) -> list[int]:
    """Numbers of clusters as they are typed: from one to another, both included, or one by one.

    >>> numbers_in("2:5"), numbers_in("2:10:4"), numbers_in("2, 8")
    ([2, 3, 4, 5], [2, 6, 10], [2, 8])
    """
    if (found := _RANGE.fullmatch(text.strip())) is not None:
        low, high, step = int(found[1]), int(found[2]), int(found[3] or 1)
        if low <= high and step > 0:
            return list(range(low, high + 1, step))
    elif all(part.strip().isdecimal() for part in text.split(",")):
        return [int(part) for part in text.split(",")]
    raise ParameterError(f"--ks: expected numbers of clusters, as 2:10 or 2,4,8, got {text!r}")


def numbered(file: Any, pattern: str, said: ClusterInputs) -> Mapping[int, Clusters]:
    """The clusterings of a file whose columns fit a pattern, by the number in their name."""
    from assay.files.named_columns import names_of  # noqa: PLC0415  # `assay --help` loads no Polars
    from assay.files.registry import head_of  # noqa: PLC0415
    from assay.files.sources import Source  # noqa: PLC0415

    if pattern.count(_HOLE) != 1:
        raise ParameterError(f"--over-k: expected a name with {{}} for the number, as 'cluster_{{}}', got {pattern!r}")
    said.refuse("is said by --over-k", "cluster")
    before, after = pattern.split(_HOLE)
    source = Source(inputs.named(file)[1]) if isinstance(file, str) else file
    head = head_of(source)
    names = names_of(head) if head.numbered else []
    wanted = re.compile(f"{re.escape(before)}(\\d+){re.escape(after)}")
    columns = {int(found[1]): name for name in names if (found := wanted.fullmatch(name)) is not None}
    if not columns:
        raise ParameterError(f"{source.name}: no column is called {pattern} with a number: there are {listed(names)}")
    made = said._replace(cluster=list(columns.values())).read([source])
    return dict(zip(columns, made, strict=True))


def points_of(file: Any, said: ClusterInputs) -> Clusters:
    """The points of a file, and the classes if there are any; it need not hold clusters."""
    from assay.files.clusters import read_points  # noqa: PLC0415

    points = said.named_points()
    if points is None:
        raise ParameterError("--ks: expected the columns of the points, as --points x,y or --points rest")
    name, path = inputs.named(file) if isinstance(file, str) else (None, file)
    return read_points(path, points=points, truth=said.truth, item=said.item_id, weight=said.weight, name=name)


@contextmanager
def steps(total: int, *, hidden: bool) -> Iterator[Callable[[], None]]:
    """A bar that moves a step at a time; none where nobody looks."""
    from assay.show.terminal import console  # noqa: PLC0415

    out = console(stderr=True)
    if hidden or not out.is_terminal:
        yield lambda: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("clustering"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("clustering", total=total)
        yield lambda: bar.advance(task)
