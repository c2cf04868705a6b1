"""What results on classifiers show, on the terminal and in reports."""
