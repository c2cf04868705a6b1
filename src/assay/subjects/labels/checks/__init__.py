"""What `doctor` looks for in predictions."""
