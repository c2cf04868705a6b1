"""The verb `classify`: predictions beside the truth -> measures with intervals, baselines and advice."""
