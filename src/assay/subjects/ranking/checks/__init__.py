"""What `doctor` looks for in judgments and runs."""
