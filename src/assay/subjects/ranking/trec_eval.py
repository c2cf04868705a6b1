"""The output of the reference tool, byte for byte: its measures, parameters, defaults, labels and order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from assay import measures as known
from assay.core.errors import InputError, ParameterError, TopicError, UnknownMeasureError, did_you_mean, number_of
from assay.files import RunFile, read_qrels, scan_run
from assay.measures.counting.judgments import Floats, Judgments
from assay.measures.counting.ranking import Policies
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure
from assay.tables import Qrels

__all__ = ["PrintOptions", "Printout", "trec_eval"]


_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")

_TENTHS = ("0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9", "1")

_MULTIPLES = ("0.2", "0.4", "0.6", "0.8", "1.0", "1.2", "1.4", "1.6", "1.8", "2.0")

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

_RECALL_RULE = "trec_eval-10"


def _mean(values: list[Floats]) -> Floats:
    mean: Floats = np.mean(values, axis=0)
    return mean


@dataclass(frozen=True)
class Line:
    """A line of output: its label, what it is computed from, and how topics are put together."""

    label: str
    measures: tuple[Measure, ...] = ()
    # How the measures' values become one; undefined ones are 0 by then.
    joined: Callable[[list[Floats]], Floats] = _mean
    summary: Literal["mean", "sum", "geometric", "none"] = "mean"
    per_topic: bool = True
    whole: bool = False
    # What the reference prints for a topic without results; only under the plain name, not with parameters.
    when_missing: float | None = None
    string_length: int = 0


@dataclass(frozen=True)
class PrintOptions:
    """The reference tool's options, by what they mean."""

    measures: Sequence[str] = ()
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    judged_only: bool = False
    depth: int | None = None
    collection_size: int = 0
    by_judge: bool = False


# name -> its lines for given parameters (None: none were given) and options; the order is the order of printing.
_Maker = Callable[[list[str] | None, PrintOptions], list[Line]]


