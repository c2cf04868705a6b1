"""Rules that choose a threshold from scores beside the truth: the place where positive should start."""
