"""What results on rankings show, on the terminal and in reports."""
