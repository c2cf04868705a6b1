"""`gate`: may the candidate take the baseline's place? Outcomes with exit codes, for machines that decide.

Nothing is loaded here: pytest imports this package at its start, for the sake of the plug-in in it.
"""
