"""The verb `extract`: how well spans or tuples were found in documents."""
