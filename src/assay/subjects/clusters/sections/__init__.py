"""What results on clusterings show, on the terminal and in reports."""
