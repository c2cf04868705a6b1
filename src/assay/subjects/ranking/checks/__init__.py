"""The checks of `doctor` on judgments and runs."""
