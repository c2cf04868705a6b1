"""The verb `crossval`: classifiers measured on items that they have not learned from, fold by fold."""
