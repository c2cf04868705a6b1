"""One page a measure, and their index, from the registry: a new measure is documented by being registered."""

import inspect
import re
from itertools import groupby
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from assay.cli.measures import KINDS
from assay.core import registry
from assay.measures import Measure, registered
from assay.verbs.sections.explanations import facts, family, first_sentence, name_elsewhere, plain_formula

_INTRODUCTION = """\
# Measures

A measure is written `Name(parameter=value)@cutoff`, on the command line (`-m`) as in Python. Parameters that are left
out have their defaults: `nDCG@10` is `nDCG(gain='linear', discount='log2', base=2, ideal='judged')@10`. The names of
other tools are understood as well: see [below](#names-in-other-tools).

These pages are made from the definitions in the code, and every example on them is a test. In the formulas
{math}`x_i` is 1 if the document at rank *i* is relevant and 0 if not; {math}`g_i` is its gain; *k* is the cut-off; *n*
is the number of documents retrieved; *R* is the number of relevant documents, retrieved or not; {math}`P@i` is the
precision at rank *i*; a star marks the ideal ranking. The numbers of the examples are rounded.

Classifiers have [a page of their own](classifiers.md), and so have [clusterings](clusterings.md), [the agreement of
judges](agreement.md), [what users do](clicks.md) and [rank correlations](orders.md)."""
_CLASSIFIERS = """\
# Measures of classifiers

`assay classifier evaluate -m Precision`, `-m 'F(beta=2)'`, `-m 'Recall(average=macro)'`, `-m TopKAccuracy@3`. A name
stands for what is right for the data: with two labels `MCC` is made of four cells, with more of the whole matrix. In
the formulas *TP*, *FP*, *FN* and *TN* are the true and false positives and negatives of a class; {math}`n_{kl}` is
how many items of class *k* are predicted to be *l*; {math}`t_k` and {math}`p_k` are how many are of class *k*, and
are predicted to be; *N* is the number of items. Items may have weights, which are counted instead of items. A number
that is undefined says why, and is left out of averages. All in one table, with the names of other fields and what
differs from scikit-learn:
[Which measure of a classifier is which?](../classifier-measures.md)"""
_CLUSTERINGS = """\
# Measures of clusterings

`assay clustering evaluate -m Purity -m ARI -m 'PairF(beta=5)' -m Silhouette`. Those against known classes are made
from a table that says how many items of each class are in each cluster. In the formulas {math}`n_{jk}` is how many
items of class *j* are in cluster *k*; {math}`a_j` and {math}`b_k` are all items of the class, and of the cluster; *N*
is the number of items; *TP*, *FP*, *FN* and *TN* are pairs of items. Those without classes are made from the points
themselves. A number that is undefined says why. All in one table, with what differs from scikit-learn:
[Which measure of a clustering is which?](../clustering-measures.md)"""
_AGREEMENT = """\
# Measures of agreement

`assay agreement evaluate -m Kappa -m "Alpha(scale='ordinal')" -m AC1`. All are made of labels that several judges gave
the same items, summed over items. A number that is undefined says why. What they mean, and what they do not:
[Can I trust my judges?](../can-i-trust-my-judges.md)"""
_CLICKS = """\
# Measures of behaviour

`assay clicks evaluate -m CTR@1 -m 'SatisfiedClicks(dwell=10)' -m SessionSuccess`. All are ratios of sums over the users
of a log. A number that is undefined says why. What they mean, and what they do not:
[What do my users do?](../what-do-my-users-do.md)"""
_ORDERS = """\
# Rank correlations

`assay scores explain tau --order 'A B C D' --order 'B A C D'`. All are made of two orders of items. A number that is
undefined says why. Which to take: [Do measures rank systems alike?](../correlate.md)"""
_NAMES = """\
## Names in other tools

`parse_measure`, `evaluate` and `-m` understand all of these, with the cut-off in the other tool's own way
(`ndcg_cut.10`, `ndcg_cut_10`, `ndcg@10`). The same name does not always mean the same number:
[Coming from trec_eval, ir_measures or ranx](../coming-from.md) says where and why."""


_INTRODUCTIONS = {
    "classifiers": _CLASSIFIERS,
    "clusterings": _CLUSTERINGS,
    "agreement": _AGREEMENT,
    "clicks": _CLICKS,
    "orders": _ORDERS,
}


def pages() -> dict[str, str]:
    """All pages by name."""
    known = registered()
    of_rankings = {name: _page(measure) for name, measure in known.items()}
    others = {kind: vocabularies for kind, vocabularies in KINDS.items() if kind != "rankings"}
    return (
        of_rankings
        | {"index": _index(list(known.values()))}
        | {kind: _together(_introduction(kind), _of(vocabularies)) for kind, vocabularies in others.items()}
    )


def _introduction(kind: str) -> str:
    """What stands above the measures of a subject: a text of its own, or what its declaration says."""
    declared = {kind: each.summary for each in registry.declarations() for kind in each.listed}
    return _INTRODUCTIONS.get(kind) or f"# Measures: {kind}\n\n{declared[kind]} `assay measures --{kind}` lists them."


def _of(vocabularies: tuple[str, ...]) -> list[Measure]:
    return [measure for vocabulary in vocabularies for measure in registered(vocabulary).values()]


