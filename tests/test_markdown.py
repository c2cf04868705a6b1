"""Text in Markdown: whatever names hold, it is shown as it is."""

from __future__ import annotations

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.show.markdown import escaped


@settings(deadline=None)
@given(st.text(alphabet="ab1_*[]()<>:#|~&$\\`. ,05%-^!=+", max_size=14))
def test_text_means_nothing_but_itself(text: str) -> None:
    shown = MarkdownIt("gfm-like", {"linkify": False}).disable("linkify").render(escaped(text))
    assert html.unescape(re.sub("</?p>", "", shown)).strip() == re.sub(r"\s+", " ", text).strip()


def test_numbers_and_names_can_be_read_as_they_stand() -> None:
    assert escaped("query_id 0.750 [0.500, 0.900]") == "query_id 0.750 [0.500, 0.900]"
