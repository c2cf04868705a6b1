"""`AuditSetting`: all that a value depends on; `@rule`: how another tool counts; rules about reading files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, Unpack, cast

from assay.core.errors import ParameterError
from assay.core.evaluation_options import PolicyRules, Undefined
from assay.measures.counting import Confusion
from assay.measures.counting.judgments import Floats
from assay.measures.counting.ranking import Policies, policies
from assay.measures.counting.ranks import Ranks
from assay.measures.registry import Measure, ParameterValue

Repeated: TypeAlias = Literal["one", "last", "kept", "renamed"]

IdealOf: TypeAlias = Literal["judged", "cutoff", "hits", "retrieved"]

Grades: TypeAlias = Literal["given", "whole", "not_negative"]

Topics: TypeAlias = Literal["judged", "returned"]

Counted: TypeAlias = Callable[[Ranks, Measure], Floats]


class Data(NamedTuple):
    """Facts about the data that rules need: the largest grade, whether a mean is asked for, whether there are ranks.

    `has_fractions`: whether some grade is no whole number.
    """

    top_grade: float = 0.0
    is_mean: bool = True
    has_ranks: bool = False
    has_fractions: bool = False


NOTHING_KNOWN = Data()


@dataclass(frozen=True)
class AuditSetting:
    """A measure, the policies that Assay has, and the rules that only other tools have.

    `repeated`: a duplicate counts once (which row, the policies say), with the score of its last row, every time
    (`kept`), or as another document with the same grade (`renamed`).
    `in_file_order`: neither scores nor ranks matter.
    `ideal`: of the judged documents, best first, all are looked at, or as many as the cut-off, or as many as there are
    hits; or only those that were retrieved.
    `grades`: as given, cut to whole numbers, or negative ones taken for 0.
    `topics`: the mean is over the judged ones as the policies say, or over all that the run returned.
    `undefined`: as in `evaluate`.
    `digits`: the value of each topic is rounded.
    `counted`: a function takes the measure's place where Assay has no parameter for the rule.

    >>> from assay.measures import nDCG
    >>> AuditSetting(nDCG @ 5, Policies()).measured(gain="exp").measure
    nDCG(gain='exp')@5
    """

    measure: Measure
    policies: Policies
    data: Data = NOTHING_KNOWN
    repeated: Repeated = "one"
    in_file_order: bool = False
    ideal: IdealOf = "judged"
    grades: Grades = "given"
    topics: Topics = "judged"
    undefined: Undefined = "counted_as"
    digits: int | None = None
    counted: Counted | None = None

    def measured(self, **parameters: ParameterValue) -> AuditSetting:
        """The same with other parameters of the measure."""
        return replace(self, measure=self.measure(**parameters))

    def under(self, **rules: Unpack[PolicyRules]) -> AuditSetting:
        """The same under other policies."""
        return replace(self, policies=policies(self.policies, **rules))

    def having(self, **changes: object) -> AuditSetting:
        """The same with other rules of this class."""
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def cutoff(self) -> int | None:
        """The measure's cut-off, if it has one."""
        return cast("int | None", self.measure.parameters.get("cutoff"))

    @property
    def has_mean(self) -> bool:
        """True if topics are put together by the mean of their values."""
        return self.measure.definition.summary == "mean" and not self.measure.is_micro

    @property
    def is_assays(self) -> bool:
        """True if `evaluate` can be asked for it: nothing but parameters and policies."""
        return self == AuditSetting(self.measure, self.policies, self.data, undefined=self.undefined)


#: From a setting to another one; None where the rule has no meaning.
Change: TypeAlias = Callable[[AuditSetting], AuditSetting | None]

_RULES: list[ToolRule] = []


@dataclass(frozen=True)
class ToolRule:
    """A rule that some tools count by: its name, the tools, a sentence on why it matters, and what it changes.

    A rule without tools is shown nowhere until it gives a value that is looked for. `part` says what is chosen: of each
    part, one rule at most is in force.

    >>> from assay import audit  # brings all rules
    >>> from assay.measures import nDCG
    >>> next(rule.tools for rule in registered(nDCG) if rule.name == "exponential gain")[0]
    'gdeval'
    """

    name: str
    why: str
    change: Change
    tools: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    part: str | None = None

    def applied(self, setting: AuditSetting) -> AuditSetting | None:
        """The setting under this rule, which may be the same; None if the rule does not go with it."""
        try:
            return self.change(setting)
        except ParameterError:
            return None