def _together(introduction: str, known: list[Measure]) -> str:
    """One page for all of them, a section each: many measures of classifiers are those of retrieved sets."""
    measures = list({measure.definition.function: measure for measure in known}.values())
    families = list(dict.fromkeys(measure.__module__ for measure in measures))
    parts = [introduction]
    for module in families:
        members = [measure for measure in measures if measure.__module__ == module]
        parts += [f"## {family(members[0])}"]
        for measure in members:
            prose, _, example = inspect.cleandoc(measure.__doc__ or "").partition("\n>>>")
            function, counts = measure.definition.function.__name__, measure.definition.counts
            parts += [
                f"### {measure.name}",
                *(_paragraph(text) for text in prose.strip().split("\n\n")),
                _table(("fact", "value"), facts(measure)),
                _fenced(
                    f">>> from {counts.__module__} import {counts.__name__}\n"
                    f">>> from {module} import {function}\n>>>{example}",
                    "python",
                ),
            ]
    return "\n\n".join(parts) + "\n"


def _page(measure: Measure) -> str:
    prose, _, example = inspect.cleandoc(measure.__doc__ or "").partition("\n>>>")
    counts = measure.definition.counts.__name__
    parts = [
        f"# {measure.name}",
        *(_paragraph(text) for text in prose.strip().split("\n\n")),
        *_facts(measure),
        "## Example",
        _fenced(
            f">>> from assay import {counts}\n>>> from assay.measures import {measure.name}\n>>>{example}", "python"
        ),
        "On the command line:",
        _fenced(f"$ assay evaluate QRELS RUN -m {_typed(measure)}", "console"),
    ]
    return "\n\n".join(parts) + "\n"


def _paragraph(text: str) -> str:
    """A paragraph of a docstring as Markdown; a formula also as a line of text, and as LaTeX to copy."""
    if not text.startswith(".. math::"):
        text = re.sub(r":math:(`.+?`)", r"{math}\1", " ".join(text.split()))
        return re.sub(r"(?<!\})`(\w+)`", _linked, text)
    formula = " ".join(text.removeprefix(".. math::").split())
    return "\n\n".join(
        [
            _fenced(formula, "{math}"),
            _fenced(plain_formula(formula), "{code-block} text\n:class: plain-formula"),
            '<details class="latex"><summary>LaTeX source</summary>',
            _fenced(formula, "latex"),
            "</details>",
        ]
    )


def _linked(match: re.Match[str]) -> str:
    return f"[{match[0]}]({match[1]}.md)" if match[1] in registered() else match[0]


def _facts(measure: Measure) -> list[str]:
    parameters = measure.definition.parameters
    told = [(name, value) for name, value in facts(measure) if name in parameters]
    others = [(name, value) for name, value in facts(measure) if name not in parameters]
    tables = [["## Parameters", _table(("parameter", "values"), [(f"`{n}`", v) for n, v in told])]] if told else []
    return [line for table in (*tables, ["## Facts", _table(("fact", "value"), others)]) for line in table]


def _index(measures: list[Measure]) -> str:
    parts = [_INTRODUCTION]
    for of_family, members in groupby(measures, family):
        rows = [(f"[{_notation(measure)}]({measure.name}.md)", first_sentence(measure)) for measure in members]
        parts += [f"## {of_family}", _table(("measure", "what it is"), rows)]
    names = [
        (
            f"[{measure.name}]({measure.name}.md)",
            _names(measure.definition.trec_eval),
            _names((measure.definition.ir_measures or "",)),
            _names((measure.definition.ranx or "",)),
            ", ".join(_alias(name, measure(**means)) for name, means in measure.definition.aliases.items()),
        )
        for measure in measures
    ]
    parts += [_NAMES, _table(("Assay", "trec_eval", "ir_measures", "ranx", "also understood"), names)]
    others = [kind for kind in KINDS if kind != "rankings"]
    listed = "\n".join([*others, *(measure.name for measure in measures)])
    return "\n\n".join([*parts, _fenced(f":hidden:\n\n{listed}", "{toctree}")]) + "\n"


def _alias(name: str, measure: Measure) -> str:
    return f"`{name}`" if measure.chosen == {} else f"`{name}` (`{measure}`)"


def _names(templates: tuple[str, ...]) -> str:
    return ", ".join(f"`{name_elsewhere(template)}`" for template in templates if template)


def _notation(measure: Measure) -> str:
    """How the measure is written: `nDCG@k`, `IPrec@recall`, `Rprec`."""
    at = measure.definition.at
    return measure.name if at is None else f"{measure.name}@{name_elsewhere(f'{{{at}}}')}"


def _typed(measure: Measure) -> str:
    """An example of it: `nDCG@10`, `IPrec@0`, `Rprec`."""
    return str(measure @ 10 if measure.definition.at == "cutoff" else measure)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    cells = [head, tuple("---" for _ in head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _fenced(text: str, kind: str) -> str:
    return f"```{kind}\n{text}\n```"


def write_pages(folder: Path) -> None:
    """Bring the folder up to date; pages that have not changed are left alone, so that they are not built again."""
    folder.mkdir(exist_ok=True)
    made = {folder / f"{name}.md": text for name, text in pages().items()}
    for path in set(folder.glob("*.md")) - made.keys():
        path.unlink()
    for path, text in made.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / "measures"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
