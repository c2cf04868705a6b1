"""Options of the commands that compare: how differences are tested, and how large they have to be to matter."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from assay.core.errors import ParameterError

PANEL = "Test"

Test: TypeAlias = Annotated[
    str,
    typer.Option(
        help="permutation, bootstrap, t, wilcoxon, sign; for all systems at once tukey, randomised_tukey.",
        rich_help_panel=PANEL,
    ),
]
OwnTest: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="permutation, bootstrap, t, wilcoxon, sign; for all systems at once tukey, randomised_tukey; for "
        "classifiers swap, mcnemar (mcnemar_exact, mcnemar_chi2, mcnemar_chi2_corrected), delong. Default: the "
        "measure's own.",
        rich_help_panel=PANEL,
    ),
]
Direction: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="Which way scores are good whose measure is not known: higher or lower, for all of them, or "
        "MEASURE=lower; repeat.",
        rich_help_panel=PANEL,
    ),
]
Correction: TypeAlias = Annotated[
    str, typer.Option(help="holm, bonferroni, benjamini-hochberg, none.", rich_help_panel=PANEL)
]
Family: TypeAlias = Annotated[
    str, typer.Option(help="Correct over the comparisons by one measure, or by all together.", rich_help_panel=PANEL)
]
Interval: TypeAlias = Annotated[
    str, typer.Option(help="hull (of t and bca), bca, percentile, t.", rich_help_panel=PANEL)
]
Alpha: TypeAlias = Annotated[
    float, typer.Option(help="Level of the tests; intervals are at 1 - alpha.", rich_help_panel=PANEL)
]
Margin: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="The smallest difference that matters; default 0.01 of the measure's range.", rich_help_panel=PANEL
    ),
]
Power: TypeAlias = Annotated[
    float, typer.Option(help="For the number of queries or items needed.", rich_help_panel=PANEL)
]
Resamples: TypeAlias = Annotated[
    int | None,
    typer.Option(help="Random swaps of the test; default enough for the correction.", min=100, rich_help_panel=PANEL),
]
BootstrapResamples: TypeAlias = Annotated[
    int,
    typer.Option(help="How often queries or items are drawn anew, for intervals.", min=100, rich_help_panel=PANEL),
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of everything random.", min=0, rich_help_panel=PANEL)]


def directions(texts: list[str] | None) -> str | dict[str, str] | None:
    """What is typed as --direction: one word for all, or a word for each measure.

    >>> directions(["lower"]), directions(["latency_ms=lower", "cost=lower"])
    ('lower', {'latency_ms': 'lower', 'cost': 'lower'})
    """
    if not texts:
        return None
    pairs = [text.rpartition("=") for text in texts]
    named = {measure: word for measure, equals, word in pairs if equals}
    if not named and len(texts) == 1:
        return texts[0]
    if len(named) < len(texts):
        raise ParameterError(
            f"--direction is higher or lower, once, or MEASURE=lower for each, not {' and '.join(texts)}"
        )
    return named


def refuse_directions(stated: str | dict[str, str] | None) -> None:
    """Refuse directions where all measures are Assay's own."""
    if stated is not None:
        raise ParameterError("--direction goes with scores: the measures here have their own direction")
