"""Scores -> terminal, HTML, Markdown, LaTeX, JSON, CSV."""