def rule(
    name: str, *, tools: tuple[str, ...] = (), of: tuple[str, ...] = (), part: str | None = None
) -> Callable[[Change], ToolRule]:
    """Register a function from a setting to another one as a rule; its docstring says why values differ."""

    def register(change: Change) -> ToolRule:
        why = " ".join((change.__doc__ or "").split())
        entry = ToolRule(name, why, change, tools, of, part)
        _RULES.append(entry)
        return entry

    return register


def registered(measure: Measure | None = None) -> tuple[ToolRule, ...]:
    """All rules, in the order of their definition, or those that have to do with a measure."""
    return tuple(rule for rule in _RULES if measure is None or not rule.of or measure.name in rule.of)


def together(setting: AuditSetting, *rules: ToolRule) -> AuditSetting:
    """Several rules, one after the other; those that do not go with the setting are passed over."""
    for single in rules:
        setting = single.applied(setting) or setting
    return setting


@rule("duplicates kept", tools=("cwl_eval", "Elasticsearch rank_eval"), part="duplicates")
def kept(setting: AuditSetting) -> AuditSetting | None:
    """A document listed twice counts at both ranks, so one relevant document earns its gain twice."""
    # A set holds a document once: there is nothing to keep for measures of sets.
    return None if setting.measure.definition.counts is Confusion else setting.having(repeated="kept")


@rule("the last score of a document counts", tools=("ir_measures", "ranx"), part="duplicates")
def last(setting: AuditSetting) -> AuditSetting:
    """Of the rows of one document the last replaces the others, so that it stands where its last score puts it."""
    return setting.having(repeated="last")


@rule("duplicates become new documents", part="duplicates")
def renamed(setting: AuditSetting) -> AuditSetting:
    """A duplicate counts as another document with the same grade: the ideal ranking grows, too."""
    return setting.having(repeated="renamed")


@rule("ties by document id, largest first", tools=("trec_eval", "pytrec_eval", "gdeval"), part="ties")
def descending(setting: AuditSetting) -> AuditSetting:
    """Documents with equal scores stand in the order of their ids, from the last to the first."""
    return setting.under(ties="doc_id_descending", score_precision="double")


@rule(
    "ties by document id, smallest first",
    tools=("ir_measures (RR@k, Judged@k)", "trectools (nDCG, RBP)"),
    part="ties",
)
def ascending(setting: AuditSetting) -> AuditSetting:
    """Documents with equal scores stand in the order of their ids, from the first to the last."""
    return setting.under(ties="doc_id_ascending", score_precision="double")


@rule("ties as they came", tools=("ranx", "ir_measures (cwl_eval, pyndeval)"), part="ties")
def as_they_came(setting: AuditSetting) -> AuditSetting:
    """Documents with equal scores stay in the order of the file, which is often the order a system found them in."""
    return setting.under(ties="input_order", score_precision="double")


@rule("ties averaged", tools=("scikit-learn", "trectools (RBP)"), part="ties")
def averaged(setting: AuditSetting) -> AuditSetting:
    """The value is the mean over all orders of documents with equal scores, so that no order is an advantage."""
    return setting.under(ties="expected", score_precision="double")


@rule(
    "scores compared as 32-bit numbers",
    tools=("trec_eval 9", "pytrec_eval", "ir_measures (pytrec_eval)"),
    part="ties",
)
def single_precision(setting: AuditSetting) -> AuditSetting:
    """Scores that differ after the seventh digit only count as equal, and the document ids decide."""
    return setting.under(score_precision="single")


@rule("order of the rank column", tools=("MS MARCO's evaluation script",), part="order")
def rank_column(setting: AuditSetting) -> AuditSetting | None:
    """The ranks in the file are believed, whatever the scores say."""
    return setting.under(rank_by="rank").having(in_file_order=False) if setting.data.has_ranks else None


@rule("order of the file", tools=("cwl_eval",), part="order")
def file_order(setting: AuditSetting) -> AuditSetting:
    """Neither scores nor ranks are looked at: the first line of a query is its first result."""
    return setting.under(rank_by="score").having(in_file_order=True)


@rule("1,000 results at most", tools=("trectools", "cwl_eval"), part="depth")
def thousand(setting: AuditSetting) -> AuditSetting:
    """What stands below rank 1,000 is not looked at."""
    return setting.under(depth=min(setting.policies.depth or 1000, 1000))


@rule(
    "unjudged documents taken out first",
    tools=("trec_eval -J", "pytrec_eval judged_docs_only_flag", "ir_measures judged_only=True"),
    part="unjudged",
)
def judged_only(setting: AuditSetting) -> AuditSetting:
    """Documents without judgment are removed and the others move up, instead of counting as irrelevant."""
    return setting.under(judged_only=True)