def _plain(measure: Measure | str, **line: Any) -> _Maker:
    """A measure without parameters; or the name of what is known of the run as a whole, not computed from topics."""
    name, measures = (measure, ()) if isinstance(measure, str) else (measure.name, (measure,))

    def make(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
        if parameters:
            raise ParameterError(f"{name} takes no parameters, but {','.join(parameters)} was given")
        return [Line("", measures, **line)]

    return make


def _by_cutoff(make_measure: Callable[..., Measure], defaults: Sequence[str] = _CUTOFFS, **line: Any) -> _Maker:
    """Whole cut-offs, sorted, each printed as `name_k`."""

    def make(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
        cutoffs = sorted(int(_leading(item, r"[+-]?\d+")) for item in parameters or defaults)
        if len(set(cutoffs)) < len(cutoffs) or cutoffs[0] < 1:
            raise ParameterError(f"cut-offs are whole numbers from 1 on, each once, not {','.join(parameters or [])}")
        return [Line(f"_{cutoff}", (make_measure(cutoff=cutoff),), **line) for cutoff in cutoffs]

    return make


def _by_share(make_measure: Callable[[float], Measure], defaults: Sequence[str]) -> _Maker:
    """Real cut-offs, sorted, each printed with two decimals."""

    def make(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
        shares = sorted(_real(item) for item in parameters or defaults)
        if len(set(shares)) < len(shares):
            raise ParameterError(f"cut-offs are given once each, not {','.join(parameters or [])}")
        return [Line(f"_{share:.2f}", (make_measure(share),)) for share in shares]

    return make


def _by_gain(measure: Measure, **line: Any) -> _Maker:
    """Pairs such as 1=3.5 give a grade's gain, p=0.8 the persistence; printed as typed."""

    def make(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
        chosen: dict[str, Any] = {}
        gains: dict[float, float] = {}
        for pair in parameters or ():
            key, _, value = pair.partition("=")
            if re.fullmatch(r"[+-]?\d+", key):
                gains.setdefault(float(key), _real(value))
            elif key == "p" and "p" in measure.parameters:
                chosen["p"] = _real(value)
        if gains and "gain" in measure.parameters:
            chosen["gain"] = gains
        typed = {**line, "when_missing": None} if parameters else line
        return [Line(_as_typed(parameters), (measure(**chosen),), **typed)]

    return make


def _eleven_points(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
    levels = [_real(item) for item in parameters or _TENTHS]
    return [Line(_as_typed(parameters), tuple(known.IPrec(recall=level, rule=_RECALL_RULE) for level in levels))]


def _set_f(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
    squared = _real(parameters[0]) if parameters else 1.0
    if squared < 0:
        raise ParameterError(f"the parameter of set_F is the square of beta, from 0 on, not {squared:g}")

    def harmonic(values: list[Floats]) -> Floats:
        """From precision and recall, in the reference's order: from the counts, the last digit differs at times."""
        precision, recall = values
        below = squared * precision + recall
        return (squared + 1.0) * precision * recall / np.where(below == 0, 1.0, below)

    return [Line(_as_typed(parameters), (known.SetP, known.SetR), harmonic)]


def _utility(parameters: list[str] | None, options: PrintOptions) -> list[Line]:
    if parameters is not None and len(parameters) != 4:
        raise ParameterError(f"utility takes four coefficients, not {','.join(parameters)}")
    weights = [_real(item) for item in parameters or ("1", "-1", "0", "0")]
    measure = known.Utility(
        **dict(zip(("tp", "fp", "fn", "tn"), weights, strict=True)), collection_size=options.collection_size
    )
    return [Line(_as_typed(parameters), (measure,), when_missing=None if parameters else 0.0)]


def _relstring(parameters: list[str] | None, options: PrintOptions) -> list[Line]:  # noqa: ARG001
    length = int(_leading(parameters[0], r"\d+")) if parameters else 10
    return [Line(_as_typed(parameters), summary="none", string_length=length, when_missing=None if parameters else 0.0)]


_CATALOGUE: dict[str, _Maker] = {
    "runid": _plain("runid", summary="none", per_topic=False),
    "num_q": _plain("num_q", summary="none", per_topic=False),
    "num_ret": _plain(known.NumRet, summary="sum", whole=True, when_missing=0.0),
    "num_rel": _plain(known.NumRel, summary="sum", whole=True),
    "num_rel_ret": _plain(known.NumRelRet, summary="sum", whole=True),
    "map": _plain(known.AP),
    "gm_map": _plain(known.GMAP, summary="geometric", per_topic=False),
    "Rprec": _plain(known.Rprec),
    "bpref": _plain(known.Bpref),
    "recip_rank": _plain(known.RR),
    "iprec_at_recall": _by_share(lambda share: known.IPrec(recall=share, rule=_RECALL_RULE), _TENTHS),
    "P": _by_cutoff(known.P),
    "relstring": _relstring,
    "recall": _by_cutoff(known.R),
    "infAP": _plain(known.InfAP),
    "gm_bpref": _plain(known.GMBpref, summary="geometric", per_topic=False),
    "Rprec_mult": _by_share(lambda share: known.RprecMult(factor=share), _MULTIPLES),
    "utility": _utility,
    "11pt_avg": _eleven_points,
    "binG": _plain(known.BinG),
    "G": _by_gain(known.G),
    "dcg": _by_gain(known.DCG),
    "ideal_dcg": _by_gain(known.IDCG),
    "ndcg": _by_gain(known.nDCG),
    "ndcg_rel": _by_gain(known.nDCGRel),
    "Rndcg": _by_gain(known.Rndcg),
    "ndcg_cut": _by_cutoff(known.nDCG),
    "map_cut": _by_cutoff(known.AP),
    "relative_P": _by_cutoff(known.RelP),
    "success": _by_cutoff(known.Success, ("1", "5", "10")),
    "set_P": _plain(known.SetP),
    "set_relative_P": _plain(known.SetRelP),
    "set_recall": _plain(known.SetR),
    "set_map": _plain(known.SetAP),
    "set_F": _set_f,
    "num_nonrel_judged_ret": _plain(known.NumNonRelRet, summary="sum", whole=True),
    "map_avgjg": _plain(known.AP),
    "P_avgjg": _by_cutoff(known.P),
    "Rprec_mult_avgjg": _by_share(lambda share: known.RprecMult(factor=share), _MULTIPLES),
    "yaap": _plain(known.Yaap),
    "rbp": _by_gain(known.TrecRBP),
    "rbp_resid": _by_gain(known.TrecRBPResidual, when_missing=0.0),
    "unj": _by_cutoff(known.Unjudged, ("5", "10", "20"), when_missing=0.0),
}

OF_JUDGES = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")

_ORDER = list(_CATALOGUE)

NICKNAMES = {
    "official": _ORDER[: _ORDER.index("P") + 1],
    "set": ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall",
            "set_map", "set_F"],
    "all_trec": [name for name in _ORDER if name not in {"dcg", "ideal_dcg", "yaap", *OF_JUDGES}],
    "qrels_jg": ["runid", "num_q", *OF_JUDGES],
}  # fmt: skip


def lines_to_print(options: PrintOptions) -> dict[str, list[Line]]:
    """The lines to print, in the fixed order; the first parameters given for a measure win."""
    requested: dict[str, list[str] | None] = {}
    for text in options.measures or ("official",):
        name, dot, rest = text.partition(".")
        if name in NICKNAMES and not dot:
            for member in NICKNAMES[name]:
                requested.setdefault(member, None)
            continue
        if name not in _CATALOGUE:
            if name.startswith(("prefs", "all_prefs")):
                raise UnknownMeasureError(f"{name}: preference measures of trec_eval are not supported")
            stem, _, parameter = name.rpartition("_")
            if stem in _CATALOGUE and parameter.isdigit():
                raise UnknownMeasureError(f"trec_eval has no measure {name!r}; did you mean {stem}.{parameter}?")
            nearest = did_you_mean(name, [*_CATALOGUE, *NICKNAMES])
            raise UnknownMeasureError(f"trec_eval has no measure {name!r}{nearest}")
        if requested.get(name) is None:
            requested[name] = rest.split(",") if dot else None
    for name in requested:
        if name not in {"runid", "num_q"} and (name in OF_JUDGES) != options.by_judge:
            raise ParameterError(f"{name} {'needs' if name in OF_JUDGES else 'cannot be computed with'} -R qrels_jg")
    return {name: _CATALOGUE[name](requested[name], options) for name in _ORDER if name in requested}


def _as_typed(parameters: list[str] | None) -> str:
    return "_" + ",".join(parameters) if parameters else ""


def _leading(text: str, pattern: str) -> str:
    match = re.match(pattern, text)
    if match is None:
        raise ParameterError(f"expected a number as parameter, got {text!r}")
    return match[0]


def _real(text: str) -> float:
    return float(_leading(text, _NUMBER.pattern))


@dataclass(frozen=True)
class Printout:
    r"""The text, and what the user should know besides."""

    text: str
    warnings: tuple[str, ...] = field(default=())


def trec_eval(qrels: Any, run: Any, options: PrintOptions | None = None) -> Printout:
    """Evaluate a run file and give the reference tool's text.

    >>> import io
    >>> qrels, run = io.StringIO("q 0 d 1"), io.StringIO("q Q0 d 1 9.5 tag")
    >>> print(trec_eval(qrels, run, PrintOptions(measures=["map"])).text, end="")
    map                   \tall\t1.0000
    """
    options = options or PrintOptions()
    lines = lines_to_print(options)
    warnings: list[str] = []
    table = _whole_grades(read_qrels(qrels, judges=options.by_judge), warnings)
    warnings.extend(table.warnings)
    if options.by_judge and not table.judges:
        raise InputError(f"{table.name}: -R qrels_jg needs four columns, the second of which names the assessor")
    results = scan_run(run)
    if not isinstance(results, RunFile):
        raise InputError(f"{results.origin}: the reference tool reads TREC runs only, got {results.format}")
    policies = Policies(
        missing="zero" if options.complete else "skip",
        relevance_level=options.level,
        judged_only=options.judged_only,
        depth=options.depth,
    )
    values = _Values(table, results, policies, options, warnings)
    return Printout("".join(values.text(lines)), tuple(warnings))


class _Values:
    """The values of all topics, in the order in which they are printed."""

    def __init__(
        self, qrels: Qrels, run: RunFile, policies: Policies, options: PrintOptions, warnings: list[str]
    ) -> None:
        self.run, self.options = run, options
        if options.by_judge:
            self.judges = {judge: qrels.by_judge(judge) for judge in qrels.judges}
            anyone = qrels.frame.unique(["query_id", "doc_id"], keep="first", maintain_order=True).drop("judge")
            qrels = Qrels(anyone, qrels.name, qrels.format)
        ranks = Ranks.from_tables(run, Judgments.of(qrels), policies)
        left_out = len(qrels.topics) - len(ranks.queries)
        if left_out:
            warnings.append(f"{run.name}: {number_of('judged topic', left_out)} missing and left out (-c counts them)")
        if options.complete and options.level != 1 and "num_rel" in lines_to_print(options):
            warnings.append(
                "num_rel of all counts judgments above 0, whatever -l is, as the reference tool does with -c"
            )
        if options.judged_only and (emptied := int(((ranks.retrieved == 0) & ranks.in_run).sum())):
            warnings.append(
                f"{run.name}: {number_of('topic', emptied)} without a judged document (-J), with values of 0"
            )
        self.missing = ~ranks.in_run
        # The reference evaluates a missing topic as if one document that nobody judged had been retrieved; -J drops it.
        pretended = 0 if options.judged_only else 1
        self.ranks = replace(ranks, retrieved=np.where(self.missing, pretended, ranks.retrieved))
        self.order = sorted(range(len(ranks.queries)), key=lambda number: ranks.queries[number].encode())

    def text(self, lines: Mapping[str, list[Line]]) -> Iterator[str]:
        columns = [(name, line, self._column(name, line)) for name, group in lines.items() for line in group]
        if self.options.per_topic:
            for topic in self.order:
                for name, line, values in columns:
                    if line.per_topic:
                        yield _printed(name, line, self.ranks.queries[topic], self._value_text(line, values, topic))
        if self.options.summary:
            for name, line, values in columns:
                summary = self._summary(name, line, values)
                if summary is not None:
                    yield _printed(name, line, "all", summary)

    def _column(self, name: str, line: Line) -> Floats:
        if not line.measures:
            return np.zeros(len(self.ranks.queries))
        compute = self._mean_of_judges if name in OF_JUDGES else _values
        values = line.joined([compute(measure, self.ranks) for measure in line.measures])
        return values if line.when_missing is None else np.where(self.missing, line.when_missing, values)

    @cached_property
    def under_each_judge(self) -> list[Ranks]:
        """The run counted under each assessor's judgments alone; those who judged none of its topics left out."""
        counted = []
        for qrels in self.judges.values():
            with suppress(TopicError):
                counted.append(
                    Ranks.from_tables(self.run, Judgments.of(qrels), replace(self.ranks.policies, missing="zero"))
                )
        return counted

    def _mean_of_judges(self, measure: Measure, ranks: Ranks) -> Floats:
        """The plain measure under each assessor's judgments alone, on average over the topic's assessors."""
        number = {query: index for index, query in enumerate(ranks.queries)}
        total, count = np.zeros(len(number)), np.zeros(len(number))
        for theirs in self.under_each_judge:
            for query, value in zip(theirs.queries, _values(measure, theirs), strict=True):
                if query in number:
                    total[number[query]] += value
                    count[number[query]] += 1
        return total / np.maximum(count, 1)

    def _value_text(self, line: Line, values: Floats, topic: int) -> str:
        if not line.string_length:
            return f"{values[topic]:.0f}" if line.whole else f"{values[topic]:6.4f}"
        if self.missing[topic] and line.when_missing is not None:
            return "''"
        hits = self.ranks.hits
        marks = ["-"] * min(line.string_length, int(self.ranks.retrieved[topic]))
        for rank, grade in zip(hits.rank[hits.query == topic], hits.grade[hits.query == topic], strict=True):
            if rank <= len(marks):
                if grade < 0:
                    marks[rank - 1] = "."
                elif grade > 9:
                    marks[rank - 1] = ">"
                else:
                    marks[rank - 1] = f"{grade:.0f}"
        return f"'{''.join(marks)}'"

    def _summary(self, name: str, line: Line, values: Floats) -> str | None:
        topics = len(self.order)
        if name == "runid":
            return self.run.tag()
        if name == "num_q":
            return str(topics)
        if name == "num_rel" and self.options.complete:
            return str(int((self.ranks.ideal.grade > 0).sum()))
        if line.summary == "none":
            return None
        if line.summary == "geometric":
            values = np.log(values)
        # Added up one by one in the printed order, as the reference does: pairwise sums may round differently.
        total = float(np.add.accumulate(values[self.order])[-1])
        if line.summary == "geometric":
            return f"{np.exp(total / topics):6.4f}"
        return f"{total:.0f}" if line.whole else f"{total / topics:6.4f}"


def _values(measure: Measure, ranks: Ranks) -> Floats:
    """The measure's values, undefined ones as the reference counts them."""
    return np.nan_to_num(measure.of(ranks), nan=measure.definition.counted_as or 0.0)


def _whole_grades(qrels: Qrels, warnings: list[str]) -> Qrels:
    """The reference tool reads the whole part of a grade."""
    whole = pl.Series("relevance", np.trunc(qrels.frame["relevance"].to_numpy()))
    cut = int((whole != qrels.frame["relevance"]).sum())
    if not cut:
        return qrels
    warnings.append(
        f"{qrels.name}: {number_of('grade', cut)} with a fraction: the whole part is used, as the reference does"
    )
    return Qrels(qrels.frame.with_columns(whole), qrels.name, qrels.format, qrels.warnings)


def _printed(name: str, line: Line, topic: str, value: str) -> str:
    return f"{name + line.label:<22}\t{topic}\t{value}\n"
