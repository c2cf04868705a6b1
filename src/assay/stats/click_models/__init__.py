"""Click models: what makes people click, fitted to logs by maximum likelihood."""