@rule("grades cut to whole numbers", tools=("trec_eval", "ranx"), part="grades")
def whole(setting: AuditSetting) -> AuditSetting:
    """A grade such as 1.9 is read as 1, and 0.9 as 0."""
    return setting.having(grades="whole")


@rule("negative grades taken for 0", tools=("ir_measures (cwl_eval)", "ranx (bpref)"), part="grades")
def not_negative(setting: AuditSetting) -> AuditSetting:
    """A document of the pool without judgment (a negative grade) counts as judged irrelevant."""
    return setting.having(grades="not_negative")


def _relevant_from(level: int) -> ToolRule:
    def change(setting: AuditSetting) -> AuditSetting | None:
        if setting.data.top_grade < level or not setting.measure.depends_on_level:
            return None
        # A level that the measure was given goes before the policies': it gives way.
        changes = {"rel": None} if "rel" in setting.measure.parameters else {}
        return setting.measured(**changes).under(relevance_level=level)

    change.__doc__ = f"Documents of a lower grade than {level} count as irrelevant."
    tools = (f"trec_eval -l {level}", f"ir_measures rel={level}", f"ranx -l{level}")
    return rule(f"relevant from grade {level} on", tools=tools, part="level")(change)


LEVELS = tuple(map(_relevant_from, (1, 2, 3, 4)))


@rule("missing topics left out", tools=("trec_eval 9 without -c", "pytrec_eval"), part="topics")
def missing_left_out(setting: AuditSetting) -> AuditSetting | None:
    """Judged topics that the run has nothing for are not in the mean, instead of counting as 0."""
    return setting.under(missing="skip") if setting.data.is_mean else None


@rule("mean over the topics of the run", tools=("trectools",), part="topics")
def returned_topics(setting: AuditSetting) -> AuditSetting | None:
    """Judged topics that the run lacks are left out, and topics of the run that nobody judged count as 0."""
    if not setting.data.is_mean or not setting.has_mean:
        return None
    return setting.under(missing="skip").having(topics="returned")


@rule("undefined topics left out", part="topics")
def undefined_left_out(setting: AuditSetting) -> AuditSetting | None:
    """Topics without a relevant document are not in the mean, instead of counting as 0."""
    return setting.having(undefined="skip") if setting.data.is_mean else None


@rule("rounded to two decimals by topic", part="rounding")
def rounded(setting: AuditSetting) -> AuditSetting | None:
    """Each topic's value is rounded before the mean is taken."""
    return setting.having(digits=2) if setting.has_mean else None


@rule("as trec_eval 10 with -c", tools=("trec_eval 10 -c",))
def trec_eval_10(setting: AuditSetting) -> AuditSetting | None:
    """Scores decide, then ids; missing topics and undefined values count as 0; grades, cut to whole ones, are gains."""
    if not _is_in_trec_eval(setting):
        return None
    return _as_trec_eval(setting, "trec_eval-10").under(missing="zero")


@rule("as trec_eval 9", tools=("trec_eval 9", "pytrec_eval"))
def trec_eval_9(setting: AuditSetting) -> AuditSetting | None:
    """As trec_eval 10, but scores are 32-bit numbers, missing topics are left out, and recall has its old levels."""
    if not _is_in_trec_eval(setting):
        return None
    return together(_as_trec_eval(setting, "trec_eval-9"), single_precision, missing_left_out)


def _is_in_trec_eval(setting: AuditSetting) -> bool:
    """True if trec_eval has the measure: with a cut-off, or whatever stands after the @, or without."""
    at = setting.measure.definition.at
    is_cut = at is not None and setting.measure.parameters[at] is not None
    return any(("{" in name) == is_cut for name in setting.measure.definition.trec_eval)


def _as_trec_eval(setting: AuditSetting, rule: str) -> AuditSetting:
    defaults: dict[str, ParameterValue] = {
        "gain": "linear",
        "discount": "log2",
        "base": 2.0,
        "ideal": "judged",
        "rule": rule,
    }
    asked = setting.measure.parameters
    chosen = {name: value for name, value in defaults.items() if name in asked}
    read = together(setting.measured(**chosen).under(rank_by="score"), descending).having(undefined="counted_as")
    # Where all grades are whole, cutting them is no change, and the rule may be Assay's own.
    return together(read, whole) if setting.data.has_fractions else read
