"""`assay trec-eval`: the reference tool's options and text."""

from __future__ import annotations

import getopt
import re
from typing import Any

import assay
from assay.cli.output import deliver, message
from assay.core.errors import ParameterError, number_of

_VERSION = "10"
_SHORT = "hvqm:cnl:JN:M:R:T:Z:D:o"
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure=": "m",
    "complete_rel_info_wanted": "c",
    "nosummary": "n",
    "level_for_rel=": "l",
    "Judged_docs_only": "J",
    "Number_docs_in_coll=": "N",
    "Max_retrieved_per_topic=": "M",
    "Rel_info_format=": "R",
    "Results_format=": "T",
    "Zscore=": "Z",
    "Debug_level=": "D",
    "output_old_results_format": "o",
}
_FLAGS = {f"--{name.removesuffix('=')}": flag for name, flag in _LONG.items()}
_USAGE = """\
Usage: assay trec-eval [OPTIONS] QRELS RUN

Prints what the reference tool prints.

  -q            also print every topic
  -m MEASURE    official (default), set, all_trec, qrels_jg, or one measure, as in -m P.5,10; repeat for more
  -c            judged topics missing from the run count as empty
  -n            no summary over topics
  -l LEVEL      smallest grade that counts as relevant (1)
  -J            remove unjudged documents first
  -M NUMBER     score only the top NUMBER documents per topic
  -N NUMBER     documents in the collection, for utility
  -R FORMAT     qrels (default), or qrels_jg: column 2 names the assessor
  -T FORMAT     trec_results
  -v            print the version
"""


def trec_eval(*words: str) -> None:
    """Print what trec_eval prints, byte for byte (`assay trec-eval -h`)."""
    try:
        flagged, files = getopt.gnu_getopt(list(words), _SHORT, list(_LONG))
    except getopt.GetoptError as problem:
        raise ParameterError(f"trec-eval: {problem}; `assay trec-eval -h` lists the options") from None
    options_read = [(_FLAGS.get(name, name.lstrip("-")), value) for name, value in flagged]
    flags = dict(options_read)
    if "h" in flags:
        deliver(_USAGE)
        return
    if "v" in flags:
        deliver(f"trec_eval version {_VERSION} (assay {assay.__version__})\n")
        return
    if len(files) != 2:
        got = number_of("file", len(files))
        raise ParameterError(f"trec-eval: expected QRELS and RUN, got {got}; `assay trec-eval -h` helps")
    _refuse(flags)
    from assay.subjects.ranking import trec_eval as reference

    options = reference.PrintOptions(
        measures=[value for name, value in options_read if name == "m"],
        per_topic="q" in flags,
        summary="n" not in flags,
        complete="c" in flags,
        level=1 if "l" not in flags else _whole(flags, "l", 0) or 0,
        judged_only="J" in flags,
        depth=_whole(flags, "M", 1),
        collection_size=_whole(flags, "N", 0) or 0,
        by_judge=flags.get("R", "qrels") == "qrels_jg",
    )
    printed = reference.trec_eval(files[0], files[1], options)
    for warning in printed.warnings:
        message(f"warning: {warning}")
    deliver(printed.text)


def _refuse(flags: dict[str, Any]) -> None:
    """Refuse what is left out, rather than do half of it."""
    for flag, what in (("Z", "z-scores"), ("D", "debug output"), ("o", "the old output format")):
        if flag in flags:
            raise ParameterError(f"trec-eval: -{flag} ({what}) is not supported")
    for flag, known in (("R", ("qrels", "qrels_jg")), ("T", ("trec_results",))):
        if flags.get(flag, known[0]) not in known:
            raise ParameterError(f"trec-eval: -{flag} takes {' or '.join(known)}; {flags[flag]!r} is not supported")


def _whole(flags: dict[str, str], flag: str, low: int) -> int | None:
    """A whole number; of a fraction the whole part, as the reference tool reads it, and that is said."""
    if flag not in flags:
        return None
    text = flags[flag]
    if not re.fullmatch(r"\d{1,18}(\.\d*)?", text, re.ASCII) or (number := int(text.partition(".")[0])) < low:
        raise ParameterError(f"trec-eval: -{flag} takes a whole number from {low} on, not {text!r}")
    if "." in text:
        message(f"warning: -{flag} {text} is read as {number}: the reference tool takes the whole part")
    return number
