"""Formulas as MathML, made when the pages are built: browsers show it without any script."""

import re
from typing import NoReturn

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


def mathml(formula: str, *, block: bool) -> str:
    r"""LaTeX -> MathML. Docutils knows no \big and \Big; they matter only where fences do not grow by themselves."""
    plain = re.sub(r"\\[bB]ig(?![a-zA-Z])\s*", "", " ".join(formula.split()))
    return str(tex2mathml(plain, as_block=block))


def _inline(translator: HTML5Translator, node: nodes.math) -> NoReturn:
    translator.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> NoReturn:
    translator.body.append(f'<div class="formula">{mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
