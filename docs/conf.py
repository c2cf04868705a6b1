"""Sphinx: pages in Markdown (MyST), the Furo theme, nothing fetched from elsewhere when a page is read."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # mathml, measure_pages and others stand beside this file

import assay

project = "Assay"
author = "The Assay developers"
copyright = author
release = assay.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "mathml",
    "measure_pages",
    "command_page",
    "api_page",
    "pictures",
    "workbench_page",
]
exclude_patterns = ["_build", "cli.template.md"]
language = "en"

myst_heading_anchors = 3
# Docstrings write names of code in single backticks, as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the types stand in the source; here the words count

html_theme = "furo"
html_title = f"Assay {release}"
html_static_path = ["_static"]
html_css_files = ["assay.css"]
html_math_renderer = "mathml"
html_copy_source = False
