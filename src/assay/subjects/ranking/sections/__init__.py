"""Documents of results on rankings, on the terminal and in reports."""
