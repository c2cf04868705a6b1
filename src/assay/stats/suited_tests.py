"""Which tests suit a measure: each has one of its own, and says why it takes no other."""

from __future__ import annotations

from assay.core.domains import Choice
from assay.core.errors import ParameterError
from assay.measures.registry import Measure
from assay.stats.cluster_samples import NO_TEST, Subsampled
from assay.stats.label_samples import Patterns, right_and_wrong
from assay.stats.mcnemar import NAMES, Way, mcnemar
from assay.stats.paired import Paired
from assay.stats.permutation import Alternative, Outcome
from assay.stats.samples import Pooled
from assay.stats.score_samples import Drawing, ScoreSample, bootstrap_of_scores, delong_test
from assay.stats.swaps import swap_test
from assay.stats.tests import TESTS

#: Tests of all systems at once, whose p-values need no further correction.
SIMULTANEOUS = ("tukey", "randomised_tukey")
#: The ways of McNemar's test, by what it is called then.
_MCNEMAR: dict[str, Way] = {name: way for way, name in NAMES.items()}
#: Tests of predicted labels, and of scores.
OF_CLASSIFIERS = ("swap", *_MCNEMAR, "delong", "bootstrap_interval")
EVERY_TEST = (*TESTS, *SIMULTANEOUS, *OF_CLASSIFIERS)
#: The works to cite for tests, by their keys in the bibliography.
CITES = {
    "permutation": ("smucker2007",),
    "bootstrap": ("sakai2006",),
    "t": ("student1908", "smucker2007"),
    "wilcoxon": ("wilcoxon1945", "pratt1959"),
    "sign": ("dixon1946",),
    "tukey": ("tukey1949", "carterette2012"),
    "randomised_tukey": ("carterette2012",),
    **dict.fromkeys(_MCNEMAR, ("mcnemar1947",)),
    "delong": ("delong1988",),
    "bootstrap_interval": ("efron1993",),
}


def own_test(paired: Paired) -> str:
    """The test that a measure has unless another is named.

    >>> import numpy as np
    >>> from assay.stats.samples import Averaged
    >>> own_test(Paired("AP", "query", ("a", "b"), ("1", "2"), Averaged(np.zeros((2, 2)))))
    'permutation'
    """
    sample = paired.sample
    if isinstance(sample, Patterns):
        return "mcnemar" if _counts_right(sample) else "swap"
    if isinstance(sample, ScoreSample):
        return "bootstrap_interval" if sample.scale is None else "delong"
    return NO_TEST if isinstance(sample, Subsampled) else "permutation"


def chosen_test(paired: Paired, test: str | None) -> str:
    """The test that was named, or the measure's own; one that does not suit is refused, with the reason."""
    own = own_test(paired)
    if test is None or (test == own == NO_TEST):
        return own
    Choice(EVERY_TEST).check("the test", test)
    if isinstance(paired.sample, Subsampled):
        raise ParameterError(
            f"{paired.measure}: clusterings have no items to swap, as their clusters have no names in common: there is "
            f"no test of them, not {test} either; the interval speaks"
        )
    if isinstance(paired.sample, Pooled) and test != own:
        raise ParameterError(f"{paired.measure} is made of counts summed over all units: its test is {own}, not {test}")
    if isinstance(paired.sample, Patterns):
        why = _why_not_labels(paired.sample, test)
        test = "swap" if test == "permutation" else test
    elif isinstance(paired.sample, ScoreSample):
        test = "bootstrap_interval" if test == "bootstrap" else test
        why = None if test == own else _why_not_scores(test)
    else:
        why = "it is made of numbers of single units" if test in OF_CLASSIFIERS else None
    if why is not None:
        raise ParameterError(f"{paired.measure}: {why}: its test is {own}, not {test}")
    return test


def _why_not_labels(sample: Patterns, test: str) -> str | None:
    """Why a test does not suit predicted labels."""
    if test in {"swap", "permutation"} or (test in _MCNEMAR and _counts_right(sample)):
        return None
    if test not in _MCNEMAR:
        return "it is made of all items together"
    accuracy = is_share_right(sample.measure, len(sample.labels))
    return f"McNemar's test counts right items, {'without weights' if accuracy else 'which is accuracy'}"


def _why_not_scores(test: str) -> str:
    """Why a test does not suit scores."""
    if test in {"swap", "permutation"}:
        return "scores of two systems may be on different scales and are never swapped"
    if test == "delong":
        return "DeLong's test is for areas under the whole ROC curve, of items without weights"
    return "it is made of all items together"


def by_labels(
    sample: Patterns, test: str, *, resamples: int, seed: int, alternative: Alternative = "two-sided"
) -> Outcome:
    """Test two systems' predictions by a test that suits."""
    if test in _MCNEMAR:
        (_, only_second), (only_first, _) = right_and_wrong(sample, (0, 1)).tolist()
        return mcnemar(only_first, only_second, _MCNEMAR[test], _of_right(sample.measure, alternative))
    return swap_test(sample, resamples=resamples, seed=seed, alternative=alternative)


def by_scores(
    sample: ScoreSample, pair: tuple[int, int], test: str, drawing: Drawing, alternative: Alternative = "two-sided"
) -> Outcome:
    """Test two systems' scores by a test that suits."""
    if test == "delong":
        return delong_test(sample, *pair, alternative)
    return bootstrap_of_scores(sample, *pair, drawing, alternative)


def is_share_right(measure: Measure, labels: int) -> bool:
    """Whether a measure is the share of items that are labelled rightly, or wrongly.

    With more than two labels, an average of classes' accuracies is another number.

    >>> from assay.measures import parse_measure
    >>> is_share_right(parse_measure("Accuracy", "binary"), 2), is_share_right(parse_measure("F", "binary"), 2)
    (True, False)
    """
    averaged = "average" in measure.parameters and labels > 2
    return measure.name in {"Accuracy", "ErrorRate"} and not averaged


def _counts_right(sample: Patterns) -> bool:
    return sample.weight is None and is_share_right(sample.measure, len(sample.labels))


def _of_right(measure: Measure, alternative: Alternative) -> Alternative:
    """What an alternative about a measure says of right items: fewer errors are more of those."""
    if measure.definition.higher_is_better is not False or alternative == "two-sided":
        return alternative
    return "less" if alternative == "greater" else "greater"
