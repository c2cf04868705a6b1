"""Which measures suit which situation, and why."""

from __future__ import annotations

from typing import NamedTuple

from assay.core.domains import Choice


class Recommendation(NamedTuple):
    """A measure, as one writes it, and the reason to choose it."""

    measure: str
    reason: str


class Situation(NamedTuple):
    """What is searched for, and the measures that suit it, the most important first."""

    name: str
    description: str
    measures: tuple[Recommendation, ...]


SITUATIONS = (
    Situation(
        "web-search",
        "People look at the first results, some pages are better than others, and nobody needs all of them.",
        (
            Recommendation("nDCG@10", "Grades count, and ranks near the top count most: what a first page is worth."),
            Recommendation("ERR@10", "A perfect page makes those below it useless: for queries with one good answer."),
            Recommendation(
                "RBP(p=0.8)", "The user goes on with a probability that you can set; 0.5 is hasty, 0.95 patient."
            ),
            Recommendation("P@5", "Easy to tell to anybody: how many of the first five are relevant."),
            Recommendation(
                "Judged@10", "On the open web most pages are unjudged: low values make the others doubtful."
            ),
        ),
    ),
    Situation(
        "fact-checking",
        "What is shown is believed: a wrong result does more harm than a missing one.",
        (
            Recommendation(
                "SetF(beta=0.5)", "Precision counts twice as much as recall, and the harmonic mean keeps both in view."
            ),
            Recommendation("P@1", "Often one piece of evidence is shown; it has to be right."),
            Recommendation("SetP", "The share of what is shown that is right."),
            Recommendation("Fallout", "How much of what is wrong gets through; needs the size of the collection."),
        ),
    ),
    Situation(
        "patent",
        "A missed document is expensive, and professionals read on for hours; legal and medical reviews too.",
        (
            Recommendation(
                "SetF(beta=2)", "Recall counts twice as much as precision, but reading everything is not rewarded."
            ),
            Recommendation("R@1000", "The share found by somebody who reads a thousand documents."),
            Recommendation(
                "PrecisionAtRecall@0.95",
                "How much of the reading is worthwhile for somebody who has to find nearly everything.",
            ),
            Recommendation("AP", "Rewards every relevant document, and each the more the earlier it comes."),
            Recommendation(
                "MicroR", "The share found over all queries: large ones weigh more, as they do for the reader."
            ),
        ),
    ),
    Situation(
        "sparse-judgments",
        "One or two documents per query are known to be relevant, and hardly anything else was judged.",
        (
            Recommendation("RR@10", "Asks only where the first relevant document stands: one judgment is enough."),
            Recommendation("Success@10", "Whether a known relevant document is on the first page; easy to tell."),
            Recommendation("R@100", "Whether a first stage hands on what is known to be relevant."),
            Recommendation("Bpref", "Passes over unjudged documents, where some were judged irrelevant too."),
            Recommendation("Judged@10", "How much of the top was looked at by a judge: say it beside every score."),
            Recommendation("RBPResidual", "By how much RBP could grow if unjudged documents were relevant."),
        ),
    ),
    Situation(
        "recommendation",
        "A short list is shown, one good item is enough, and most items nobody has rated.",
        (
            Recommendation("nDCG@10", "The order in the list counts, and so do ratings with several grades."),
            Recommendation("Success@10", "Known as hit rate: whether the list has anything of interest."),
            Recommendation("RCap@10", "Recall that can reach 1, also for people with more than ten items of interest."),
            Recommendation("RR@10", "How soon the first item of interest comes."),
            Recommendation(
                "AUC(unretrieved='left_out')",
                "How often a liked item stands above another, for fully ranked candidates.",
            ),
        ),
    ),
    Situation(
        "question-answering",
        "One answer is wanted, and a reader, or a language model, sees the first few passages only.",
        (
            Recommendation("RR@10", "How far down the first passage with the answer is."),
            Recommendation("Success@5", "Whether the answer is among what is handed on."),
            Recommendation("P@1", "Whether the first passage has the answer, where only one is shown."),
            Recommendation("R@20", "The share of the evidence that is handed on, for answers from several passages."),
            Recommendation("nDCG@10", "If passages are graded: full answers before partial ones."),
        ),
    ),
)


def advice(name: str) -> Situation:
    """The situation of that name, with its measures.

    >>> advice("patent").measures[0].measure
    'SetF(beta=2)'
    """
    known = {situation.name: situation for situation in SITUATIONS}
    Choice(known).check("a situation", name)
    return known[name]
