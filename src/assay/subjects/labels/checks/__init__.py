"""The checks of `doctor` on predictions."""
