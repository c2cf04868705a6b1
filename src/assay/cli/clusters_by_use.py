"""Clusters of search results: the options `--qrels`, `--run` and `--order`, and what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import typer

from assay.cli import inputs, options
from assay.core.errors import ParameterError

if TYPE_CHECKING:
    from assay.clustered_runs import ClustersByUse

PANEL = "Clusters of search results"

Judgments: TypeAlias = Annotated[
    str | None,
    typer.Option("--qrels", help="Judgments: say by use what clusters of a run's results are worth.",
                 rich_help_panel=PANEL),
]  # fmt: skip
ClusteredRun: TypeAlias = Annotated[
    str | None, typer.Option("--run", help="The run; the file says doc_id and cluster.", rich_help_panel=PANEL)
]
Order: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Which cluster is read first: best-rank (default), size, mean-score.", rich_help_panel=PANEL),
]
RelevantFrom: TypeAlias = Annotated[
    float | None,
    typer.Option("--level", help="The smallest grade that is relevant (1), for the best cluster.",
                 rich_help_panel=PANEL),
]  # fmt: skip


class UseInputs(NamedTuple):
    """Options about clusters of search results, as they were typed."""

    qrels: str | None = None
    run: str | None = None
    order: str | None = None
    level: float | None = None

    def __bool__(self) -> bool:
        return self.qrels is not None or self.run is not None

    def refuse(self, why: str) -> None:
        """Refuse them where they have no meaning."""
        options.refuse(self._asdict(), why)

    def result(self, files: Sequence[str], measures: Sequence[str] | None, *, seed: int, quiet: bool) -> ClustersByUse:
        """Read judgments, run and clusters, and judge the clusters by use."""
        from assay.clustered_runs import clusters_by_use  # noqa: PLC0415  # `assay --help` need not load Polars

        if self.qrels is None or self.run is None:
            raise ParameterError("expected --qrels with judgments and --run with a run, got one of them")
        if len(files) != 1:
            raise ParameterError(f"expected one file with doc_id and cluster, got {len(files)}")
        opened = inputs.opened(self.qrels, [self.run])
        with inputs.progress(opened, hidden=quiet), inputs.working("judging clusters by use", hidden=quiet):
            return clusters_by_use(
                self.qrels, opened, inputs.named(files[0])[1], measures or None, order=self.order or "best-rank",
                level=1.0 if self.level is None else self.level, seed=seed,
            )  # fmt: skip
