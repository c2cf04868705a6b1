"""Documents as data, and one writer per output form: terminal, HTML, Markdown, LaTeX, CSV, JSON; figures likewise.

A result says what it shows (`Document`, made of `Section`, `Prose`, `Table`, `Figure`, `Verdict`, `Widget`); a writer
turns that into one form. Neither knows the other.
"""
