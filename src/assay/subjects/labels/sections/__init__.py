"""Documents of results on classifiers, on the terminal and in reports."""
