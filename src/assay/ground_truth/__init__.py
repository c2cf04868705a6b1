"""Ground truth: pools of documents to judge, what they miss, and labels of crowds."""
