"""Parts of the page of a report on classifiers or clusterings."""
