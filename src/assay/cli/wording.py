"""What the library says of arguments, in the words of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from assay.core.errors import ArgumentWording, Value

#: Arguments whose options are called otherwise; the others keep their names.
_RENAMED = {
    "pos_label": "positive", "one_class": "class", "label": "class", "item": "item-id", "relevance_level": "level",
    "labels_true": "truth", "judged_on": "judge-on",
}  # fmt: skip
#: Rules of an evaluation that there are no options for.
_PYTHON_ONLY = {"score_precision"}


class Options(ArgumentWording):
    """How the command line is spoken."""

    naming = "as in name=FILE"

    def argument(self, name: str, value: Value) -> str:
        """An option with its value.

        >>> Options().argument("one_class", "two words"), Options().argument("overwrite", True)
        ("--class 'two words'", '--overwrite')
        """
        option = f"--{_RENAMED.get(name, name.replace('_', '-'))}"
        return option if value is ... or value is True else f"{option} {_quoted(_text(value))}"

    def evaluation(self, measure: str, rules: Mapping[str, Any]) -> str:
        """The command that evaluates a run by rules; the call in Python if there is no option for one of them.

        >>> Options().evaluation("P@5", {"relevance_level": 2.0})
        'assay evaluate QRELS RUN -m P@5 --level 2'
        """
        if _PYTHON_ONLY & rules.keys():
            return super().evaluation(measure, rules)
        options = (f" {self.argument(name, value)}" for name, value in rules.items())
        return f"assay evaluate QRELS RUN -m {_quoted(measure)}{''.join(options)}"


def option(name: str) -> str:
    """The option of an argument.

    >>> option("relevance_level"), option("max_missing")
    ('--level', '--max-missing')
    """
    return Options().argument(name, ...)


def _text(value: Value) -> str:
    """In full: what differs in the last digit is another level."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _quoted(word: str) -> str:
    """A word as a shell takes it; in double quotes where it holds single ones, which reads best."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)
