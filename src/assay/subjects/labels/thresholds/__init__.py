"""Where positive should start: rules that choose a threshold from scores beside the truth."""
